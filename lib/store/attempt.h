/*
 * A transaction that is stored once, however often it is tried: by db_tx after
 * a COMMIT that was not answered, and by a caller who tries again after that
 * was given up. All tries have the time of the first one. What an attempt
 * writes carries this time, or ids that were made for it, so that a later try
 * recognises it.
 */
#ifndef STORE_ATTEMPT_H
#define STORE_ATTEMPT_H

#include "store/turn.h"

/* a is released afterwards. */
typedef int attempt_fn(struct db *tx, void *ctx, struct arena *a,
		       struct err *e);

struct attempt_fns {
	/*
	 * Whether an earlier try was committed: 1, and the outputs are as that
	 * one left them; 0; -1.
	 */
	attempt_fn *before;
	attempt_fn *run;	/* the transaction: 0, -1 */
};

/*
 * Runs it as db_tx does. *us: the time of the attempt; 0 = this is its first
 * try, and the time is set. An attempt that has a time is looked for before it
 * is run; so is one of db_tx's own further tries, and one that was refused
 * (ERR_CONFLICT, ERR_BUSY, ERR_DB_DUPLICATE), since an earlier COMMIT may have
 * come through meanwhile.
 */
int attempt_tx(struct db *db, const struct attempt_fns *t, int64_t *us,
	       void *ctx, struct err *e) MUST_CHECK;

/*
 * `before` of an attempt that makes turn id, with us as the turn's start. 1, 0,
 * -1. ERR_DB_DUPLICATE: another process has made it, from the same key; it is
 * not ours, and to run it as well would run its tools twice. Text of *out in a.
 */
int attempt_made_turn(struct db *tx, const struct owner *o,
		      const struct uuid *id, int64_t us, struct arena *a,
		      struct turn *out, struct err *e) MUST_CHECK;

#endif
