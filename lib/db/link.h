/*
 * Inside lib/db: a connection with its prepared statements, and the pool.
 * Nobody outside includes this (nor mysql.h).
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
	FAULT_DATA,	/* this statement only; the caller's business */
	FAULT_RETRY,	/* transaction is gone; the same again may work */
	FAULT_LOST,	/* connection is gone, or must not be used again */
};

struct prep;
struct kept_stmt;

struct settings {		/* where connections go to; never changed */
	struct conf_db conf;	/* own copies of its texts */
	struct hosts *hosts;
	struct settings *older;	/* no longer in force */
};

struct link {
	MYSQL *my;
	struct pool *pool;
	const struct settings *settings;	/* that it was made with */
	size_t host;		/* of settings->hosts */
	unsigned last_error;	/* number; 0 = none since it was borrowed */
	struct link *next;	/* idle list */
	bool autocommit;	/* as the session is set */
	bool open_tx;		/* a statement ran since the last commit */
	bool unsure;		/* a whole transaction is on its way */
	enum fault fault;	/* worst since it was borrowed */
	bool drop;		/* close it when it comes back */
	int64_t idle_since_ms;
	size_t max_packet_bytes;
	struct prep *preps;	/* pool->n_stmts of them */
	struct kept_stmt *kept;	/* LIM_KEPT_STATEMENTS of them, or NULL */
	uint64_t n_kept;	/* times that one was given back */
	char *scratch;		/* where the texts of a row land first */
};

struct waiter {			/* on the waiting thread's stack */
	struct waiter *next;
	pthread_cond_t cond;
	struct link *link;	/* handed over */
	bool woken;		/* look again */
};

/* The pool, or a transaction on one of its connections. */
struct db {
	struct pool *pool;
	struct link *link;	/* NULL: the pool itself */
	bool failed;		/* sticky: must be rolled back */
	bool unknown;		/* an earlier try may have been committed */
	int depth;		/* db_tx within db_tx */
};

struct pool {
	struct db root;
	struct settings *_Atomic settings;	/* in force; set under the lock */
	struct db_options opt;
	int max;

	pthread_mutex_t lock;	/* never held across I/O */
	struct link *idle;	/* LIFO */
	int n_open, n_idle, n_mode[2];	/* by autocommit */
	struct waiter *first, **last;
	int n_waiting;
	int64_t down_until_ms;	/* no connects before; 0 = server is up */
	int back_off_ms;
	int64_t full_until_ms;	/* the server had no place: share what we have */
	bool probing;		/* one thread tries while the server is down */
	char down_text[160];

	atomic_bool no_wsrep;	/* the server has no such variable */
	atomic_int_fast64_t keep_from_ms;	/* nothing is kept before: kept.c */
	_Atomic uint64_t connects, lost, retries, waits, trips;
};

static inline void link_trip(struct link *c)
{
	atomic_fetch_add_explicit(&c->pool->trips, 1, memory_order_relaxed);
}

/* -- pool.c ---------------------------------------------------------------- */

/*
 * Borrows a connection with this autocommit mode (one round trip more when no
 * idle one has it). ERR_DB_DOWN, ERR_OVERLOADED. Given back by pool_give,
 * which rolls an open transaction back and drops a lost connection.
 */
struct link *pool_take(struct pool *p, bool autocommit, struct err *e);
void pool_give(struct link *c);

/* -- link.c ---------------------------------------------------------------- */

/*
 * A connection outside the count of the pool, with this read and write
 * timeout; closed by link_close.
 */
struct link *link_open(struct pool *p, unsigned io_s, struct err *e);
/* The same, to this host of the settings, good or not. */
struct link *link_open_at(struct pool *p, const struct settings *s, size_t host,
			  unsigned io_s, struct err *e);
/* Whether its node can be used: ready, and writable where we write. */
int link_usable(struct link *c, struct err *e);
void link_close(struct link *c);

/* Closes a statement whose rows nobody wants; the connection is dropped. */
void link_abandon(struct link *c, MYSQL_STMT *st);

/* One text statement without result; what names it in errors. */
int link_query(struct link *c, const char *sql, const char *what,
	       struct err *e);

/*
 * Notes an error of the library and puts it in e by its class. Always -1.
 * what: statement name, for the log.
 */
int link_fail(struct link *c, unsigned number, const char *text,
	      const char *what, struct err *e);

/* As link_fail, with what the statement or, failing that, its link says. */
int link_stmt_fail(struct link *c, MYSQL_STMT *st, const char *what,
		   struct err *e);

/* -- kept.c ---------------------------------------------------------------- */

/* The kept statement of this text, now the caller's; NULL = there is none. */
MYSQL_STMT *kept_take(struct link *c, struct str sql);
/* Keeps a statement whose rows were read, in place of the oldest; owns it. */
void kept_give(struct link *c, struct str sql, MYSQL_STMT *st);
void kept_drop(struct link *c);
/* The server is short of places (1461): for a minute the pool keeps nothing. */
void kept_pause(struct link *c);

/* -- stop.c; s may be NULL ---------------------------------------------------- */

/* c works for s now. False: it was stopped before. */
bool stop_enter(struct db_stop *s, struct link *c);
/* No more. Whether it was stopped: then c's link is shut. */
bool stop_leave(struct db_stop *s);
/* KILL QUERY of c's thread, through a connection of its own to the same host. */
void stop_kill(struct pool *p, const struct settings *s, size_t host,
	       unsigned long id);

/* -- fault.c --------------------------------------------------------------- */

/* What an error number of client or server means; *code: as the caller sees it. */
enum fault db_fault_of(unsigned number, enum err_code *code);

/* Whether such an error, that cost a connection, speaks against its host. */
bool db_fault_is_hosts(unsigned number);

/* Sleeps before try number n (from 1): 10 ms doubling to 200, jittered. */
void db_pause(int n);

/* -- stmt.c ---------------------------------------------------------------- */

struct op {			/* a declared statement that is to be run */
	int (*run)(struct link *c, struct op *op, struct err *e);
	unsigned stmt;
	const struct db_val *args;	/* of all rows, one behind another */
	size_t n_rows;		/* stmt_exec_rows */
	struct db_result *r;	/* or NULL */
	struct arena *a;	/* for the rows that fn gets */
	db_row_fn *fn;
	void *ctx;
	size_t given;		/* rows that fn has had */
	size_t max_bytes;	/* of texts in them; 0 = no cap */
	bool *cut;		/* there were more rows; with max_bytes */
	size_t bytes;		/* of texts in those that were given */
};

/* One row of arguments; no rows come back. */
int stmt_exec(struct link *c, struct op *op, struct err *e);
/* Many rows of arguments, DB_BULK_ROWS and DB_BULK_BYTES at a time. */
int stmt_exec_rows(struct link *c, struct op *op, struct err *e);
/* Rows to op->fn. */
int stmt_each(struct link *c, struct op *op, struct err *e);
/* A whole transaction: its results, and that it came to its end. */
int stmt_whole(struct link *c, struct op *op, struct err *e);

/* Sets *b for a parameter value; null may be any address that stays valid. */
void bind_param(MYSQL_BIND *b, const struct db_val *v);

/* -- prep.c; the rest of it in prep.h --------------------------------------- */

/* Closes what c has prepared. */
void link_drop_preps(struct link *c);
/* Whether it could not be prepared since the server had no place for it (1461). */
bool stmt_no_place(MYSQL_STMT *st);

#endif
