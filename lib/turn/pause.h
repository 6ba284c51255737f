/* SPDX-License-Identifier: MIT */
/* Calls that wait for somebody. */
#ifndef TURN_PAUSE_H
#define TURN_PAUSE_H

#include <stdbool.h>

#include "base/err.h"

struct turn_call;
struct turn_loop;
struct turn_wait;

/*
 * Whether the call must wait for somebody: sets c->wait and its companions. An
 * invalid call that would wait is answered at once.
 */
bool pause_needed(struct turn_loop *l, struct turn_call *c);

/* Whether any call of the step waits. */
bool pause_waits(const struct turn_loop *l);

/*
 * Stores the step so far, leaves the turn waiting, and emits the waits. Returns
 * 1 if it waits now; 0 if a decision was made meanwhile: apply it and try
 * again; -1 on error.
 */
int pause_turn(struct turn_loop *l, struct err *e) MUST_CHECK;

/* Answers the waiting calls of a turn that is stopped. */
void pause_drop(struct turn_loop *l);

/* The row of a call that waits, in l's arena. */
void pause_row(struct turn_loop *l, struct turn_call *c, struct turn_wait *w);

#endif
