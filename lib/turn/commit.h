/* SPDX-License-Identifier: MIT */
/*
 * The COMMIT of the transaction that began a turn. It flushes to disk, which takes
 * as long as a model needs to answer at once; so the model is asked meanwhile. Until
 * the COMMIT has ended, nothing of the turn is sent to the client or shown to others.
 */
#ifndef TURN_COMMIT_H
#define TURN_COMMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "db/db.h"

struct relay;
struct turn_loop;

/* The begin of a turn. */
struct turn_begun {
	int64_t started_ms;		/* monotonic */
	int64_t turn_number;
	bool titled;
	bool opens;			/* its message is the first of the
					   thread */
	struct str title;
	struct db_early early;		/* the COMMIT, if it is waited for */
	atomic_bool pending;
	struct err err;			/* why it failed */
};

/* The turn has begun, perhaps with a COMMIT to wait for: begun.early. */
void commit_begun(struct turn_loop *l);

/* Whether it has not ended. Any thread. */
bool commit_pending(struct turn_loop *l);

/*
 * Waits for it, then announces the turn. If it fails, the turn is stopped, and
 * begun.err says why. Does nothing the second time. The turn's own thread.
 */
void commit_wait(struct turn_loop *l);

/* The same, before r of such a loop sends anything: relay.settle. */
void commit_settle(struct relay *r);

#endif
