/* SPDX-License-Identifier: MIT */
/*
 * wheel.h - timers for thousands of paced streams: a wheel of one-millisecond
 * slots with intrusive lists. Arming and cancelling are O(1), timers of the
 * same millisecond fire in one wake of the loop (that is the coalescing: a
 * thousand streams of 50 tokens/s cost at most a thousand wakes a second, not
 * fifty thousand). A heap was rejected: the deadlines are short and dense.
 */
#ifndef DEMO_WHEEL_H
#define DEMO_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHEEL_SLOTS 1024

/* Embedded in what waits. All zero means not armed. */
struct timer {
	struct timer *prev, *next;	/* NULL when not armed */
	int64_t due_ms;
};

struct wheel {
	struct timer slot[WHEEL_SLOTS];	/* list heads */
	struct timer fired;		/* due, waiting for wheel_pop */
	int64_t now_ms;			/* last time given to wheel_advance */
	size_t armed;			/* timers in slots */
};

/* Sets up an empty wheel at the time now_ms. */
void wheel_init(struct wheel *w, int64_t now_ms);

/* Arms t (again) for due_ms; a time not in the future fires next. */
void wheel_arm(struct wheel *w, struct timer *t, int64_t due_ms);

/* Disarms t; nothing happens when it is not armed. */
void wheel_cancel(struct wheel *w, struct timer *t);

/* Milliseconds from now_ms to the next timer, at most WHEEL_SLOTS; -1: none. */
int wheel_wait_ms(const struct wheel *w, int64_t now_ms);

/* Moves the wheel to now_ms: timers that are due wait for wheel_pop then. */
void wheel_advance(struct wheel *w, int64_t now_ms);

/* Returns one due timer, disarmed, or NULL. */
struct timer *wheel_pop(struct wheel *w);

#endif
