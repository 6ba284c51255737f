/* SPDX-License-Identifier: MIT */
/* See query.h. Clauses are compiled in the order in which they stand in SQL. */
#include "tool/data/query.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "tool/core/text.h"

#include "base/banned.h"

struct compile {
	const struct dataset *d;
	const json_t *in;		/* the model's query */
	struct arena *arena;
	struct query *out;
	struct err *e;
	struct buf sql;
	const struct conf_column *groups[LIM_QUERY_GROUP];
	size_t n_groups, n_aggregates;
	bool grouped;			/* group_by or aggregates are there */
};

static struct str text_of(const json_t *j)
{
	return (struct str){ json_string_value(j), json_string_length(j) };
}

/* -- reading it ------------------------------------------------------------ */

enum { SQL_BYTES = 262144 };

enum fn_takes { FN_ANY, FN_NUMBER, FN_ORDERED };

static const struct fn {
	const char *name, *sql;
	enum fn_takes takes;
	bool needs_column;
} fns[] = {
	{ "count", "COUNT(", FN_ANY, false },
	{ "sum", "SUM(", FN_NUMBER, true },
	{ "avg", "AVG(", FN_NUMBER, true },
	{ "min", "MIN(", FN_ORDERED, true },
	{ "max", "MAX(", FN_ORDERED, true },
	{ "count_distinct", "COUNT(DISTINCT ", FN_ANY, true },
};

static void add_name(struct buf *b, const char *name)
{
	buf_addc(b, '`');
	for (; *name; name++) {
		if (*name == '`')
			buf_addc(b, '`');
		buf_addc(b, *name);
	}
	buf_addc(b, '`');
}

/* Appends the column as SQL: the admin's expression, or its quoted name. */
static void query_add_column(struct buf *b, const struct conf_column *c)
{
	if (c->expr && c->expr[0])
		buf_addf(b, "(%s)", c->expr);
	else
		add_name(b, c->name);
}

/* The column of this name; NULL with an error that names the known ones. */
static const struct conf_column *query_column(struct compile *q, const json_t *name,
					      const char *what)
{
	const struct conf_column *c = dataset_column(q->d, text_of(name));
	struct buf hint = BUF_INIT(4096);
	const char **names;

	if (c)
		return c;
	names = arena_alloc(q->arena, (q->d->n_columns + 1) * sizeof(*names));
	for (size_t i = 0; i < q->d->n_columns; i++)
		names[i] = q->d->columns[i]->name;
	text_names(&hint, "Columns", text_of(name), names, q->d->n_columns);
	err_public(q->e, ERR_TOOL_ARGS,
		   "%s: dataset \"%.60s\" has no column \"%.*s\". %.150s", what,
		   q->d->conf->name, STR_ARG(text_quote(text_of(name), 40)),
		   hint.p);
	buf_release(&hint);
	return NULL;
}

/* Whether the column may be used in this clause: 0, or -1 with an error. */
static int query_allowed(struct compile *q, const struct conf_column *c, bool may,
			 const char *what)
{
	if (may)
		return 0;
	return err_public(q->e, ERR_TOOL_ARGS,
			  "%s: column \"%.60s\" cannot be used there.", what,
			  c->name);
}

static void out_column(struct compile *q, struct str name,
		       enum conf_col_type type)
{
	q->out->types[q->out->n_columns] = type;
	q->out->columns[q->out->n_columns++] =
		(struct query_column){ arena_str(q->arena, name), type };
}

/* -- filters --------------------------------------------------------------- */

/* WHERE of a structured query: the row filter and the model's filters. */

enum op_kind { OP_COMPARE, OP_IN, OP_LIKE, OP_NULL, OP_BETWEEN };

static const struct where_op {
	const char *name;
	enum op_kind kind;
	const char *sql;		/* compare, null: the operator */
	const char *day_sql;		/* compare of a datetime with a whole day */
} ops[] = {
	{ "eq", OP_COMPARE, "=", NULL },
	{ "ne", OP_COMPARE, "<>", NULL },
	{ "lt", OP_COMPARE, "<", "< ?" },
	{ "le", OP_COMPARE, "<=", "< ? + INTERVAL 1 DAY" },
	{ "gt", OP_COMPARE, ">", ">= ? + INTERVAL 1 DAY" },
	{ "ge", OP_COMPARE, ">=", ">= ?" },
	{ "in", OP_IN, NULL, NULL },
	{ "contains", OP_LIKE, NULL, NULL },
	{ "starts_with", OP_LIKE, NULL, NULL },
	{ "is_null", OP_NULL, "IS NULL", NULL },
	{ "not_null", OP_NULL, "IS NOT NULL", NULL },
	{ "between", OP_BETWEEN, NULL, NULL },
};

static int value(struct compile *q, const struct conf_column *c,
		 const json_t *v, struct db_val *out, bool *whole_day)
{
	return query_value(c, v, "filters", q->arena, out, whole_day, q->e);
}

static int compile_compare(struct compile *q, struct buf *sql,
			   const struct where_op *op, const struct conf_column *c,
			   const json_t *v)
{
	bool equality = op->day_sql == NULL, whole_day;
	struct db_val val;

	if (json_is_null(v) && equality) {
		query_add_column(sql, c);
		buf_adds(sql, op->sql[0] == '=' ? " IS NULL" : " IS NOT NULL");
		return 0;
	}
	if (value(q, c, v, &val, &whole_day) < 0)
		return -1;
	if (!whole_day) {
		query_add_column(sql, c);
		buf_addf(sql, " %s ?", op->sql);
		query_args_add(&q->out->args, val);
		return 0;
	}
	if (equality) {
		buf_adds(sql, op->sql[0] == '=' ? "(" : "NOT (");
		query_add_column(sql, c);
		buf_adds(sql, " >= ? AND ");
		query_args_add(&q->out->args, val);
	}
	query_add_column(sql, c);
	buf_addf(sql, " %s%s", equality ? "< ? + INTERVAL 1 DAY" : op->day_sql,
		 equality ? ")" : "");
	query_args_add(&q->out->args, val);
	return 0;
}

static int compile_in(struct compile *q, struct buf *sql,
		      const struct conf_column *c, const json_t *v)
{
	size_t n = json_is_array(v) ? json_array_size(v) : 1;

	if (n == 0 || n > LIM_QUERY_IN)
		return err_public(q->e, ERR_TOOL_ARGS,
				  "filters: \"in\" on \"%.60s\" needs a list of "
				  "1 to %d values, not %zu.", c->name,
				  LIM_QUERY_IN, n);
	query_add_column(sql, c);
	buf_adds(sql, " IN (");
	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_is_array(v) ? json_array_get(v, i) : v;
		struct db_val val;
		bool whole_day;

		if (value(q, c, item, &val, &whole_day) < 0)
			return -1;
		buf_adds(sql, i ? ", ?" : "?");
		query_args_add(&q->out->args, val);
	}
	buf_addc(sql, ')');
	return 0;
}

static int compile_like(struct compile *q, struct buf *sql,
			const struct where_op *op, const struct conf_column *c,
			const json_t *v)
{
	struct db_val val;
	bool whole_day;

	if (c->type != COL_TEXT && c->type != COL_JSON)
		return err_public(q->e, ERR_TOOL_ARGS,
				  "filters: \"%s\" works on text; \"%.60s\" is "
				  "%s. Use eq, lt, le, gt, ge, between or in.",
				  op->name, c->name, query_type_name(c->type));
	if (value(q, c, v, &val, &whole_day) < 0)
		return -1;
	query_add_column(sql, c);
	buf_adds(sql, " LIKE ? ESCAPE '!'");
	query_args_add(&q->out->args,
		       DB_S(query_like(q->arena, val.s, op->name[0] == 'c')));
	return 0;
}

static int compile_between(struct compile *q, struct buf *sql,
			   const struct conf_column *c, const json_t *v)
{
	struct db_val low, high;
	bool low_day, high_day;

	if (json_array_size(v) != 2)
		return err_public(q->e, ERR_TOOL_ARGS,
				  "filters: \"between\" on \"%.60s\" needs a "
				  "list of two values.", c->name);
	if (value(q, c, json_array_get(v, 0), &low, &low_day) < 0 ||
	    value(q, c, json_array_get(v, 1), &high, &high_day) < 0)
		return -1;
	buf_addc(sql, '(');
	query_add_column(sql, c);
	buf_adds(sql, " >= ? AND ");
	query_add_column(sql, c);
	buf_adds(sql, high_day ? " < ? + INTERVAL 1 DAY)" : " <= ?)");
	query_args_add(&q->out->args, low);
	query_args_add(&q->out->args, high);
	return 0;
}

static int compile_filter(struct compile *q, struct buf *sql, const json_t *f)
{
	const struct conf_column *c = query_column(q,
		json_object_get(f, "column"), "filters");
	const json_t *v = json_object_get(f, "value");
	const json_t *name = json_object_get(f, "op");
	const struct where_op *op = NULL;

	if (!c || query_allowed(q, c, c->filter, "filters") < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		if (str_is(text_of(name), ops[i].name))
			op = &ops[i];
	if (!op)
		return err_set(q->e, ERR_INTERNAL, "op was not checked");
	if (!v && op->kind != OP_NULL)
		return err_public(q->e, ERR_TOOL_ARGS,
				  "filters: \"%s\" on \"%.60s\" needs a value.",
				  op->name, c->name);
	switch (op->kind) {
	case OP_COMPARE:
		return compile_compare(q, sql, op, c, v);
	case OP_IN:
		return compile_in(q, sql, c, v);
	case OP_LIKE:
		return compile_like(q, sql, op, c, v);
	case OP_BETWEEN:
		return compile_between(q, sql, c, v);
	case OP_NULL:
		query_add_column(sql, c);
		buf_addf(sql, " %s", op->sql);
		return 0;
	}
	BUG("filter kind");
}

/*
 * Every word in some text column: (a LIKE ? OR b LIKE ?) AND (…). The columns are
 * the first of the visible text columns that may be used as filters.
 */
static int compile_search(struct compile *q, struct buf *sql, struct str words)
{
	const struct conf_column *in[QUERY_MAX_SEARCHED];
	size_t n_in = 0, n = 0;

	for (size_t i = 0; i < q->d->n_columns; i++) {
		const struct conf_column *c = q->d->columns[i];

		if (c->type == COL_TEXT && c->filter &&
		    n_in < QUERY_MAX_SEARCHED)
			in[n_in++] = c;
	}
	if (n_in == 0)
		return err_public(q->e, ERR_TOOL_ARGS, "search: dataset "
				  "\"%.60s\" has no text to search.",
				  q->d->conf->name);
	words = str_trim(words);
	while (words.p && words.n) {
		struct str word = str_trim(str_cut(&words, ' '));

		if (word.n == 0)
			continue;
		if (++n > LIM_QUERY_WORDS)
			return err_public(q->e, ERR_TOOL_ARGS, "search: at most "
					  "%d words.", LIM_QUERY_WORDS);
		buf_adds(sql, n == 1 ? "(" : " AND (");
		for (size_t i = 0; i < n_in; i++) {
			if (i)
				buf_adds(sql, " OR ");
			query_add_column(sql, in[i]);
			buf_adds(sql, " LIKE ? ESCAPE '!'");
			query_args_add(&q->out->args, DB_S(query_like(q->arena,
						word, true)));
		}
		buf_addc(sql, ')');
	}
	if (n == 0)
		return err_public(q->e, ERR_TOOL_ARGS, "search: give a word.");
	return 0;
}

/*
 * Appends WHERE: the row filter first, in parentheses, then the model's
 * filters, all ANDed; their values go to q->out->args. 0 or -1.
 */
static int query_where(struct compile *q, struct buf *sql,
		       const struct row_caller *who)
{
	const char *row_filter = q->d->conf->where;
	const json_t *filters = jx_arr(q->in, "filters"), *f;
	bool any = row_filter && row_filter[0];
	size_t i;

	if (any) {
		buf_adds(sql, " WHERE (");
		if (row_filter_bind(row_filter, who, sql, &q->out->args,
				    q->e) < 0)
			return -1;
		buf_addc(sql, ')');
	}
	json_array_foreach((json_t *)filters, i, f) {
		buf_adds(sql, any ? " AND " : " WHERE ");
		any = true;
		if (compile_filter(q, sql, f) < 0)
			return -1;
	}
	if (jx_str(q->in, "search").p) {
		buf_adds(sql, any ? " AND " : " WHERE ");
		return compile_search(q, sql, jx_str(q->in, "search"));
	}
	return 0;
}

/* -- pages ----------------------------------------------------------------- */

/*
 * Pages of a query's rows (A8): an order in which no row is seen twice or
 * left out, LIMIT and OFFSET, and the cursor that continues.
 *
 * A cursor is an offset and a hash of the statement with its values: base64url
 * of 16 bytes. It grants nothing: the row filter is in the statement that it
 * continues, and the hash only detects that the model mixed up two queries. It is
 * an offset instead of the key of the last row, because datasets are joins, groups
 * and expressions, most of which have no key at which a range could begin.
 */

#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

enum { CURSOR_BYTES = 4 + QUERY_ID_BYTES };

static void order_by(struct compile *q, size_t *n)
{
	buf_adds(&q->sql, (*n)++ ? ", " : " ORDER BY ");
}

static int result_of(const struct compile *q, const char *name)
{
	for (size_t i = 0; i < q->out->n_columns; i++)
		if (str_is(q->out->columns[i].name, name))
			return (int)i;
	return -1;
}

/*
 * The columns of the dataset's key by which the model has not sorted. False if
 * there is no key, or the caller may not see all of it: the order would reveal it.
 */
static bool order_by_key(struct compile *q, const bool *sorted, bool desc,
			 size_t *n)
{
	const struct conf_list *key = &q->d->conf->key;

	for (size_t i = 0; i < key->n; i++)
		if (!dataset_column(q->d, str_of(key->v[i])))
			return false;
	for (size_t i = 0; i < key->n; i++) {
		const struct conf_column *c = dataset_column(q->d,
							     str_of(key->v[i]));
		int at = result_of(q, c->name);

		if (at >= 0 && sorted[at])
			continue;
		order_by(q, n);
		if (at >= 0)
			buf_addf(&q->sql, "c%d", at);
		else
			query_add_column(&q->sql, c);
		/* One direction, so that an index may serve. */
		if (desc)
			buf_adds(&q->sql, " DESC");
	}
	return key->n > 0;
}

/* Rows that are equal in all shown columns may be swapped without harm. */
static void order_by_results(struct compile *q, const bool *sorted, size_t n,
			     size_t *n_sorts)
{
	for (size_t i = 0; i < n; i++) {
		if (sorted[i])
			continue;
		order_by(q, n_sorts);
		buf_addf(&q->sql, "c%zu", i);
	}
}

/*
 * Appends to ORDER BY (with n_sorts items so far) what makes the order of rows
 * unique, so that pages neither overlap nor leave gaps: the groups; else the
 * dataset's key; else, if the model sorts, the other results. sorted tells for
 * each result column if the model sorts by it, desc the direction of the last.
 */
static void query_order_wholly(struct compile *q, const bool *sorted, bool desc,
			       size_t n_sorts)
{
	if (q->grouped)		/* what is grouped by tells rows apart */
		order_by_results(q, sorted, q->n_groups, &n_sorts);
	else if (!order_by_key(q, sorted, desc, &n_sorts) && n_sorts)
		order_by_results(q, sorted, q->out->n_columns, &n_sorts);
}

/* Dataset, statement and values. */
static void identify(const struct compile *q, unsigned char id[QUERY_ID_BYTES])
{
	const struct query_args *args = &q->out->args;
	crypto_generichash_state s;
	unsigned char full[crypto_generichash_BYTES];

	crypto_generichash_init(&s, NULL, 0, sizeof(full));
	crypto_generichash_update(&s, (const unsigned char *)q->d->conf->name,
				  strlen(q->d->conf->name) + 1);
	crypto_generichash_update(&s, (const unsigned char *)q->sql.p,
				  q->sql.n + 1);
	for (size_t i = 0; i < args->n; i++) {
		const struct db_val *v = &args->v[i];
		struct { uint64_t n; int64_t i; double d; } value = { 0 };

		if (v->type == 'i')
			value.i = v->i;
		else if (v->type == 'd')
			value.d = v->d;
		else
			value.n = v->s.n + 1;
		crypto_generichash_update(&s, (const unsigned char *)&v->type,
					  sizeof(v->type));
		crypto_generichash_update(&s, (const unsigned char *)&value,
					  sizeof(value));
		if (value.n && v->s.n)
			crypto_generichash_update(&s,
				(const unsigned char *)v->s.p, v->s.n);
	}
	crypto_generichash_final(&s, full, sizeof(full));
	memcpy(id, full, QUERY_ID_BYTES);
}

static int read_cursor(struct compile *q, struct str text)
{
	unsigned char raw[CURSOR_BYTES];
	size_t n = 0, offset;

	if (sodium_base642bin(raw, sizeof(raw), text.p, text.n, NULL, &n, NULL,
			      VARIANT) != 0 || n != sizeof(raw))
		return err_public(q->e, ERR_TOOL_ARGS, "cursor: this is not a "
				  "cursor. Send nextCursor of the previous "
				  "answer exactly as it is, or leave it out "
				  "for the first rows.");
	offset = (size_t)raw[0] << 24 | (size_t)raw[1] << 16 |
		 (size_t)raw[2] << 8 | raw[3];
	if (memcmp(raw + 4, q->out->id, QUERY_ID_BYTES) != 0 || offset == 0 ||
	    offset > LIM_QUERY_OFFSET)
		return err_public(q->e, ERR_TOOL_ARGS, "cursor: it belongs to "
				  "another query. Repeat the query that "
				  "returned it with the same dataset, select, "
				  "filters, search, group_by, aggregates and "
				  "sort (only limit may differ), or leave "
				  "cursor out for the first rows.");
	q->out->offset = offset;
	return 0;
}

/*
 * The end of the statement: computes its hash, then appends LIMIT and, with the
 * argument cursor, OFFSET. 0, or -1 with ERR_TOOL_ARGS.
 */
static int query_page(struct compile *q)
{
	int64_t most = MAX(q->d->conf->max_rows, 1);
	int64_t limit = jx_int(q->in, "limit", most);
	struct str cursor = jx_str(q->in, "cursor");
	size_t before = q->out->args.n;

	identify(q, q->out->id);
	if (cursor.n && read_cursor(q, cursor) < 0)
		return -1;
	q->out->limit = (size_t)MAX(MIN(limit, most), 1);
	buf_adds(&q->sql, " LIMIT ?");
	query_args_add(&q->out->args, DB_I((int64_t)q->out->limit + 1));
	if (q->out->offset) {
		buf_adds(&q->sql, " OFFSET ?");
		query_args_add(&q->out->args, DB_I((int64_t)q->out->offset));
	}
	q->out->n_page_args = q->out->args.n - before;
	return 0;
}

const char *query_next_cursor(const struct query *q, size_t n_rows,
			      struct arena *a)
{
	size_t cap = sodium_base64_ENCODED_LEN(CURSOR_BYTES, VARIANT);
	size_t offset = q->offset + n_rows;
	unsigned char raw[CURSOR_BYTES] = {
		(unsigned char)(offset >> 24), (unsigned char)(offset >> 16),
		(unsigned char)(offset >> 8), (unsigned char)offset,
	};

	if (offset > LIM_QUERY_OFFSET)
		return NULL;
	memcpy(raw + 4, q->id, QUERY_ID_BYTES);
	return sodium_bin2base64(arena_alloc(a, cap), cap, raw, sizeof(raw),
				 VARIANT);
}

/* -- SELECT ----------------------------------------------------------------- */

static void select_one(struct compile *q, const struct conf_column *c)
{
	if (q->out->n_columns)
		buf_adds(&q->sql, ", ");
	query_add_column(&q->sql, c);
	buf_addf(&q->sql, " AS c%zu", q->out->n_columns);
	out_column(q, str_of(c->name), c->type);
}

static bool selected(const struct compile *q, struct str name)
{
	for (size_t i = 0; i < q->out->n_columns; i++)
		if (str_eq(q->out->columns[i].name, name))
			return true;
	return false;
}

static int select_columns(struct compile *q)
{
	const json_t *list = jx_arr(q->in, "select"), *name;
	size_t i;

	if (json_array_size(list) == 0) {
		for (i = 0; i < q->d->n_columns && i < LIM_QUERY_SELECT; i++)
			select_one(q, q->d->columns[i]);
		return 0;
	}
	json_array_foreach((json_t *)list, i, name) {
		const struct conf_column *c;

		if (json_string_length(name) == 1 &&
		    json_string_value(name)[0] == '*') {
			for (size_t k = 0; k < q->d->n_columns &&
			     q->out->n_columns < LIM_QUERY_SELECT; k++)
				if (!selected(q, str_of(q->d->columns[k]->name)))
					select_one(q, q->d->columns[k]);
			continue;
		}
		c = query_column(q, name, "select");
		if (!c)
			return -1;
		if (!selected(q, str_of(c->name)))
			select_one(q, c);
	}
	return 0;
}

static int select_groups(struct compile *q)
{
	const json_t *list = jx_arr(q->in, "group_by"), *name;
	size_t i;

	json_array_foreach((json_t *)list, i, name) {
		const struct conf_column *c = query_column(q, name, "group_by");

		if (!c || query_allowed(q, c, c->group, "group_by") < 0)
			return -1;
		if (selected(q, str_of(c->name)))
			continue;
		q->groups[q->n_groups++] = c;
		select_one(q, c);
	}
	/* With aggregates, other selected columns must be in group_by. */
	json_array_foreach(jx_arr(q->in, "select"), i, name) {
		const struct conf_column *c = query_column(q, name, "select");

		if (!c)
			return -1;
		if (!selected(q, str_of(c->name)))
			return err_public(q->e, ERR_TOOL_ARGS,
					  "select: with aggregates, \"%.60s\" "
					  "must be in group_by too.", c->name);
	}
	return 0;
}

static const struct fn *find_fn(const json_t *name)
{
	for (size_t i = 0; i < ARRAY_LEN(fns); i++)
		if (str_is(text_of(name), fns[i].name))
			return &fns[i];
	return NULL;
}

static bool fn_takes(const struct fn *f, enum conf_col_type t)
{
	if (f->takes == FN_NUMBER)
		return t == COL_INTEGER || t == COL_DECIMAL || t == COL_BOOLEAN;
	return f->takes == FN_ANY || t != COL_JSON;
}

static enum conf_col_type fn_type(const struct fn *f, const struct conf_column *c)
{
	if (f->takes == FN_ANY)
		return COL_INTEGER;
	if (f->takes == FN_ORDERED)
		return c->type;
	return c->type == COL_DECIMAL || strcmp(f->name, "avg") == 0
		? COL_DECIMAL : COL_INTEGER;
}

/* The result's name: what the model wants, or "count", "sum_amount". */
static int name_aggregate(struct compile *q, const json_t *a,
			  const struct fn *f, const struct conf_column *c,
			  struct str *out)
{
	*out = jx_str(a, "as");
	if (out->n == 0)
		*out = str_of(c ? arena_printf(q->arena, "%s_%s", f->name, c->name)
				: f->name);
	if (selected(q, *out))
		return err_public(q->e, ERR_TOOL_ARGS,
				  "aggregates: \"%.*s\" occurs twice; use "
				  "\"as\" to name them.",
				  STR_ARG(text_quote(*out, 60)));
	return 0;
}

static int select_aggregate(struct compile *q, const json_t *a)
{
	const struct fn *f = find_fn(json_object_get(a, "fn"));
	const json_t *name = json_object_get(a, "column");
	const struct conf_column *c = NULL;
	struct str as;

	if (!f)
		return err_set(q->e, ERR_INTERNAL, "fn was not checked");
	if (str_is(text_of(name), "*"))
		name = NULL;
	if (name) {
		c = query_column(q, name, "aggregates");
		if (!c)
			return -1;
	}
	if (!c && f->needs_column)
		return err_public(q->e, ERR_TOOL_ARGS,
				  "aggregates: %s needs a column.", f->name);
	if (c && !fn_takes(f, c->type))
		return err_public(q->e, ERR_TOOL_ARGS,
				  "aggregates: %s does not work on \"%.60s\", "
				  "which is %s.", f->name, c->name,
				  query_type_name(c->type));
	if (name_aggregate(q, a, f, c, &as) < 0)
		return -1;
	if (q->out->n_columns)
		buf_adds(&q->sql, ", ");
	buf_adds(&q->sql, f->sql);
	if (c)
		query_add_column(&q->sql, c);
	else
		buf_addc(&q->sql, '*');
	buf_addf(&q->sql, ") AS c%zu", q->out->n_columns);
	out_column(q, as, c ? fn_type(f, c) : COL_INTEGER);
	q->n_aggregates++;
	return 0;
}

static int compile_select(struct compile *q)
{
	const json_t *aggregates = jx_arr(q->in, "aggregates"), *a;
	size_t i;

	q->grouped = json_array_size(aggregates) > 0 ||
		     json_array_size(jx_arr(q->in, "group_by")) > 0;
	q->out->types = arena_zalloc(q->arena, LIM_QUERY_SELECT +
				     LIM_QUERY_GROUP + LIM_QUERY_AGGREGATES,
				     sizeof(*q->out->types));
	q->out->columns = arena_zalloc(q->arena, LIM_QUERY_SELECT +
				       LIM_QUERY_GROUP + LIM_QUERY_AGGREGATES,
				       sizeof(*q->out->columns));
	buf_adds(&q->sql, "SELECT ");
	if (!q->grouped)
		return select_columns(q);
	if (select_groups(q) < 0)
		return -1;
	json_array_foreach((json_t *)aggregates, i, a)
		if (select_aggregate(q, a) < 0)
			return -1;
	return 0;
}

/* -- FROM and WHERE --------------------------------------------------------- */

static void compile_from(struct compile *q, struct buf *sql)
{
	const struct conf_dataset *d = q->d->conf;
	struct str rest = str_of(d->table);
	bool first = true;

	if (d->from && d->from[0]) {
		buf_addf(sql, " FROM %s", d->from);
		return;
	}
	buf_adds(sql, " FROM ");
	while (rest.p && rest.n) {
		struct str part = str_cut(&rest, '.');

		if (!first)
			buf_addc(sql, '.');
		add_name(sql, arena_memdup(q->arena, part.p, part.n));
		first = false;
	}
}

/* -- GROUP BY, ORDER BY, LIMIT ---------------------------------------------- */

static void compile_group(struct compile *q, struct buf *sql)
{
	for (size_t i = 0; i < q->n_groups; i++) {
		buf_adds(sql, i ? ", " : " GROUP BY ");
		query_add_column(sql, q->groups[i]);
	}
}

/* The number of the result column of this name, or -1. */
static int result_index(const struct compile *q, struct str name)
{
	const struct conf_column *c;

	for (size_t i = 0; i < q->out->n_columns; i++)
		if (str_eq(q->out->columns[i].name, name))
			return (int)i;
	c = dataset_column(q->d, name);
	for (size_t i = 0; c && i < q->out->n_columns; i++)
		if (str_is(q->out->columns[i].name, c->name))
			return (int)i;
	return -1;
}

static int compile_sort(struct compile *q)
{
	const json_t *sort = jx_arr(q->in, "sort"), *s;
	bool *sorted = arena_zalloc(q->arena, q->out->n_columns + 1,
				    sizeof(*sorted));
	bool desc = false;
	size_t i;

	json_array_foreach((json_t *)sort, i, s) {
		const json_t *name = json_object_get(s, "column");
		int index = result_index(q, text_of(name));
		const struct conf_column *c = NULL;

		if (index < 0 || (size_t)index < q->out->n_columns -
						 q->n_aggregates) {
			c = query_column(q, name, "sort");
			if (!c || query_allowed(q, c, c->sort, "sort") < 0)
				return -1;
		}
		if (index < 0 && q->grouped)
			return err_public(q->e, ERR_TOOL_ARGS,
					  "sort: with aggregates, sort by a "
					  "group_by column or the name of an "
					  "aggregate, not \"%.60s\".", c->name);
		buf_adds(&q->sql, i ? ", " : " ORDER BY ");
		if (index >= 0) {
			buf_addf(&q->sql, "c%d", index);
			sorted[index] = true;
		} else {
			query_add_column(&q->sql, c);
		}
		desc = str_is(jx_str(s, "direction"), "desc");
		if (desc)
			buf_adds(&q->sql, " DESC");
	}
	query_order_wholly(q, sorted, desc, i);
	return 0;
}

int query_compile(const struct dataset *d, const struct row_caller *who,
		  const json_t *args, struct arena *a, struct query *out,
		  struct err *e)
{
	struct compile q = {
		.d = d, .in = args, .arena = a, .out = out, .e = e,
		.sql = BUF_INIT(SQL_BYTES),
	};
	struct buf tail = BUF_INIT(SQL_BYTES);	/* FROM … GROUP BY */
	size_t from_bytes, unordered_bytes;
	int rc = -1;

	*out = (struct query){ .args = { .arena = a } };
	if (compile_select(&q) < 0)
		goto out;
	compile_from(&q, &tail);
	from_bytes = tail.n;
	if (query_where(&q, &tail, who) < 0)
		goto out;
	compile_group(&q, &tail);
	buf_addstr(&q.sql, buf_str(&tail));
	unordered_bytes = q.sql.n;
	if (compile_sort(&q) < 0)
		goto out;
	out->plain = !q.grouped && tail.n == from_bytes &&
		     q.sql.n == unordered_bytes;
	if (buf_ok(&q.sql) && query_page(&q) < 0)
		goto out;
	if (!buf_ok(&q.sql) || !buf_ok(&tail)) {
		err_public(e, ERR_TOOL_ARGS, "The query is too large.");
		goto out;
	}
	out->sql = arena_str(a, buf_str(&q.sql));
	out->count_sql = str_of(arena_printf(a,
		"SELECT COUNT(*) FROM (SELECT 1%.*s LIMIT %d) q",
		STR_ARG(buf_str(&tail)), QUERY_COUNT_CAP + 1));
	rc = 0;
out:
	buf_release(&tail);
	buf_release(&q.sql);
	return rc;
}
