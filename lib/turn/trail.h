/* SPDX-License-Identifier: MIT */
/*
 * What a step of a plan stores while it runs (plan/rows.h): the calls of each round of its
 * model before they run, and their results. Another process reads it and goes on: a call
 * without a result that only reads runs again; one that changes resources of ours runs
 * again only if nothing of it landed; one of an outside tool that was cut is unknown, and
 * the user is asked.
 */
#ifndef TURN_TRAIL_H
#define TURN_TRAIL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/uuid.h"

struct step_stop;
struct resource_changes;
struct tool_ctx;
struct tool_result;
struct turn_call;
struct turn_loop;
struct turn_wait;

struct trail {
	struct step_stop *stop;		/* of the step */
	const struct tool_ctx *call;	/* of the plan: is told what the step changes */
	struct uuid plan_id;
	size_t step, round;
	const struct turn_wait *rows;	/* of the turn, as stored */
	size_t n_rows;
	/* What the rounds of this run have used; read by other threads. */
	_Atomic int64_t tokens;
	_Atomic double cost;		/* 0 if it is unknown */
};

/* The id that a call has in turn_wait: its own, or that of a call of a plan. */
struct str trail_call_id(const struct turn_loop *l, const struct turn_call *c);

/* Stores the calls of the current step. */
int trail_round(struct turn_loop *l, struct err *e) MUST_CHECK;

/*
 * Before a call runs that may change something, in its thread. false: it must not, and
 * *out says why, in a. changes: they count as this call's.
 */
bool trail_begin(const struct turn_loop *l, struct turn_call *c,
		 struct resource_changes *changes, struct arena *a,
		 struct tool_result *out);

/* Stores the result of a call. */
void trail_end(struct turn_loop *l, const struct turn_call *c);

#endif
