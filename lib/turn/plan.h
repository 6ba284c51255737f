/* SPDX-License-Identifier: MIT */
/*
 * A plan as a tool (D52 to D58): made by one typed call of a model, checked, stored, and
 * carried out by agents for its steps, up to PLAN_PARALLEL at a time, in the threads of the
 * call. It waits as its turn does, and goes on in whichever process resumes that.
 */
#ifndef TURN_PLAN_H
#define TURN_PLAN_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

struct tool;
struct tool_ctx;
struct turn_loop;

/*
 * tool_host.plan of a turn, with a struct call_run (calls.h): makes the plan of the call, or
 * continues it. run->waits are what it waits for; those with a created_us are stored.
 */
int turn_plan_run(const struct tool_ctx *call, const struct tool *t, const json_t *args,
		  struct buf *out, struct err *e) MUST_CHECK;

#endif
