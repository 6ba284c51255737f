#include "store/web_process.h"

#include "base/clock.h"
#include "store/stmt.h"

#include "base/banned.h"

static int take_int(void *ctx, const struct db_val *row, struct err *e)
{
	(void)e;
	*(int64_t *)ctx = row[0].i;
	return 0;
}

int store_web_process_seen(struct db *db, const struct uuid *process,
			   struct str host, int64_t *n, struct err *e)
{
	int64_t now_us = clock_now_us();
	struct arena a = ARENA_INIT;
	int rc;

	if (db_exec(db, STMT_WEB_PROCESS_SEEN,
		    DB_ARGS(DB_U(process), DB_S(host), DB_I(now_us)), NULL, e))
		return -1;
	rc = db_each(db, STMT_WEB_PROCESS_COUNT,
		     DB_ARGS(DB_S(host), DB_I(now_us - WEB_PROCESS_US)), &a,
		     take_int, n, e);
	arena_release(&a);
	return rc ? -1 : 0;
}

int store_web_process_gone(struct db *db, const struct uuid *process,
			   struct err *e)
{
	return db_exec(db, STMT_WEB_PROCESS_GONE, DB_ARGS(DB_U(process)), NULL, e);
}
