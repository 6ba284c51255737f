/* SPDX-License-Identifier: MIT */
#include "store/attempt.h"

#include "base/clock.h"

#include "base/banned.h"

struct trying {
	const struct attempt_fns *t;
	void *ctx;
	bool again;		/* an earlier try may have been committed */
	bool found;		/* it was */
};

static int find_committed(struct db *tx, void *ctx, struct err *e)
{
	struct trying *k = ctx;
	struct arena a = ARENA_INIT;
	int rc = k->t->before(tx, k->ctx, &a, e);

	k->found = rc > 0;
	arena_release(&a);
	return MIN(rc, 0);
}

static int try(struct db *tx, void *ctx, struct err *e)
{
	struct trying *k = ctx;
	struct arena a = ARENA_INIT;
	int rc;

	k->again |= db_tx_unknown(tx);
	k->found = false;
	if (k->again && find_committed(tx, k, e))
		return -1;
	if (k->found)
		return 0;
	rc = k->t->run(tx, k->ctx, &a, e);
	arena_release(&a);
	return rc;
}

static bool was_refused(const struct err *e)
{
	return e->code == ERR_CONFLICT || e->code == ERR_BUSY ||
		e->code == ERR_DB_DUPLICATE;
}

int attempt_tx(struct db *db, const struct attempt_fns *t, int64_t *us,
	       void *ctx, struct db_early *early, struct err *e)
{
	struct trying k = { .t = t, .ctx = ctx, .again = *us != 0 };
	struct err ignored = ERR_INIT;

	if (!*us)
		*us = clock_now_us();
	if (db_tx_early(db, try, &k, early, e) == 0)
		return 0;
	/* The refusal may be by what an earlier try of this very call has stored. */
	if (!k.again || !was_refused(e) || db_tx(db, find_committed, &k, &ignored) ||
	    !k.found)
		return -1;
	err_clear(e);
	return 0;
}
