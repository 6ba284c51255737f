/* SPDX-License-Identifier: MIT */
#include "turn/trail.h"

#include <math.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "plan/rows.h"
#include "turn/calls.h"
#include "context/context.h"
#include "context/intent.h"
#include "turn/loop.h"
#include "turn/pause.h"
#include "turn/resume.h"

#include "base/banned.h"

static const char cut_reason[] = "unknown";	/* of a wait: turn_wait.reason */

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
			.said = i ? (struct str){ NULL, 0 } : buf_str(&s->text),
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

	if (!calls_may_change(l, c))
		return true;
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

void trail_wait(struct turn_loop *l)
{
	struct turn_step *s = &l->step;

	l->waits.v = arena_zalloc(l->arena, s->n_calls, sizeof(*l->waits.v));
	l->waits.n = 0;
	for (size_t i = 0; i < s->n_calls; i++) {
		struct turn_call *c = &s->calls[i];

		if (!c->wait)
			continue;
		if (c->row)
			l->waits.v[l->waits.n++] = *c->row;
		else
			pause_row(l, c, &l->waits.v[l->waits.n++]);
	}
	l->waits.waiting = true;
}

/* -- going on ----------------------------------------------------------------------- */

static struct turn_call call_of(const struct plan_call_row *r)
{
	struct turn_call c = {
		.id = r->call_id, .name = r->tool, .args = r->args,
		.plan_call = r->number, .plan_tries = r->tries,
		.untrusted = r->flags & PLAN_CALL_UNTRUSTED,
	};
	json_t *args = jx_try(r->args.n ? r->args : STR("{}"));

	c.bad_args = !json_is_object(args);
	json_decref(args);
	if (r->origins.p)
		origins_parse(&c.from, r->origins);
	if (r->result.p)
		c.result = (struct tool_result){
			.text = r->result, .is_json = r->flags & PLAN_CALL_JSON,
			.is_error = r->flags & PLAN_CALL_ERROR,
		};
	return c;
}

/* The newest wait of the call; NULL: none. */
static const struct turn_wait *wait_of(const struct turn_loop *l, const struct turn_call *c)
{
	const struct trail *j = l->within.trail;
	const struct str id = trail_call_id(l, c);

	for (size_t i = j->n_rows; i-- > 0;)
		if (str_eq(j->rows[i].call_id, id))
			return &j->rows[i];
	return NULL;
}

/* What the user has answered in this step counts in it, as it did before the process ended. */
static void hear_again(struct turn_loop *l, struct turn_call *c)
{
	const struct turn_wait *w = c->result.text.p ? wait_of(l, c) : NULL;

	if (!w || w->kind != WAIT_QUESTION || w->status != WAIT_ANSWERED)
		return;
	c->reply = true;
	intent_hear(&l->context, w->result);
}

/* A call that changed something, whose result was lost with its process. */
static void tell_landed(struct turn_loop *l, struct turn_call *c, int64_t landed)
{
	c->result = (struct tool_result){
		.text = str_of(arena_printf(l->arena, "{\"done\":true,\"changes\":%lld,"
			"\"note\":\"The call was carried out; its result was lost when "
			"the process ended. Read what you need of it; do not call it "
			"again.\"}", (long long)landed)),
		.is_json = true,
	};
	calls_end(l, c);
}

/* A call of an outside tool that was cut: nobody knows whether it happened. */
static void ask_about_cut(struct turn_loop *l, struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);

	if (!o)
		return;
	c->shown = calls_canonical(l, c);
	c->ask = (struct tool_question){ .reason = cut_reason };
	c->wait = WAIT_APPROVAL;
	c->row = NULL;
}

static bool is_ours(const struct turn_loop *l, const struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);

	return o && !o->tool->kind && o->tool->visibility == TOOL_SERVER;
}

/* What becomes of a call without a result. */
static void take_up(struct turn_loop *l, struct turn_call *c, const struct plan_call_row *r)
{
	const struct turn_wait *w = wait_of(l, c);
	const bool cut = r->tries > 0 && calls_may_change(l, c);

	if (cut && r->landed)
		tell_landed(l, c, r->landed);
	else if (cut && !is_ours(l, c) && !(w && str_is(w->reason, cut_reason)))
		ask_about_cut(l, c);
	else if (w && w->status == WAIT_OPEN) {
		c->row = arena_new(l->arena, struct turn_wait);
		*c->row = *w;
		c->wait = (enum wait_kind)w->kind;
		c->shown = w->args;
	} else if (w) {
		resume_call(l, c, w);
	} else if (pause_needed(l, c) && c->result.text.p) {
		calls_end(l, c);
	}
}

/* The calls of a round as the current step. */
static void load_round(struct turn_loop *l, const struct plan_call_row *v, size_t n)
{
	struct turn_step *s = &l->step;

	buf_reset(&s->text);
	if (v->said.p)
		buf_addstr(&s->text, v->said);
	s->calls = arena_zalloc(l->arena, n, sizeof(*s->calls));
	s->n_calls = s->calls_size = n;
	for (size_t i = 0; i < n; i++) {
		s->calls[i] = call_of(&v[i]);
		origins_join(&l->context.taint, &s->calls[i].from);
		calls_note(l, &s->calls[i]);
		hear_again(l, &s->calls[i]);
		l->within.n_called++;
	}
	l->served.iterations++;
	l->within.trail->round++;
}

static bool is_whole(const struct plan_call_row *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!v[i].result.p)
			return false;
	return true;
}

static size_t round_size(const struct plan_call_row *v, size_t n)
{
	size_t k = 1;

	while (k < n && v[k].number >> PLAN_ROUND_BITS == v->number >> PLAN_ROUND_BITS)
		k++;
	return k;
}

int trail_resume(struct turn_loop *l, struct err *e)
{
	struct trail *j = l->within.trail;
	struct plan_call_row *v;
	size_t n, k;

	if (agentplan_calls(l->run->deps->db, &l->owner, &j->plan_id, j->step, l->arena, &v, &n,
			    e) < 0)
		return -1;
	for (; n; v += k, n -= k) {
		k = round_size(v, n);
		load_round(l, v, k);
		if (!is_whole(v, k))
			break;
		context_add_step(&l->context, &l->step);
	}
	if (!n)
		return 0;
	l->made.asked = l->context.taint;
	l->context.tool_ctx.taint = &l->made.asked;
	for (size_t i = 0; i < k; i++)
		if (!v[i].result.p)
			take_up(l, &l->step.calls[i], &v[i]);
	calls_go(l);
	return 1;
}
