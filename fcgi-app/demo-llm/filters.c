/*
 * filters.c - conditions in a question: declared values ("open"), times, sizes,
 * ids, missing values and names. Each rule marks the words it has understood,
 * so that a later, vaguer rule does not read them again.
 */
#include "demo-llm/question.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

/* Words for one thing: any of a row stands for the declared value in it. */
static const char *const synonyms[] = {
	"open unresolved outstanding unsolved offen offene offenen ouvert "
		"abierto abiertos aperto",
	"closed resolved solved done finished completed geschlossen erledigt "
		"ferme cerrado cerrados chiuso",
	"new neu nouveau nuevo",
	"high urgent critical important hoch dringend",
	"low minor niedrig",
	"active aktiv enabled",
	"inactive disabled inaktiv",
	"laptop notebook", "phone mobile smartphone telephone handy",
	"monitor screen display", "broken defective faulty kaputt",
	"retired disposed decommissioned scrapped",
	"waiting pending blocked", "software application app",
};

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
	return column_like(&(struct dataset){.column = (struct column *)c,
			   .n = 1}, "statu status stat state") != NULL;
}

/* Words of w at i that spell the value, or 0. */
static size_t value_at(const struct words *value, const struct words *w,
		       size_t i)
{
	size_t k;

	for (k = 0; k < value->n; k++)
		if (i + k >= w->n || w->w[i + k].used ||
		    (strcmp(w->w[i + k].low, value->w[k].low) &&
		     strcmp(w->w[i + k].one, value->w[k].one)))
			return 0;
	return k;
}

/* The index of the value that a synonym at i stands for, or -1. */
static long synonym_at(const struct column *c, const struct words *w,
		       size_t i)
{
	size_t row, v;

	for (row = 0; row < ARRAY_LEN(synonyms); row++) {
		if (!word_in(w, i, synonyms[row]))
			continue;
		for (v = 0; v < c->n_values; v++)
			if (c->value_words[v].n == 1 &&
			    word_in(&c->value_words[v], 0, synonyms[row]))
				return (long)v;
	}
	return -1;
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
	} else if (is_state(c)) {
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
	size_t i, k, v;

	for (i = 0; i < w->n; i++) {
		struct column *best = NULL;
		const char *value = NULL;
		size_t n, best_n = 0;

		if (w->w[i].used || dataset_is(d, w, i))
			continue;
		for (k = 0; k < d->n; k++) {
			struct column *c = &d->column[k];
			long s;

			for (v = 0; v < c->n_values; v++) {
				n = value_at(&c->value_words[v], w, i);
				if (n > best_n) {
					best_n = n;
					best = c;
					value = c->value[v];
				}
			}
			s = best ? -1 : synonym_at(c, w, i);
			if (s >= 0) {
				best_n = 1;
				best = c;
				value = c->value[s];
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

static void find_flags(struct question *q, struct words *w)
{
	struct dataset *d = q->dataset;
	size_t i, k, n;

	for (i = 0; i < w->n; i++) {
		struct column *c = w->w[i].used ? NULL : column_at(d, w, i, &n);

		if (c && c->kind == COLUMN_BOOL) {
			bool not = negated(w, i);
			struct filter *f = add(q, c, "eq", json_boolean(!not),
				arena_printf(w->a, "%s%s", not ? "not " : "",
					     c->label));
			if (f)
				f->adjective = true;
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

/* The date column the words point to, or the most usual one. */
struct column *date_column(const struct dataset *d, const struct words *w)
{
	static const char usual[] = "creat open report start hir join "
				    "purchas bought order date updat";
	struct column *c;
	size_t i, k, j;

	for (i = 0; i < w->n; i++)
		for (k = 0; k < d->n; k++) {
			c = &d->column[k];
			if (c->kind != COLUMN_DATE)
				continue;
			for (j = 0; j < c->words.n; j++)
				if (!strcmp(c->words.w[j].stem, w->w[i].stem) &&
				    !word_in(&c->words, j, "at on date"))
					return c;
		}
	for (k = 0; usual[k]; k += strcspn(usual + k, " ") + 1) {
		char stem[16] = "";

		memcpy(stem, usual + k, MIN(strcspn(usual + k, " "),
					    sizeof(stem) - 1));
		for (i = 0; i < d->n; i++) {
			c = &d->column[i];
			for (j = 0; c->kind == COLUMN_DATE && j < c->words.n;
			     j++)
				if (!strcmp(c->words.w[j].stem, stem))
					return c;
		}
		if (!usual[k + strcspn(usual + k, " ")])
			break;
	}
	for (i = 0; i < d->n; i++)
		if (d->column[i].kind == COLUMN_DATE)
			return &d->column[i];
	return NULL;
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
		text = arena_printf(w->a, "%s %s", c->label, r.text);
		if (r.from[0])
			add(q, c, "ge", json_string(r.from), text);
		if (r.to[0])
			add(q, c, "lt", json_string(r.to),
			    r.from[0] ? "" : text);
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
	c = column_like(d, "pric cost amount valu total salary budget");
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
	struct column *c = number_column(q->dataset, w);
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
		}
}

static void find_ids(struct question *q, struct words *w)
{
	struct column *id = column_named(q->dataset, "id");
	size_t i;

	for (i = 1; id && i < w->n; i++) {
		const struct word *x = &w->w[i];
		bool hash = x->src.p[-1] == '#';

		if (x->used || !x->number || strchr(x->low, '.') ||
		    strlen(x->low) > 12)
			continue;
		if (!hash && !dataset_is(q->dataset, w, i - 1) &&
		    !word_in(w, i - 1, "id number no nr"))
			continue;
		add(q, id, "eq", json_integer(strtoll(x->low, NULL, 10)),
		    arena_printf(w->a, "id %s", x->low));
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
			c = column_like(d, "assign own holder person");
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
		add(q, c, "is_null", NULL,
		    arena_printf(w->a, "without %s", c->label));
		words_use(w, i, n);
	}
}

/* The column a name stands in, from the preposition before it. */
static struct column *name_column(const struct question *q,
				  const struct words *w, size_t at,
				  bool possessive)
{
	static const char place[] = "department team division group unit "
		"offic location city sit building country room plac category";
	static const char person[] = "own holder assign assigne us person "
		"employ request report custom author manag lead";
	struct column *c = NULL;

	if (dataset_is_people(q->dataset) &&
	    (possessive || !at || !word_in(w, at - 1, "in at from within for")))
		return column_title(q->dataset);
	if (at && word_in(w, at - 1, "in at within from"))
		c = column_like(q->dataset, place);
	else if (possessive || (at && word_in(w, at - 1,
			"to of by for has have does did is")))
		c = column_like(q->dataset, person);
	if (!c && at && word_in(w, at - 1, "for of"))
		c = column_like(q->dataset, place);
	return c ? c : column_title(q->dataset);
}

static void put_name(struct question *q, const struct catalogue *c,
		     struct column *column, const char *name)
{
	struct column *first = column_named(q->dataset, "first_name");
	struct column *last = column_named(q->dataset, "last_name");
	const char *blank = strrchr(name, ' ');
	struct dataset *via = dataset_of_key(c, column);
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
		f->name = true;
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
	if (dataset_is(q->dataset, w, i) || is_stop_word(x->low) || x->number ||
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
				"in of to for from at by named called with")))
			if (!(i > 1 && word_in(w, i - 1, "the") &&
			      word_in(w, i - 2, "in of to for from at by")))
				continue;
		for (n = 0; i + n < w->n && n < 5; n++) {
			if (!name_word(q, w, i + n, lower))
				break;
			possessive |= w->w[i + n].possessive;
		}
		if (!n)
			continue;
		/* "department Sales", "the Sales department" */
		if (i)
			column = column_at(q->dataset, w, i - 1, &k);
		if (!column && i + n < w->n)
			column = column_at(q->dataset, w, i + n, &k);
		if (column && column->kind != COLUMN_TEXT && !column->key)
			column = NULL;
		if (!column)
			column = name_column(q, w,
				i && word_in(w, i - 1, "the") ? i - 1 : i,
				possessive);
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
