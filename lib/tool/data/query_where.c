/* SPDX-License-Identifier: MIT */
/* WHERE of a structured query: the row filter and the model's filters. */
#include "tool/data/query_compile.h"

#include <string.h>

#include "base/limits.h"

#include "base/banned.h"

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
		       DB_S(query_like(q->arena, val.s, op->name[0] == 'c', true)));
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
						word, true, true)));
		}
		buf_addc(sql, ')');
	}
	if (n == 0)
		return err_public(q->e, ERR_TOOL_ARGS, "search: give a word.");
	return 0;
}

int query_where(struct compile *q, struct buf *sql,
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
