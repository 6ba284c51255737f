/* SPDX-License-Identifier: MIT */
/*
 * The services that answer, what was used of each, and those that take over: the
 * `fallbacks` of the turn's service, in order. One takes over, before the first delta
 * of a call, when the service before it fails with a temporary error or its circuit is
 * open (llm/circuit.h). The turn then stays with it.
 */
#ifndef TURN_FALLBACK_H
#define TURN_FALLBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "llm/llm.h"
#include "store/usage.h"

struct turn_loop;

/* The services that answer, and what was used of them. */
struct turn_served {
	const struct llm_service *own;	/* the turn's; NULL before the first call */
	size_t next;			/* index of the next fallback */
	struct {		/* of the current one */
		int64_t since_ms;		/* monotonic */
		int calls;
		struct llm_usage usage;
		bool paid;			/* any of the calls was */
	} now;
	int model_calls, iterations;
	bool capped;			/* the limit of iterations was reached */
	int64_t first_token_ms;		/* monotonic; 0 = none yet */
	struct str model;		/* as the server reported it, or empty */
	struct llm_usage usage;		/* sum over all services */
	struct buf timings;		/* of tools: JSON objects separated by commas */
};

/* Before a model call: leaves a service whose circuit is open. */
void fallback_before(struct turn_loop *l);

/*
 * After a call that failed with e before any delta: true if another service is
 * to be asked.
 */
bool fallback_after(struct turn_loop *l, const struct err *e);

/* Sets the members of a usage record that identify l's turn. Borrows. */
void turn_usage_place(struct usage *u, const struct turn_loop *l);

/*
 * The cost of a turn or nested agent with the current service: for the record
 * at its end, at a pause, or when another service takes over. Borrows.
 */
struct usage loop_usage(struct turn_loop *l, const char *finish_reason);

#endif
