/* SPDX-License-Identifier: MIT */
/*
 * The tool query_data: its description for the model, and a run: find the
 * dataset, compile, query, and write the rows straight into the result.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/policy.h"
#include "base/limits.h"
#include "base/log.h"
#include "db/db.h"
#include "net/http.h"
#include "tool/core/env.h"
#include "tool/core/family.h"
#include "tool/data/query.h"
#include "tool/core/text.h"

#include "base/banned.h"

enum {
	DESCRIBE_DATASETS = 8,	/* up to so many, columns are described at once */
	DESCRIBE_VALUES = 12,
	DESCRIBE_BYTES = 16384,
	DESCRIBE_TTL_MS = 30000,
	DESCRIBE_RETRY_MS = 2000,	/* while a database is down */
	COUNT_TIMEOUT_MS = 500,
	CELL_BYTES = 4000,	/* of one text in the result */
	TAIL_BYTES = 192,	/* rowCount, truncated, totalCount, nextCursor */
};

static void describe_column(struct buf *b, const struct conf_column *c)
{
	buf_addf(b, "%s %s", c->name, query_type_name(c->type));
	if (c->values.n && c->values.n <= DESCRIBE_VALUES) {
		buf_addc(b, '(');
		for (size_t i = 0; i < c->values.n; i++)
			buf_addf(b, "%s%s", i ? "|" : "", c->values.v[i]);
		buf_addc(b, ')');
	}
	if (c->description && c->description[0])
		buf_addf(b, " \"%s\"", c->description);
}

/*
 * "- tickets: Help desk tickets. Columns: id integer, status text(open|closed)"
 * per dataset, so that one round is enough for the model. A dataset whose
 * database is down is listed without columns.
 */
static bool describe_dataset(const struct tool_ctx *ctx,
			     const struct conf_dataset *d, bool with_columns,
			     struct buf *b)
{
	struct err e = ERR_INIT;
	struct dataset view;
	size_t before;

	buf_addf(b, "\n- %s", d->name);
	if (d->description && d->description[0])
		buf_addf(b, ": %s", d->description);
	if (!with_columns)
		return true;
	if (dataset_resolve(ctx, d, &view, &e) < 0) {
		log_err("dataset cannot be described", &e);
		buf_adds(b, ". (Its columns are not known at the moment.)");
		return false;
	}
	before = b->n;
	buf_adds(b, b->p[b->n - 1] == '.' ? " Columns: " : ". Columns: ");
	for (size_t i = 0; i < view.n_columns; i++) {
		if (i)
			buf_adds(b, ", ");
		if (b->n - before > DESCRIBE_BYTES / DESCRIBE_DATASETS) {
			buf_adds(b, "… (describe_dataset has them all)");
			break;
		}
		describe_column(b, view.columns[i]);
	}
	return true;
}

/*
 * The arguments, with the datasets and the caps of the lists. The datasets are
 * described there and not in the tool's own description: of that, some servers
 * accept no more than 1,024 characters. Takes names.
 */
static json_t *arguments(const struct tool *t, json_t *names, struct str text)
{
	static const struct {
		const char *list;
		int most;
	} caps[] = {
		{ "select", LIM_QUERY_SELECT }, { "filters", LIM_QUERY_FILTERS },
		{ "group_by", LIM_QUERY_GROUP }, { "sort", LIM_QUERY_SORT },
		{ "aggregates", LIM_QUERY_AGGREGATES },
	};
	json_t *schema = json_deep_copy(tool_schema(t->schema));
	json_t *args = jx_obj(schema, "properties");

	json_object_set_new(jx_obj(args, "dataset"), "enum", names);
	json_object_set_new(jx_obj(args, "dataset"), "description",
			    jx_string(text));
	for (size_t i = 0; i < ARRAY_LEN(caps); i++)
		json_object_set_new(jx_obj(args, caps[i].list), "maxItems",
				    json_integer(caps[i].most));
	return schema;
}

/*
 * The schema for all callers that see the same datasets and columns:
 * {"schema","timeout"}. *whole is false if some columns are missing.
 */
static json_t *describe(const struct tool *t, const struct tool_ctx *ctx,
			bool *whole, struct err *e)
{
	struct buf text = BUF_INIT(4 * DESCRIBE_BYTES);
	const struct workspace *w = ctx->turn.workspace;
	json_t *names = json_array(), *schema;
	json_t *j = NULL;
	int timeout_ms = 0;
	size_t n = 0;

	*whole = true;
	for (size_t i = 0; i < w->n_datasets; i++)
		n += dataset_visible(ctx, &w->datasets[i]);
	buf_adds(&text, n > DESCRIBE_DATASETS
		 ? "Ask describe_dataset for the columns first:"
		 : "With their columns:");
	for (size_t i = 0; i < w->n_datasets; i++) {
		if (!dataset_visible(ctx, &w->datasets[i]))
			continue;
		json_array_append_new(names, json_string(w->datasets[i].name));
		timeout_ms = MAX(timeout_ms, w->datasets[i].timeout_ms);
		*whole &= describe_dataset(ctx, &w->datasets[i],
					   n <= DESCRIBE_DATASETS, &text);
	}
	schema = arguments(t, names, buf_str(&text));
	if (buf_ok(&text))
		j = json_pack("{s:O,s:i}", "schema", schema, "timeout",
			      timeout_ms + COUNT_TIMEOUT_MS);
	else
		err_set(e, ERR_CONFIG, "too many datasets to describe");
	json_decref(schema);
	buf_release(&text);
	return j;
}

/* The key of a description: configuration, workspace, visible datasets. */
static void describe_key(const struct tool_ctx *ctx, struct buf *key)
{
	const struct workspace *w = ctx->turn.workspace;

	buf_addf(key, "query_data/%llu/%s/",
		 (unsigned long long)ctx->turn.by.conf->generation, w->id);
	for (size_t i = 0; i < w->n_datasets; i++) {
		const struct conf_dataset *d = &w->datasets[i];

		buf_addc(key, dataset_visible(ctx, d) ? '+' : '-');
		for (size_t k = 0; k < d->n_columns; k++)
			if (d->columns[k].groups.n)
				buf_addc(key, policy_in_groups(ctx->turn.by.who,
					 &d->columns[k].groups) ? '1' : '0');
	}
}

int query_data_describe(const struct tool *t, const struct tool_ctx *ctx,
			struct tool_offer *o, struct err *e)
{
	struct buf key = BUF_INIT(1 << 20);
	struct tool_shared *shared;
	bool whole;
	json_t *j;

	describe_key(ctx, &key);
	shared = tool_env_take(ctx->turn.env, key.p);
	if (!shared) {
		j = describe(t, ctx, &whole, e);
		if (j)
			shared = tool_env_keep(ctx->turn.env, key.p, j, whole
				? DESCRIBE_TTL_MS : DESCRIBE_RETRY_MS);
	}
	buf_release(&key);
	if (!shared)
		return -1;
	arena_defer(ctx->arena, tool_env_put, shared);
	o->schema = json_object_get(shared->value, "schema");
	o->timeout_ms = (int)jx_int(shared->value, "timeout", t->timeout_ms);
	return 0;
}

static int refuse(const struct dataset *d, const struct db_query_limits *l,
		   const struct err *cause, struct err *e)
{
	log_err("query_data", cause);
	switch (cause->code) {
	case ERR_DB_TIMEOUT:
		return err_public(e, ERR_TOOL_TIMEOUT,
				  "The query took longer than %d ms. Narrow it "
				  "with filters, or ask for less.",
				  l->timeout_ms);
	case ERR_CANCELLED:
		*e = *cause;
		return -1;
	case ERR_DB_DOWN:
	case ERR_OVERLOADED:
		return err_public(e, ERR_TOOL_FAILED,
				  "The database of dataset \"%.60s\" cannot be "
				  "reached at the moment.", d->conf->name);
	default:
		return err_public(e, ERR_TOOL_FAILED,
				  "The database refused the query on dataset "
				  "\"%.60s\"; its declaration may be wrong.",
				  d->conf->name);
	}
}

/* Number of rows of the whole result, or -1 if counting is not cheap. */
static int64_t count_all(struct db *db, const struct query *q,
			 const struct db_query_limits *l, struct arena *a)
{
	struct db_query_limits limits = {
		.timeout_ms = MIN(l->timeout_ms, COUNT_TIMEOUT_MS),
		.max_rows = 1, .max_bytes = 256, .stop = l->stop,
	};
	struct buf b = BUF_INIT(1024);
	struct jw w = jw_on(&b);
	struct db_query_result r;
	struct err e = ERR_INIT;
	int64_t n = -1;

	if (db_query_json(db, q->count_sql, q->args.v, q->args.n - q->n_page_args,
			  &limits, a, &w, &r, &e) == 0 && r.n_rows == 1)
		n = strtoll(b.p + strspn(b.p, "["), NULL, 10);
	buf_release(&b);
	return n > QUERY_COUNT_CAP ? -1 : n;
}

static void write_columns(struct jw *w, const struct query *q)
{
	jw_key(w, "columns");
	jw_arr(w);
	for (size_t i = 0; i < q->n_columns; i++) {
		jw_obj(w);
		jw_kstr(w, "name", q->columns[i].name);
		jw_kstrz(w, "type", query_type_name(q->columns[i].type));
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

/* Runs the query and writes the result; rows beyond the cap are left out. */
static int write_rows(struct db *db, const struct dataset *d,
		      const struct query *q, size_t cap, struct db_stop *stop,
		      struct arena *a, struct buf *out, struct err *e)
{
	struct db_query_limits l = {
		.timeout_ms = MAX(d->conf->timeout_ms, 1), .max_rows = q->limit,
		.max_cell_bytes = CELL_BYTES, .stop = stop,
		.types = q->types, .n_types = q->n_columns,
	};
	struct jw w = jw_on(out);
	struct db_query_result r;
	struct err cause = ERR_INIT;

	jw_obj(&w);
	jw_kstrz(&w, "dataset", d->conf->name);
	write_columns(&w, q);
	if (out->n + 2 * TAIL_BYTES > cap)
		return err_public(e, ERR_TOOL_ARGS,
				  "Select fewer columns: their names alone are "
				  "too long.");
	l.max_bytes = cap - out->n - TAIL_BYTES;
	if (query_guard(db, d, q, &l, a, e) < 0)
		return -1;
	jw_key(&w, "rows");
	if (db_query_json(db, q->sql, q->args.v, q->args.n, &l, a, &w, &r, &cause) < 0)
		return refuse(d, &l, &cause, e);
	if (r.truncated && r.n_rows == 0)
		return err_public(e, ERR_TOOL_ARGS,
				  "A single row has more than %zu bytes. Select "
				  "fewer columns.", l.max_bytes);
	jw_kint(&w, "rowCount", (int64_t)r.n_rows);
	jw_kbool(&w, "truncated", r.truncated);
	if (r.truncated) {
		const char *next = query_next_cursor(q, r.n_rows, a);
		int64_t n = count_all(db, q, &l, a);

		if (n >= 0)
			jw_kint(&w, "totalCount", n);
		if (next)
			jw_kstrz(&w, "nextCursor", next);
	}
	jw_end_obj(&w);
	return 0;
}

struct row_caller query_caller(const struct tool_ctx *ctx)
{
	const struct identity *by = ctx->turn.by.who;

	return (struct row_caller){
		.user = by->login, .tenant = by->tenant,
		.user_id = str_of(by->user_id_text),
		.groups = by->groups, .n_groups = by->n_groups,
	};
}

/* The dataset that args name, and their compiled query. */
static int prepare_query(const struct tool_ctx *ctx, const json_t *args,
			 struct dataset *d, struct query *q, struct err *e)
{
	struct row_caller who = query_caller(ctx);

	if (dataset_find(ctx, jx_str(args, "dataset"), d, e) < 0)
		return -1;
	origins_add(ctx->from, ORIGIN_DATASET, str_of(d->conf->name));
	return query_compile(d, &who, args, ctx->arena, q, e);
}

static void stop_query(void *stop)
{
	db_stop_now(stop);
}

int query_data_run(const struct tool *t, const struct tool_ctx *ctx,
		   const json_t *args, struct buf *out, bool *is_json,
		   struct err *e)
{
	struct http_abort_hook hook = { .fn = stop_query };
	struct db_stop stop;
	struct dataset d;
	struct query q;
	struct db *db;
	int rc;

	*is_json = true;
	if (prepare_query(ctx, args, &d, &q, e) < 0)
		return -1;
	db = tool_env_pool(ctx->turn.env, d.database, e);
	if (!db)
		return -1;
	db_stop_init(&stop);
	hook.ctx = &stop;
	if (ctx->turn.abort)
		http_abort_on(ctx->turn.abort, &hook);
	rc = write_rows(db, &d, &q, tool_result_cap(t, ctx), &stop, ctx->arena, out,
			e);
	if (ctx->turn.abort)
		http_abort_off(ctx->turn.abort, &hook);
	db_stop_release(&stop);
	tool_env_done(ctx->turn.env, db);
	return rc;
}

int query_data_dry_run(const struct tool *t, const struct tool_ctx *ctx,
		       const json_t *args, struct buf *out, struct err *e)
{
	struct dataset d;
	struct query q;

	(void)t;
	if (prepare_query(ctx, args, &d, &q, e) < 0)
		return -1;
	buf_addf(out, "database: %s\nsql: %.*s\n", d.conf->database,
		 STR_ARG(q.sql));
	for (size_t i = 0; i < q.args.n; i++) {
		const struct db_val *v = &q.args.v[i];

		buf_addf(out, "?%zu: ", i + 1);
		if (v->type == 'i')
			buf_addf(out, "%lld\n", (long long)v->i);
		else if (v->type == 'd')
			buf_addf(out, "%.15g\n", v->d);
		else {
			buf_json(out, v->s);
			buf_addc(out, '\n');
		}
	}
	return 0;
}
