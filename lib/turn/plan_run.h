/* SPDX-License-Identifier: MIT */
/*
 * A plan that is being carried out: plan.c makes it, plan_steps.c runs its steps and says
 * where it stands. Only the thread of the plan's call uses
 * it, but for what says so.
 */
#ifndef TURN_PLAN_RUN_H
#define TURN_PLAN_RUN_H

#include <pthread.h>

#include "plan/plan.h"
#include "plan/rows.h"
#include "tool/agent/option.h"
#include "turn/loop.h"
#include "turn/nested.h"
#include "turn/plan_stop.h"
#include "turn/trail.h"

struct log_bound;
struct runner;

struct work {			/* a step */
	struct runner *r;
	size_t number;
	struct plan_step_row row;	/* result and origins in r's arena */
	struct origins from;	/* of its result */
	bool runs, ended;	/* ended: its thread is over; under the lock */
	bool threaded;
	int rc;
	pthread_t thread;
	struct arena arena;	/* of its run */
	struct trail trail;
	int64_t shown;		/* trail.tokens, as the board has them */
	struct step_stop stop;
	struct conf_tool tool;
	struct conf_tool_agent agent;
	struct nested_end end;
	struct buf text;
	struct err err;
};

struct runner {
	struct turn_loop *l;
	const struct tool_ctx *call;
	const struct tool *tool;
	struct turn_call *of;
	struct arena *a;
	struct agentplan plan;
	struct plan_row row;
	struct origins from;	/* of the plan */
	struct work *steps;
	bool again;		/* an earlier one is run again */
	const struct turn_wait *rows;	/* of the turn, as stored */
	size_t n_rows;
	/* Of the steps that wait, and not of those that run; stored if created_us is set. */
	struct turn_wait *waits;
	size_t n_waits, waits_size;
	bool agreed;			/* the user has approved the plan */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const struct log_bound *log;
};

static inline struct db *turn_plan_db(const struct runner *r)
{
	return r->l->run->deps->db;
}

/* Writes [{id, status, …}] of the steps, with titles and results if these are wanted. */
void turn_plan_write_steps(struct jw *w, const struct runner *r, bool results);

/* Stores where it stands and shows it. */
int turn_plan_tell(struct runner *r, const char *status, struct err *e) MUST_CHECK;

/* The agent that is declared for an executor, plan_writer for example; or NULL. */
const struct conf_tool *turn_plan_declared(const struct runner *r, enum plan_executor x);

/* The steps as stored; those that ran in a process that died, or waited, run again. */
int turn_plan_load_steps(struct runner *r, struct err *e) MUST_CHECK;

/*
 * Runs steps until none can go on; what the user answers meanwhile lets them go on. What
 * is not answered is in r->waits.
 */
int turn_plan_run_steps(struct runner *r, struct err *e) MUST_CHECK;

/* It has failed: what its steps wait for is not asked any more. */
void turn_plan_drop_waits(struct runner *r);

#endif
