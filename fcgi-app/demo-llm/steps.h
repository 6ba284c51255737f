/* SPDX-License-Identifier: MIT */
/*
 * steps.h - the conversational mode with plans: "prepare the audit of ..." calls the tool
 * `plan` with the steps of a script, each a request that this mode answers; and the
 * requests of a plan's steps.
 */
#ifndef DEMO_STEPS_H
#define DEMO_STEPS_H

#include "demo-llm/act.h"

/* A request to carry out one step of a plan. */
struct demo_step {
	const char *title;	/* NULL: the request is another one */
	const json_t *input;
};

/* What the last user message asks for, if it is a step. */
struct demo_step demo_step_of(const struct ask *a);

/* A step that writes from what others have found: true if say has its answer. */
bool demo_step_writes(const struct demo_step *s, struct out *say);

/*
 * As act(): whether w asks to prepare an audit of the project with that name and id, and
 * what is next.
 */
enum act demo_plan_audit(const struct ask *a, const struct words *w, struct deeds done,
			 const char *name, const char *id, struct plan *p, struct out *say);

#endif
