/* SPDX-License-Identifier: MIT */
/*
 * The line in which turns wait to begin. A begin takes a millisecond or two of the
 * processors, in this process and in the database; a thousand at the same moment would
 * make every answer that is running late. So only a few begin at once, each user in
 * turn, and the others wait: what is running comes first.
 *
 * A place bounds processor time, not waiting: whoever is first in the line gets one
 * after a step of time even if none is free. So begins that a slow database holds up do
 * not hold up each other.
 */
#ifndef HOLD_LINE_H
#define HOLD_LINE_H

#include "base/uuid.h"

struct hold_line;

struct hold_place {
	struct hold_line *of;	/* NULL: none */
};

/*
 * places (> 0) begin at once; the first in the line waits at most step_ms after the one
 * before it. Owned: hold_line_free, once nobody waits; accepts NULL.
 */
struct hold_line *hold_line_new(int places, int step_ms);
void hold_line_free(struct hold_line *l);

/*
 * Takes a place into *p; waits for it behind those of the same user who wait already,
 * and in turn with other users. l NULL: there is no line. Any thread.
 */
void hold_line_enter(struct hold_line *l, const struct uuid *user, struct hold_place *p);

/* Returns the place, if any; *p is empty afterwards. Any thread. */
void hold_line_leave(struct hold_place *p);

/* How many wait. */
int hold_line_waiting(struct hold_line *l);

#endif
