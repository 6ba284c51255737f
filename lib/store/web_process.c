/* SPDX-License-Identifier: MIT */
#include "store/web_process.h"

#include "base/clock.h"
#include "store/stmt.h"

#include "base/banned.h"

int store_web_process_seen(struct db *db, const struct uuid *process,
			   struct str host, int64_t *n, struct err *e)
{
	int64_t now_us = clock_now_us();

	if (db_exec(db, STMT_WEB_PROCESS_SEEN,
		    DB_ARGS(DB_U(process), DB_S(host), DB_I(now_us)), NULL, e))
		return -1;
	return db_int(db, STMT_WEB_PROCESS_COUNT,
		      DB_ARGS(DB_S(host), DB_I(now_us - WEB_PROCESS_US)), n, e) < 0
		? -1 : 0;
}

int store_web_process_gone(struct db *db, const struct uuid *process,
			   struct err *e)
{
	return db_exec(db, STMT_WEB_PROCESS_GONE, DB_ARGS(DB_U(process)), NULL, e);
}
