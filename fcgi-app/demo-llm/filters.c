/* SPDX-License-Identifier: MIT */
/*
 * filters.c - conditions in a question: declared values ("open"), times, sizes,
 * ids, missing values and names. Each rule marks the words it has understood,
 * so that a later, vaguer rule does not read them again.
 */
#include "demo-llm/question.h"

#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

static struct filter *add(struct question *q, struct column *c,
			  const char *op, json_t *value, const char *text)
{
	struct filter *f = &q->filter[q->n_filters];

	if (q->n_filters == FILTERS_MAX) {
		json_decref(value);
		return NULL;
	}
	*f = (struct filter){.column = c, .op = op, .text = text};
	f->value = value ? jx_keep(c->words.a, value) : NULL;
	q->n_filters++;
	return f;
}

static bool is_state(const struct column *c)
{
	return words_find(&c->words, "status state") >= 0;
}

static bool negated(const struct words *w, size_t i)
{
	return i && (word_in(w, i - 1, "not non isn't aren't no") ||
		     (i > 1 && word_in(w, i - 1, "yet the a") &&
		      word_in(w, i - 2, "not isn't aren't")));
}

static void put_value(struct question *q, struct column *c, const char *v,
		      bool not)
{
	struct arena *a = c->words.a;
	size_t i;

	/* A second value of the same column: either of them. */
	for (i = 0; i < q->n_filters; i++) {
		struct filter *f = &q->filter[i];

		if (f->column != c || not ||
		    (strcmp(f->op, "eq") && strcmp(f->op, "in")))
			continue;
		if (!strcmp(f->op, "eq")) {
			json_t *list = json_array();

			json_array_append(list, f->value);
			f->value = jx_keep(a, list);
			f->op = "in";
		}
		json_array_append_new(f->value, json_string(v));
		f->text = arena_printf(a, "%s or %s", f->text, v);
		return;
	}
	if (not) {
		add(q, c, "ne", json_string(v),
		    arena_printf(a, "%s not %s", c->label, v));
	} else if (is_state(c) && !strpbrk(v, " _")) {
		struct filter *f = add(q, c, "eq", json_string(v),
				       label_text(a, v));
		if (f)
			f->adjective = true;
	} else {
		add(q, c, "eq", json_string(v),
		    arena_printf(a, "%s %s", c->label, label_text(a, v)));
	}
}

static void find_values(struct question *q, struct words *w)
{
	struct dataset *d = q->dataset;
	size_t i, k;

	for (i = 0; i < w->n; i++) {
		struct column *best = NULL;
		const char *value = NULL;
		size_t n, best_n = 0;

		if (w->w[i].used || demo_dataset_is(d, w, i))
			continue;
		for (k = 0; k < d->n; k++) {
			const char *v;

			n = value_at(&d->column[k], w, i, &v);
			if (n > best_n) {
				best_n = n;
				best = &d->column[k];
				value = v;
			}
		}
		if (!best)
			continue;
		put_value(q, best, value, negated(w, i));
		words_use(w, i, best_n);
		if (negated(w, i))
			words_use(w, i - 1, 1);
		/* "high priority", "priority high" */
		if (column_at(d, w, i + best_n, &n) == best)
			words_use(w, i + best_n, n);
		if (i && column_at(d, w, i - 1, &n) == best)
			words_use(w, i - 1, 1);
	}
}

/* "have a camera", "remote": columns that say yes or no. */
static void find_flags(struct question *q, struct words *w)
{
	struct dataset *d = q->dataset;
	size_t i, k, n;

	for (i = 0; i < w->n; i++) {
		struct column *c = w->w[i].used ? NULL : column_at(d, w, i, &n);
		bool not;

		if (c && (c->kind == COLUMN_BOOL || c->flag)) {
			not = negated(w, i);
			add(q, c, "eq", c->flag ? json_string(not ? "no" : "yes")
						: json_boolean(!not),
			    arena_printf(w->a, "%s %s", not ? "no" : "with",
					 c->label));
			words_use(w, i, n);
			continue;
		}
		for (k = 0; !w->w[i].used && k < d->n; k++) {
			c = &d->column[k];
			if (c->kind != COLUMN_BOOL ||
			    strncmp(w->w[i].low, "in", 2) ||
			    strcmp(w->w[i].low + 2, c->words.w[0].low))
				continue;
			add(q, c, "eq", json_false(),
			    arena_printf(w->a, "not %s", c->label));
			words_use(w, i, 1);
		}
	}
}

/* The first date column with one of the words in its name, by rough stem. */
static struct column *date_like(const struct dataset *d, const char *names)
{
	struct words w = words_of(d->words.a, names);
	size_t i, j, k;

	for (j = 0; j < w.n; j++)
		for (i = 0; i < d->n; i++) {
			struct column *c = &d->column[i];

			for (k = 0; c->kind == COLUMN_DATE &&
			     k < c->words.n; k++)
				if (!strcmp(c->words.w[k].stem, w.w[j].stem))
					return c;
		}
	return NULL;
}

/* The date column that the question names, or NULL. */
static struct column *date_named(const struct dataset *d,
				 const struct words *w)
{
	size_t i;

	for (i = 0; i < w->n; i++) {
		struct column *c;

		if (word_in(w, i, "at on date day time until last first end "
			    "start from to"))
			continue;
		c = date_like(d, w->w[i].low);
		if (c)
			return c;
	}
	return NULL;
}

struct column *date_column(const struct dataset *d, const struct words *w)
{
	struct column *c = date_named(d, w);
	size_t i;

	if (!c)
		c = date_like(d, "created opened reported started starts hired "
			      "joined purchased bought ordered date updated");
	for (i = 0; !c && i < d->n; i++)
		if (d->column[i].kind == COLUMN_DATE)
			c = &d->column[i];
	return c;
}

/* What has a beginning and an end is meant while it lasts. */
static bool add_interval(struct question *q, const struct words *w,
			 const struct range *r)
{
	struct dataset *d = q->dataset;
	struct column *from = date_like(d, "first start starts begin begins");
	struct column *to = date_like(d, "last end ends until");

	if (!from || !to || from == to || date_named(d, w))
		return false;
	if (r->to[0])
		add(q, from, "lt", json_string(r->to), r->text);
	if (r->from[0])
		add(q, to, "ge", json_string(r->from),
		    r->to[0] ? "" : r->text);
	return true;
}

static void find_dates(struct question *q, struct words *w)
{
	struct column *c = date_column(q->dataset, w);
	struct range r;
	size_t i, n;

	for (i = 0; c && i < w->n; i++) {
		const char *text;

		n = w->w[i].used ? 0 : date_phrase(w, i, &r);
		if (!n)
			continue;
		words_use(w, i, n);
		if (add_interval(q, w, &r))
			continue;
		text = arena_printf(w->a, "%s %s", c->label, r.text);
		if (r.from[0])
			add(q, c, "ge", json_string(r.from), text);
		if (r.to[0])
			add(q, c, "lt", json_string(r.to),
			    r.from[0] ? "" : text);
	}
}

/* "out of warranty", "overdue", "expired": a date that has passed. */
static void find_expired(struct question *q, struct words *w)
{
	struct dataset *d = q->dataset;
	char today[16];
	size_t i, n;

	date_today(today);
	for (i = 0; i < w->n; i++) {
		struct column *c = NULL, *done;
		const char *op = "lt";

		n = 1;
		if (word_in(w, i, "out") && word_in(w, i + 1, "of")) {
			c = column_at(d, w, i + 2, &n);
			n += 2;
		} else if (word_in(w, i, "under in") &&
			   !word_in(w, i + 1, "the")) {
			c = column_at(d, w, i + 1, &n);
			op = "ge";
			n++;
		} else if (word_in(w, i, "expired")) {
			c = date_like(d, "expires expiry until valid end due");
		} else if (word_in(w, i, "overdue")) {
			c = date_like(d, "due deadline until");
			done = date_like(d, "closed resolved finished "
					 "completed done returned");
			if (c && done)
				add(q, done, "is_null", NULL, "");
		}
		if (!c || c->kind != COLUMN_DATE)
			continue;
		add(q, c, op, json_string(today), words_text(w, i, n));
		words_use(w, i, n);
	}
}

/* The number column that is meant: named in w, or the most likely. */
struct column *number_column(const struct dataset *d, const struct words *w)
{
	struct column *c, *only = NULL;
	size_t i, n;

	for (i = 0; i < w->n; i++) {
		c = column_at(d, w, i, &n);
		if (c && c->kind == COLUMN_NUMBER && !c->key)
			return c;
	}
	c = column_like(d, "price cost amount value total salary budget");
	if (c && c->kind == COLUMN_NUMBER)
		return c;
	for (i = 0; i < d->n; i++) {
		c = &d->column[i];
		if (c->kind != COLUMN_NUMBER || c->key)
			continue;
		if (only)
			return NULL;
		only = c;
	}
	return only;
}

/* Whole numbers stay whole, so that a query reads as it was asked. */
static json_t *number_json(const char *s)
{
	return strchr(s, '.') || strlen(s) > 15
		? json_real(strtod(s, NULL))
		: json_integer(strtoll(s, NULL, 10));
}

static void find_sizes(struct question *q, struct words *w)
{
	static const struct { const char *phrase, *op; } row[] = {
		{"more than", "gt"}, {"greater than", "gt"}, {"over", "gt"},
		{"above", "gt"}, {"at least", "ge"}, {"less than", "lt"},
		{"fewer than", "lt"}, {"under", "lt"}, {"below", "lt"},
		{"at most", "le"}, {"exceeding", "gt"},
	};
	struct dataset *d = q->dataset;
	struct column *c = number_column(d, w);
	size_t i, k, n;

	for (i = 0; c && i < w->n; i++)
		for (k = 0; k < ARRAY_LEN(row); k++) {
			n = words_at(w, i, row[k].phrase);
			if (!n || i + n >= w->n || !w->w[i + n].number)
				continue;
			add(q, c, row[k].op, number_json(w->w[i + n].low),
			    arena_printf(w->a, "%s %s %s", c->label,
					 row[k].phrase, w->w[i + n].low));
			words_use(w, i, n + 1);
			/* "more than 10 seats", "price over 500" */
			if (column_at(d, w, i + n + 1, &k) == c)
				words_use(w, i + n + 1, k);
			if (i && column_at(d, w, i - 1, &k) == c)
				words_use(w, i - 1, 1);
			break;
		}
}

static void find_ids(struct question *q, struct words *w)
{
	struct column *id = column_named(q->dataset, "id"), *c;
	size_t i;

	for (i = 1; i < w->n; i++) {
		const struct word *x = &w->w[i];
		bool hash = x->src.p[-1] == '#';

		if (x->used || !x->number || strchr(x->low, '.') ||
		    strlen(x->low) > 12)
			continue;
		/* "comments on ticket 12": by the key of the other dataset */
		c = column_at(q->dataset, w, i - 1, NULL);
		if (!c || !c->key)
			c = id;
		if (!c || (c == id && !hash &&
			   !demo_dataset_is(q->dataset, w, i - 1) &&
			   !word_in(w, i - 1, "id number no nr")))
			continue;
		add(q, c, "eq", json_integer(strtoll(x->low, NULL, 10)),
		    arena_printf(w->a, "%s %s", c->label, x->low));
		words_use(w, i, 1);
	}
}

static void find_missing(struct question *q, struct words *w)
{
	struct dataset *d = q->dataset;
	struct column *c;
	size_t i, at, n;

	for (i = 0; i < w->n; i++) {
		if (word_in(w, i, "unassigned")) {
			c = column_like(d, "assigned owner holder person");
			at = i;
			n = 1;
		} else if (word_in(w, i, "without no missing lacking")) {
			at = i + 1 + word_in(w, i + 1, "a an any the");
			c = column_at(d, w, at, &n);
			n += at - i;
		} else {
			continue;
		}
		if (!c)
			continue;
		if (c->flag)
			add(q, c, "eq", json_string("no"),
			    arena_printf(w->a, "no %s", c->label));
		else
			add(q, c, "is_null", NULL,
			    arena_printf(w->a, "without %s", c->label));
		words_use(w, i, n);
	}
}

/* What columns of places and persons are called, the likeliest first. */
static const char place[] = "department team division group unit "
	"office location city site building country room place category";
static const char person[] = "owner holder assigned person employee "
	"user requester customer reporter author manager lead "
	"organiser head";
static const char sender[] = "requester reporter author organiser "
	"customer owner person holder assigned";
/* What those do who are called so. */
static const char sends[] = "report reported request requested open opened "
	"create created raise raised submit submitted file filed ask asked "
	"book booked";

struct column *person_column(const struct dataset *d, const struct words *w)
{
	return column_like(d, words_find(w, sends) >= 0 ? sender : person);
}

void question_present(struct question *q, struct column *c)
{
	add(q, c, "not_null", NULL, "");
}

/*
 * The column that contains a name: at is where the name begins, an article before
 * it left out; next is the word behind it.
 */
static struct column *name_column(const struct question *q,
				  const struct words *w, size_t at,
				  size_t next, bool possessive)
{
	const struct dataset *d = q->dataset;
	struct column *c = NULL;

	if (strpbrk(w->w[at].low, "0123456789"))
		c = column_like(d, "tag code serial number");
	/* "Anna's email", "the head of Finance": of the row so called */
	if (!c && possessive && next < w->n && column_at(d, w, next, NULL))
		return column_title(d);
	if (!c && at > 1 && word_in(w, at - 1, "of") &&
	    (column_at(d, w, at - 2, NULL) ||
	     (at > 2 && word_in(w, at - 2, "number address") &&
	      column_at(d, w, at - 3, NULL))))
		return column_title(d);
	/* "requested by Anna", "assigned to Anna" */
	if (!c && at > 1 && word_in(w, at - 1, "to by for from in at"))
		c = column_at(d, w, at - 2, NULL);
	if (c && c->kind == COLUMN_TEXT)
		return c;
	c = NULL;
	if (demo_dataset_is_people(d) &&
	    (possessive || !at || !word_in(w, at - 1, "in at from within for")))
		return column_title(d);
	if (at && (word_in(w, at - 1, "in at within") ||
		   (word_in(w, at - 1, "from") && demo_dataset_is_people(d))))
		c = column_like(d, place);
	else if ((at && word_in(w, at - 1, "from by")) ||
		 word_in(w, next, sends))
		c = column_like(d, sender);
	else if (possessive || (at && word_in(w, at - 1,
			"to of for has have does did is")))
		c = column_like(d, person);
	if (!c && at && word_in(w, at - 1, "for of"))
		c = column_like(d, place);
	return c ? c : column_title(d);
}

static void put_name(struct question *q, const struct catalogue *c,
		     struct column *column, const char *name)
{
	struct column *first = column_named(q->dataset, "first_name");
	struct column *last = column_named(q->dataset, "last_name");
	const char *blank = strrchr(name, ' ');
	struct dataset *via = demo_dataset_of_key(c, column);
	struct filter *f;

	if (column->key && !via)
		return;
	if (first && last && (column == first || column == last) && blank) {
		put_name(q, c, first, arena_memdup(c->a, name,
						   (size_t)(blank - name)));
		column = last;
		name = blank + 1;
	}
	f = add(q, column, via ? "in" : "contains", json_string(name),
		arena_printf(c->a, "%s %s", via ? via->one : column->label,
			     name));
	if (f) {
		/* Of a title a part is meant: tickets about VPN. */
		f->name = column != column_title(q->dataset) ||
			  words_find(&column->words, "name") >= 0;
		f->via = via;
	}
}

/* May the word at i be part of a name? lower: also without a capital. */
static bool name_word(const struct question *q, const struct words *w,
		      size_t i, bool lower)
{
	const struct word *x = &w->w[i];

	if (i >= w->n || x->used)
		return false;
	if (x->quoted)
		return true;
	if (demo_dataset_is(q->dataset, w, i) || x->number ||
	    (is_stop_word(x->low) && !x->caps) ||
	    column_at(q->dataset, w, i, NULL))
		return false;
	return lower || (x->cap && (i || x->possessive));
}

static void find_names(struct question *q, const struct catalogue *c,
		       struct words *w, bool lower)
{
	size_t i, n, k;

	for (i = 0; i < w->n; i++) {
		struct column *column = NULL;
		bool possessive = false;

		if (lower && (!i || !word_in(w, i - 1,
				"in of to for from at by named called with "
				"about containing mentioning has")))
			if (!(i > 1 && word_in(w, i - 1, "the") &&
			      word_in(w, i - 2, "in of to for from at by")))
				continue;
		for (n = 0; i + n < w->n && n < 5; n++) {
			if (!name_word(q, w, i + n, lower))
				break;
			possessive |= w->w[i + n].possessive;
			if (possessive && ++n)
				break;
		}
		if (!n)
			continue;
		/* "department Sales", "the Sales department" */
		if (i)
			column = column_at(q->dataset, w, i - 1, &k);
		if (!column && i + n < w->n && !possessive)
			column = column_at(q->dataset, w, i + n, &k);
		if (column && column->kind != COLUMN_TEXT && !column->key)
			column = NULL;
		if (!column)
			column = name_column(q, w,
				i && word_in(w, i - 1, "the") ? i - 1 : i,
				i + n, possessive);
		if (column)
			put_name(q, c, column, words_text(w, i, n));
		words_use(w, i, n);
		i += n;
	}
}

void question_filters(struct question *q, const struct catalogue *c,
		      struct words *w)
{
	size_t before;

	find_missing(q, w);
	find_expired(q, w);
	find_values(q, w);
	find_flags(q, w);
	find_dates(q, w);
	find_sizes(q, w);
	find_ids(q, w);
	before = q->n_filters;
	find_names(q, c, w, false);
	if (q->n_filters == before)
		find_names(q, c, w, true);
}
