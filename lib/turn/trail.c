/* SPDX-License-Identifier: MIT */
#include "turn/trail.h"

#include <math.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "plan/rows.h"
#include "context/context.h"
#include "turn/loop.h"

#include "base/banned.h"

struct str trail_call_id(const struct turn_loop *l, const struct turn_call *c)
{
	char id[UUID_TEXT_BYTES];

	if (!l->within.trail)
		return c->id;
	return str_of(arena_printf(l->arena, "plan-%s-%lld",
				   uuid_format(&l->within.trail->plan_id, id),
				   (long long)c->plan_call));
}

/* -- storing ------------------------------------------------------------------------ */

int trail_round(struct turn_loop *l, struct err *e)
{
	struct trail *j = l->within.trail;
	struct turn_step *s = &l->step;
	struct plan_call_row *v = arena_zalloc(l->arena, s->n_calls, sizeof(*v));
	double cost;

	/* For the board: the plan's thread shows what a step that runs has used. */
	j->tokens = llm_usage_tokens(&l->served.usage);
	cost = llm_usage_cost(l->run->in.target.service, &l->served.usage);
	j->cost = isnan(cost) ? 0 : cost;
	_Static_assert(LIM_TOOL_CALLS <= 1 << PLAN_ROUND_BITS, "a number for each call");
	if (j->round == 1 << (PLAN_STEP_BITS - PLAN_ROUND_BITS))
		return err_public(e, ERR_TOOL_FAILED, "The step has too many rounds.");
	for (size_t i = 0; i < s->n_calls; i++) {
		struct turn_call *c = &s->calls[i];

		c->plan_call = agentplan_call_number(j->step, j->round, i);
		v[i] = (struct plan_call_row){
			.number = c->plan_call, .call_id = c->id, .tool = c->name,
			.args = c->args.p ? c->args : STR(""),
			.text = i ? (struct str){ NULL, 0 } : buf_str(&s->text),
		};
	}
	j->round++;
	return agentplan_calls_put(l->run->deps->db, &l->owner, &j->plan_id,
				   &l->within.parent->run->conversation_id, v, s->n_calls, e);
}

bool trail_begin(const struct turn_loop *l, struct turn_call *c,
		 struct resource_changes *changes, struct arena *a,
		 struct tool_result *out)
{
	const struct trail *j = l->within.trail;
	struct err e = ERR_INIT;

	if (agentplan_call_begin(l->run->deps->db, &j->plan_id, c->plan_call, c->plan_tries,
				 &e) < 0) {
		if (e.code == ERR_CONFLICT) {
			tool_refuse(a, ERR_CANCELLED, "This step was stopped, or goes on "
				    "elsewhere, before the call ran.", out);
			return false;
		}
		log_err("call of a plan", &e);
		tool_refuse(a, ERR_TOOL_FAILED, "The call could not be recorded, so it "
			    "was not run.", out);
		return false;
	}
	changes->plan_id = j->plan_id;
	changes->plan_call = c->plan_call;
	changes->plan_try = ++c->plan_tries;
	return true;
}

void trail_end(struct turn_loop *l, const struct turn_call *c)
{
	const struct plan_call_row row = {
		.number = c->plan_call, .tries = c->plan_tries, .result = c->result.text,
		.flags = (c->result.is_json ? PLAN_CALL_JSON : 0) |
			 (c->result.is_error ? PLAN_CALL_ERROR : 0) |
			 (c->untrusted ? PLAN_CALL_UNTRUSTED : 0),
		.origins = origins_text(&c->from, l->arena),
	};
	struct err e = ERR_INIT;

	if (agentplan_call_end(l->run->deps->db, &l->within.trail->plan_id, &row, &e) < 0)
		log_err("result of a call of a plan", &e);
}
