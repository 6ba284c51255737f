/*
 * The turns that run in this process, those of other processes that are
 * watched here, and the one thread that looks after them all (platform-db.md
 * section 4). Every 250 ms, at once for a tool call or much text, it writes
 * the events that came since, of all turns, as a row of its journal; it extends
 * the leases, reads which turns were asked to stop (by any process), and finds out
 * what the watched ones have done: one query, and one more for each journal that
 * they are in. It sleeps while there are no such turns. Events are copied under a
 * lock, which is never held during I/O, so an emitting thread does not wait for the
 * database.
 */
#ifndef TURN_LIVE_H
#define TURN_LIVE_H

#include <pthread.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/uuid.h"
#include "net/http.h"
#include "store/turn.h"
#include "turn/log.h"

struct db;
struct turn_live;

/* Starts the thread. Owned by the caller. */
struct turn_live *turn_live_new(struct db *db, struct err *e) MUST_CHECK;

/* Ends the thread; no turn may be registered any more. NULL is fine. */
void turn_live_free(struct turn_live *l);

/*
 * Stops the turn at once if it runs here (from the end of turn_start on, including
 * its work afterwards); false if it does not. Any thread.
 */
bool turn_live_cancel(struct turn_live *l, const struct uuid *turn);

/*
 * Stops all turns that run here, and those that still begin: for a shutdown. They end
 * as interrupted, except those that were stopped before.
 */
void turn_live_interrupt(struct turn_live *l);

/* How many run here now. */
int turn_live_count(struct turn_live *l);

/*
 * -- for the loop. l may be NULL: then nobody looks after the turn. ----------
 */

struct turn_live_entry {	/* in the turn's memory; zero before add */
	bool added;			/* the turn's own thread only */
	bool ended;			/* stored; only its after-work runs */
	bool ending;			/* being stored: under the list's lock */
	bool interrupted;		/* stopped by a shutdown; written before
					   the abort, read when that is seen */
	struct turn_live_entry *next, **prev;	/* under the list's lock */
	struct uuid turn;
	struct http_abort *abort;
	struct turn_log *log;		/* NULL when ended */
};

/*
 * A turn begins and ends here. abort stays the caller's. ended: the turn is
 * stored already, or it is another call of a model and none; it can be stopped,
 * but nothing else is done for it. Removing what is not there does nothing.
 * Any thread.
 */
void turn_live_add(struct turn_live *l, struct turn_live_entry *t,
		   const struct uuid *turn, struct http_abort *abort,
		   bool ended);
void turn_live_remove(struct turn_live *l, struct turn_live_entry *t);

/* Notes an event for those who read later. Never blocks. */
void turn_live_event(struct turn_live *l, struct turn_live_entry *t,
		     const struct turn_event *ev);

/*
 * The turn is being stored: rows (in a) are the events that store_turn_end must store
 * with it. From here on nobody else flushes or stops it. May be called again if
 * storing failed.
 */
void turn_live_ending(struct turn_live *l, struct turn_live_entry *t,
		      struct arena *a, struct turn_events **rows, size_t *n);

/* It does not end after all: it is looked after as before. */
void turn_live_on(struct turn_live *l, struct turn_live_entry *t);

/*
 * What a turn whose process died has told: a turn_text_fn (store/turn.h) for
 * the batches that the thread stores (turn/pack.h).
 */
void turn_text_of_events(struct turn_told *told, int64_t seq, struct str data);

/*
 * -- for those who follow a turn (turn/follow.h). Any thread. ----------------
 */

/* Its log when it runs here, with a reference; else NULL. */
struct turn_log *turn_live_log(struct turn_live *l, const struct uuid *turn);

struct turn_watch;

/*
 * Makes the thread watch a turn of another process. l may be NULL: then every wait
 * just ends when its time is over. The caller has checked that this is allowed.
 */
struct turn_watch *turn_watch_open(struct turn_live *l,
				   const struct uuid *turn);
void turn_watch_close(struct turn_watch *w);

/*
 * Waits until the turn has stored events behind number after, does not run any
 * more, or its lease has run out; at most wait_ms. True when one of these is.
 */
bool turn_watch_wait(struct turn_watch *w, int64_t after, int wait_ms);

#endif
