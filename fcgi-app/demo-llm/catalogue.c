/* SPDX-License-Identifier: MIT */
/*
 * catalogue.c - reading and searching the declared datasets.
 */
#include "demo-llm/catalogue.h"

#include <string.h>
#include <strings.h>

#include "base/banned.h"

#define DATASETS_MAX 200
#define COLUMNS_MAX 200
#define VALUES_MAX 200

json_t *result_json(struct arena *a, const char *text)
{
	const char *p = strchr(text, '{');

	return p ? jx_keep(a, jx_try((struct str){ p, jx_extent(str_of(p)) }))
		: NULL;
}

static enum column_kind kind_of(const char *type)
{
	static const struct { const char *part; enum column_kind kind; } row[] = {
		{"int", COLUMN_NUMBER}, {"dec", COLUMN_NUMBER},
		{"num", COLUMN_NUMBER}, {"float", COLUMN_NUMBER},
		{"doub", COLUMN_NUMBER}, {"real", COLUMN_NUMBER},
		{"date", COLUMN_DATE}, {"time", COLUMN_DATE},
		{"bool", COLUMN_BOOL},
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(row); i++)
		if (strstr(type, row[i].part))
			return row[i].kind;
	return COLUMN_TEXT;
}

const char *label_text(struct arena *a, const char *name)
{
	char *s = arena_strdup(a, name);
	size_t i;

	for (i = 0; s[i]; i++)
		if (s[i] == '_')
			s[i] = ' ';
	return s;
}

/* A column's name as words, without an " at" or " on" at its end. */
static const char *label_of(struct arena *a, const char *name)
{
	const char *s = label_text(a, name);
	size_t n = strlen(s);

	if (n > 3 && (!strcmp(s + n - 3, " at") || !strcmp(s + n - 3, " on")))
		return arena_memdup(a, s, n - 3);
	return s;
}

static void read_column(struct arena *a, struct column *c, const json_t *v)
{
	struct str type = jx_str(v, "type");
	const json_t *values = jx_arr(v, "values");
	struct words *w;
	size_t i, n;

	c->name = jx_str(v, "name").p;
	c->label = label_of(a, c->name);
	c->description = jx_str(v, "description").n
			 ? jx_str(v, "description").p : "";
	c->kind = kind_of(type.n ? type.p : "");
	c->words = words_of_name(a, c->name);
	w = &c->words;
	c->key = w->n && !strcmp(w->w[w->n - 1].low, "id");
	for (i = 0; i < w->n; i++)
		c->bulky |= word_in(w, i, "description body text note notes "
				    "comment comments content details html "
				    "password hash");
	n = MIN(json_array_size(values), (size_t)VALUES_MAX);
	c->value = arena_zalloc(a, n + 1, sizeof(*c->value));
	c->value_words = arena_zalloc(a, n + 1, sizeof(*c->value_words));
	for (i = 0; i < n; i++) {
		const char *s = json_string_value(json_array_get(values, i));

		if (!s)
			continue;
		c->value[c->n_values] = s;
		c->value_words[c->n_values++] = words_of_name(a, s);
	}
	c->flag = c->n_values == 2 && (!strcmp(c->value[0], "yes") ||
				       !strcmp(c->value[1], "yes"));
}

static void read_dataset(struct arena *a, struct dataset *d, const json_t *v)
{
	const json_t *columns = jx_arr(v, "columns");
	size_t i, n = MIN(json_array_size(columns), (size_t)COLUMNS_MAX);
	struct words *w;

	d->name = jx_str(v, "name").p;
	d->description = jx_str(v, "description").n
			 ? jx_str(v, "description").p : "";
	d->words = words_of_name(a, d->name);
	d->about = words_of(a, d->description);
	w = &d->words;
	if (!w->n) {
		d->one = d->many = d->name;
	} else if (w->n == 1) {
		d->one = w->w[0].one;
		d->many = plural_of(a, d->one);
	} else {
		const char *head = words_text(w, 0, w->n - 1);

		d->one = arena_printf(a, "%s %s", head, w->w[w->n - 1].one);
		d->many = arena_printf(a, "%s %s", head,
				plural_of(a, w->w[w->n - 1].one));
	}
	d->column = arena_zalloc(a, n + 1, sizeof(*d->column));
	for (i = 0; i < n; i++) {
		const json_t *c = json_array_get(columns, i);

		if (jx_str(c, "name").n)
			read_column(a, &d->column[d->n++], c);
	}
}

bool catalogue_read(struct catalogue *c, struct arena *a, const char *text)
{
	const json_t *list = json_object_get(result_json(a, text), "datasets");
	size_t i, n = MIN(json_array_size(list), (size_t)DATASETS_MAX);

	*c = (struct catalogue){.a = a};
	if (!json_is_array(list))
		return false;
	c->dataset = arena_zalloc(a, n + 1, sizeof(*c->dataset));
	for (i = 0; i < n; i++) {
		const json_t *d = json_array_get(list, i);

		if (jx_str(d, "name").n)
			read_dataset(a, &c->dataset[c->n++], d);
	}
	return true;
}

struct column *column_named(const struct dataset *d, const char *name)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (!strcmp(d->column[i].name, name))
			return &d->column[i];
	return NULL;
}

/* How many words of the column's name the words at i spell, or 0. */
static size_t spells(const struct column *c, const struct words *w, size_t i)
{
	size_t k;

	for (k = 0; k < c->words.n; k++) {
		const char *part = c->words.w[k].stem;

		if (i + k >= w->n || w->w[i + k].quoted ||
		    strcmp(w->w[i + k].stem, part))
			break;
	}
	if (k == c->words.n)
		return k;
	/* "department" for department_id or department_name, "opened" for
	 * opened_at: the last part may be missing when it says little. */
	if (k && k == c->words.n - 1 &&
	    word_in(&c->words, k, "id name at on date to by time until day"))
		return k;
	return 0;
}

struct column *column_at(const struct dataset *d, const struct words *w,
			 size_t i, size_t *used)
{
	struct column *best = NULL;
	size_t k, best_n = 0;
	bool best_key = false;

	for (k = 0; k < d->n; k++) {
		struct column *c = &d->column[k];
		size_t n = spells(c, w, i);

		if (!n || (n == best_n && !(best_key && !c->key)) || n < best_n)
			continue;
		best = c;
		best_n = n;
		best_key = c->key && c->words.n > n;
	}
	if (best && used)
		*used = best_n;
	return best;
}

struct column *column_like(const struct dataset *d, const char *names)
{
	struct words w = words_of(d->words.a, names);
	size_t i, j, k, pass;

	for (pass = 0; pass < 2; pass++)	/* text before keys */
		for (j = 0; j < w.n; j++)
			for (i = 0; i < d->n; i++) {
				struct column *c = &d->column[i];

				if ((size_t)c->key != pass)
					continue;
				for (k = 0; k < c->words.n; k++)
					if (!strcmp(c->words.w[k].stem,
						    w.w[j].stem))
						return c;
			}
	return NULL;
}

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

/* Words of w at i, not understood yet, that spell the value; or 0. */
static size_t spells_value(const struct words *value, const struct words *w,
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

size_t value_at(const struct column *c, const struct words *w, size_t i,
		const char **value)
{
	size_t v, row, n, best = 0;

	for (v = 0; v < c->n_values && !c->flag; v++) {
		n = spells_value(&c->value_words[v], w, i);
		if (n > best) {
			best = n;
			*value = c->value[v];
		}
	}
	for (row = 0; row < ARRAY_LEN(synonyms) && !c->flag; row++) {
		struct words one = {.w = &(struct word){.low = w->w[i].one},
				    .n = 1};

		if (best || w->w[i].used || (!word_in(w, i, synonyms[row]) &&
					     !word_in(&one, 0, synonyms[row])))
			continue;
		for (v = 0; v < c->n_values && !best; v++)
			if (c->value_words[v].n == 1 &&
			    word_in(&c->value_words[v], 0, synonyms[row])) {
				best = 1;
				*value = c->value[v];
			}
	}
	return best;
}

struct column *column_title(const struct dataset *d)
{
	static const char *const best[] = {"name", "full_name", "title",
		"subject", "label", "display_name", "summary"};
	struct column *c;
	size_t i;

	for (i = 0; i < ARRAY_LEN(best); i++) {
		c = column_named(d, best[i]);
		if (c)
			return c;
	}
	c = column_like(d, "name title subject");
	if (c && c->kind == COLUMN_TEXT)
		return c;
	for (i = 0; i < d->n; i++)
		if (d->column[i].kind == COLUMN_TEXT && !d->column[i].n_values)
			return &d->column[i];
	return NULL;
}

/* What people say for a noun: the first of each row is a dataset's. */
static const char *const nouns[] = {
	"person employee colleague user staff member worker coworker",
	"employee person colleague staff worker coworker",
	"ticket issue incident problem case",
	"asset equipment device machine",
	"absence holiday vacation leave",
	"booking reservation", "room", "order purchase",
	"customer client", "product article item",
};

bool demo_dataset_is(const struct dataset *d, const struct words *w, size_t i)
{
	const struct words *n = &d->words;
	const char *head = n->n ? n->w[n->n - 1].one : "";
	size_t k;

	if (!n->n || i >= w->n || w->w[i].quoted)
		return false;
	if (!strcasecmp(w->w[i].low, d->name))
		return true;
	for (k = 0; k < n->n; k++)
		if (i + k >= w->n || strcmp(w->w[i + k].one, n->w[k].one))
			break;
	/* The head noun alone: "requests" for service_requests. */
	if (k == n->n || !strcmp(w->w[i].one, head))
		return true;
	for (k = 0; n->n == 1 && k < ARRAY_LEN(nouns); k++) {
		size_t m = strcspn(nouns[k], " ");
		struct words one = {.w = &(struct word){.low = w->w[i].one},
				    .n = 1};

		if (strlen(head) == m && !memcmp(head, nouns[k], m) &&
		    word_in(&one, 0, nouns[k]))
			return true;
	}
	return false;
}

bool demo_dataset_is_people(const struct dataset *d)
{
	const struct words *w = &d->words;
	const char *s = w->n ? w->w[w->n - 1].one : "";

	return !strcmp(s, "person") || !strcmp(s, "employee") ||
	       !strcmp(s, "user") || !strcmp(s, "member") ||
	       !strcmp(s, "contact") || !strcmp(s, "colleague");
}

struct dataset *demo_dataset_of_key(const struct catalogue *c,
				    const struct column *key)
{
	size_t i, k;

	if (!key->key || key->words.n < 2)
		return NULL;
	for (i = 0; i < c->n; i++) {
		struct dataset *d = &c->dataset[i];
		const char *last = d->words.n
			? d->words.w[d->words.n - 1].one : "";

		if (!column_named(d, "id") || !column_title(d))
			continue;
		for (k = 0; k + 1 < key->words.n; k++)
			if (!strcmp(key->words.w[k].one, last) ||
			    (demo_dataset_is_people(d) &&
			     word_in(&key->words, k, "owner assignee assigned "
				"requester user employee manager holder "
				"author reporter lead")))
				return d;
	}
	return NULL;
}
