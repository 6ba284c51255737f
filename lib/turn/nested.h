/* SPDX-License-Identifier: MIT */
/* An agent as a tool: the loop within a call. */
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
 * Runs the agent of task->tool within a call of parent's turn, in the call's
 * thread, and appends its answer to out. Sets *untrusted if it was given or
 * read untrusted text, and adds the origins to *from. Errors as
 * tool_host.agent.
 */
int nested_run(struct turn_loop *parent, const struct tool_ctx *call,
	       const struct tool_task *task, struct buf *out,
	       bool *untrusted, struct origins *from,
	       struct err *e) MUST_CHECK;

/*
 * The service with the timeouts that a call of l may use: within a call,
 * limited to its remaining time. Returns s itself, or a copy in l's arena.
 */
const struct llm_service *nested_service(struct turn_loop *l,
					 const struct llm_service *s);

#endif
