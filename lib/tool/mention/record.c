/* SPDX-License-Identifier: MIT */
/*
 * Rows of datasets as mentions. They are read by the query of query_data, so the
 * row filter, the groups of datasets and columns, and the cost check are the same;
 * so is the permission.
 */
#include <string.h>

#include "auth/policy.h"
#include "base/limits.h"
#include "base/log.h"
#include "db/db.h"
#include "tool/core/env.h"
#include "tool/data/query.h"
#include "tool/mention/mention.h"

#include "base/banned.h"

enum {
	FIND_MS = 1000,		/* of one query while the user types */
	FIND_BYTES = 65536,
	LOOK_CELL_BYTES = 4000,
	LOOK_BYTES = 524288,	/* LIM_QUERY_SELECT cells, escaped */
	PARTS = 9,		/* of an id: the dataset, and its key */
};

/* A dataset that the caller may mention rows of. */
struct rows_of {
	const struct tool_ctx *ctx;
	struct dataset d;
	const struct conf_mention *m;
	const struct conf_list *key;
};

static bool is_offered(const struct tool_ctx *ctx, const struct conf_dataset *d)
{
	return d->mention && dataset_visible(ctx, d) &&
	       policy_may_use_tool(ctx->turn.by.who, "query_data");
}

/* False if the caller may not see the key or the label. */
static bool open_dataset(const struct tool_ctx *ctx,
			 const struct conf_dataset *d, struct rows_of *out,
			 struct err *e)
{
	*out = (struct rows_of){ .ctx = ctx, .m = d->mention };
	out->key = out->m->key.n ? &out->m->key : &d->key;
	if (dataset_resolve(ctx, d, &out->d, e) < 0 ||
	    !dataset_column(&out->d, str_of(out->m->label)))
		return false;
	for (size_t i = 0; i < out->key->n; i++)
		if (!dataset_column(&out->d, str_of(out->key->v[i])))
			return false;
	return out->key->n > 0 && out->key->n < PARTS;
}

/* -- a query, and what a row says ----------------------------------------------- */

static void add_name(const struct rows_of *r, json_t *names, struct str name)
{
	if (name.n && dataset_column(&r->d, name))
		json_array_append_new(names, jx_string(name));
}

/* The columns of a mention: key, label, description and those in its link. */
static json_t *shown_columns(const struct rows_of *r)
{
	json_t *names = json_array();

	for (size_t i = 0; i < r->key->n; i++)
		add_name(r, names, str_of(r->key->v[i]));
	add_name(r, names, str_of(r->m->label));
	add_name(r, names, str_of(r->m->description));
	for (const char *s = r->m->link; (s = strchr(s, '{')) != NULL;) {
		size_t n = strcspn(++s, "}");

		add_name(r, names, (struct str){ s, n });
		s += n;
	}
	return names;
}

static json_t *filter(const char *column, const char *op, struct str value)
{
	return json_pack("{s:s,s:s,s:o}", "column", column, "op", op, "value",
			 jx_string(value));
}

struct answer {
	struct query q;
	const json_t *rows;
};

/* Runs the query; takes args. Returns the rows that are complete. */
static int run_query(const struct rows_of *r, json_t *args, int timeout_ms,
		     size_t cell_bytes, size_t bytes, struct answer *out, struct err *e)
{
	const struct tool_ctx *ctx = r->ctx;
	struct row_caller who = query_caller(ctx);
	struct db_query_limits l = {
		.timeout_ms = MIN(MAX(r->d.conf->timeout_ms, 1), timeout_ms),
		.max_bytes = bytes, .max_cell_bytes = cell_bytes,
	};
	struct buf b = BUF_INIT(2 * bytes);
	struct jw w = jw_on(&b);
	struct db_query_result result;
	struct db *db = NULL;
	int rc = -1;

	*out = (struct answer){ .rows = NULL };
	jx_keep(ctx->arena, args);
	if (query_compile(&r->d, &who, args, ctx->arena, &out->q, e) == 0)
		db = tool_env_pool(ctx->turn.env, r->d.database, e);
	if (db) {
		l.max_rows = out->q.limit;
		l.types = out->q.types;
		l.n_types = out->q.n_columns;
		rc = query_guard(db, &r->d, &out->q, &l, ctx->arena, e);
		if (rc == 0)
			rc = db_query_json(db, out->q.sql, out->q.args.v,
					   out->q.args.n, &l, ctx->arena, &w, &result, e);
		tool_env_done(ctx->turn.env, db);
	}
	if (rc == 0) {
		out->rows = jx_keep(ctx->arena, jx_load(buf_str(&b), e));
		rc = out->rows ? 0 : -1;
	}
	buf_release(&b);
	return rc;
}

/* The value in a column of a row as text; p == NULL: it is null, or absent. */
static struct str text_of(const struct answer *f, const json_t *row,
			  struct str column, struct arena *a)
{
	const json_t *v = NULL;

	for (size_t i = 0; i < f->q.n_columns; i++)
		if (str_eq(f->q.columns[i].name, column))
			v = json_array_get(row, i);
	if (json_is_string(v))
		return (struct str){ json_string_value(v),
				     json_string_length(v) };
	if (!v || json_is_null(v))
		return (struct str){ NULL, 0 };
	return str_of(jx_text(a, v));
}

static struct str cell(const struct rows_of *r, const struct answer *f,
		       const json_t *row, struct str column)
{
	const struct conf_column *c = dataset_column(&r->d, column);

	return c ? text_of(f, row, str_of(c->name), r->ctx->arena)
		: (struct str){ NULL, 0 };
}

/*
 * The link with the row's values; none if a value is missing, or is "." or
 * "..".
 */
static struct str link_of(const struct rows_of *r, const struct answer *f,
			  const json_t *row)
{
	struct buf b = BUF_INIT(LIM_ACTION_URL_BYTES);
	const char *s = r->m->link, *brace;
	struct str out = { NULL, 0 };
	bool whole = *s;

	while (whole && (brace = strchr(s, '{')) != NULL) {
		size_t n = strcspn(brace + 1, "}");
		struct str v = cell(r, f, row, (struct str){ brace + 1, n });

		whole = v.n && !str_is(v, ".") && !str_is(v, "..");
		buf_add(&b, s, (size_t)(brace - s));
		buf_url(&b, v);
		s = brace + 1 + n + 1;
	}
	buf_adds(&b, s);
	if (whole && buf_ok(&b))
		out = arena_str(r->ctx->arena, buf_str(&b));
	buf_release(&b);
	return out;
}

/* False for a row without a usable key. */
static bool read_row(const struct rows_of *r, const struct answer *f,
		     const json_t *row, struct mention_item *out)
{
	struct buf ref = BUF_INIT(4 * LIM_MENTION_REF_BYTES);
	struct arena *a = r->ctx->arena;
	bool usable = true;

	*out = (struct mention_item){ .source = str_of(r->d.conf->name) };
	buf_addf(&ref, "record:%s", r->d.conf->name);
	for (size_t i = 0; i < r->key->n; i++) {
		struct str v = cell(r, f, row, str_of(r->key->v[i]));

		usable &= v.n > 0;
		buf_addc(&ref, '/');
		buf_url(&ref, v);
	}
	usable &= buf_ok(&ref) && ref.n <= LIM_MENTION_REF_BYTES;
	out->ref = arena_str(a, buf_str(&ref));
	buf_release(&ref);
	out->label = mention_line(a, cell(r, f, row, str_of(r->m->label)));
	if (!out->label.n)
		out->label = mention_handle(out->ref);
	out->description = mention_line(a, cell(r, f, row,
						str_of(r->m->description)));
	if (!out->description.n)
		out->description.p = NULL;
	out->href = link_of(r, f, row);
	return usable;
}

/* -- while somebody types --------------------------------------------------------- */

/*
 * Adds the rows that match the filters to the list, the newest (of the highest key)
 * first; by_label: of those with the same label. Takes filters.
 */
static void find_by(const struct rows_of *r, json_t *filters, bool by_label,
		    struct mention_list *out)
{
	json_t *sort = json_pack("[{s:s,s:s}]", "column", r->key->v[0],
				 "direction", "desc");
	json_t *args = json_pack("{s:o,s:o,s:o,s:I}", "select",
				 shown_columns(r), "filters", filters, "sort", sort,
				 "limit", (json_int_t)(out->max - out->n + 1));
	struct err e = ERR_INIT;
	struct mention_item m;
	struct answer f;
	size_t i;
	json_t *row;

	if (by_label && strcmp(r->m->label, r->key->v[0]) != 0)
		json_array_insert_new(sort, 0, json_pack("{s:s,s:s}", "column",
			r->m->label, "direction", "asc"));
	if (run_query(r, args, FIND_MS, LIM_MENTION_LABEL_CHARS * 4, FIND_BYTES, &f,
		      &e) < 0) {
		if (e.code != ERR_TOOL_ARGS)	/* no such value in the column */
			log_err("mentions of a dataset", &e);
		return;
	}
	json_array_foreach((json_t *)f.rows, i, row)
		if (read_row(r, &f, row, &m) && !mention_add(out, &m))
			return;
}

static json_t *label_filters(const struct rows_of *r, struct str q)
{
	json_t *filters = json_array();
	struct str word;

	if (r->m->match == MENTION_START) {
		json_array_append_new(filters, filter(r->m->label,
						      "starts_with", q));
		return filters;
	}
	while (q.n && json_array_size(filters) < LIM_QUERY_WORDS) {
		word = str_cut(&q, ' ');
		if (word.n)
			json_array_append_new(filters, filter(r->m->label,
							      "contains", word));
	}
	return filters;
}

static void find_in(const struct mention_ask *ask, const struct conf_dataset *d,
		    struct mention_list *out)
{
	struct err e = ERR_INIT;
	struct rows_of r;

	if (!open_dataset(ask->ctx, d, &r, &e)) {
		if (e.code)
			log_err("mentions of a dataset", &e);
		return;
	}
	/*
	 * A key that is typed in full comes first. Beginnings are looked up like
	 * names; words are looked for in texts, where the newest one is meant,
	 * unless a label is typed in full: "Ticket 17" is not ticket 317.
	 */
	if (ask->q.n && r.key->n == 1)
		find_by(&r, json_pack("[o]", filter(r.key->v[0], "eq", ask->q)),
			false, out);
	if (ask->q.n && r.m->match == MENTION_WORDS)
		find_by(&r, json_pack("[o]", filter(r.m->label, "eq", ask->q)),
			false, out);
	if (ask->q.n)
		find_by(&r, label_filters(&r, ask->q),
			r.m->match == MENTION_START, out);
	else
		find_by(&r, json_array(), false, out);
}

void mention_record_find(const struct mention_ask *ask,
			 struct mention_list *out)
{
	const struct workspace *w = ask->ctx->turn.workspace;
	size_t asked = 0, offered = 0, room = out->max - out->n;

	for (size_t i = 0; i < w->n_datasets; i++)
		offered += is_offered(ask->ctx, &w->datasets[i]);
	if (ask->dataset.p)
		offered = 1;
	for (size_t i = 0; i < w->n_datasets && asked < LIM_MENTION_DATASETS; i++) {
		const struct conf_dataset *d = &w->datasets[i];
		struct mention_list part = *out;

		if (!is_offered(ask->ctx, d) ||
		    (ask->dataset.p && !str_is(ask->dataset, d->name)))
			continue;
		asked++;
		part.max = MIN(out->max, out->n + MAX(room / offered, 1));
		find_in(ask, d, &part);
		out->n = part.n;
		out->more |= part.more;
	}
	out->more |= asked < offered;
}

/* -- one ---------------------------------------------------------------------------- */

static int not_there(struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "no such record for the caller");
}

/* All that the caller sees of the row, as a JSON object. */
static struct str text_for_model(const struct rows_of *r, const struct answer *f,
				 const json_t *row)
{
	json_auto_t *o = json_object();

	for (size_t i = 0; i < f->q.n_columns; i++) {
		struct str name = f->q.columns[i].name;
		char key[256];

		if (name.n < sizeof(key)) {
			memcpy(key, name.p, name.n);
			key[name.n] = '\0';
			json_object_set(o, key, json_array_get(row, i));
		}
	}
	return str_of(jx_text(r->ctx->arena, o));
}

int mention_record_look(const struct mention_ask *ask, struct str id,
			struct mention_item *out, struct err *e)
{
	const struct workspace *w = ask->ctx->turn.workspace;
	const struct conf_dataset *d = NULL;
	struct str parts[PARTS], ref = out->ref;
	size_t n = mention_parts(ask->ctx->arena, id, parts, PARTS);
	const char *type = out->type;
	json_t *filters, *select;
	struct rows_of r;
	struct answer f;

	for (size_t i = 0; n && i < w->n_datasets; i++)
		if (str_is(parts[0], w->datasets[i].name) &&
		    is_offered(ask->ctx, &w->datasets[i]))
			d = &w->datasets[i];
	if (!d)
		return not_there(e);
	if (!open_dataset(ask->ctx, d, &r, e))
		return e->code ? -1 : not_there(e);
	if (n != r.key->n + 1)
		return not_there(e);
	filters = json_array();
	for (size_t i = 1; i < n; i++)
		json_array_append_new(filters, filter(r.key->v[i - 1], "eq",
						      parts[i]));
	select = shown_columns(&r);
	json_array_append_new(select, json_string("*"));
	if (run_query(&r, json_pack("{s:o,s:o,s:i}", "select", select, "filters",
				    filters, "limit", 1),
		      d->timeout_ms, LOOK_CELL_BYTES, LOOK_BYTES, &f, e) < 0) {
		if (e->code != ERR_TOOL_ARGS)
			return -1;
		err_clear(e);	/* a key that the column cannot have */
		return not_there(e);
	}
	if (!read_row(&r, &f, json_array_get(f.rows, 0), out))
		return not_there(e);
	out->type = type;
	out->ref = ref;
	out->text = text_for_model(&r, &f, json_array_get(f.rows, 0));
	return 0;
}
