/*
 * Reading a turn's events from outside: what it told so far, then what it
 * tells, from whichever process it runs in, as the same events.
 *
 * Where the turn runs here, they come from its log in memory, and what is not
 * there any more from the store; of another process's turn all comes from the
 * store, when the live thread has seen that there is something. The terminal
 * event is made from the turn's row and its answer. A turn whose process died
 * is closed as interrupted.
 *
 * Neighbouring deltas come as one event with the last one's number. Who has
 * seen number N and goes on after N gets exactly what follows.
 */
#ifndef TURN_FOLLOW_H
#define TURN_FOLLOW_H

#include "turn/turn.h"

/*
 * The turn as it is now: one whose process died is closed first, as
 * interrupted, and who watches is told. Text in a. ERR_NOT_FOUND.
 */
int turn_now(const struct turn_deps *deps, const struct owner *o,
	     const struct uuid *id, struct arena *a, struct turn *out,
	     struct err *e) MUST_CHECK;

struct turn_follow {
	/* in */
	const struct turn_deps *deps;
	struct caller by;
	struct uuid turn_id;
	int64_t after;		/* number of the last event seen; moves on */
	/*
	 * How many ms to wait for more, at most (0: not any longer). Asked
	 * before each wait; events that are there already are all told.
	 */
	int (*patience)(void *ctx);
	void *ctx;
	/* WAITING is an end: for dialects whose streams end with it. */
	bool ends_at_wait;
	/* out */
	struct turn turn;
	struct turn_run run;	/* ids and scope only: what events point to */
	bool done;		/* the terminal event has been told, or seen */
};

/*
 * Finds the turn; f->done when there is nothing behind `after` and never will
 * be. ERR_NOT_FOUND.
 */
int turn_follow_open(struct turn_follow *f, struct err *e) MUST_CHECK;

/*
 * Emits the events behind `after` into s until the terminal one or the end of
 * patience; flushes what it emitted before each wait, and calls s->idle in
 * silence. -1 when the store fails: what was emitted stays, `after` says how
 * far it went.
 */
int turn_follow_run(struct turn_follow *f, struct sink *s,
		    struct err *e) MUST_CHECK;

#endif
