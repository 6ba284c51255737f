/* SPDX-License-Identifier: MIT */
/*
 * question.c - which dataset is asked about, and for what: a count, groups, an
 * aggregate or rows. All knowledge about the data comes from the catalogue.
 */
#include "demo-llm/question.h"

#include <string.h>

#include "base/banned.h"

#define DURATIONS "hours days minutes duration"
#define SCORE_MIN 2		/* a mentioned column is the least reason */
#define LIST_LIMIT 20
#define ALL_LIMIT 100
#define RANK_LIMIT 5

/* Does the description have the word, by its singular? */
static bool tells_of(const struct dataset *d, const struct word *x)
{
	size_t k;

	for (k = 0; k < d->about.n; k++)
		if (!strcmp(d->about.w[k].one, x->one))
			return true;
	return false;
}

/* 6 for a word that only this dataset's description has, 1 for others. */
static int about_score(const struct catalogue *c, const struct dataset *d,
		       const struct word *x)
{
	size_t i;

	if (!tells_of(d, x))
		return 0;
	for (i = 0; i < c->n; i++)
		if (&c->dataset[i] != d && tells_of(&c->dataset[i], x))
			return 1;
	return 6;
}

static bool has_value(const struct dataset *d, const struct words *w,
		      size_t i)
{
	const char *value;
	size_t k;

	for (k = 0; k < d->n; k++)
		if (value_at(&d->column[k], w, i, &value))
			return true;
	return false;
}

/* Is the noun at i only where the rest is: "in the Sales department"? */
static bool is_place(const struct words *w, size_t i)
{
	size_t k;

	for (k = 1; k <= 3 && k <= i; k++) {
		if (word_in(w, i - k, "many most fewest which what"))
			return false;
		if (word_in(w, i - k, "per each every by in at from"))
			return true;
	}
	return false;
}

/* Points for the words that speak of the dataset. */
static int score(const struct catalogue *c, const struct dataset *d,
		 const struct words *w)
{
	int noun = 0, columns = 0, values = 0, about = 0;
	struct range when;
	size_t i, n;

	for (i = 0; i < w->n; i++) {
		if (demo_dataset_is(d, w, i)) {
			int points = 10;

			if (i && word_in(w, i - 1, "many most fewest least "
					 "newest latest oldest recent of more"))
				points = 14;
			else if (is_place(w, i))
				points = 5;
			noun = MAX(noun, points);
			continue;
		}
		/* "this week" is about nothing in particular */
		n = date_phrase(w, i, &when);
		if (n) {
			i += n - 1;
			continue;
		}
		if (is_stop_word(w->w[i].low))
			continue;
		if (column_at(d, w, i, &n)) {
			columns += 2;
			/* "the email of ...", "Anna's email" */
			n += word_in(w, i + n, "number address");
			if (word_in(w, i + n, "of") ||
			    (i && w->w[i - 1].possessive))
				columns += 14;
		}
		if (has_value(d, w, i))
			values = 6;
		/* "BW-1042": something with a label */
		if (strpbrk(w->w[i].low, "0123456789") && !w->w[i].number)
			values = column_like(d, "tag serial") ? 7
			       : column_like(d, "code") ? 6 : values;
		/* "booked" is about bookings */
		if (d->words.n && !strcmp(w->w[i].stem,
					  d->words.w[d->words.n - 1].stem))
			noun = MAX(noun, 8);
		about = MAX(about, about_score(c, d, &w->w[i]));
	}
	if (demo_dataset_is_people(d) && words_find(w, "who whom whose") >= 0)
		noun = MAX(noun, 5);
	return noun + MIN(columns, 20) + values + about;
}

/* "How many desks ...": only when the dataset has such a thing. */
static bool counts_known(const struct dataset *d, const struct words *w)
{
	size_t i, k;

	for (i = 0; i < w->n && !words_at(w, i, "how many"); i++)
		;
	if (i == w->n)
		return true;
	for (k = i += 2; k < w->n && (k == i || !is_stop_word(w->w[k].low)); k++)
		if (demo_dataset_is(d, w, k) || has_value(d, w, k) ||
		    column_at(d, w, k, NULL))
			return true;
	/* "how many are open" */
	return k == i || (i < w->n && is_stop_word(w->w[i].low));
}

static struct dataset *best_dataset(const struct catalogue *c,
				    const struct words *w)
{
	struct dataset *best = NULL;
	int n, best_n = SCORE_MIN - 1;
	size_t i;

	/* Requests for prose, whatever they are about. */
	if (words_find(w, "write compose draft translate summarise summarize "
		       "explain poem joke story essay code program") >= 0)
		return NULL;
	for (i = 0; i < c->n; i++) {
		n = score(c, &c->dataset[i], w);
		if (n > best_n) {
			best = &c->dataset[i];
			best_n = n;
		}
	}
	return best && counts_known(best, w) ? best : NULL;
}

/* Does the question continue the one before? */
static bool continues(const struct words *w)
{
	return w->n && (word_in(w, 0, "and or only") ||
			words_at(w, 0, "what about") ||
			words_at(w, 0, "how about") ||
			words_find(w, "those them they ones these it") >= 0);
}

static struct column *group_column(const struct dataset *d,
				   const struct words *w, size_t i, size_t *n)
{
	struct column *c = column_at(d, w, i, n);

	if (!c && word_in(w, i, "location office city branch place")) {
		c = column_like(d, "site location office city");
		*n = 1;
	}
	return c && c->kind != COLUMN_DATE ? c : NULL;
}

/* "Who opened the most tickets?" */
static void find_who(struct question *q, struct words *w)
{
	long who = words_find(w, "who");

	if (q->group || who < 0 || demo_dataset_is_people(q->dataset) ||
	    words_find(w, "most fewest least") < who)
		return;
	q->group = person_column(q->dataset, w);
	if (q->group)
		question_present(q, q->group);
}

static void find_group(struct question *q, struct words *w)
{
	struct dataset *d = q->dataset;
	size_t i, at, n;

	for (i = 0; i < w->n && !q->group; i++) {
		if (!word_in(w, i, "by per each every across") ||
		    (i && word_in(w, i - 1, "sorted sort order ordered ranked")))
			continue;
		at = i + 1;
		while (word_in(w, at, "the each every their its"))
			at++;
		q->group = at < w->n ? group_column(d, w, at, &n) : NULL;
		if (q->group)
			words_use(w, i, at - i + n);
		else if (word_in(w, i, "per each") && at < w->n &&
			 !demo_dataset_is(d, w, at))
			q->lost = words_text(w, i, at - i + 1);
	}
	for (i = 0; i + 1 < w->n && !q->group; i++) {
		bool most = words_find(w, "most fewest least") > (long)i;
		bool there = words_have(w, "are there") ||
			     words_find(w, "exist exists") >= 0 ||
			     words_have(w, "do we have");

		if (!word_in(w, i, "which what whose common frequent") ||
		    demo_dataset_is(d, w, i + 1))
			continue;
		if (!most && !there && word_in(w, i, "which what whose"))
			continue;
		q->group = group_column(d, w, i + 1, &n);
		if (q->group)
			words_use(w, i, 1 + n);
	}
	find_who(q, w);
	q->most = q->group && words_find(w, "most common frequent") >= 0;
	q->least = q->group && words_find(w, "fewest least") >= 0;
}

/* What stands behind "average" is of the dataset, or little. */
static bool is_known(const struct dataset *d, const struct words *w, size_t i)
{
	while (i < w->n && is_stop_word(w->w[i].low))
		i++;
	return i >= w->n || demo_dataset_is(d, w, i) || has_value(d, w, i) ||
	       column_at(d, w, i, NULL) || word_in(w, i, "time duration");
}

static void find_aggregate(struct question *q, struct words *w)
{
	static const struct { const char *set, *fn; } row[] = {
		{"average mean avg durchschnitt", "avg"},
		{"sum total", "sum"},
		{"maximum max highest largest", "max"},
		{"minimum min lowest smallest", "min"},
	};
	size_t k, n;
	long i;

	for (k = 0; k < ARRAY_LEN(row) && !q->fn; k++) {
		struct column *c;

		i = words_find(w, row[k].set);
		if (i < 0 || words_at(w, (size_t)i, "total number"))
			continue;
		if (words_have(w, "how long"))
			break;
		c = column_at(q->dataset, w, (size_t)i + 1, &n);
		/* "the largest order" is a row, "the largest price" a number */
		if (k > 1 && !(c && c->kind == COLUMN_NUMBER))
			continue;
		q->measure = word_in(w, (size_t)i + 1, "time duration")
			? column_like(q->dataset, DURATIONS)
			: number_column(q->dataset, w);
		if (!k && (!q->measure || !is_known(q->dataset, w, (size_t)i + 1)))
			q->lost = words_text(w, (size_t)i,
					     MIN(w->n - (size_t)i, (size_t)2));
		if (!q->measure)
			continue;
		q->fn = row[k].fn;
		words_use(w, (size_t)i, 1);
	}
	if (!q->fn && words_have(w, "how much")) {
		q->measure = number_column(q->dataset, w);
		q->fn = q->measure ? "sum" : NULL;
	}
	if (!q->fn && words_have(w, "how long")) {
		q->measure = column_like(q->dataset, DURATIONS);
		q->fn = q->measure ? "avg" : NULL;
	}
	for (i = 0; q->measure && i < (long)w->n; i++)
		if (column_at(q->dataset, w, (size_t)i, &n) == q->measure)
			words_use(w, (size_t)i, n);
}

static void find_rank(struct question *q, struct words *w)
{
	static const struct { const char *set; bool date, desc; } row[] = {
		{"newest latest recent recently last youngest", true, true},
		{"oldest earliest first longest", true, false},
		{"expensive highest largest biggest top costliest", false, true},
		{"cheapest lowest smallest", false, false},
	};
	struct range r;
	size_t i, k;

	for (i = 0; i < w->n; i++)
		for (k = 0; k < ARRAY_LEN(row); k++) {
			if (w->w[i].used || !word_in(w, i, row[k].set) ||
			    date_phrase(w, i, &r) ||
			    word_in(w, i + 1, "name"))
				continue;
			q->sort = row[k].date ? date_column(q->dataset, w)
					      : number_column(q->dataset, w);
			if (!q->sort)
				continue;
			q->desc = row[k].desc;
			if (i && word_in(w, i - 1, "least"))
				q->desc = !q->desc;
			q->rank = row[k].date ? (q->desc ? "newest" : "oldest")
					      : (q->desc ? "highest" : "lowest");
			words_use(w, i, 1);
			return;
		}
	for (i = 0; i + 2 < w->n; i++)
		if (word_in(w, i, "sort sorted order ordered") &&
		    word_in(w, i + 1, "by")) {
			q->sort = column_at(q->dataset, w, i + 2, &k);
			q->desc = words_find(w, "descending desc") >= 0;
			if (q->sort)
				words_use(w, i, 2 + k);
		}
}

/* A number of rows: "the 5 newest tickets", "newest 5", "show 3 assets". */
static void find_limit(struct question *q, struct words *w)
{
	bool plural = false;
	struct column *c;
	size_t i;
	long n;

	for (i = 0; i < w->n; i++) {
		if (!w->w[i].cap && (demo_dataset_is(q->dataset, w, i) ||
				     !is_stop_word(w->w[i].low)))
			plural |= strcmp(w->w[i].low, w->w[i].one) != 0;
		n = w->w[i].used ? -1 : word_count(w, i);
		if (n < 1 || n > 200 || q->limit ||
		    (i && w->w[i].src.p[-1] == '#') ||
		    word_in(w, i - (i > 0), "id number than over above below "
			    "under least most") ||
		    (i && demo_dataset_is(q->dataset, w, i - 1)))
			continue;
		c = i ? column_at(q->dataset, w, i - 1, NULL) : NULL;
		if (c && c->key)
			continue;
		if (!strcmp(w->w[i].low, "one") && !q->rank)
			continue;
		q->limit = n;
		words_use(w, i, 1);
	}
	if (!q->limit && q->rank)
		q->limit = plural || q->group ? RANK_LIMIT : 1;
	if (!q->limit)
		q->limit = words_find(w, "all every") >= 0 ? ALL_LIMIT
							   : LIST_LIMIT;
}

static void show(struct question *q, struct column *c)
{
	size_t i;

	for (i = 0; i < q->n_show; i++)
		if (q->show[i] == c)
			return;
	if (c && q->n_show < SHOW_MAX)
		q->show[q->n_show++] = c;
}

/* Is there a condition on the column? fixed: one that leaves one value. */
static bool is_filtered(const struct question *q, const struct column *c,
			bool fixed)
{
	size_t i;

	for (i = 0; i < q->n_filters; i++)
		if (q->filter[i].column == c &&
		    (!fixed || !strcmp(q->filter[i].op, "eq") ||
		     !strcmp(q->filter[i].op, "is_null")))
			return true;
	return false;
}

/* Columns that the question names to see them. */
static void show_named(struct question *q, const struct words *w)
{
	struct dataset *d = q->dataset;
	size_t i, n;

	for (i = 0; i < w->n; i++) {
		struct column *c = column_at(d, w, i, &n);

		if (!c || w->w[i].used || demo_dataset_is(d, w, i) ||
		    is_filtered(q, c, false) || c == q->sort ||
		    (i && word_in(w, i - 1, "my our your")) ||
		    word_in(w, i, "description"))
			continue;
		show(q, c);
	}
}

/*
 * The columns of a list: what the row is called and the columns named in the
 * question; when none is named the first ones that differ between the rows.
 */
static void find_columns(struct question *q, const struct words *w)
{
	struct dataset *d = q->dataset;
	struct column *c;
	size_t i;

	show(q, column_title(d));
	show_named(q, w);
	if (q->n_show > 1 && words_find(w, "which") < 0) {
		show(q, q->sort);
		return;
	}
	show(q, q->sort);
	/* "which ..., and who works on them?" */
	if (!demo_dataset_is_people(d) && words_find(w, "who whom") >= 0)
		show(q, column_like(d, "assigned holder owner person "
				    "organiser head requester"));
	for (i = 0; i < q->n_filters; i++) {
		c = q->filter[i].column;
		if (!is_filtered(q, c, true) && !c->bulky && !c->key)
			show(q, c);
	}
	for (i = 0; i < d->n && q->n_show < SHOW_MAX - 1; i++) {
		c = &d->column[i];
		if (!c->bulky && !is_filtered(q, c, true) &&
		    (!c->key || !strcmp(c->name, "id")))
			show(q, c);
	}
	/* Where there is little else, the long text is what it is about. */
	for (i = 0; i < d->n && q->n_show < 3; i++)
		if (!is_filtered(q, &d->column[i], true))
			show(q, &d->column[i]);
}

/* "the number of tickets" is a count, "the phone number of Tom" is not. */
static bool wants_count(const struct dataset *d, const struct words *w)
{
	static const char *const phrase[] = {"how many", "wie viele",
		"combien de", "cuantos", "cuantas", "count"};
	size_t i;

	for (i = 0; i < ARRAY_LEN(phrase); i++)
		if (words_have(w, phrase[i]))
			return true;
	for (i = 0; i + 1 < w->n; i++)
		if (words_at(w, i, "number of") &&
		    !(i && column_at(d, w, i - 1, NULL)))
			return true;
	return false;
}

/* "how many of them are closed": the conditions of the question before hold. */
static void keep_conditions(struct question *q, const struct catalogue *c,
			    struct words *w, struct words *previous)
{
	struct question last = {.dataset = q->dataset};

	if (!previous || words_find(w, "those them they these") < 0 ||
	    best_dataset(c, previous) != q->dataset)
		return;
	find_group(&last, previous);
	question_filters(&last, c, previous);
	for (size_t i = 0; i < last.n_filters; i++)
		if (!is_filtered(q, last.filter[i].column, false) &&
		    q->n_filters < FILTERS_MAX)
			q->filter[q->n_filters++] = last.filter[i];
}

bool question_read(struct question *q, const struct catalogue *c,
		   struct words *w, struct words *previous)
{
	*q = (struct question){.dataset = best_dataset(c, w)};
	if (previous && continues(w) && !q->dataset)
		q->dataset = best_dataset(c, previous);
	if (!q->dataset)
		return false;
	find_group(q, w);
	find_aggregate(q, w);
	find_rank(q, w);
	find_limit(q, w);
	question_filters(q, c, w);
	keep_conditions(q, c, w, previous);
	if (q->group)
		q->shape = SHAPE_GROUP;
	else if (q->fn)
		q->shape = SHAPE_AGGREGATE;
	else if (wants_count(q->dataset, w))
		q->shape = SHAPE_COUNT;
	else
		q->shape = SHAPE_LIST;
	if (q->shape == SHAPE_LIST)
		find_columns(q, w);
	return true;
}

static json_t *filters_json(const struct question *q, bool loose)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < q->n_filters; i++) {
		const struct filter *f = &q->filter[i];
		const char *op = f->op;
		json_t *v;

		if (f->name && !f->via && !loose && !f->column->n_values &&
		    json_string_length(f->value) <= 3)
			op = "eq";
		v = json_pack("{s:s,s:s}", "column", f->column->name, "op", op);
		if (f->value)
			json_object_set(v, "value", f->value);
		json_array_append_new(list, v);
	}
	return list;
}

json_t *question_query(const struct question *q, struct arena *a, bool loose)
{
	json_t *v = json_pack("{s:s}", "dataset", q->dataset->name);
	json_t *agg = NULL;
	size_t i;

	if (q->shape == SHAPE_LIST) {
		json_t *select = json_array();

		for (i = 0; i < q->n_show; i++)
			json_array_append_new(select,
				json_string(q->show[i]->name));
		json_object_set_new(v, "select", select);
	} else if (q->fn) {
		agg = json_pack("{s:s,s:s,s:s}", "fn", q->fn, "column",
				q->measure->name, "as", "value");
	} else {
		agg = json_pack("{s:s,s:s}", "fn", "count", "as", "count");
	}
	if (q->n_filters)
		json_object_set_new(v, "filters", filters_json(q, loose));
	if (q->group)
		json_object_set_new(v, "group_by",
				    json_pack("[s]", q->group->name));
	if (agg)
		json_object_set_new(v, "aggregates", json_pack("[o]", agg));
	if (q->group)
		json_object_set_new(v, "sort", json_pack("[{s:s,s:s}]",
			"column", q->fn ? "value" : "count", "direction",
			q->least ? "asc" : "desc"));
	else if (q->sort && q->shape == SHAPE_LIST)
		json_object_set_new(v, "sort", json_pack("[{s:s,s:s}]",
			"column", q->sort->name, "direction",
			q->desc ? "desc" : "asc"));
	if (q->shape == SHAPE_LIST || q->group)
		json_object_set_new(v, "limit", json_integer(q->limit));
	return jx_keep(a, v);
}

json_t *question_lookup(const struct filter *f, struct arena *a)
{
	return jx_keep(a, json_pack("{s:s,s:[s,s],s:[{s:s,s:s,s:O}],s:i}",
		"dataset", f->via->name,
		"select", "id", column_title(f->via)->name,
		"filters", "column", column_title(f->via)->name, "op",
		"contains", "value", f->value, "limit", 50));
}
