/* SPDX-License-Identifier: MIT */
/*
 * One transfer of http.h: set up by http.c, fed from libcurl's callbacks by
 * transfer.c, driven by loop.c. It lives on the stack of the thread that called
 * http_do. While that thread sleeps, its loop owns it:
 *
 *   caller: set up ──submit──▶ loop: running ──over──▶ caller: result
 *                                 │     ▲
 *                               stall  resume
 *                                 ▼     │
 *                            caller: on_stall
 */
#ifndef NET_TRANSFER_H
#define NET_TRANSFER_H

#include <semaphore.h>

#include "base/log.h"
#include "net/curl.h"
#include "net/http.h"
#include "net/url.h"

struct transfer {
	const struct http_request *r;
	struct http_result *res;
	struct err e;			/* why it failed */
	CURL *easy;
	struct curl_slist *headers;
	const struct log_bound *log;	/* of the caller, for the loop's lines */

	/* handing over */
	sem_t wake;			/* the caller sleeps on it */
	bool over, stalled;		/* why the caller was woken */
	bool begun;			/* it was woken for meanwhile: sends_first */
	bool finished;			/* libcurl has finished it, with code */
	CURLcode code;

	/* used by the loop */
	struct transfer *next_queued;	/* submitted or resumed */
	struct transfer *next_dirty;	/* to be handled in this round */
	struct transfer *next, **prev;	/* all that run or are stalled */
	bool added;			/* to the multi handle */
	bool queued_dirty;
	bool missed;			/* it was to be handled while it was stalled */
	bool batch;			/* on_body was called since on_batch */
	bool readable;			/* watch_fd is readable; to be reported */
	size_t heap_at;			/* index in the timer heap; 0 = none */
	int64_t due;			/* its key: not later than its due time */
	struct transfer **dirty;	/* the loop's list of dirty transfers */
	const int64_t *now;		/* the loop's clock, ms */
	int watch_fd;			/* a duplicate; -1 = not watched, or no longer */

	/* times, monotonic ms; -1 = not yet */
	int64_t start, connected, last_byte, last_tick;
	int64_t start_us;
	int64_t linger_until;
	int64_t batch_at;		/* on_batch is due; -1 = not */
	size_t n_body;
	bool got_head;
	char host[URL_HOST_BYTES];		/* of the URL; only with a guard */
	bool refused;			/* by the guard */
	bool exhausted;			/* there was no file for its socket */
	char why[CURL_ERROR_SIZE];
};

/* Fills t->easy. In the caller's thread, because https may load certificates. */
int transfer_set_up(struct transfer *t) MUST_CHECK;

/* Sets the ERR_UPSTREAM_… for a result of libcurl. */
int transfer_fail(struct transfer *t, CURLcode code);

/* When its timeouts must be checked; -1 = never. */
int64_t transfer_due(const struct transfer *t);

/* True if a timeout ends it; t->e is set if that is an error. */
bool transfer_late(struct transfer *t, int64_t now);

/*
 * Checks the abort switch and calls on_tick; readable: watch_fd is readable. -1 = stop
 * (t->e is set), HTTP_STALL if on_tick returned it.
 */
int transfer_outside(struct transfer *t, int64_t now, bool readable);

/*
 * The request is on its way: wakes a caller that waits for that (sends_first), once.
 * Before each callback that tells of the answer, and before each other wake-up of the
 * caller. Called by the loop's thread.
 */
void transfer_begun(struct transfer *t);

/* Marks t to be handled in this round. Called by the loop's thread. */
void transfer_dirty(struct transfer *t);

/* -- loop.c --------------------------------------------------------------- */

struct http_loop;

/*
 * A loop without its thread. Owned: http_loop_free, after all its transfers have ended;
 * accepts NULL. Keeps max_idle (> 0) unused connections open.
 */
struct http_loop *http_loop_new(int max_idle);
void http_loop_free(struct http_loop *l);

/*
 * Runs t; the first call starts the thread. Returns when t->over or t->stalled; after
 * a stall, http_loop_resume of the same loop continues. -1: no thread.
 */
int http_loop_run(struct http_loop *l, struct transfer *t) MUST_CHECK;
void http_loop_resume(struct http_loop *l, struct transfer *t);

/* Makes all transfers check their abort switches. Any thread. */
void http_loop_look(struct http_loop *l);

/* How many transfers it has. Any thread. */
int http_loop_busy(struct http_loop *l);

#endif
