/* SPDX-License-Identifier: MIT */
/*
 * Transactions: closures that can run again. Any database error other than
 * FAULT_DATA ends a try; the wrapper rolls back, or drops the lost connection, and
 * starts again after a pause. Nested calls join the outer transaction; if they
 * fail, it cannot commit.
 */
#include "db/link.h"

#include <errmsg.h>
#include <string.h>

#include "base/clock.h"
#include "metric/metric.h"

#include "base/banned.h"

#define TRIES    10
#define TRIES_MS 10000

bool db_tx_unknown(const struct db *tx)
{
	return tx->unknown;
}

bool db_tx_ends(const struct db *tx)
{
	return tx->link && !tx->depth && !tx->failed;
}

/* One try. *fault: its outcome. */
static int attempt(struct db *tx, db_tx_fn *fn, void *ctx, enum fault *fault,
		   struct err *e)
{
	struct link *c = tx->link;
	int rc = fn(tx, ctx, e);

	if (rc == 0 && !tx->failed && c->ending) {
		;	/* its end is left to db_early_end */
	} else if (rc == 0 && !tx->failed && c->open_tx) {
		rc = link_query(c, "COMMIT", "commit", e);
		/* A COMMIT that the library did not send has not committed. */
		if (rc && c->fault == FAULT_LOST &&
		    mysql_errno(c->my) != CR_COMMANDS_OUT_OF_SYNC)
			tx->unknown = true;
		else
			c->open_tx = false;
	} else if (c->unsure && c->fault == FAULT_LOST) {
		tx->unknown = true;
	} else if (rc == 0 && tx->failed) {
		rc = err_set(e, ERR_DB, "a failed transaction was continued");
	}
	*fault = c->fault;
	return rc;
}

int db_tx(struct db *db, db_tx_fn *fn, void *ctx, struct err *e)
{
	return db_tx_early(db, fn, ctx, NULL, e);
}

int db_tx_early(struct db *db, db_tx_fn *fn, void *ctx, struct db_early *early,
		struct err *e)
{
	int64_t deadline_ms = clock_mono_ms() + TRIES_MS;
	bool unknown = false;

	if (db->link) {
		int rc;

		db->depth++;
		rc = fn(db, ctx, e);
		db->depth--;
		if (rc)
			db->failed = true;
		return rc;
	}
	if (db->pool->opt.foreign)
		BUG("a transaction on a foreign database");
	for (int tries = 1; ; tries++) {
		struct db tx = {
			.pool = db->pool, .unknown = unknown,
			.enough = early ? early->enough : NULL,
		};
		enum fault fault = FAULT_LOST;
		bool again;
		int rc = -1;

		tx.link = pool_take(db->pool, false, e);
		if (tx.link) {
			rc = attempt(&tx, fn, ctx, &fault, e);
			unknown = tx.unknown;
			if (tx.link->ending) {
				pool_lend(early, tx.link);
				return 0;
			}
			pool_give(tx.link);
		}
		/* If the first try cannot connect, fail at once. */
		again = rc && fault > FAULT_DATA && (tx.link || tries > 1) &&
			tries < TRIES && clock_mono_ms() < deadline_ms &&
			e->code != ERR_TOO_BIG;
		if (!again)
			return rc;
		err_clear(e);
		atomic_fetch_add(&db->pool->retries, 1);
		metric_add(METRIC_DB_RETRIES, "transaction", NULL, 1);
		db_pause(tries);
	}
}
