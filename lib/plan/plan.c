/* SPDX-License-Identifier: MIT */
#include "plan/plan.h"

#include <stdio.h>

#include "base/uuid.h"

#include "base/banned.h"

static const char *const executors[PLAN_EXECUTORS] = {
	[PLAN_PLANNER] = "planner", [PLAN_RESEARCH] = "research",
	[PLAN_WRITER] = "writer", [PLAN_EDITOR] = "editor",
	[PLAN_TOOLING] = "tooling",
};

const char *agentplan_executor_name(enum plan_executor x)
{
	return executors[x];
}

static enum plan_executor executor_of(struct str name)
{
	for (size_t i = 0; i < PLAN_EXECUTORS; i++)
		if (str_is(name, executors[i]))
			return (enum plan_executor)i;
	return PLAN_TOOLING;
}

static struct str text_of(const json_t *v)
{
	return (struct str){ json_string_value(v), json_string_length(v) };
}

bool agentplan_makes(const struct plan_step *s, struct str name)
{
	return jx_lists(s->outputs, name);
}

/* -- reading ------------------------------------------------------------------------ */

struct plan_reading {
	struct agentplan *p;
	struct arena *a;
	bool (*known)(void *ctx, struct str tool);
	void *ctx;
};

static void give_id(json_t *o, const char *letter, size_t n)
{
	char id[32];

	if (jx_str(o, "id").n)
		return;
	snprintf(id, sizeof(id), "%s%zu", letter, n + 1);
	json_object_set_new(o, "id", json_string(id));
}

static int take_step(struct plan_reading *r, json_t *o, size_t stage, struct err *e)
{
	struct plan_step *s = &r->p->steps[r->p->n_steps];

	if (r->p->n_steps == PLAN_STEPS)
		return err_public(e, ERR_TOOL_ARGS, "The plan has more than %d steps. "
				  "Make it shorter.", PLAN_STEPS);
	give_id(o, "step", r->p->n_steps++);
	*s = (struct plan_step){
		.id = jx_str(o, "id"), .title = jx_str(o, "title"),
		.intent = jx_str(o, "intent"),
		.executor = executor_of(jx_str(o, "executor")), .stage = stage,
		.tools = jx_arr(o, "tools"), .inputs = jx_arr(o, "inputs"),
		.outputs = jx_arr(o, "outputs"),
	};
	return 0;
}

static int take_stages(struct plan_reading *r, struct err *e)
{
	json_t *stages = jx_arr(r->p->json, "stages"), *stage, *step;
	size_t i, k;

	json_array_foreach(stages, i, stage) {
		const size_t first = r->p->n_steps;
		const bool sequence = str_is(jx_str(stage, "mode"), "sequence");

		give_id(stage, "stage", i);
		json_array_foreach(jx_arr(stage, "steps"), k, step) {
			struct plan_step *s = &r->p->steps[r->p->n_steps];

			if (take_step(r, step, i, e) < 0)
				return -1;
			/* What comes before the stage, and within a sequence. */
			s->after = ((uint64_t)1 << (sequence ? first + k : first)) - 1;
		}
	}
	return r->p->n_steps ? 0 : err_public(e, ERR_TOOL_ARGS, "The plan has no steps.");
}

/* -- checking ----------------------------------------------------------------------- */

static int check_tools(const struct plan_reading *r, const struct plan_step *s, struct err *e)
{
	const json_t *v;
	size_t i;

	json_array_foreach((json_t *)s->tools, i, v) {
		const struct str name = text_of(v);

		if (str_is(name, "plan"))
			return err_public(e, ERR_TOOL_ARGS, "Step \"%.40s\" would make "
					  "a plan. A plan cannot be part of a plan: "
					  "write its steps here.", s->id.p);
		if (!r->known(r->ctx, name))
			return err_public(e, ERR_TOOL_ARGS, "Step \"%.40s\" uses the "
					  "tool \"%.64s\", which there is not here. Use "
					  "the tools that are listed.", s->id.p, name.p);
	}
	return 0;
}

/* The step that makes an output; PLAN_STEPS: none. */
static size_t maker_of(const struct agentplan *p, struct str name)
{
	size_t i = 0;

	while (i < p->n_steps && !agentplan_makes(&p->steps[i], name))
		i++;
	return i < p->n_steps ? i : PLAN_STEPS;
}

static int check_inputs(const struct agentplan *p, struct plan_step *s, struct err *e)
{
	const json_t *v;
	size_t i;

	json_array_foreach((json_t *)s->inputs, i, v) {
		const size_t maker = maker_of(p, text_of(v));

		if (maker == PLAN_STEPS)
			return err_public(e, ERR_TOOL_ARGS, "Step \"%.40s\" needs "
					  "\"%.64s\", which no step has among its "
					  "outputs.", s->id.p, json_string_value(v));
		if (p->steps[maker].stage > s->stage)
			return err_public(e, ERR_TOOL_ARGS, "Step \"%.40s\" needs "
					  "\"%.64s\", which a later stage makes.",
					  s->id.p, json_string_value(v));
		s->needs |= (uint64_t)1 << maker;
	}
	s->after |= s->needs;
	return 0;
}

static int check_twice(const struct agentplan *p, size_t at, struct err *e)
{
	const struct plan_step *s = &p->steps[at];
	const json_t *v;
	size_t i;

	for (size_t k = 0; k < at; k++)
		if (str_eq(p->steps[k].id, s->id))
			return err_public(e, ERR_TOOL_ARGS, "Two steps have the id "
					  "\"%.40s\".", s->id.p);
	json_array_foreach((json_t *)s->outputs, i, v)
		if (maker_of(p, text_of(v)) != at)
			return err_public(e, ERR_TOOL_ARGS, "Two steps make "
					  "\"%.64s\".", json_string_value(v));
	return 0;
}

/* Steps in an order in which each comes after those that it must. */
static int check_cycles(const struct agentplan *p, struct err *e)
{
	const uint64_t all = ((uint64_t)1 << p->n_steps) - 1;
	uint64_t done = 0, before;
	size_t i;

	do {
		before = done;
		for (i = 0; i < p->n_steps; i++)
			if (!(p->steps[i].after & ~done))
				done |= (uint64_t)1 << i;
	} while (done != before);
	if (done == all)
		return 0;
	for (i = 0; done & ((uint64_t)1 << i); i++)
		continue;
	return err_public(e, ERR_TOOL_ARGS, "Step \"%.40s\" waits for itself: its inputs, "
			  "or those of steps before it, go round in a circle.",
			  p->steps[i].id.p);
}

int agentplan_read(const json_t *json, bool (*known)(void *ctx, struct str tool), void *ctx,
		   struct arena *a, struct agentplan *out, struct err *e)
{
	struct plan_reading r = { out, a, known, ctx };
	char id[UUID_TEXT_BYTES];
	struct uuid fresh;

	*out = (struct agentplan){
		.json = jx_keep(a, json_deep_copy(json)),
		.steps = arena_zalloc(a, PLAN_STEPS + 1, sizeof(*out->steps)),
	};
	out->goal = jx_str(out->json, "goal");
	if (!jx_str(out->json, "id").n) {
		fresh = uuid_new();
		json_object_set_new(out->json, "id",
				    json_string(uuid_format(&fresh, id)));
	}
	if (take_stages(&r, e) < 0)
		return -1;
	for (size_t i = 0; i < out->n_steps; i++)
		if (check_twice(out, i, e) < 0 ||
		    check_tools(&r, &out->steps[i], e) < 0 ||
		    check_inputs(out, &out->steps[i], e) < 0)
			return -1;
	return check_cycles(out, e);
}

int agentplan_again(const struct agentplan *p, const json_t *ids, uint64_t done,
		    uint64_t *again, struct err *e)
{
	const uint64_t all = ((uint64_t)1 << p->n_steps) - 1;
	const json_t *id;
	uint64_t before;
	size_t k;

	*again = json_array_size(ids) ? 0 : done == all ? all : all & ~done;
	json_array_foreach((json_t *)ids, k, id) {
		size_t i = 0;

		while (i < p->n_steps && !str_eq(p->steps[i].id, text_of(id)))
			i++;
		if (i == p->n_steps)
			return err_public(e, ERR_TOOL_ARGS, "The plan has no step \"%.40s\".",
					  json_string_value(id));
		*again |= (uint64_t)1 << i;
	}
	do {
		before = *again;
		for (size_t i = 0; i < p->n_steps; i++)
			if (p->steps[i].needs & *again)
				*again |= (uint64_t)1 << i;
	} while (*again != before);
	return 0;
}
