/* SPDX-License-Identifier: MIT */
/*
 * Reading a turn's events from outside: the past ones first, then new ones,
 * identical whichever process runs the turn.
 *
 * The events of a turn of this process come from its log in memory; those that
 * the log has dropped come from the store. The events of another process's turn
 * all come from the store, as soon as the live thread has noticed them. The
 * terminal event is made from the turn's row and its answer. A turn whose
 * process died is closed as interrupted.
 *
 * Adjacent deltas are merged into one event with the number of the last one. A
 * reader that has seen number N and continues after N misses and repeats
 * nothing.
 */
#ifndef TURN_FOLLOW_H
#define TURN_FOLLOW_H

#include "turn/turn.h"

/*
 * Reads the turn's current state. A turn whose process died is first closed as
 * interrupted, and its watchers are notified. Texts in a. ERR_NOT_FOUND;
 * database errors.
 */
int turn_now(const struct turn_deps *deps, const struct owner *o,
	     const struct uuid *id, struct arena *a, struct turn *out,
	     struct err *e) MUST_CHECK;

struct turn_follow {
	/* in */
	const struct turn_deps *deps;
	struct caller by;
	struct uuid turn_id;
	int64_t after;		/* number of the last event seen; advances */
	/*
	 * How long to wait for more, in ms; 0 = stop waiting. Called before
	 * each wait; events that exist already are emitted in any case.
	 */
	int (*patience)(void *ctx);
	void *ctx;
	/* WAITING ends the stream: for dialects that have it so. */
	bool ends_at_wait;
	bool apart;		/* deltas are not merged: all events come as they did at
				   first */
	/* out */
	struct turn turn;
	struct turn_run run;	/* ids and scope only: events point to it */
	bool done;		/* the terminal event was emitted or already
				   seen */
};

/*
 * Finds the turn. Sets f->done if there will be no event after `after`.
 * ERR_NOT_FOUND; database errors.
 */
int turn_follow_open(struct turn_follow *f, struct err *e) MUST_CHECK;

/*
 * Emits the events after `after` into s until the terminal one, or until
 * patience runs out. Flushes before each wait and calls s->idle during silence.
 * Returns -1 if the store fails: emitted events stay emitted, and `after` is
 * the number of the last one.
 */
int turn_follow_run(struct turn_follow *f, struct sink *s,
		    struct err *e) MUST_CHECK;

#endif
