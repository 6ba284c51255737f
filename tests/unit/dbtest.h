/* SPDX-License-Identifier: MIT */
/*
 * A fresh database on the private server of tests/unit/with-mariadb, and a
 * root's view of it for what our own code must not be able to do. Aborts the
 * test on any failure.
 */
#ifndef UNIT_DBTEST_H
#define UNIT_DBTEST_H

#include "conf/conf.h"
#include "unit.h"

extern struct arena a;
extern struct err e;

/* Group set-up and teardown of the tests of lib/db. */
int dbtest_open(void **state);
int dbtest_close(void **state);

/* A row of a table of statements, by its number. */
#define DBTEST_STMT(id, params_, columns_, sql_) \
	[id] = { .name = #id, .params = params_, .columns = columns_, .sql = sql_ }
#define DBTEST_WHOLE(id, params_, columns_, sql_) \
	[id] = { .name = #id, .params = params_, .columns = columns_, \
		 .sql = DB_WHOLE(sql_), .whole = true }
#define DBTEST_LAST(id, params_, columns_, sql_) \
	[id] = { .name = #id, .params = params_, .columns = columns_, \
		 .sql = DB_LAST(sql_), .whole = true, .last = true }
#define DBTEST_READS(id, params_, columns_, sql_) \
	[id] = { .name = #id, .params = params_, .columns = columns_, \
		 .sql = DB_READS(sql_), .whole = true, .reads = true }

/* A new empty database, ours to use; pool connections at most. Static. */
const struct conf_db *dbtest_conf(const char *name, int pool);

/* The same with the schema in place. */
const struct conf_db *dbtest_schema(const char *name, int pool);

/* sql/ of the source tree. */
const char *dbtest_sql_dir(void);

/* Runs SQL as root in the newest database; its number (first cell, or 0). */
int64_t dbtest_sql(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* The same; the first cell as text, in a static buffer ("" for NULL). */
const char *dbtest_text(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* "stop" with a signal (NULL = TERM), or "start". */
void dbtest_server(const char *what, const char *signal);

/* Runs a program to its end, which must be a good one. NULL-terminated. */
void dbtest_run(const char *const *argv);

/* Polls until cond is true, at most 20 s; then fails. */
#define dbtest_until(cond) do { \
	int64_t until_ = clock_mono_ms() + 20000; \
	while (!(cond)) { \
		assert_true(clock_mono_ms() < until_); \
		dbtest_breathe(); \
	} \
} while (0)
void dbtest_breathe(void);

/* The call returned 0, or its error is printed and the test fails. */
#define ok(call) do { \
	if ((call) != 0) \
		fail_msg("%s: %s: %s", #call, err_row(&e)->name, e.text); \
} while (0)

/* The call returned -1 with this code; e is cleared. */
#define refused(call, want) do { \
	assert_int_equal((call), -1); \
	if (e.code != (want)) \
		fail_msg("%s: %s: %s", #call, err_row(&e)->name, e.text); \
	err_clear(&e); \
} while (0)

#endif
