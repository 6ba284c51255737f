/* SPDX-License-Identifier: MIT */
/* The tool calls of a step. */
#ifndef TURN_CALLS_H
#define TURN_CALLS_H

#include "base/str.h"

struct turn_call;
struct turn_loop;

/*
 * Answers every call of the step (P-B15): runs it, refuses it, or reports that it
 * was stopped. Emits TOOL_CALL for all of them, then each TOOL_RESULT as it
 * ends.
 */
void calls_run(struct turn_loop *l);

/* Runs the calls of the step that have no result and do not wait. */
void calls_go(struct turn_loop *l);

/* Ends a call with the content of c->result, without running it. */
void calls_end(struct turn_loop *l, struct turn_call *c);

/*
 * Whether the call may change something outside the conversation. What an agent does with
 * its tools is unknown here, so it counts as a change.
 */
bool calls_may_change(const struct turn_loop *l, const struct turn_call *c);

/* The tool's display name; empty if it declares none. */
struct str calls_title(const struct turn_loop *l, const struct turn_call *c);

/* Records a call for the limit of repeats: c->seen. Returns how often it was made before. */
int calls_note(struct turn_loop *l, struct turn_call *c);

/* The arguments in canonical form, for comparison. In the loop's arena. */
struct str calls_canonical(struct turn_loop *l, const struct turn_call *c);

#endif
