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
	unsigned slim, of_ids;
} stmts[RESOURCE__MAX] = {
#define SIFTED(id, ...) [RESOURCE_##id] = { RSTMT_##id##_SLIM, RSTMT_##id##_OFIDS },
#include "resource/resource.def"
};

/* A row that has passed, and its place in the order. */
struct sifted {
	struct uuid id;
	bool down;
	struct db_val value;	/* NULL: after the others, by id */
};

/* Smaller ones first. */
static int compare_values(const struct db_val *a, const struct db_val *b)
{
	if (a->type == 'd')
		return (a->d > b->d) - (a->d < b->d);
	if (a->type == 'i')
		return (a->i > b->i) - (a->i < b->i);
	return strcmp(a->s.p, b->s.p);	/* days */
}

static int by_place(const void *x, const void *y)
{
	const struct sifted *a = x, *b = y;
	int rc;

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

/* The same order as without a member: by another field, or the newest first. */
static struct sifted place_of(const struct resource_limits *l, const struct resource_row *row,
			      struct db_val member, struct arena *a)
{
	struct sifted out = {
		.id = row->id, .down = l->by || l->by_member ? l->down : true,
		.value = l->by_member ? member
			: l->by ? resource_sorting_value(l->by, row) : DB_I(row->created_us),
	};

	if (out.value.type == 's' && !out.value.null)
		out.value.s = arena_str(a, out.value.s);
	return out;
}

struct sifting {
	const struct resource *r;
	const struct resource_limits *limits;
	struct arena *a;
	struct sifted *v;
	size_t n, room;
	struct resource_row last;	/* that was read */
	size_t n_read;
};

static int take_slim(void *ctx, const struct db_val *v, struct err *e)
{
	struct sifting *k = ctx;
	const struct resource_limits *l = k->limits;
	json_t *members;

	resource_row_of(k->r, v, &k->last);
	members = members_of(k->r, &k->last);
	k->n_read++;
	if (props_pass(l->sieves, l->n_sieves, members)) {
		k->v = arena_room(k->a, k->v, k->n, 1, &k->room, sizeof(*k->v));
		k->v[k->n++] = place_of(l, &k->last, l->by_member
			? props_value(l->by_member, members, k->a)
			: (struct db_val){ .null = true }, k->a);
	}
	json_decref(members);
	return arena_check(k->a, e);
}

/* Reads all rows that pass, in rounds, so that their members are not held all at once. */
static int read_slim(struct db *db, const struct resource_at *at, struct sifting *k,
		     struct err *e)
{
	struct db_val v[RESOURCE_LISTED_ARGS];
	bool cut = true;

	k->last = (struct resource_row){ .created_us = INT64_MAX };
	do {
		struct arena round = ARENA_INIT;
		size_t n = resource_add_limits(k->r, at, k->limits, v);
		int rc;

		k->n_read = 0;
		v[n] = v[n + 1] = DB_I(k->last.created_us);
		v[n + 2] = DB_U(&k->last.id);
		v[n + 3] = DB_I(SLIM_ROWS);
		rc = db_each_within(db, stmts[k->r - resources].slim, v, LIM_PAGE_BYTES,
				    &round, take_slim, k, &cut, e);
		arena_release(&round);
		if (rc)
			return -1;
	} while (k->n_read && (cut || k->n_read == SLIM_ROWS));
	return 0;
}

/* The first one behind the place of want->after. */
static size_t first_of(const struct sifting *k, const struct resource_want *want)
{
	size_t i = 0;

	if (want->after) {
		const struct sifted at = place_of(k->limits, want->after, want->member, k->a);

		while (i < k->n && by_place(&k->v[i], &at) <= 0)
			i++;
	}
	return i;
}

/* Reads the rows of these ids, at most LIM_PAGE_MAX, in their order; *cut: not all of them. */
static int read_rows(struct db *db, const struct resource_at *at, const struct sifting *k,
		     const struct sifted *of, size_t n, struct resource_row *out,
		     size_t *n_out, bool *cut, struct err *e)
{
	struct resource_row *rows = arena_zalloc(k->a, n + 1, sizeof(*rows));
	struct uuid *ids = arena_zalloc(k->a, n + 1, sizeof(*ids));
	size_t found;

	for (size_t i = 0; i < n; i++)
		ids[i] = of[i].id;
	*n_out = 0;
	if (resource_of_ids(db, k->r, stmts[k->r - resources].of_ids, at, ids, n, k->a, rows,
			    &found, cut, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t m = 0; m < found; m++)
			if (uuid_eq(&rows[m].id, &ids[i])) {
				out[(*n_out)++] = rows[m];
				break;
			}
	return 0;
}

int sift_list(struct db *db, const struct resource *r, const struct resource_at *at,
	      const struct resource_want *want, struct arena *a,
	      struct resource_row **out, size_t *n, bool *more, int64_t *total,
	      struct err *e)
{
	struct sifting k = { .r = r, .limits = want->limits, .a = a };
	size_t from, size;
	bool cut = false;

	if (read_slim(db, at, &k, e) < 0)
		return -1;
	*total = (int64_t)k.n;
	*out = NULL;
	*n = 0;
	*more = false;
	if (!k.n)
		return 0;
	qsort(k.v, k.n, sizeof(*k.v), by_place);
	from = first_of(&k, want);
	size = MIN(want->size, k.n - from);
	*out = arena_zalloc(a, size + 1, sizeof(**out));
	if (read_rows(db, at, &k, k.v + from, size, *out, n, &cut, e) < 0)
		return -1;
	*more = cut || from + size < k.n;
	return 0;
}

struct db_val sift_member(const struct resource *r, const struct resource_limits *limits,
			  const struct resource_row *row, struct arena *a)
{
	json_t *members = members_of(r, row);
	const struct db_val out = props_value(limits->by_member, members, a);

	json_decref(members);
	return out;
}
