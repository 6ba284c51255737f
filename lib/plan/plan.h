/* SPDX-License-Identifier: MIT */
/*
 * A plan: AgentPlan, PlanStage and PlanStep (D53 to D55), read from what a model or the
 * user wrote, checked, and put in order. No I/O; any thread.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

enum {
	PLAN_STEPS = 40,	/* at most: a set of steps is a uint64_t */
	PLAN_PARALLEL = 8,	/* steps at a time */
};

enum plan_executor {
	PLAN_PLANNER, PLAN_RESEARCH, PLAN_WRITER, PLAN_EDITOR, PLAN_TOOLING,
	PLAN_EXECUTORS
};

struct plan_step {
	struct str id, title, intent;
	enum plan_executor executor;
	size_t stage;
	const json_t *tools, *inputs, *outputs;	/* arrays; NULL: none */
	uint64_t needs;		/* steps whose results are its inputs */
	uint64_t after;		/* steps that it comes after, and needs */
};

struct agentplan {
	struct str goal;
	json_t *json;		/* the AgentPlan, with all ids; owned by the arena */
	struct plan_step *steps;
	size_t n_steps;
};

/*
 * Reads an AgentPlan, which fits the schema of the tool `plan`, and gives ids where they
 * are missing. known tells whether the turn has a tool of this name. ERR_TOOL_ARGS with
 * a public text for the model that wrote it: too many steps, an id or output twice, an
 * unknown tool, a plan in a plan, an input that nobody makes or that is made later, a cycle.
 */
int agentplan_read(const json_t *json, bool (*known)(void *ctx, struct str tool), void *ctx,
		   struct arena *a, struct agentplan *out, struct err *e) MUST_CHECK;

/*
 * The steps that run again, *again, of a plan of which those of the set done are done: those
 * with the ids; without ids those that are not done, or all if all are. Always those, too, that
 * need one of them. ERR_TOOL_ARGS: an id of no step.
 */
int agentplan_again(const struct agentplan *p, const json_t *ids, uint64_t done,
		    uint64_t *again, struct err *e) MUST_CHECK;

/* "planner", "research", … */
const char *agentplan_executor_name(enum plan_executor x);

/* Whether the step lists this among its outputs. */
bool agentplan_makes(const struct plan_step *s, struct str name);

#endif
