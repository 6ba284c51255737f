/*
 * MariaDB. The only room of mysql.h: link.c (a connection), pool.c (who has it),
 * stmt.c (prepared statements), op.c (one of them on the pool or in a
 * transaction), tx.c (transactions and their retry), query.c (ad-hoc SELECTs on
 * foreign databases), migrate.c (schema).
 *
 * `struct db` is a place where statements run. The one that db_open returns is
 * the pool: every statement borrows a connection for itself, any thread. The
 * one that a db_tx closure gets is the transaction: one thread, until the
 * closure returns. Every store function takes either, so store functions can
 * be put together into a larger transaction.
 *
 * A connection is never held while a model or a tool works: there is no way to
 * hold one outside a call or a closure.
 *
 * Errors that any function here can set: ERR_DB_DOWN (server unreachable or
 * link lost and the retry failed too), ERR_OVERLOADED (no connection became
 * free in time), ERR_DB_RETRY (deadlocks and the like until the attempts were
 * used up), ERR_DB_TIMEOUT (max_statement_time), ERR_DB_DUPLICATE (1062),
 * ERR_TOO_BIG (value beyond the packet cap), ERR_DB (anything else; the text
 * has errno and message).
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
/* NULL where the condition does not hold, the text is none, the id is nil. */
#define DB_I_IF(c, v) ((struct db_val){ .type = 'i', .null = !(c), .i = (v) })
#define DB_D_IF(c, v) ((struct db_val){ .type = 'd', .null = !(c), .d = (v) })
#define DB_S_IF(v)    ((struct db_val){ .type = 's', .null = !(v).p, .s = (v) })
#define DB_U_IF(up)   db_uuid_if(up)

/* Borrows u, which may be NULL; NULL for a nil one too. */
struct db_val db_uuid_if(const struct uuid *u);

#define DB_ARGS(...) ((const struct db_val[]){ __VA_ARGS__ })
#define DB_NOARGS ((const struct db_val *)NULL)

/*
 * Where the cells of a statement go in a struct: row i of the table says what
 * becomes of column i. Types as above; the member is int64_t, double,
 * struct str (NULL: p == NULL) or struct uuid (NULL: nil). `I`: a NULL
 * integer becomes null_i.
 */
struct db_field {
	const char *column;
	char type;		/* lower case: not NULL */
	size_t offset;
	int64_t null_i;
};

/* Copies the first n cells into *out as fields say. Text is not copied. */
void db_map(const struct db_field *fields, size_t n, const struct db_val *row,
	    void *out);

/* -- the pool ------------------------------------------------------------- */

/* A declared statement: lib/store/stmt.def. */
struct db_stmt {
	const char *name;
	const char *params;	/* one type letter per ? */
	const char *columns;	/* one per result column; "" = no result */
	const char *sql;
	bool whole;		/* see DB_WHOLE */
};

/*
 * A statement that is a transaction of its own, in one round trip: some
 * statements with a COMMIT, or a ROLLBACK, on every way through them. No
 * stored routine, and what it is made of is parsed once per connection. It
 * may have result sets, which all have the declared columns; they are checked
 * when they come. What fails in it is rolled back with the closure of db_tx,
 * where alone it may run: with db_exec (r is NULL) or db_each (fn gets all
 * rows and returns 0), not nested, and not behind writes. A link lost on the
 * way sets db_tx_unknown for the next run. What it rolled back by itself may
 * be followed by other statements of the closure. ROW_COUNT() in it counts the
 * rows that were changed, not those that were found.
 */
#define DB_WHOLE(sql) "BEGIN NOT ATOMIC START TRANSACTION; " sql " END"

struct db_options {
	const struct conf_db *conf;	/* copied */
	const struct db_stmt *stmts;	/* lives as long as the pool */
	size_t n_stmts;
	bool foreign;		/* read-only: datasets. No stmts, no db_tx */
	int wait_ms;		/* for a free connection; 0 = 5000 */
	int connect_timeout_s;	/* 0 = 2 */
	int io_timeout_s;	/* 0 = 30 */
};

/* mysql_library_init. main, once, before threads; db_global_end at the end. */
int db_global_init(struct err *e) MUST_CHECK;
void db_global_end(void);

/*
 * A pool. Connects to nothing: a server that is down is an error of the first
 * use, so a responder starts without it. Owned: db_close (no other thread may
 * still be inside). Any thread afterwards.
 */
struct db *db_open(const struct db_options *o, struct err *e) MUST_CHECK;
void db_close(struct db *db);

/*
 * Other settings for the same pool (conf is copied): connections made with the
 * old ones are closed as they come back. Nothing happens when they are the
 * same. Any thread.
 */
void db_reconfigure(struct db *db, const struct conf_db *conf);

/* Numbers for /metrics and tests. */
struct db_stats {
	int open, idle, waiting;	/* now */
	uint64_t connects, lost, retries, waits;	/* since db_open */
	uint64_t round_trips;	/* statements, prepares, commits, set-ups */
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

/* What is known of them; the number. Asks nobody. Any thread. */
size_t db_hosts(struct db *db, struct db_host out[DB_HOSTS_MAX]);

/*
 * The same after a connect to each of them, one after the other, at most 2 s (a
 * host that greets and then hangs: the I/O timeout). Nothing else changes.
 */
size_t db_hosts_try(struct db *db, struct db_host out[DB_HOSTS_MAX]);

/* Whether the server answers: one round trip. For /ready. */
int db_ping(struct db *db, struct err *e) MUST_CHECK;

/* -- statements ----------------------------------------------------------- */

struct db_result {
	int64_t affected;	/* rows found by the WHERE (CLIENT_FOUND_ROWS) */
	int64_t insert_id;	/* LAST_INSERT_ID(expr) of this statement */
};

/*
 * Runs a statement without result rows. args: as many as the signature has
 * letters, of these types (a mismatch is a BUG). r may be NULL. On the pool it
 * is its own transaction and runs again after a deadlock or a lost link: it
 * must be one whose second run does no harm (ids made before the call, then
 * ERR_DB_DUPLICATE may mean that the first run did it); others use db_tx.
 */
int db_exec(struct db *db, unsigned stmt, const struct db_val *args,
	    struct db_result *r, struct err *e) MUST_CHECK;

/*
 * The same statement for n_rows parameter rows (row-major, n_rows * params) in
 * one round trip (array binding); one transaction. n_rows == 0 does nothing.
 * At most DB_BULK_ROWS and DB_BULK_BYTES travel at a time; larger ones are cut
 * into several (then only atomic within db_tx).
 */
#define DB_BULK_ROWS  1000
#define DB_BULK_BYTES 4194304
int db_exec_rows(struct db *db, unsigned stmt, const struct db_val *rows,
		 size_t n_rows, struct db_result *r, struct err *e) MUST_CHECK;

/*
 * Runs a SELECT and calls fn per row. Text cells are copied to arena a and
 * live as long as it; ERR_TOO_BIG when it is full. fn returns 0 to go on, 1 to
 * stop without error, -1 with e set. fn must not use db. On the pool a lost
 * link is retried once when no row was given yet.
 */
typedef int db_row_fn(void *ctx, const struct db_val *row, struct err *e);
int db_each(struct db *db, unsigned stmt, const struct db_val *args,
	    struct arena *a, db_row_fn *fn, void *ctx, struct err *e) MUST_CHECK;

/*
 * As db_each, but it ends before the row with which the texts given would be
 * more than max_bytes (never before the first row). *cut says whether there
 * was such a row. What is left out takes no memory: up to DB_SKIP_BYTES of it
 * are read past, for more the connection is given up, unless it is a
 * transaction's.
 */
#define DB_SKIP_BYTES 16777216
int db_each_within(struct db *db, unsigned stmt, const struct db_val *args,
		   size_t max_bytes, struct arena *a, db_row_fn *fn, void *ctx,
		   bool *cut, struct err *e) MUST_CHECK;

/*
 * The first row, mapped into *out by fields (as many as the statement has
 * columns). Returns 1 when there was one, 0 when not (out untouched), -1.
 */
int db_get(struct db *db, unsigned stmt, const struct db_val *args,
	   struct arena *a, const struct db_field *fields, void *out,
	   struct err *e) MUST_CHECK;

/*
 * All rows as an array in the arena: *out has *n elements of size_bytes, each
 * mapped by fields. At most max_rows are kept (0 = no cap).
 */
int db_list(struct db *db, unsigned stmt, const struct db_val *args,
	    struct arena *a, const struct db_field *fields, size_t size_bytes,
	    size_t max_rows, void *out, size_t *n, struct err *e) MUST_CHECK;

/* As db_list without max_rows, cut as db_each_within does. */
int db_list_within(struct db *db, unsigned stmt, const struct db_val *args,
		   size_t max_bytes, struct arena *a,
		   const struct db_field *fields, size_t size_bytes, void *out,
		   size_t *n, bool *cut, struct err *e) MUST_CHECK;

/* Prepares every statement of the table once: the check behind a test. */
int db_check_stmts(struct db *db, struct err *e) MUST_CHECK;

/* -- transactions --------------------------------------------------------- */

/*
 * Runs fn in one transaction: 0 commits, -1 (e set) rolls back. The whole of
 * fn is run again, with e cleared, after a deadlock, a certification failure,
 * a lock wait timeout or a lost link (platform: 10 tries, 10 s, jitter), so fn
 * must have no effect but through tx and must compute its outputs anew. No
 * BEGIN is sent: transactions run on connections with autocommit off.
 *
 * When a link is lost during COMMIT the outcome is unknown: fn runs again with
 * db_tx_unknown(tx) true, and must first look for its own ids (made before the
 * call): if they are there, it was committed, and fn fills its outputs and
 * returns 0.
 *
 * On a transaction: nested by depth. Only the outermost end commits; an error
 * anywhere makes that a rollback, even if a caller in between swallowed it.
 */
typedef int db_tx_fn(struct db *tx, void *ctx, struct err *e);
int db_tx(struct db *db, db_tx_fn *fn, void *ctx, struct err *e) MUST_CHECK;
bool db_tx_unknown(const struct db *tx);

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
 * A switch that ends a query, for one thread that queries (any number, one
 * after the other). db_stop_now: any thread; never blocks for long.
 */
struct link;
struct db_stop {
	pthread_mutex_t lock;
	struct link *link;	/* that runs the query; NULL = none */
	bool pulled;
};
void db_stop_init(struct db_stop *s);
void db_stop_now(struct db_stop *s);
void db_stop_release(struct db_stop *s);

struct db_query_limits {
	int timeout_ms;		/* max_statement_time; 1..60000 */
	struct db_stop *stop;	/* NULL = cannot be stopped */
	size_t max_rows;	/* rows written; one more is looked for */
	size_t max_bytes;	/* of JSON written by one query */
	size_t max_cell_bytes;	/* longer texts are cut, with an ellipsis;
				   0 = max_bytes */
	/* What the columns mean, where the caller knows better; in order. */
	const enum conf_col_type *types;
	size_t n_types;
};

struct db_query_result {
	struct db_column *columns;	/* arena */
	size_t n_columns, n_rows;
	bool truncated;		/* there was more than rows or bytes allowed */
};

/*
 * One parameterised SELECT on a foreign database: sql is text compiled by us
 * with ? for each of the n_args values. Appends [[…],[…]] to w: integers and
 * decimals as JSON numbers (beyond 2^53 and non-finite ones as strings), dates
 * "2026-11-21", datetimes "2026-11-21 23:05:00[.123456]", NULL and zero dates
 * ("0000-00-00") as null, JSON columns and text as strings (bad bytes replaced),
 * a SET as an array of its members, bytes as hex, BIT and TINYINT(1) as integer;
 * 0 and 1 of a column that is COL_BOOLEAN by l->types as false and true. Before
 * the first row `head` is called (may be NULL) with the columns. The session is
 * read-only; ERR_DB_TIMEOUT past the time limit; ERR_CANCELLED when it was
 * stopped, which ends it in the server too; the link is dropped when a query is
 * cut off in its rows. Text of *out is in a.
 */
typedef void db_query_head_fn(void *ctx, const struct db_column *c, size_t n);
int db_query_json(struct db *foreign, struct str sql,
		  const struct db_val *args, size_t n_args,
		  const struct db_query_limits *l, struct arena *a,
		  struct jw *w, db_query_head_fn *head, void *ctx,
		  struct db_query_result *out, struct err *e) MUST_CHECK;

/*
 * The columns of a table or view ("name" or "schema.name") in order, types as
 * datasets know them. ERR_NOT_FOUND when there is none (or none visible).
 */
int db_columns(struct db *foreign, struct str table, struct arena *a,
	       struct db_column **out, size_t *n, struct err *e) MUST_CHECK;

/* -- schema --------------------------------------------------------------- */

struct db_migration {
	int version;		/* newest version after the run */
	int steps_run;		/* statements run by this call */
	bool waited;		/* another process was at it */
};

/*
 * Brings the schema to what sql_dir/NNNN-name.sql say. Append-only, resumable,
 * safe for any number of starters at once (a lease in schema_lock; the losers
 * wait until all steps are recorded, at most wait_s seconds, 0 = 120). Needs
 * rights on its one database only. A database newer than the files is left as
 * it is: migrations only add, so older programs go on working. ERR_CONFIG: a
 * file is not readable, or changed after it was applied. r may be NULL.
 */
int db_migrate(struct db *db, const char *sql_dir, int wait_s,
	       struct db_migration *r, struct err *e) MUST_CHECK;

/*
 * Whether the schema has all that sql_dir says. 0, or -1 with ERR_CONFIG (the
 * text says what is missing) or an error of the database. For /ready.
 */
int db_schema_check(struct db *db, const char *sql_dir,
		    struct err *e) MUST_CHECK;

#endif
