/* SPDX-License-Identifier: MIT */
#include "resource/reseal.h"

#include <string.h>

#include "resource/resource.h"
#include "secret/secret.h"

#include "base/banned.h"

enum { BATCH = 100 };

/* The SECRET fields of resource.def. */
static const struct sealed {
	const char *table, *column;
	unsigned stale, reseal;
} fields[] = {
#define SEALED(id, table, column) \
	{ table, column, RSTMT_##id##_STALE, RSTMT_##id##_RESEAL },
#include "resource/resource.def"
};

struct stale {
	struct uuid id;
	struct str tenant_id, value;
};

struct batch {
	struct stale v[BATCH];
	size_t n;
};

static int take_row(void *ctx, const struct db_val *v, struct err *e)
{
	struct batch *b = ctx;
	struct stale *s = &b->v[b->n++];

	(void)e;
	memcpy(s->id.b, v[0].s.p, sizeof(s->id.b));
	s->tenant_id = v[1].s;
	s->value = v[2].s;
	return 0;
}

/*
 * Returns 0 if it is sealed, here or by somebody else; 1 with *why if it cannot
 * be opened.
 */
static int reseal(struct db *db, const struct conf *c, const struct sealed *f,
		  const struct stale *s, struct arena *a, int64_t *done,
		  struct err *why, struct err *e)
{
	const struct secret_at at = { s->tenant_id, f->table, f->column, s->id };
	struct db_result res;
	struct str text, now;

	if (seal_open(c, &at, s->value, a, &text, why) < 0)
		return 1;
	if (seal_make(c, &at, text, a, &now, e) < 0 ||
	    db_exec(db, f->reseal, DB_ARGS(DB_B(now), DB_U(&s->id),
					   DB_B(s->value)), &res, e))
		return -1;
	*done += res.affected;
	return 0;
}

/* The same, but only looks. */
static int try_open(const struct conf *c, const struct sealed *f,
		    const struct stale *s, struct arena *a, int64_t *good,
		    struct err *why)
{
	const struct secret_at at = { s->tenant_id, f->table, f->column, s->id };
	struct str text;

	if (seal_open(c, &at, s->value, a, &text, why) < 0)
		return 1;
	++*good;
	return 0;
}

/* keep: nothing is changed. */
static int walk(struct db *db, const struct conf *c, const struct sealed *f,
		struct str mark, bool keep, resource_lost *lost, void *ctx,
		struct resource_resealed *out, struct err *e)
{
	struct uuid after = { { 0 } };
	struct arena a = ARENA_INIT;
	struct batch b = { .n = BATCH };
	int rc = 0;

	while (rc >= 0 && b.n == BATCH) {
		b.n = 0;
		if (db_each(db, f->stale, DB_ARGS(DB_B(mark), DB_U(&after),
						  DB_I(BATCH)), &a, take_row, &b, e))
			rc = -1;
		for (size_t i = 0; rc >= 0 && i < b.n; i++) {
			struct err why = ERR_INIT;

			rc = keep ? try_open(c, f, &b.v[i], &a, &out->done, &why)
				: reseal(db, c, f, &b.v[i], &a, &out->done, &why, e);
			if (rc > 0) {
				out->lost++;
				lost(ctx, f->table, f->column, &b.v[i].id, &why);
			}
			after = b.v[i].id;
		}
		arena_reset(&a);
	}
	arena_release(&a);
	return rc < 0 ? -1 : 0;
}

int resource_reseal(struct db *db, const struct conf *c, resource_lost *lost,
		    void *ctx, struct resource_resealed *out, struct err *e)
{
	unsigned char mark[SECRET_MARK_BYTES];
	const struct str m = { (const char *)mark, sizeof(mark) };

	*out = (struct resource_resealed){ .done = 0 };
	if (seal_mark(c, mark, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (walk(db, c, &fields[i], m, false, lost, ctx, out, e) < 0)
			return -1;
	return 0;
}

int resource_try_seals(struct db *db, const struct conf *c, resource_lost *lost,
		       void *ctx, struct resource_resealed *out, struct err *e)
{
	/* No value has this mark, so all are looked at. */
	static const char none[SECRET_MARK_BYTES];
	const struct str m = { none, sizeof(none) };

	*out = (struct resource_resealed){ .done = 0 };
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (walk(db, c, &fields[i], m, true, lost, ctx, out, e) < 0)
			return -1;
	return 0;
}
