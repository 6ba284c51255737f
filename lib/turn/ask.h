/* SPDX-License-Identifier: MIT */
/*
 * A model call outside the tool loop (prompt/ask.h) that is among the running
 * turns of this process, so that it can be cancelled and a shutdown ends it.
 */
#ifndef TURN_ASK_H
#define TURN_ASK_H

#include "prompt/ask.h"
#include "turn/turn.h"

struct after_work;	/* turn/after.h */

/*
 * As prompt_ask, with the http of deps. event_live_cancel(*id) ends the call; id NULL:
 * a new id of its own. deps->live may be NULL. Any thread.
 */
int turn_ask(const struct turn_deps *deps, const struct uuid *id,
	     const struct prompt_ask *q, struct arena *a, struct prompt_reply *out,
	     struct err *e) MUST_CHECK;

/*
 * The same in work after a turn: about its question and its answer, in short. q has what
 * is asked, and its limits; the rest is filled in. The usage is recorded.
 */
int turn_ask_after(const struct after_work *w, struct prompt_ask *q,
		   struct prompt_reply *r, struct err *e) MUST_CHECK;

#endif
