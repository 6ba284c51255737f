/* SPDX-License-Identifier: MIT */
/* Calls that wait for somebody. */
#ifndef TURN_PAUSE_H
#define TURN_PAUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/uuid.h"

struct turn_call;
struct turn_loop;
struct turn_wait;

struct turn_waits {
	bool waiting;			/* the turn was stored as waiting */
	struct uuid paused;		/* usage record of a pause that may have
					   been stored; nil: none */
	struct turn_wait *v;		/* the open ones */
	size_t n;
	/* Those that were told while the turn ran: of steps of its plans. */
	struct uuid *announced;
	size_t n_announced, announced_room;
};

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

/*
 * In a step of a plan, which its plan's turn pauses for: sets l->waits to those of the
 * current round, stored rows or new ones.
 */
void pause_step(struct turn_loop *l);

#endif
