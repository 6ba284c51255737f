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

struct line;

struct line_place {
	struct line *of;	/* NULL: none */
};

/*
 * places (> 0) begin at once; the first in the line waits at most step_ms after the one
 * before it. Owned: line_free, once nobody waits; accepts NULL.
 */
struct line *line_new(int places, int step_ms);
void line_free(struct line *l);

/*
 * Takes a place into *p; waits for it behind those of the same user who wait already,
 * and in turn with other users. l NULL: there is no line. Any thread.
 */
void line_enter(struct line *l, const struct uuid *user, struct line_place *p);

/* Returns the place, if any; *p is empty afterwards. Any thread. */
void line_leave(struct line_place *p);

/* How many wait. */
int line_waiting(struct line *l);

#endif
