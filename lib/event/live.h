/* SPDX-License-Identifier: MIT */
/*
 * The turns that run in this process, the turns of other processes that are
 * watched here, and the one thread that serves both.
 * Every 250 ms, and at once for a tool call or much text, it writes the new
 * events of all turns as one row of its journal. It also extends the leases,
 * reads which turns were asked to stop (by any process), and checks the watched
 * turns for progress: one query, and one more for each journal involved. It
 * sleeps while there are no turns. Events are copied under a lock that is never
 * held during I/O, so an emitting thread never waits for the database.
 */
#ifndef EVENT_LIVE_H
#define EVENT_LIVE_H

#include <pthread.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/uuid.h"
#include "net/http.h"
#include "store/turn.h"
#include "event/log.h"

struct db;
struct event_live;

/* Starts the thread. The caller owns the result. */
struct event_live *event_live_new(struct db *db, struct err *e) MUST_CHECK;

/* Ends the thread; no turn may be registered any more. Accepts NULL. */
void event_live_free(struct event_live *l);

/*
 * Stops the turn at once if it runs here (from the end of turn_start, including
 * its work after the response); returns false if it does not. Any thread.
 */
bool event_live_cancel(struct event_live *l, const struct uuid *turn);

/*
 * Stops all turns that run here, and those that start from now on: for a
 * shutdown. They end as interrupted, except those that a user had stopped.
 */
void event_live_interrupt(struct event_live *l);

/*
 * The client of a turn that runs here has left: it is stopped after after_s, unless
 * one comes to watch it, in any process. Never blocks. Any thread.
 */
void event_live_left(struct event_live *l, const struct uuid *turn, int after_s);

/*
 * Whether a turn that runs or is watched here will be stopped since its client left:
 * who watches it says with store_turn_left that it is not left. Any thread.
 */
bool event_live_is_left(struct event_live *l, const struct uuid *turn);

/* Number of turns that run here now. */
int event_live_count(struct event_live *l);

/*
 * -- for the loop; l may be NULL: then the turn has no lease and no journal. --
 */

struct event_live_entry {	/* in the turn's memory; zero before add */
	bool added;			/* the turn's own thread only */
	/* Stored; only its work afterwards runs */
	bool ended;
	bool ending;			/* being stored, its begin or its end; under the
					   list's lock */
	uint64_t round;			/* when it was last on: what that round reads may
					   be from before; under the list's lock */
	bool interrupted;		/* stopped by a shutdown; written before
					   abort, read after it */
	int64_t left_us, stop_us;	/* to be stored; as stored. 0: not left. Under
					   the list's lock */
	struct event_live_entry *next, **prev;	/* under the list's lock */
	struct uuid turn;
	struct http_abort *abort;
	struct event_log *log;		/* NULL if added as ended */
};

enum event_live_as {
	EVENT_LIVE_BEGUN,	/* not committed yet: event_live_on follows */
	EVENT_LIVE_ENDED,	/* stored already, or a model call outside a turn: it
				   can be stopped, but has no lease and no events */
};

/*
 * Registers and removes a turn. abort stays the caller's. Removing an entry that
 * was not added does nothing. Any thread.
 */
void event_live_add(struct event_live *l, struct event_live_entry *t,
		    const struct uuid *turn, struct http_abort *abort,
		    enum event_live_as as);
void event_live_remove(struct event_live *l, struct event_live_entry *t);

/* Logs an event for later readers. Never blocks. */
void event_live_event(struct event_live *l, struct event_live_entry *t,
		      const struct turn_event *ev);

/*
 * The turn is about to be stored. rows (in a): the events that store_turn_end
 * must store with it. From here on only the caller flushes or stops it. May be
 * called again if storing failed.
 */
void event_live_ending(struct event_live *l, struct event_live_entry *t,
		       struct arena *a, struct turn_events **rows, size_t *n);

/* The turn is committed, or does not end after all: the thread serves it now. */
void event_live_on(struct event_live *l, struct event_live_entry *t);

/*
 * -- for those who follow a turn (turn/follow.h). Any thread. ----------------
 */

/* A reference to the log of a turn that runs here; else NULL. */
struct event_log *event_live_log(struct event_live *l, const struct uuid *turn);

struct event_watch;

/*
 * Makes the thread watch a turn of another process. l may be NULL: then every
 * wait lasts its whole time. The caller has checked access. Release with
 * event_watch_close.
 */
struct event_watch *event_watch_open(struct event_live *l,
				     const struct uuid *turn);
void event_watch_close(struct event_watch *w);

/*
 * Waits, for at most wait_ms, until the turn has stored events after number
 * `after`, has ended, or its lease has run out. Returns true if one of these is
 * so.
 */
bool event_watch_wait(struct event_watch *w, int64_t after, int wait_ms);

#endif
