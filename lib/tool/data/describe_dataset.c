/* SPDX-License-Identifier: MIT */
/* The tool describe_dataset: everything about one dataset. */
#include <string.h>

#include "base/log.h"
#include "db/db.h"
#include "tool/core/env.h"
#include "tool/data/query.h"

#include "base/banned.h"

enum {
	SAMPLE_ROWS = 3,
	SAMPLE_BYTES = 8000,
	SAMPLE_CELL_BYTES = 200,
	SAMPLE_MS = 1000,
};

static void write_column(struct jw *w, const struct conf_column *c)
{
	jw_obj(w);
	dataset_write_column(w, c);
	if (!c->filter)
		jw_kbool(w, "filter", false);
	if (!c->sort)
		jw_kbool(w, "sort", false);
	if (!c->group)
		jw_kbool(w, "group", false);
	jw_end_obj(w);
}

/* A few rows that this caller may see; none if the query fails. */
static void write_sample(const struct tool_ctx *ctx, const struct dataset *d,
			 struct jw *w)
{
	struct row_caller who = query_caller(ctx);
	struct db_query_limits l = {
		.timeout_ms = MIN(MAX(d->conf->timeout_ms, 1), SAMPLE_MS),
		.max_rows = SAMPLE_ROWS, .max_bytes = SAMPLE_BYTES,
		.max_cell_bytes = SAMPLE_CELL_BYTES,
	};
	json_t *args = jx_keep(ctx->arena, json_pack("{s:i}", "limit",
						     SAMPLE_ROWS));
	struct buf b = BUF_INIT(4 * SAMPLE_BYTES);
	struct jw rows = jw_on(&b);
	struct db_query_result r;
	struct err e = ERR_INIT;
	struct db *db = tool_env_pool(ctx->turn.env, d->database, &e);
	struct query q;
	bool fine = db && query_compile(d, &who, args, ctx->arena, &q, &e) == 0;

	if (fine) {
		l.types = q.types;
		l.n_types = q.n_columns;
	}
	if (fine && db_query_json(db, q.sql, q.args.v, q.args.n, &l, ctx->arena,
				  &rows, &r, &e) == 0) {
		jw_key(w, "sample");
		jw_raw(w, buf_str(&b));
	} else {
		log_err("no sample of a dataset", &e);
	}
	tool_env_done(ctx->turn.env, db);
	buf_release(&b);
}

int describe_dataset_run(const struct tool *t, const struct tool_ctx *ctx,
			 const json_t *args, struct buf *out, bool *is_json,
			 struct err *e)
{
	struct jw w = jw_on(out);
	struct dataset d;

	(void)t;
	*is_json = true;
	if (dataset_find(ctx, jx_str(args, "dataset"), &d, e) < 0)
		return -1;
	origins_add(ctx->from, ORIGIN_DATASET, str_of(d.conf->name));
	jw_obj(&w);
	jw_kstrz(&w, "name", d.conf->name);
	jw_kstrz(&w, "description",
		 d.conf->description ? d.conf->description : "");
	jw_kint(&w, "maxRows", d.conf->max_rows);
	jw_key(&w, "columns");
	jw_arr(&w);
	for (size_t i = 0; i < d.n_columns; i++)
		write_column(&w, d.columns[i]);
	jw_end_arr(&w);
	write_sample(ctx, &d, &w);
	jw_end_obj(&w);
	return 0;
}
