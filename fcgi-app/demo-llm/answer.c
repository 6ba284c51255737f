/* SPDX-License-Identifier: MIT */
/*
 * answer.c - sentences and tables from rows.
 */
#include "demo-llm/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define CELL_BYTES 80		/* of a table cell */
#define EXAMPLES_MAX 5

/* A number as people write it: 12,345.50 */
static void put_number(struct out *o, const char *digits)
{
	char tmp[64];
	const char *p = digits + (*digits == '-');
	size_t whole = strspn(p, "0123456789"), i;

	/* Rounded to hundredths, where that can be done in a double. */
	if (p[whole] == '.' && whole < 15) {
		snprintf(tmp, sizeof(tmp), "%.2f", strtod(p, NULL));
		p = tmp;
		whole = strspn(p, "0123456789");
	}
	if (*digits == '-')
		out_puts(o, "-");
	for (i = 0; i < whole; i++) {
		out_add(o, p + i, 1);
		if ((whole - i) % 3 == 1 && i + 1 < whole)
			out_puts(o, ",");
	}
	if (p[whole] == '.' && strspn(p + whole + 1, "0") != strlen(p + whole + 1))
		out_puts(o, p + whole);
}

static bool is_digits(const char *s)
{
	s += *s == '-';
	s += strspn(s, "0123456789");
	if (*s == '.')
		s += 1 + strspn(s + 1, "0123456789");
	return !*s;
}

/* The value as text; numbers that measure something get separators. */
static void put_value(struct out *o, const json_t *v, bool number)
{
	char tmp[64];
	const char *s = json_string_value(v);

	if (json_is_integer(v))
		snprintf(tmp, sizeof(tmp), "%lld",
			 (long long)json_integer_value(v));
	else if (json_is_real(v))
		snprintf(tmp, sizeof(tmp), "%.2f", json_real_value(v));
	else if (json_is_boolean(v))
		snprintf(tmp, sizeof(tmp), json_is_true(v) ? "yes" : "no");
	else
		snprintf(tmp, sizeof(tmp), "–");
	if (!s)
		s = tmp;
	/* Decimals come as text, to keep their digits. */
	if (number && *s && is_digits(s))
		put_number(o, s);
	else
		out_puts(o, s);
}

static void put_cell(struct out *o, const json_t *v, bool number)
{
	struct out tmp = {0};
	const char *s;
	size_t i, n;

	put_value(&tmp, v, number);
	s = out_str(&tmp);
	n = out_size(&tmp);
	for (i = 0; i < n; i++) {
		if (i >= CELL_BYTES && ((unsigned char)s[i] & 0xc0) != 0x80) {
			out_puts(o, "…");
			break;
		}
		if (s[i] == '|')
			out_puts(o, "\\|");
		else if ((unsigned char)s[i] < ' ')
			out_puts(o, " ");
		else
			out_add(o, &s[i], 1);
	}
	out_release(&tmp);
}

/* "2026-11-21 00:00:00" is the day alone. */
static bool is_midnight(const json_t *v)
{
	const char *s = json_string_value(v);

	return s && strlen(s) >= 19 && s[4] == '-' &&
	       !strncmp(s + 11, "00:00:00", 8);
}

static const char *heading(struct arena *a, const struct question *q,
			   const char *name)
{
	if (q->group && q->fn && !strcmp(name, "value"))
		return arena_printf(a, "%s %s", q->fn, q->measure->label);
	return label_text(a, name);
}

static void put_table(struct out *o, struct arena *a,
		      const struct question *q, const json_t *result)
{
	const json_t *columns = jx_arr(result, "columns");
	json_t *v, *row;
	size_t i, k;

	out_puts(o, "\n\n|");
	json_array_foreach(columns, i, v) {
		const char *s = heading(a, q, jx_str(v, "name").n
					? jx_str(v, "name").p : "");

		out_printf(o, " %c%s |", *s >= 'a' && *s <= 'z'
			   ? *s - 'a' + 'A' : *s, *s ? s + 1 : "");
	}
	out_puts(o, "\n|");
	json_array_foreach(columns, i, v) {
		const struct column *c = column_named(q->dataset,
			jx_str(v, "name").n ? jx_str(v, "name").p : "");

		out_puts(o, !c || (c->kind == COLUMN_NUMBER && !c->key)
			 ? " ---: |" : " --- |");
	}
	json_array_foreach(jx_arr(result, "rows"), k, row) {
		out_puts(o, "\n|");
		json_array_foreach(columns, i, v) {
			const json_t *cell = json_array_get(row, i);
			const struct column *c = column_named(q->dataset,
				jx_str(v, "name").n ? jx_str(v, "name").p : "");

			out_puts(o, " ");
			if (is_midnight(cell))
				out_add(o, json_string_value(cell), 10);
			else
				put_cell(o, cell, !c ||
					(c->kind == COLUMN_NUMBER && !c->key));
			out_puts(o, " |");
		}
	}
}

/* "open tickets (department Sales, opened this month)" */
static void put_noun(struct out *o, const struct question *q, bool one)
{
	const char *sep = " (";
	size_t i;

	for (i = 0; i < q->n_filters; i++)
		if (q->filter[i].adjective)
			out_printf(o, "%s ", q->filter[i].text);
	out_puts(o, one ? q->dataset->one : q->dataset->many);
	for (i = 0; i < q->n_filters; i++) {
		if (q->filter[i].adjective || !*q->filter[i].text)
			continue;
		out_printf(o, "%s%s", sep, q->filter[i].text);
		sep = ", ";
	}
	out_puts(o, *sep == ',' ? ")" : "");
}

static void answer_count(struct out *o, const struct question *q,
			 const json_t *rows)
{
	const json_t *v = json_array_get(json_array_get(rows, 0), 0);
	bool one = json_integer_value(v) == 1 ||
		   (json_is_string(v) && !strcmp(json_string_value(v), "1"));

	out_puts(o, one ? "There is **" : "There are **");
	put_value(o, v, true);
	out_puts(o, "** ");
	put_noun(o, q, one);
	out_puts(o, ".");
}

static void answer_aggregate(struct out *o, const struct question *q,
			     const json_t *rows)
{
	static const char *const name[][2] = {{"avg", "average"},
		{"sum", "total"}, {"max", "highest"}, {"min", "lowest"}};
	const json_t *v = json_array_get(json_array_get(rows, 0), 0);
	const char *word = q->fn;
	size_t i;

	for (i = 0; i < ARRAY_LEN(name); i++)
		if (!strcmp(name[i][0], q->fn))
			word = name[i][1];
	out_printf(o, "The %s %s of the ", word, q->measure->label);
	put_noun(o, q, false);
	if (!v || json_is_null(v)) {
		out_puts(o, " is not known: there are no values.");
		return;
	}
	out_puts(o, " is **");
	put_value(o, v, true);
	out_puts(o, "**.");
}

static void answer_group(struct out *o, const struct question *q,
			 const json_t *result)
{
	const json_t *rows = jx_arr(result, "rows");
	const json_t *first = json_array_get(rows, 0);
	bool tie = json_equal(json_array_get(first, 1),
			      json_array_get(json_array_get(rows, 1), 1));

	if (q->most || q->least) {
		out_puts(o, "**");
		put_cell(o, json_array_get(first, 0), false);
		out_printf(o, "** has the %s ", q->least ? "fewest" : "most");
		put_noun(o, q, false);
		out_puts(o, ": **");
		put_value(o, json_array_get(first, 1), true);
		out_printf(o, "**%s. %s:", tie ? ", as others have" : "",
			   jx_bool(result, "truncated", false)
			   ? "The first of them" : "All of them");
	} else {
		out_puts(o, "Here are the ");
		put_noun(o, q, false);
		out_printf(o, " by %s:", q->group->label);
	}
	put_table(o, q->dataset->words.a, q, result);
}

/* One row and one value asked for: a sentence instead of a table. */
static bool answer_single(struct out *o, const struct question *q,
			  const json_t *result)
{
	const json_t *row = json_array_get(jx_arr(result, "rows"), 0);
	const struct column *title = column_title(q->dataset);
	bool named = false;
	size_t i;

	for (i = 0; i < q->n_filters; i++)
		named |= q->filter[i].column == title ||
			 !strcmp(q->filter[i].column->name, "id");
	if (!named || q->rank || json_array_size(jx_arr(result, "rows")) != 1 ||
	    json_array_size(row) != 2 || q->n_show != 2 ||
	    q->show[0] != title)
		return false;
	out_printf(o, "The %s of **", q->show[1]->label);
	put_cell(o, json_array_get(row, 0), false);
	out_puts(o, "** is **");
	put_cell(o, json_array_get(row, 1),
		 q->show[1]->kind == COLUMN_NUMBER && !q->show[1]->key);
	out_puts(o, "**.");
	return true;
}

static void answer_list(struct out *o, const struct question *q,
			const json_t *result)
{
	size_t n = json_array_size(jx_arr(result, "rows"));
	json_int_t total = jx_int(result, "totalCount", 0);

	if (answer_single(o, q, result))
		return;
	if (q->rank) {
		bool date = q->sort->kind == COLUMN_DATE;

		out_puts(o, n == 1 ? "This is the " : "Here are the ");
		if (n > 1)
			out_printf(o, "%zu ", n);
		if (date)
			out_printf(o, "%s ", q->rank);
		put_noun(o, q, n == 1);
		if (!date)
			out_printf(o, " with the %s %s", q->rank,
				   q->sort->label);
	} else {
		bool part = total > (json_int_t)n;

		out_puts(o, "I found **");
		if (part)
			put_value(o, json_object_get(result, "totalCount"), true);
		else
			out_printf(o, "%zu", n);
		out_puts(o, "** ");
		put_noun(o, q, !part && n == 1);
		if (part)
			out_printf(o, ". The first %zu", n);
		else if (jx_bool(result, "truncated", false) ||
			 (long)n == q->limit)
			out_puts(o, " (there may be more)");
	}
	out_puts(o, ":");
	put_table(o, q->dataset->words.a, q, result);
}

void answer_rows(struct out *o, const struct question *q,
		 const json_t *result)
{
	const json_t *rows = jx_arr(result, "rows");

	if (q->shape == SHAPE_COUNT && json_array_size(rows)) {
		answer_count(o, q, rows);
	} else if (q->shape == SHAPE_AGGREGATE && json_array_size(rows)) {
		answer_aggregate(o, q, rows);
	} else if (!json_array_size(rows)) {
		out_puts(o, "I found no ");
		put_noun(o, q, false);
		out_puts(o, ".");
	} else if (q->shape == SHAPE_GROUP) {
		answer_group(o, q, result);
	} else {
		answer_list(o, q, result);
	}
}

void answer_datasets(struct out *o, const struct catalogue *c)
{
	size_t i, k, shown;

	for (i = 0; i < c->n; i++) {
		const struct dataset *d = &c->dataset[i];

		out_printf(o, "\n- **%s**", d->name);
		if (*d->description)
			out_printf(o, ": %s", d->description);
		out_puts(o, " (");
		for (k = shown = 0; k < d->n && shown < 8; k++)
			if (!d->column[k].key)
				out_printf(o, "%s%s", shown++ ? ", " : "",
					   d->column[k].label);
		out_puts(o, k < d->n ? ", …)" : ")");
	}
}

void answer_examples(struct out *o, const struct catalogue *c)
{
	size_t i, k, n = 0;

	for (i = 0; i < c->n && n < EXAMPLES_MAX; i++) {
		const struct dataset *d = &c->dataset[i];
		const struct column *value = NULL, *group = NULL;

		for (k = 0; k < d->n; k++) {
			const struct column *col = &d->column[k];

			if (!value && col->n_values)
				value = col;
			if (col->kind == COLUMN_TEXT && !col->key &&
			    (col->n_values ||
			     word_in(&col->words, 0, "department category "
				     "location city office type")))
				group = col;
		}
		if (value)
			out_printf(o, "\n- How many %s are %s?", d->many,
				   label_text(c->a, value->value[0]));
		else
			out_printf(o, "\n- How many %s are there?", d->many);
		n++;
		if (group && n < EXAMPLES_MAX) {
			out_printf(o, "\n- Show %s by %s", d->many,
				   group->label);
			n++;
		}
		if (date_column(d, &d->words) && n < EXAMPLES_MAX) {
			out_printf(o, "\n- List the 5 newest %s", d->many);
			n++;
		}
	}
}
