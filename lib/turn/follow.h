/*
 * Reading a turn's events from outside: first those that it has emitted so far, then
 * new ones, whichever process it runs in, always as the same events.
 *
 * If the turn runs in this process, they come from its log in memory, and what the
 * log no longer has comes from the store. The events of another process's turn all
 * come from the store, once the live thread has seen that there are some. The terminal
 * event is made from the turn's row and its answer. A turn whose process died
 * is closed as interrupted.
 *
 * Adjacent deltas come as one event with the number of the last one. A reader that
 * has seen number N and continues after N gets exactly what follows.
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
 * Finds the turn; f->done if there is nothing behind `after` and never will
 * be. ERR_NOT_FOUND.
 */
int turn_follow_open(struct turn_follow *f, struct err *e) MUST_CHECK;

/*
 * Emits the events behind `after` into s until the terminal one, or until patience
 * runs out; flushes before each wait, and calls s->idle while there are none. -1
 * if the store fails: what was emitted stays emitted, and `after` says how far it
 * went.
 */
int turn_follow_run(struct turn_follow *f, struct sink *s,
		    struct err *e) MUST_CHECK;

#endif
