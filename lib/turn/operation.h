/* SPDX-License-Identifier: MIT */
/*
 * What tool calls do in projects, as the user follows it (D21 to D25): an operation when a
 * call begins and when it ends, and a patch for each change that it has stored, before
 * the result. Only in the turn's thread.
 */
#ifndef TURN_OPERATION_H
#define TURN_OPERATION_H

#include "base/json.h"

struct resource_changes;
struct tool_operation;
struct turn_call;
struct turn_loop;

/* Tells one of an agent within a call, or of a step of its plan. */
void operation_tell(struct turn_loop *l, const struct tool_operation *o);

/* Before the call runs. Emits nothing for tools that have nothing to do with projects. */
void operation_start(struct turn_loop *l, struct turn_call *c);

/* Adds what call c has changed until now and tells it. Copied. */
void operation_changes(struct turn_loop *l, struct turn_call *c,
		       const struct resource_changes *done);

/*
 * After it has run, before its result. done: what it has changed and what was not told yet,
 * which is also what the call changed that a nested agent or a plan runs in, if this is one.
 */
void operation_end(struct turn_loop *l, struct turn_call *c,
		   const struct resource_changes *done);

#endif
