/* SPDX-License-Identifier: MIT */
#include "resource/fold.h"

#include <stdlib.h>

#include "resource/rows.h"

#include "base/banned.h"

/* By resource: statements of stmt.def. */
static const struct {
	unsigned unfolded, fold;
} stmts[RESOURCE__MAX + 1] = {
#define SEARCHED(id, ...) [RESOURCE_##id] = { RSTMT_##id##_UNFOLDED, RSTMT_##id##_FOLD },
#include "resource/resource.def"
};

enum { BATCH = 100 };

struct unfolded {
	const struct resource *r;
	struct resource_row v[BATCH];
	size_t n;
};

static int take_row(void *ctx, const struct db_val *v, struct err *e)
{
	struct unfolded *b = ctx;

	(void)e;
	resource_row_of(b->r, v, &b->v[b->n++]);
	return 0;
}

static int fold_one(struct db *db, const struct resource *r,
		    const struct resource_row *row, struct arena *a, int64_t *done,
		    struct err *e)
{
	struct db_result res = { 0 };

	if (db_exec(db, stmts[r - resources].fold,
		    DB_ARGS(DB_B(resource_folded(r, row, a)), DB_U(&row->id)), &res, e))
		return -1;
	*done += res.affected;
	return 0;
}

static int fold_all(struct db *db, const struct resource *r, struct unfolded *b,
		    int64_t *done, struct err *e)
{
	struct uuid after = { { 0 } };
	struct arena a = ARENA_INIT;
	int rc = 0;

	b->r = r;
	do {
		b->n = 0;
		rc = db_each(db, stmts[r - resources].unfolded,
			     DB_ARGS(DB_U(&after), DB_I(BATCH)), &a, take_row, b, e);
		for (size_t i = 0; !rc && i < b->n; i++) {
			rc = fold_one(db, r, &b->v[i], &a, done, e);
			after = b->v[i].id;
		}
		arena_reset(&a);
	} while (!rc && b->n == BATCH);
	arena_release(&a);
	return rc;
}

int resource_fold_rows(struct db *db, int64_t *done, struct err *e)
{
	struct unfolded *b = xcalloc(1, sizeof(*b));
	int rc = 0;

	*done = 0;
	for (size_t i = 0; !rc && i < RESOURCE__MAX; i++)
		if (resource_is_searched(&resources[i]))
			rc = fold_all(db, &resources[i], b, done, e);
	free(b);
	return rc;
}
