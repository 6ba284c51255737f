/* SPDX-License-Identifier: MIT */
/* The tool calls of a step. */
#ifndef TURN_CALLS_H
#define TURN_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "prompt/origin.h"
#include "tool/core/tool.h"

struct turn_call;
struct turn_loop;
struct turn_wait;

struct turn_seen {		/* a call that was made before */
	struct turn_seen *next;
	struct str name, args;		/* args in canonical form */
	int times;
};

struct turn_past {		/* a call of stuck.h that was made */
	const struct turn_seen *call;
	struct str result;
	bool reads;		/* it changes nothing */
};

/* The calls that were made. */
struct turn_calls_log {
	struct turn_seen *seen;
	struct {
		struct turn_past past[8];	/* the last ones, of n */
		size_t n;
		int steps;		/* of nothing but repeated calls */
		bool nudged;		/* the model was told to act or to answer */
	} stuck;			/* stuck.h */
	struct origins asked;		/* what tainted the context when the step was
					   requested */
	enum tool_mode mode;		/* of the last changes in projects; or NONE */
};

/* A call that runs: what tool_ctx.host_ctx of its tool is. */
struct call_run {
	struct turn_loop *loop;
	struct turn_call *call;
	struct turn_wait *waits;	/* of its plan; in the call's arena */
	size_t n_waits;
};

/*
 * Answers every call of the step (P-B15): runs it, refuses it, or reports that it
 * was stopped. Emits TOOL_CALL for all of them, then each TOOL_RESULT as it
 * ends.
 */
void calls_run(struct turn_loop *l);

/* Runs the calls of the step that have no result and do not wait. */
void calls_go(struct turn_loop *l);

/*
 * Whether the call must wait for somebody: sets c->wait and its companions. An
 * invalid call that would wait is answered at once.
 */
bool calls_must_wait(struct turn_loop *l, struct turn_call *c);

/* Ends a call with the content of c->result, without running it. */
void calls_end(struct turn_loop *l, struct turn_call *c);

/*
 * Whether the call may change something outside the conversation. What an agent does with
 * its tools is unknown here, so it counts as a change.
 */
bool calls_may_change(const struct turn_loop *l, const struct turn_call *c);

/* Records a call for the limit of repeats: c->seen. Returns how often it was made before. */
int calls_note(struct turn_loop *l, struct turn_call *c);

/* The arguments in canonical form, for comparison. In the loop's arena. */
struct str calls_canonical(struct turn_loop *l, const struct turn_call *c);

#endif
