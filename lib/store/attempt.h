/* SPDX-License-Identifier: MIT */
/*
 * A transaction that takes effect once, however often it is tried: by db_tx
 * after a COMMIT without an answer, or by a caller that tries again after that
 * failed. All tries use the time of the first one. Everything that an attempt
 * writes carries this time, or ids made for the attempt, so that a later try
 * recognises it.
 */
#ifndef STORE_ATTEMPT_H
#define STORE_ATTEMPT_H

#include "db/db.h"

/* a is released afterwards */
typedef int attempt_fn(struct db *tx, void *ctx, struct arena *a,
		       struct err *e);

struct attempt_fns {
	/*
	 * Whether an earlier try was committed: 1, with the outputs set as by
	 * that one; 0; -1.
	 */
	attempt_fn *before;
	attempt_fn *run;	/* the transaction: 0, -1 */
};

/*
 * Runs the transaction like db_tx. *us: the time of the attempt; 0 = first try,
 * the time is set. `before` runs first if the attempt has a time, on db_tx's
 * own further tries, and after a refusal (ERR_CONFLICT, ERR_BUSY,
 * ERR_DB_DUPLICATE), because an earlier COMMIT may have succeeded meanwhile.
 * early: as for db_tx_early, or NULL.
 */
int attempt_tx(struct db *db, const struct attempt_fns *t, int64_t *us,
	       void *ctx, struct db_early *early, struct err *e) MUST_CHECK;

#endif
