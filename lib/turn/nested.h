/* SPDX-License-Identifier: MIT */
/* An agent as a tool: the loop within a call. */
#ifndef TURN_NESTED_H
#define TURN_NESTED_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "prompt/origin.h"
#include "resource/change.h"

struct trail;
struct llm_service;
struct tool_ctx;
struct tool_task;
struct step_stop;
struct turn_loop;
struct turn_wait;

/* Of an agent that runs within a call, of which nothing is stored; zero for a turn. */
struct turn_within {
	const struct turn_loop *parent;	/* NULL: it is a turn */
	struct trail *trail;	/* of a step of a plan (trail.h); or NULL */
	struct step_stop *stop;	/* of that step, or of the one it runs in; or NULL */
	int max_calls, n_called;	/* tool calls */
	int64_t max_tokens;
};

/*
 * tool_host.agent of a turn, with a struct call_run (calls.h): the call is untrusted if the
 * agent was given or read untrusted text, and has its origins.
 */
int nested_agent(const struct tool_ctx *call, const struct tool_task *task,
		 struct buf *out, struct err *e) MUST_CHECK;

struct nested_end {		/* of a step of a plan */
	int64_t tokens;
	double cost;			/* NAN: unknown */
	struct origins from;		/* of its answer */
	const struct turn_wait *waits;	/* what it waits for, in the call's arena */
	size_t n_waits;			/* 0: it has ended */
};

/*
 * Runs a step of a plan, like an agent, from where its trail ends; it may ask the user.
 * given: the origins of what its task has from steps before it.
 */
int nested_step(struct turn_loop *parent, const struct tool_ctx *call,
		const struct tool_task *task, struct trail *trail,
		const struct origins *given, struct buf *out, struct nested_end *end,
		struct err *e) MUST_CHECK;

#endif
