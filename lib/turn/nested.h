/* An agent as a tool: the same loop within a call. */
#ifndef TURN_NESTED_H
#define TURN_NESTED_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct llm_service;
struct origins;
struct tool_ctx;
struct tool_task;
struct turn_loop;

/*
 * Runs the agent of task->tool, within a call of parent's turn, and appends
 * its answer to out. *untrusted is set when text of others went in, or was read;
 * whose is added to *from.
 * In the call's thread. Errors as tool_host.agent.
 */
int nested_run(struct turn_loop *parent, const struct tool_ctx *call,
	       const struct tool_task *task, struct buf *out,
	       bool *untrusted, struct origins *from,
	       struct err *e) MUST_CHECK;

/*
 * s as l may ask it: within a call, with no more time than is left to that. s
 * itself, or a copy in l's arena.
 */
const struct llm_service *nested_service(struct turn_loop *l,
					 const struct llm_service *s);

#endif
