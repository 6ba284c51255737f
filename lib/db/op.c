/* SPDX-License-Identifier: MIT */
/*
 * One operation. On the pool: a connection of its own, and one retry after a lost
 * connection or a deadlock. In a transaction: its connection; any error other than
 * FAULT_DATA dooms the transaction.
 */
#include "db/prep.h"
#include "metric/metric.h"

#include "base/banned.h"

static int run_on(struct link *c, struct op *op, struct err *e)
{
	TRACE_SPAN(TRACE_DB, op->stmt < c->pool->opt.n_stmts
		   ? c->pool->opt.stmts[op->stmt].name : NULL);

	return op->run(c, op, e);
}

static int op_run(struct db *db, struct op *op, struct err *e)
{
	struct link *c = db->link;
	int rc;

	if (c) {
		rc = run_on(c, op, e);
		if (c->fault > FAULT_DATA)
			db->failed = true;
		return rc;
	}
	for (int tries = 1; ; tries++) {
		enum fault fault;

		c = pool_take(db->pool, true, e);
		if (!c)
			return -1;
		op->bytes = 0;
		rc = run_on(c, op, e);
		fault = c->fault;
		pool_give(c);
		/*
		 * Rows that fn has got cannot be taken back. What was too big for the
		 * server is so again.
		 */
		if (!rc || op->given || tries > 3 ||
		    (fault == FAULT_LOST && (tries > 1 ||
					     e->code == ERR_TOO_BIG)) ||
		    fault <= FAULT_DATA)
			return rc;
		err_clear(e);
		atomic_fetch_add(&db->pool->retries, 1);
		metric_add(METRIC_DB_RETRIES, "statement", NULL, 1);
		if (fault == FAULT_RETRY)
			db_pause(tries);
	}
}

/* Whether it is a DB_WHOLE, DB_LAST or DB_READS statement; BUG where it may not run. */
static bool is_whole(struct db *db, unsigned stmt)
{
	const struct db_stmt *row = stmt < db->pool->opt.n_stmts
		? &db->pool->opt.stmts[stmt] : NULL;

	if (!row || !row->whole)
		return false;
	if (row->reads ? db->link != NULL : row->last ? !db_tx_ends(db)
	    : !db->link || db->depth)
		BUG("a whole transaction on the pool or within another");
	return true;
}

int db_exec(struct db *db, unsigned stmt, const struct db_val *args,
	    struct db_result *r, struct err *e)
{
	struct op op = { .run = is_whole(db, stmt) ? stmt_whole : stmt_exec,
			 .stmt = stmt, .args = args, .r = r };

	return op_run(db, &op, e);
}

int db_exec_rows(struct db *db, unsigned stmt, const struct db_val *rows,
		 size_t n_rows, struct db_result *r, struct err *e)
{
	struct op op = { .run = stmt_exec_rows, .stmt = stmt, .args = rows,
			 .n_rows = n_rows, .r = r };

	if (r)
		*r = (struct db_result){ .affected = 0 };
	return n_rows ? op_run(db, &op, e) : 0;
}

int db_each(struct db *db, unsigned stmt, const struct db_val *args,
	    struct arena *a, db_row_fn *fn, void *ctx, struct err *e)
{
	struct op op = { .run = is_whole(db, stmt) ? stmt_whole : stmt_each,
			 .stmt = stmt, .args = args, .a = a, .fn = fn, .ctx = ctx,
			 .enough = db->enough };

	return op_run(db, &op, e);
}

int db_each_within(struct db *db, unsigned stmt, const struct db_val *args,
		   size_t max_bytes, struct arena *a, db_row_fn *fn, void *ctx,
		   bool *cut, struct err *e)
{
	struct op op = { .run = is_whole(db, stmt) ? stmt_whole : stmt_each,
			 .stmt = stmt, .args = args, .a = a, .fn = fn,
			 .ctx = ctx, .max_bytes = max_bytes, .cut = cut,
			 .enough = db->enough };

	*cut = false;
	return op_run(db, &op, e);
}

int db_check_stmts(struct db *db, struct err *e)
{
	struct link *c = pool_take(db->pool, true, e);
	int rc = c ? 0 : -1;

	for (unsigned i = 0; !rc && i < db->pool->opt.n_stmts; i++)
		rc = prepare(c, i, e) ? 0 : -1;
	if (c)
		pool_give(c);
	return rc;
}
