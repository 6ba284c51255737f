/*
 * The turns that run in this process, and the one thread that looks after
 * them all (platform-db.md section 4): every second it stores the text that
 * has come since, extends the leases and reads which turns were asked to stop,
 * by whichever process. It sleeps while no turn runs. Texts are copied out
 * under a lock; none is held across I/O.
 */
#ifndef TURN_LIVE_H
#define TURN_LIVE_H

#include <pthread.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/uuid.h"
#include "net/http.h"

struct db;
struct turn_live;

/* Starts the thread. Owned by the caller. */
struct turn_live *turn_live_new(struct db *db, struct err *e) MUST_CHECK;

/* Ends the thread; no turn may be registered any more. NULL is fine. */
void turn_live_free(struct turn_live *l);

/*
 * Stops it at once when it runs here (from the end of turn_open on, and its
 * after-work too); false when it does not. Any thread.
 */
bool turn_live_cancel(struct turn_live *l, const struct uuid *turn);

/* Stops all that run here, and those that still come: for a shutdown. */
void turn_live_cancel_all(struct turn_live *l);

/* How many run here now. */
int turn_live_count(struct turn_live *l);

/*
 * -- for the loop. l may be NULL: then nobody looks after the turn. ----------
 */

struct turn_live_entry {	/* in the turn's memory; zero before add */
	bool added;			/* the turn's own thread only */
	struct turn_live_entry *next, **prev;	/* under the list's lock */
	struct uuid turn;
	struct http_abort *abort;
	bool ended;			/* stored; only its after-work runs */
	pthread_mutex_t lock;		/* of what follows */
	struct buf pending;		/* text not stored yet */
	int64_t seq;			/* of the last record that was stored */
	bool reset;			/* the stored text is to be forgotten */
};

/*
 * A turn begins and ends here. abort stays the caller's. ended: the turn is
 * stored already; it can be stopped, but nothing else is done for it. Removing
 * what is not there does nothing. Any thread.
 */
void turn_live_add(struct turn_live *l, struct turn_live_entry *t,
		   const struct uuid *turn, struct http_abort *abort,
		   bool ended);
void turn_live_remove(struct turn_live *l, struct turn_live_entry *t);

/* The answer grows; it starts anew (what there was is in rows now). */
void turn_live_text(struct turn_live *l, struct turn_live_entry *t,
		    struct str text);
void turn_live_reset(struct turn_live *l, struct turn_live_entry *t);

/*
 * Rebuilds the text so far of a turn whose process died: a turn_text_fn
 * (store/turn.h) for the batches that the thread stores. A batch is lines of
 * JSON: {"token":"…"} appends, {"reset":true} starts anew.
 */
void turn_text_of_events(struct buf *text, struct str data);

#endif
