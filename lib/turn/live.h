/*
 * The turns that run in this process, and the one thread that keeps their
 * leases: every second one statement extends them all and one reads which of
 * them were asked to stop, by whichever process (platform-db.md section 4).
 * A lock is never held across I/O.
 */
#ifndef TURN_LIVE_H
#define TURN_LIVE_H

#include "base/err.h"
#include "base/uuid.h"
#include "net/http.h"

struct db;
struct turn_live;

/* Starts the thread. Owned by the caller. */
struct turn_live *turn_live_new(struct db *db, struct err *e) MUST_CHECK;

/* Ends the thread; no turn may be registered any more. NULL is fine. */
void turn_live_free(struct turn_live *l);

/* A turn begins and ends here. abort stays the caller's. Any thread. */
void turn_live_add(struct turn_live *l, const struct uuid *turn,
		   struct http_abort *abort);
void turn_live_remove(struct turn_live *l, const struct uuid *turn);

/* Stops it at once when it runs here; false when it does not. Any thread. */
bool turn_live_cancel(struct turn_live *l, const struct uuid *turn);

/* How many run here now. */
int turn_live_count(struct turn_live *l);

#endif
