/* SPDX-License-Identifier: MIT */
/*
 * Where the user is: the context type of a message, the project, and what they look at
 * in it (C22, C23, D4). It decides which tools are offered (tool/core/pool.h) and what
 * the model is told (entity/pack.h).
 */
#ifndef TURN_PLACE_H
#define TURN_PLACE_H

#include "turn/turn.h"

struct turn_loop;

/*
 * For a message that is about to be stored: completes the context type, and reads where
 * the user is. ERR_INVALID_FIELD (contextType, projectId, focusId) for a context type
 * that there is none of, or without the project that it needs, and for what the user does
 * not see.
 */
int context_place_new(struct turn_run *t, struct err *e) MUST_CHECK;

/*
 * The same for a stored message, once; what is gone or out of sight since then is left
 * out. Not in nested agents.
 */
void context_place(struct turn_loop *l);

/* What the context type asks of the model; empty: nothing. */
struct str place_scope(const struct turn_loop *l);

#endif
