/* SPDX-License-Identifier: MIT */
/*
 * The COMMIT of the transaction that began a turn. It flushes to disk, which takes
 * as long as a model needs to answer at once; so the model is asked meanwhile. Until
 * the COMMIT has ended, nothing of the turn is sent to the client or shown to others.
 */
#ifndef TURN_COMMIT_H
#define TURN_COMMIT_H

#include "turn/loop.h"

/* The turn has begun, perhaps with a COMMIT to wait for: l->commit.early. */
void commit_begun(struct turn_loop *l);

/* Whether it has not ended. Any thread. */
bool commit_pending(struct turn_loop *l);

/*
 * Waits for it, then announces the turn. If it fails, the turn is stopped, and
 * l->commit.err says why. Does nothing the second time. The turn's own thread.
 */
void commit_wait(struct turn_loop *l);

#endif
