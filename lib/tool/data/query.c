/* SPDX-License-Identifier: MIT */
/* See query.h. Clauses are compiled in the order in which they stand in SQL. */
#include "tool/data/query_compile.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "tool/core/text.h"

#include "base/banned.h"

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

void query_add_column(struct buf *b, const struct conf_column *c)
{
	if (c->expr && c->expr[0])
		buf_addf(b, "(%s)", c->expr);
	else
		add_name(b, c->name);
}

const struct conf_column *query_column(struct compile *q, const json_t *name,
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

int query_allowed(struct compile *q, const struct conf_column *c, bool may,
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
