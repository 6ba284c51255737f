/* SPDX-License-Identifier: MIT */
/*
 * MariaDB. Only lib/db includes mysql.h: link.c (a connection), pool.c (who uses
 * it), stmt.c (prepared statements), op.c (runs one of them on the pool or in a
 * transaction), tx.c (transactions and their retry), query.c (ad-hoc SELECTs on
 * foreign databases), migrate.c (schema).
 *
 * `struct db` is where statements run. db_open returns the pool: each statement
 * borrows a connection of its own, from any thread. A db_tx closure gets the
 * transaction: for one thread, until the closure returns. Every store function
 * takes either, so store functions can be combined into a larger transaction.
 *
 * A connection is never held while a model or a tool works: a connection cannot be
 * held outside a call or a closure.
 *
 * Errors that any function here can set: ERR_DB_DOWN (server unreachable, or the
 * connection was lost and the retry failed too), ERR_OVERLOADED (no connection
 * became free in time), ERR_DB_RETRY (deadlocks and similar conflicts until the
 * attempts were used up), ERR_DB_TIMEOUT (max_statement_time), ERR_DB_DUPLICATE
 * (1062), ERR_TOO_BIG (value exceeds the packet limit), ERR_DB (anything else; the
 * text has errno and message).
 */
#ifndef DB_DB_H
#define DB_DB_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "base/util.h"
#include "base/uuid.h"
#include "conf/conf.h"

struct db;

/* -- values --------------------------------------------------------------- */

/*
 * One parameter or one cell. Types, in statement signatures too:
 *   i  integer, int64        d  double
 *   s  text, valid UTF-8     b  bytes       u  uuid, BINARY(16)
 * The upper-case letter in a signature says that the value may be NULL.
 */
struct db_val {
	char type;		/* lower case */
	bool null;
	union {
		int64_t i;
		double d;
		struct str s;	/* types s, b, u; borrowed */
	};
};

#define DB_I(v)    ((struct db_val){ .type = 'i', .i = (v) })
#define DB_D(v)    ((struct db_val){ .type = 'd', .d = (v) })
#define DB_S(v)    ((struct db_val){ .type = 's', .s = (v) })
#define DB_B(v)    ((struct db_val){ .type = 'b', .s = (v) })
#define DB_U(up)   ((struct db_val){ .type = 'u', \
			.s = { (const char *)(up)->b, 16 } })
/* NULL if the condition is false, the text has p == NULL, or the id is nil. */
#define DB_I_IF(c, v) ((struct db_val){ .type = 'i', .null = !(c), .i = (v) })
#define DB_D_IF(c, v) ((struct db_val){ .type = 'd', .null = !(c), .d = (v) })
#define DB_S_IF(v)    ((struct db_val){ .type = 's', .null = !(v).p, .s = (v) })
#define DB_U_IF(up)   db_uuid_if(up)

/* Borrows u. NULL if u is NULL or nil. */
struct db_val db_uuid_if(const struct uuid *u);

#define DB_ARGS(...) ((const struct db_val[]){ __VA_ARGS__ })
#define DB_NOARGS ((const struct db_val *)NULL)

/*
 * Maps the columns of a statement to the members of a struct: row i of the table
 * describes column i. Types as above; the member is int64_t, double, struct str
 * (NULL: p == NULL) or struct uuid (NULL: nil). `I`: a NULL integer becomes null_i.
 */
struct db_field {
	const char *column;
	char type;		/* lower case: not NULL */
	size_t offset;
	int64_t null_i;
};

/* Copies the first n cells into *out as described by fields. Text is not copied. */
void db_map(const struct db_field *fields, size_t n, const struct db_val *row,
	    void *out);

/* -- the pool ------------------------------------------------------------- */

/* A declared statement: lib/store/stmt.def. */
struct db_stmt {
	const char *name;
	const char *params;	/* one type letter per ? */
	const char *columns;	/* one per result column; "" = no result */
	const char *sql;
	bool whole;		/* see DB_WHOLE, and DB_READS */
	bool reads;		/* whole, by DB_READS */
	bool last;		/* whole, by DB_LAST */
};

/*
 * A statement that is a complete transaction, in one round trip: several statements
 * of which every path ends with a COMMIT or a ROLLBACK. It is not a stored routine,
 * and each connection parses it once. It may have result sets, all with the
 * declared columns; they are checked when they arrive. It may run only in the
 * closure of db_tx, which rolls back what fails in it: with db_exec (r is NULL) or
 * db_each (fn gets all rows and returns 0), not nested, and not after writes. If
 * the connection is lost meanwhile, db_tx_unknown is true in the next run. After it
 * has rolled back by itself, the closure may run other statements. ROW_COUNT() in
 * it counts the rows that were changed, not those that were found.
 */
#define DB_WHOLE(sql) "BEGIN NOT ATOMIC START TRANSACTION; " sql " END"
/*
 * The last statements of a transaction with its COMMIT, in one round trip: as DB_WHOLE,
 * after other statements of the closure, if db_tx_ends.
 */
#define DB_LAST(sql) "BEGIN NOT ATOMIC " sql "; COMMIT; END"
/*
 * The same round trip for several SELECTs, each ended by a semicolon, of which each sees
 * what is committed when it begins: for db_each on the pool, not in a transaction. It is
 * cheaper than a UNION of them, for which the server converts each row.
 */
#define DB_READS(sql) "BEGIN NOT ATOMIC " sql " END"

struct db_options {
	const struct conf_db *conf;	/* copied */
	const struct db_stmt *stmts;	/* lives as long as the pool */
	size_t n_stmts;
	bool foreign;		/* read-only: datasets; no stmts, no db_tx */
	int wait_ms;		/* for a free connection; 0 = 5000 */
	int connect_timeout_s;	/* 0 = 2 */
	int io_timeout_s;	/* 0 = 30 */
};

/* mysql_library_init. main, once, before threads; db_global_end at the end. */
int db_global_init(struct err *e) MUST_CHECK;
void db_global_end(void);

/*
 * Creates a pool without connecting: a server that is down is an error of the first
 * use, so a responder can start without it. Owned: db_close, when no other thread
 * uses it. Any thread afterwards.
 */
struct db *db_open(const struct db_options *o, struct err *e) MUST_CHECK;
void db_close(struct db *db);

/* Whether a pool with the settings a is one with b as well, whatever their ids. Any thread. */
bool db_same_settings(const struct conf_db *a, const struct conf_db *b);

/*
 * Changes the settings of the pool (conf is copied): connections made with the old
 * ones are closed when they are returned. Does nothing if they are the same. Any
 * thread.
 */
void db_reconfigure(struct db *db, const struct conf_db *conf);

/* Numbers for /metrics and tests. */
struct db_stats {
	int open, idle, waiting;	/* now */
	uint64_t connects, lost, retries, waits;	/* since db_open */
	uint64_t round_trips;	/* statements, prepares, commits, session set-ups */
};
void db_stats(struct db *db, struct db_stats *out);

/* The hosts of the pool, in the order of the configuration. */
enum { DB_HOSTS_MAX = 16 };
struct db_host {
	char name[256];
	int port;		/* 0: name is a socket */
	bool bad;		/* not used at the moment */
	char why[160];		/* "" unless bad */
};

/* Returns what is known of them, and their number, without asking them. Any thread. */
size_t db_hosts(struct db *db, struct db_host out[DB_HOSTS_MAX]);

/*
 * The same after connecting to each of them in turn, for at most 2 s each (the I/O
 * timeout for a host that greets and then hangs). Changes nothing else.
 */
size_t db_hosts_try(struct db *db, struct db_host out[DB_HOSTS_MAX]);

/* Checks if the server answers: one round trip. For /ready. */
int db_ping(struct db *db, struct err *e) MUST_CHECK;

/* -- statements ----------------------------------------------------------- */

struct db_result {
	int64_t affected;	/* rows found by the WHERE (CLIENT_FOUND_ROWS) */
	int64_t insert_id;	/* LAST_INSERT_ID(expr) of this statement */
};

/*
 * Runs a statement without result rows. args: as many as the signature has letters,
 * of these types (a mismatch is a BUG). r may be NULL. On the pool it is a
 * transaction of its own and is run again after a deadlock or a lost connection, so
 * a second run must do no harm (ids made before the call; ERR_DB_DUPLICATE may then
 * mean that the first run succeeded); use db_tx for others.
 */
int db_exec(struct db *db, unsigned stmt, const struct db_val *args,
	    struct db_result *r, struct err *e) MUST_CHECK;

/*
 * The same statement for n_rows parameter rows (row-major, n_rows * params) in one
 * round trip (array binding), in one transaction. n_rows == 0 does nothing. Sends
 * at most DB_BULK_ROWS and DB_BULK_BYTES at a time; larger inputs are split into
 * several (then atomic only within db_tx).
 */
#define DB_BULK_ROWS  1000
#define DB_BULK_BYTES 4194304
int db_exec_rows(struct db *db, unsigned stmt, const struct db_val *rows,
		 size_t n_rows, struct db_result *r, struct err *e) MUST_CHECK;

/*
 * Runs a SELECT and calls fn for each row. Texts and ids are copied to arena a and
 * live as long as it; ERR_TOO_BIG when it is full. a may be NULL for a statement
 * without texts (types s and b): ids then live during the call of fn. fn returns 0
 * to continue, 1 to stop without error, -1 with e set. fn must not use db. On the
 * pool, a lost connection is retried once if fn has not been called yet.
 */
typedef int db_row_fn(void *ctx, const struct db_val *row, struct err *e);
int db_each(struct db *db, unsigned stmt, const struct db_val *args,
	    struct arena *a, db_row_fn *fn, void *ctx, struct err *e) MUST_CHECK;

/*
 * Like db_each, but ends before the row with which the texts passed to fn would
 * exceed max_bytes (never before the first row). *cut: whether there was such a
 * row. Rows that are left out take no memory: up to DB_SKIP_BYTES of them are read
 * and discarded; if there is more, the connection is closed, except in a
 * transaction.
 */
#define DB_SKIP_BYTES 16777216
int db_each_within(struct db *db, unsigned stmt, const struct db_val *args,
		   size_t max_bytes, struct arena *a, db_row_fn *fn, void *ctx,
		   bool *cut, struct err *e) MUST_CHECK;

/*
 * Maps the first row to *out by fields (as many as the statement has columns). a as
 * for db_each: ids are copied to *out.
 * Returns 1 if there was a row, 0 if not (out unchanged), -1.
 */
int db_get(struct db *db, unsigned stmt, const struct db_val *args,
	   struct arena *a, const struct db_field *fields, void *out,
	   struct err *e) MUST_CHECK;

/*
 * The first column of the first row, of the type that the name says: most statements
 * that are read so have one of each. Returns 1, or 0 if there is no row or it is NULL
 * (*out is unchanged), or -1. The text of db_text (types s and b) lives as long as a. Not
 * for DB_WHOLE statements.
 */
int db_int(struct db *db, unsigned stmt, const struct db_val *args, int64_t *out,
	   struct err *e) MUST_CHECK;
int db_id(struct db *db, unsigned stmt, const struct db_val *args,
	  struct uuid *out, struct err *e) MUST_CHECK;
int db_text(struct db *db, unsigned stmt, const struct db_val *args,
	    struct arena *a, struct str *out, struct err *e) MUST_CHECK;

/*
 * Returns all rows as an array in the arena: *out has *n elements of size_bytes,
 * each mapped by fields. At most max_rows are kept (0 = no limit).
 */
int db_list(struct db *db, unsigned stmt, const struct db_val *args,
	    struct arena *a, const struct db_field *fields, size_t size_bytes,
	    size_t max_rows, void *out, size_t *n, struct err *e) MUST_CHECK;

/* Like db_list without max_rows, cut like db_each_within. */
int db_list_within(struct db *db, unsigned stmt, const struct db_val *args,
		   size_t max_bytes, struct arena *a,
		   const struct db_field *fields, size_t size_bytes, void *out,
		   size_t *n, bool *cut, struct err *e) MUST_CHECK;

/* Prepares every statement of the table once, for a test. */
int db_check_stmts(struct db *db, struct err *e) MUST_CHECK;

/* -- transactions --------------------------------------------------------- */

/*
 * Runs fn in one transaction: 0 commits, -1 (e set) rolls back. All of fn is run
 * again, with e cleared, after a deadlock, a certification failure, a lock wait
 * timeout or a lost connection (up to 10 times within 10 s, with jitter), so fn
 * must have no effect except through tx and must compute its outputs again. No
 * BEGIN is sent: transactions run on connections with autocommit off.
 *
 * If the connection is lost during COMMIT, the outcome is unknown: fn runs again
 * with db_tx_unknown(tx) true and must first look for its own ids (made before the
 * call). If they exist, the transaction was committed; fn then sets its outputs and
 * returns 0.
 *
 * On a transaction, calls nest by depth. Only the outermost end commits; after an
 * error anywhere it rolls back, even if a caller in between ignored the error.
 */
typedef int db_tx_fn(struct db *tx, void *ctx, struct err *e);
int db_tx(struct db *db, db_tx_fn *fn, void *ctx, struct err *e) MUST_CHECK;
bool db_tx_unknown(const struct db *tx);

/*
 * Whether the end of this closure is that of the transaction, so that its last statement
 * may be a DB_LAST one; not if it is called within another.
 */
bool db_tx_ends(const struct db *tx);

/*
 * db_tx for a closure with one DB_WHOLE statement whose last rows come before its
 * COMMIT: returns as soon as *enough is true after a result (fn of db_each sets it),
 * and leaves the connection in early->link until db_early_end has waited for the
 * COMMIT; what it flushes to disk may take longer than all the rest. Early only on a
 * server without a cluster, where a COMMIT fails only if the server does: on a
 * cluster, and if fn finds an earlier try, early->link stays NULL and the
 * transaction is complete. early may be NULL. The next statement of this thread, in
 * whatever database, waits for the end first (but see db_early_beside): a thread never
 * holds a connection while it waits for another, and sees what it has written. Others
 * do not see it until the end. Not within db_tx.
 */
struct link;
struct db_early {
	const bool *enough;
	struct link *link;	/* out; NULL: nothing to wait for. early must stay where it
				   is until then */
	struct err err;		/* of an end that another statement waited for */
};
int db_tx_early(struct db *db, db_tx_fn *fn, void *ctx, struct db_early *early,
		struct err *e) MUST_CHECK;

/*
 * Waits for the COMMIT and gives the connection back; the thread that began it. -1:
 * ERR_DB_DOWN and others of the server; it may have been committed all the same.
 */
int db_early_end(struct db_early *early, struct err *e) MUST_CHECK;

/*
 * While it is on, statements of this thread do not wait for the end that is under way
 * if another connection is idle: for reads that do not depend on what it commits. They
 * may see it or not. Off at first.
 */
void db_early_beside(bool on);

/* Waits for the end that is under way, if any, as a statement would: before this thread
   waits for anything else. What it says is left to db_early_end. */
void db_early_settle(void);

/* -- foreign databases: datasets ------------------------------------------ */

struct db_column {
	const char *name;
	enum conf_col_type type;
	/* db_columns only: */
	const char *comment;		/* column comment, or "" */
	struct conf_list values;	/* of an ENUM; else empty */
	bool nullable;
};

/*
 * Ends a query from another thread. For one thread that queries, one query at a
 * time. db_stop_now: any thread; never blocks for long.
 */
struct db_stop {
	pthread_mutex_t lock;
	struct link *link;	/* the connection that runs the query; NULL = none */
	bool pulled;
};
void db_stop_init(struct db_stop *s);
void db_stop_now(struct db_stop *s);
void db_stop_release(struct db_stop *s);

struct db_query_limits {
	int timeout_ms;		/* max_statement_time; 1..60000 */
	struct db_stop *stop;	/* NULL = cannot be stopped */
	size_t max_rows;	/* rows written; one more is read to set truncated */
	size_t max_bytes;	/* of JSON written by one query */
	size_t max_cell_bytes;	/* longer texts are cut, with an ellipsis; 0 = max_bytes */
	/* Types of the columns, in order, if the caller knows more than the server. */
	const enum conf_col_type *types;
	size_t n_types;
};

struct db_query_result {
	struct db_column *columns;	/* arena */
	size_t n_columns, n_rows;
	bool truncated;		/* there were more rows or bytes than allowed */
};

/*
 * Runs one parameterised SELECT on a foreign database: sql is text that we
 * compiled, with ? for each of the n_args values. Appends [[…],[…]] to w: integers
 * and decimals as JSON numbers (beyond 2^53 and non-finite ones as strings), dates
 * "2026-11-21", datetimes "2026-11-21 23:05:00[.123456]", NULL and zero dates
 * ("0000-00-00") as null, JSON columns and text as strings (invalid bytes
 * replaced), a SET as an array of its members, bytes as hex, BIT and TINYINT(1) as
 * integers, but as false and true in a column that is COL_BOOLEAN by l->types.
 * The session is read-only. ERR_DB_TIMEOUT after the time limit; ERR_CANCELLED when stopped, in
 * the server as well; the connection is dropped if the query is ended within its
 * rows. Text of *out is in a.
 */
int db_query_json(struct db *foreign, struct str sql,
		  const struct db_val *args, size_t n_args,
		  const struct db_query_limits *l, struct arena *a,
		  struct jw *w,
		  struct db_query_result *out, struct err *e) MUST_CHECK;

/*
 * Lists the columns of a table or view ("name" or "schema.name") in order, with the
 * types of datasets. ERR_NOT_FOUND if it does not exist or is not visible.
 */
int db_columns(struct db *foreign, struct str table, struct arena *a,
	       struct db_column **out, size_t *n, struct err *e) MUST_CHECK;

/* -- schema --------------------------------------------------------------- */

struct db_migration {
	/* in: told before each migration, from the caller's thread; may be NULL */
	void (*progress)(int version, int left);
	/* out */
	int version;		/* newest version after the run */
	int steps_run;		/* statements run by this call */
	bool waited;		/* another process was migrating */
};

/*
 * Applies the migrations sql_dir/NNNN-name.sql that are missing. Append-only,
 * resumable, and safe for any number of processes that start at once (a lease in
 * schema_lock; the others wait until all steps are recorded, at most wait_s
 * seconds, 0 = 120). Needs rights on this one database only. ERR_CONFIG: a file cannot
 * be read, or was changed after it was applied, or the database is newer than the
 * files: it is left as it is. r may be NULL.
 */
int db_migrate(struct db *db, const char *sql_dir, int wait_s,
	       struct db_migration *r, struct err *e) MUST_CHECK;

/*
 * Checks if all migrations of sql_dir were applied. 0, or -1 with ERR_CONFIG (the
 * text says what is missing) or an error of the database. For /ready.
 */
int db_schema_check(struct db *db, const char *sql_dir,
		    struct err *e) MUST_CHECK;

/*
 * ERR_CONFIG if the database has a migration that is newer than `known`, the newest that
 * this program was built with: what it stores could be wrong for newer ones. Processes
 * that run when the database is migrated continue: migrations only add. An older one
 * must not start. One round trip.
 */
int db_schema_not_newer(struct db *db, int known, struct err *e) MUST_CHECK;

#endif
