/* SPDX-License-Identifier: MIT */
#include "resource/sift.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "resource/props.h"
#include "resource/rows.h"

#include "base/banned.h"

enum { SLIM_ROWS = 500 };	/* read at once */

/* By resource: statements of stmt.def. */
static const struct {
	unsigned slim, find, found;
} stmts[RESOURCE__MAX + 1] = {
#define SIFTED(id, ...) [RESOURCE_##id].slim = RSTMT_##id##_SLIM,
#define SEARCHED(id, ...) \
	[RESOURCE_##id].find = RSTMT_##id##_FIND, \
	[RESOURCE_##id].found = RSTMT_##id##_FOUND,
#include "resource/resource.def"
};

/* A row that has passed, and its place in the order. */
struct sifted {
	struct uuid id;
	int rank;
	bool down;
	struct db_val value;	/* NULL: after the others, by id */
	struct resource_item file;	/* of a file; else empty */
};

/* Smaller ones first. */
static int compare_values(const struct db_val *a, const struct db_val *b)
{
	if (a->type == 'd')
		return (a->d > b->d) - (a->d < b->d);
	if (a->type == 'i')
		return (a->i > b->i) - (a->i < b->i);
	return str_compare(a->s, b->s);	/* days, sort keys */
}

static int by_place(const void *x, const void *y)
{
	const struct sifted *a = x, *b = y;
	int rc;

	if (a->rank != b->rank)
		return a->rank - b->rank;
	if (a->value.null || b->value.null)
		return a->value.null != b->value.null ? a->value.null - b->value.null
			: memcmp(a->id.b, b->id.b, sizeof(a->id.b));
	rc = compare_values(&a->value, &b->value);
	if (!rc)
		rc = memcmp(a->id.b, b->id.b, sizeof(a->id.b));
	return a->down ? -rc : rc;
}

static const struct db_val *props_in(const struct resource *r, const struct resource_row *row)
{
	for (size_t i = 0; i < r->n_fields; i++)
		if (r->fields[i].type == TYPE_PROPS)
			return &row->v[i];
	BUG("a SIFTED resource without props");
}

static json_t *members_of(const struct resource *r, const struct resource_row *row)
{
	const struct db_val *v = props_in(r, row);

	return v->null ? NULL : jx_try(v->s);
}

struct sifting {
	const struct resource *r;
	const struct resource_want *want;
	struct arena *a;
	struct sifted *v;
	size_t n, room;
	struct resource_row last;	/* that was read */
	size_t n_read;
};

/* Whether the order is that of the search: what fits best first. */
static bool is_ranked(const struct resource_want *want)
{
	return want->words && !want->limits->by && !want->limits->by_member;
}

/* The same order as otherwise: by a field or a member, or the order of the resource. */
static struct sifted place_of(const struct sifting *k, const struct resource_row *row,
			      struct db_val member, int rank)
{
	const struct resource_limits *l = k->want->limits;
	struct sifted out = {
		.id = row->id, .rank = is_ranked(k->want) ? rank : 0,
		.down = l->by || l->by_member ? l->down : k->r->order == ORDER_NEWEST,
		.value = l->by_member ? member
			: l->by ? resource_sorting_value(l->by, row)
			: k->r->order == ORDER_NAME ? DB_S(row->sort_key)
			: DB_I(row->created_us),
	};

	if (out.value.type == 's' && !out.value.null)
		out.value.s = arena_str(k->a, out.value.s);
	return out;
}

static void add_sifted(struct sifting *k, struct sifted one)
{
	k->v = arena_room(k->a, k->v, k->n, 1, &k->room, sizeof(*k->v));
	k->v[k->n++] = one;
}

static int take_slim(void *ctx, const struct db_val *v, struct err *e)
{
	struct sifting *k = ctx;
	const struct resource_want *want = k->want;
	const struct resource_limits *l = want->limits;
	const struct db_val *line = v + RESOURCE_FIXED + k->r->n_fields;
	json_t *members = NULL;

	resource_row_of(k->r, v, &k->last);
	if (resource_is_sifted(l))
		members = members_of(k->r, &k->last);
	k->n_read++;
	if (props_pass(l->sieves, l->n_sieves, members) &&
	    (!want->under || resource_is_under(k->r, &k->last, want->under)))
		add_sifted(k, place_of(k, &k->last, l->by_member
				       ? props_value(l->by_member, members, k->a)
				       : (struct db_val){ .null = true },
				       want->words ? resource_rank(want->words, line->s) : 0));
	json_decref(members);
	return arena_check(k->a, e);
}

/* Reads all rows that pass, in rounds, so that their members are not held all at once. */
static int read_slim(struct db *db, const struct resource_at *at, struct sifting *k,
		     struct err *e)
{
	const struct resource_words *words = k->want->words;
	const unsigned stmt = words ? stmts[k->r - resources].find
		: stmts[k->r - resources].slim;
	struct db_val v[RESOURCE_LISTED_ARGS];
	const struct resource_row *after = NULL;
	bool cut = true;

	do {
		struct arena round = ARENA_INIT;
		size_t n = resource_add_scope(k->r, at, k->want->limits, k->a, v);
		int rc;

		k->n_read = 0;
		for (size_t i = 0; words && i < LIM_FIND_WORDS; i++)
			v[n++] = DB_S(i < words->n ? words->v[i] : STR(""));
		resource_add_after(k->r, after, SLIM_ROWS, v, n);
		rc = db_each_within(db, stmt, v, LIM_PAGE_BYTES, &round, take_slim, k,
				    &cut, e);
		k->last.sort_key = arena_str(k->a, k->last.sort_key);
		arena_release(&round);
		if (rc)
			return -1;
		after = &k->last;
	} while (k->n_read && (cut || k->n_read == SLIM_ROWS));
	return 0;
}

static void take_files(struct sifting *k, const struct sift_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct resource_row row = {
			.id = files[i].id, .sort_key = files[i].sort_key,
		};
		const struct resource_words *words = k->want->words;
		struct str rest = files[i].folded;
		struct sifted one;

		if (!words || !resource_has_words(words, rest))
			continue;
		one = place_of(k, &row, (struct db_val){ .null = true },
			       resource_rank(words, str_cut(&rest, '\n')));
		one.file = files[i].item;
		add_sifted(k, one);
	}
}

/* The first one behind the place of want->after. */
static size_t first_of(const struct sifting *k, const struct resource_want *want)
{
	size_t i = 0;

	if (want->after) {
		const struct sifted at = place_of(k, want->after, want->member, want->rank);

		while (i < k->n && by_place(&k->v[i], &at) <= 0)
			i++;
	}
	return i;
}

/* Reads the rows of a page, at most LIM_PAGE_MAX, in their order; *cut: not all of them. */
static int read_page(struct db *db, const struct resource_at *at, const struct sifting *k,
		     const struct sifted *of, size_t n, struct sift_page *out, bool *cut,
		     struct err *e)
{
	struct resource_row *rows = arena_zalloc(k->a, n + 1, sizeof(*rows));
	struct uuid *ids = arena_zalloc(k->a, n + 1, sizeof(*ids));
	size_t found, n_ids = 0;

	out->items = arena_zalloc(k->a, n + 1, sizeof(*out->items));
	out->places = arena_zalloc(k->a, n + 1, sizeof(*out->places));
	for (size_t i = 0; i < n; i++)
		if (!of[i].file.row && !of[i].file.object)
			ids[n_ids++] = of[i].id;
	if (resource_of_ids(db, k->r, stmts[k->r - resources].found, at, ids, n_ids, k->a,
			    rows, &found, cut, e) < 0)
		return -1;
	/* What was cut off is at the end. */
	while (*cut && n && found && !uuid_eq(&of[n - 1].id, &rows[found - 1].id))
		n--;
	for (size_t i = 0; i < n; i++) {
		struct resource_item item = of[i].file;

		for (size_t m = 0; !item.row && !item.object && m < found; m++)
			if (uuid_eq(&rows[m].id, &of[i].id))
				item.row = &rows[m];
		if (!item.row && !item.object)
			continue;	/* deleted meanwhile */
		out->places[out->n] = (struct sift_place){
			of[i].rank, of[i].value, of[i].id,
		};
		out->items[out->n++] = item;
	}
	out->rows = rows;
	out->n_rows = found;
	return 0;
}

int sift_list(struct db *db, const struct resource *r, const struct resource_at *at,
	      const struct resource_want *want, const struct sift_file *files,
	      size_t n_files, struct arena *a, struct sift_page *out, struct err *e)
{
	struct sifting k = { .r = r, .want = want, .a = a };
	size_t from, size;
	bool cut = false;

	*out = (struct sift_page){ .n = 0 };
	if (read_slim(db, at, &k, e) < 0)
		return -1;
	take_files(&k, files, n_files);
	out->total = (int64_t)k.n;
	if (!k.n)
		return 0;
	qsort(k.v, k.n, sizeof(*k.v), by_place);
	from = first_of(&k, want);
	size = MIN(want->size, k.n - from);
	if (read_page(db, at, &k, k.v + from, size, out, &cut, e) < 0)
		return -1;
	out->more = cut || from + size < k.n;
	return 0;
}
