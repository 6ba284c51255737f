/* SPDX-License-Identifier: MIT */
/*
 * Inside lib/db: a connection with its prepared statements, and the pool. No file
 * outside includes this (nor mysql.h).
 */
#ifndef DB_LINK_H
#define DB_LINK_H

#include <mysql.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/trace.h"
#include "db/db.h"
#include "db/hosts.h"

/* What an error means for the connection and the transaction. */
enum fault {
	FAULT_NONE,
	FAULT_DATA,	/* only this statement failed; the caller decides */
	FAULT_RETRY,	/* the transaction was rolled back; a retry may succeed */
	FAULT_LOST,	/* the connection is lost, or must not be used again */
};

struct prep;
struct cached_stmt;

struct settings {		/* what connections are made to; immutable */
	struct conf_db conf;	/* own copies of its texts */
	struct hosts *hosts;
	struct settings *older;	/* replaced by newer ones */
};

struct link {
	MYSQL *my;
	struct pool *pool;
	const struct settings *settings;	/* with which it was made */
	size_t host;		/* of settings->hosts */
	unsigned last_error;	/* last error number; 0 = none since it was borrowed */
	struct link *next;	/* idle list */
	bool autocommit;	/* current mode of the session */
	bool open_tx;		/* a statement ran since the last commit */
	bool unsure;		/* a DB_WHOLE statement was sent, its outcome is not known */
	bool cluster;		/* a COMMIT may be refused for what another node did */
	struct prep *ending;	/* the DB_WHOLE statement whose rows are read, but not its end */
	enum fault fault;	/* worst since it was borrowed */
	bool drop;		/* close it when it is returned */
	int64_t idle_since_ms;
	size_t max_packet_bytes;
	struct prep *preps;	/* pool->n_stmts of them */
	struct cached_stmt *cached;	/* LIM_CACHED_STATEMENTS of them, or NULL */
	uint64_t n_kept;	/* how often a statement was kept */
	char *scratch;		/* texts of a row are first read to here */
};

struct waiter {			/* on the waiting thread's stack */
	struct waiter *next;
	pthread_cond_t cond;
	struct link *link;	/* the connection that it gets */
	bool woken;		/* it should check again */
};

/* The pool, or a transaction on one of its connections. */
struct db {
	struct pool *pool;
	struct link *link;	/* NULL: the pool itself */
	bool failed;		/* sticky: must be rolled back */
	bool unknown;		/* an earlier try may have been committed */
	int depth;		/* db_tx within db_tx */
	const bool *enough;	/* db_tx_early; NULL: to the end */
};

struct pool {
	struct db root;
	struct settings *_Atomic settings;	/* current ones; set under the lock */
	struct db_options opt;
	int max;

	pthread_mutex_t lock;	/* never held across I/O */
	struct link *idle;	/* LIFO */
	int n_open, n_idle, n_mode[2];	/* by autocommit */
	struct waiter *first, **last;
	int n_waiting;
	int64_t down_until_ms;	/* do not connect before; 0 = the server is up */
	int back_off_ms;
	int64_t full_until_ms;	/* the server has too many connections: share ours until then */
	bool probing;		/* one thread tries to connect while the server is down */
	char down_text[160];

	atomic_bool no_wsrep;	/* the server has no such variable */
	atomic_int_fast64_t cache_from_ms;	/* no statement is cached before this time */
	_Atomic uint64_t connects, lost, retries, waits, trips;
};

static inline void link_trip(struct link *c)
{
	atomic_fetch_add_explicit(&c->pool->trips, 1, memory_order_relaxed);
}

/* -- pool.c ---------------------------------------------------------------- */

/*
 * Borrows a connection with this autocommit mode (one more round trip if no idle
 * one has it). ERR_DB_DOWN, ERR_OVERLOADED. Return it with pool_give, which rolls
 * back an open transaction and drops a lost connection.
 */
struct link *pool_take(struct pool *p, bool autocommit, struct err *e);
void pool_give(struct link *c);

/* Leaves c, whose statement has not ended, to db_early_end of this thread. */
void pool_lend(struct db_early *early, struct link *c);

/* -- link.c ---------------------------------------------------------------- */

/*
 * Opens a connection that the pool does not count, with this read and write
 * timeout; closed by link_close.
 */
struct link *link_open(struct pool *p, unsigned io_s, struct err *e);
/* The same to this host of the settings, even if it is bad. */
struct link *link_open_at(struct pool *p, const struct settings *s, size_t host,
			  unsigned io_s, struct err *e);
/* Whether its node is ready, and writable if we write. */
int link_usable(struct link *c, struct err *e);
void link_close(struct link *c);

/* Closes a statement with unread rows; the connection is dropped. */
void link_abandon(struct link *c, MYSQL_STMT *st);

/* Runs one statement as text, without result; `what` names it in errors. */
int link_query(struct link *c, const char *sql, const char *what,
	       struct err *e);

/* -- stmt_cache.c ----------------------------------------------------------- */

/* Takes the kept statement with this text; the caller owns it. NULL = none. */
MYSQL_STMT *stmt_cache_take(struct link *c, struct str sql);
/* Keeps a statement whose rows were read, in place of the oldest; takes ownership. */
void stmt_cache_give(struct link *c, struct str sql, MYSQL_STMT *st);
void stmt_cache_drop(struct link *c);
/* The server has no room for statements (1461): keep none for a minute. */
void stmt_cache_pause(struct link *c);

/* -- fault.c --------------------------------------------------------------- */

/* The meaning of a client or server error number; *code: for the caller. */
enum fault db_fault_of(unsigned number, enum err_code *code);

/* Whether this error, which cost a connection, is the host's fault. */
bool db_fault_is_hosts(unsigned number);

/*
 * Records an error of the library and sets e by its class. Always -1. what: name of
 * the statement, for the log.
 */
int link_fail(struct link *c, unsigned number, const char *text,
	      const char *what, struct err *e);

/*
 * Like link_fail, with the error of the statement or, if it has none, of its
 * connection.
 */
int link_stmt_fail(struct link *c, MYSQL_STMT *st, const char *what,
		   struct err *e);

/* Sleeps before try number n (from 1): 10 ms doubling to 200, jittered. */
void db_pause(int n);

/* -- stmt.c ---------------------------------------------------------------- */

struct op {			/* a declared statement to run */
	int (*run)(struct link *c, struct op *op, struct err *e);
	unsigned stmt;
	const struct db_val *args;	/* all rows, one after the other */
	size_t n_rows;		/* stmt_exec_rows */
	struct db_result *r;	/* or NULL */
	struct arena *a;	/* for the rows that fn gets */
	db_row_fn *fn;
	void *ctx;
	size_t given;		/* calls of fn so far */
	size_t max_bytes;	/* limit for texts in them; 0 = none */
	bool *cut;		/* with max_bytes: there were more rows */
	size_t bytes;		/* size of texts passed to fn */
	const bool *enough;	/* stmt_whole: the end may be read by stmt_ended once it is
				   true; or NULL */
};

/* One row of arguments; no rows come back. */
int stmt_exec(struct link *c, struct op *op, struct err *e);
/* Many rows of arguments, at most DB_BULK_ROWS and DB_BULK_BYTES per batch. */
int stmt_exec_rows(struct link *c, struct op *op, struct err *e);
/* Passes the rows to op->fn. */
int stmt_each(struct link *c, struct op *op, struct err *e);
/*
 * Runs a DB_WHOLE statement: reads its results and checks that it completed, unless
 * op->enough and the server let it leave that to stmt_ended (c->ending is set then).
 */
int stmt_whole(struct link *c, struct op *op, struct err *e);
/* Waits for the end of c->ending, which becomes NULL. -1: c->fault says what it means. */
int stmt_ended(struct link *c, struct err *e);

/* Sets *b for a parameter value; null may be any address that stays valid. */
void bind_param(MYSQL_BIND *b, const struct db_val *v);

/* -- prep.c; the rest of it in prep.h --------------------------------------- */

/* Closes c's prepared statements. */
void link_drop_preps(struct link *c);
/* Whether preparing failed because the server has no room for statements (1461). */
bool stmt_no_place(MYSQL_STMT *st);

#endif
