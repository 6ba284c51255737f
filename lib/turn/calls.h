/* The tool calls of a step. */
#ifndef TURN_CALLS_H
#define TURN_CALLS_H

#include "base/str.h"

struct turn_call;
struct turn_loop;

/*
 * Answers every call of the step (B15): runs it, refuses it, or says that it
 * was stopped. Emits TOOL_CALL for all, TOOL_RESULT as they end.
 */
void calls_run(struct turn_loop *l);

/* Runs those of the step that have no result and do not wait. */
void calls_go(struct turn_loop *l);

/* Answers a call with what was put into c->result, without running it. */
void calls_end(struct turn_loop *l, struct turn_call *c);

/* What people call the tool, where it says so itself; may be empty. */
struct str calls_title(const struct turn_loop *l, const struct turn_call *c);

/* Notes a call for the count of repeats; how often it was made before. */
int calls_note(struct turn_loop *l, const struct turn_call *c);

/* The arguments in canonical form, for comparing. */
struct str calls_canonical(struct turn_loop *l, const struct turn_call *c);

#endif
