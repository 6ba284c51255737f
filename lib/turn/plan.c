/* SPDX-License-Identifier: MIT */
#include "turn/plan.h"

#include <math.h>
#include <string.h>

#include "auth/saved.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "tool/core/kind.h"
#include "turn/ask.h"
#include "turn/plan_run.h"

#include "base/banned.h"

static const struct prompt_text plan_prompt = {
	.name = "plan", .version = 1,
	.text = "You make the plan for a goal. You get JSON: the `goal`, its `constraints`, "
		"and the `tools` that there are. Answer with an AgentPlan: stages in order, "
		"each with `mode` parallel or sequence and its steps. A step has a `title` "
		"that says all that it must do, an `intent`, an `executor` (research reads "
		"and finds, writer writes, editor improves text, tooling changes things, "
		"planner decides), the names of the few `tools` that it needs, the "
		"`outputs` that it makes, by short names, and as `inputs` the outputs of "
		"other steps that it needs. Use few steps; put what does not depend on "
		"each other into one parallel stage. No step makes a plan.",
};

static bool known(void *ctx, struct str tool)
{
	const struct runner *r = ctx;

	return tool_set_find(&r->l->context.tools, tool) != NULL;
}

/* -- making it ---------------------------------------------------------------------- */

/* The tool's schema, of a whole plan. */
static json_t *plan_schema(const struct runner *r, struct arena *a)
{
	const struct tool_offer *o = tool_set_find(&r->l->context.tools, str_of(r->tool->name));
	json_t *s = jx_keep(a, json_deep_copy(o->schema));

	json_array_append_new(json_object_get(s, "required"), json_string("stages"));
	return s;
}

static struct str plan_input(const struct runner *r, const json_t *args, struct str wrong)
{
	struct buf b = BUF_INIT(1048576);
	struct jw w = jw_on(&b);
	struct str s;

	jw_obj(&w);
	jw_kstr(&w, "goal", jx_str(args, "goal"));
	if (jx_arr(args, "constraints")) {
		jw_key(&w, "constraints");
		jw_json(&w, jx_arr(args, "constraints"));
	}
	jw_key(&w, "tools");
	jw_arr(&w);
	for (size_t i = 0; i < r->l->context.tools.n; i++) {
		const struct tool_offer *o = &r->l->context.tools.v[i];

		/*
		 * A plan within a plan is not offered to its steps, so the planner must not
		 * use it.
		 */
		if (o->tool->resumes)
			continue;
		jw_obj(&w);
		jw_kstrz(&w, "name", o->tool->name);
		jw_kstr(&w, "description", utf8_head(str_of(o->description), 160));
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	if (wrong.n)
		jw_kstr(&w, "wrongWithYourLastPlan", wrong);
	jw_end_obj(&w);
	s = arena_str(r->a, buf_str(&b));
	buf_release(&b);
	return s;
}

/* Asks the model once; its answer fits the schema. */
static int ask(struct runner *r, const json_t *args, struct str wrong, json_t **out,
	       struct err *e)
{
	const struct conf_tool *d = turn_plan_declared(r, PLAN_PLANNER);
	const struct llm_service *s = d ? tool_agent_service(r->l->run->in.by.conf, d->agent)
					: NULL;
	struct prompt_ask q = {
		.service = s ? s : r->l->run->in.target.service, .kind = USAGE_AGENT,
		.layer = "tool", .prompt = &plan_prompt, .guardrails = true,
		.input = plan_input(r, args, wrong), .schema = plan_schema(r, r->a),
		.max_bytes = LIM_TOOL_ARGS_BYTES, .stream = true, .abort = r->l->abort,
	};
	struct prompt_reply reply;
	int rc = turn_ask(r->l->run->deps, NULL, &q, r->a, &reply, e);

	turn_usage_place(&reply.usage, r->l);
	reply.usage.agent_id = STR("plan");
	prompt_ask_record(turn_plan_db(r), &r->l->owner, &reply);
	*out = reply.value;
	return rc;
}

static int failed(const struct err *why, struct err *e)
{
	if (why->code == ERR_CANCELLED) {
		*e = *why;
		return -1;
	}
	return err_public(e, ERR_TOOL_FAILED, "No plan could be made: %.150s Go on step by "
			  "step yourself, and say what is missing.", err_message(why));
}

/* The plan of the model, with one attempt to mend it. */
static int make(struct runner *r, const json_t *args, struct err *e)
{
	struct err why = ERR_INIT;
	struct str wrong = { NULL, 0 };
	json_t *answer = NULL;

	for (int i = 0; i < 2; i++) {
		if (ask(r, args, wrong, &answer, &why) < 0)
			return failed(&why, e);
		/* The goal is the caller's. */
		json_object_set(answer, "goal", json_object_get(args, "goal"));
		if (agentplan_read(answer, known, r, r->a, &r->plan, &why) == 0)
			return 0;
		wrong = str_of(arena_strdup(r->a, err_message(&why)));
		if (i == 0)
			err_clear(&why);
	}
	return failed(&why, e);
}

static int read_stored(struct runner *r, struct err *e)
{
	json_t *j = jx_load(r->row.plan, e);

	if (!j)
		return -1;
	jx_keep(r->a, j);
	if (r->row.origins.p)
		origins_parse(&r->from, r->row.origins);
	return agentplan_read(j, known, r, r->a, &r->plan, e);
}

static struct str plan_text(const struct runner *r)
{
	struct buf b = BUF_INIT(2 * LIM_TOOL_ARGS_BYTES);	/* with ids for all */
	struct str s;

	jx_dump_sorted(&b, r->plan.json);
	s = arena_str(r->a, buf_str(&b));
	buf_release(&b);
	return s;
}

/* What a job needs that goes on with it. */
static struct str rights(const struct runner *r)
{
	return identity_save(r->l->run->in.by.conf, r->l->run->in.by.who, r->a);
}

static void set_row(struct runner *r)
{
	r->row.conversation_id = r->l->run->conversation_id;
	r->row.turn_id = r->l->run->id;
	r->row.goal = r->plan.goal;
	r->row.status = STR("proposed");
	r->row.plan = plan_text(r);
	r->row.progress = STR("[]");
	r->row.origins = origins_text(&r->from, r->a);
	r->row.rights = rights(r);
}

/* Makes or takes the plan and stores it; it is in r->row then. */
static int begin(struct runner *r, const json_t *args, struct err *e)
{
	struct turn_loop *l = r->l;

	if (r->call->taint)
		r->from = *r->call->taint;
	if (jx_arr(args, "stages")
	    ? agentplan_read(args, known, r, r->a, &r->plan, e) < 0 : make(r, args, e) < 0)
		return -1;
	set_row(r);
	return agentplan_put(turn_plan_db(r), &l->owner, &r->row, r->of->id, e);
}

/* -- making it again ---------------------------------------------------------------- */

/* Makes those steps ready that run again; the others stay as they were. */
static int select_again(struct runner *r, const json_t *ids, struct plan_step_row *v,
			struct err *e)
{
	uint64_t done = 0, again;

	for (size_t i = 0; i < r->plan.n_steps; i++)
		if (v[i].status == PLAN_DONE)
			done |= (uint64_t)1 << i;
	if (agentplan_again(&r->plan, ids, done, &again, e) < 0)
		return -1;
	for (size_t i = 0; i < r->plan.n_steps; i++)
		if (again & ((uint64_t)1 << i))
			v[i] = (struct plan_step_row){ .number = (int64_t)i,
						       .status = PLAN_READY, .cost = NAN };
	return 0;
}

/* Takes an earlier plan of this conversation as a new one, with what is kept of its steps. */
static int begin_again(struct runner *r, const json_t *args, struct err *e)
{
	struct turn_loop *l = r->l;
	const struct uuid fresh = r->row.id;
	struct plan_step_row *v, *rows;
	struct uuid id;
	size_t n;
	int rc = 0;

	if (uuid_parse(jx_str(args, "again"), &id))
		rc = agentplan_get(turn_plan_db(r), &l->owner, &id, r->a, &r->row, e);
	if (rc < 0)
		return -1;
	if (!rc || !uuid_eq(&r->row.conversation_id, &l->run->conversation_id))
		return err_public(e, ERR_TOOL_ARGS, "There is no such plan in this "
				  "conversation.");
	if (read_stored(r, e) < 0 ||
	    agentplan_steps(turn_plan_db(r), &l->owner, &id, r->a, &rows, &n, e) < 0)
		return -1;
	origins_join(&r->from, r->call->taint);
	v = arena_zalloc(r->a, r->plan.n_steps, sizeof(*v));
	for (size_t i = 0; i < r->plan.n_steps; i++)
		v[i] = i < n ? rows[i] : (struct plan_step_row){
			.number = (int64_t)i, .status = PLAN_READY, .cost = NAN };
	if (select_again(r, jx_arr(args, "steps"), v, e) < 0)
		return -1;
	r->row.id = fresh;
	set_row(r);
	return agentplan_put_again(turn_plan_db(r), &l->owner, &r->row, r->of->id, v,
				   r->plan.n_steps, e);
}

/* -- whether it may run ------------------------------------------------------------- */

static const struct turn_wait *proposal(const struct runner *r, struct str call_id)
{
	for (size_t i = r->n_rows; i-- > 0;)
		if (str_eq(r->rows[i].call_id, call_id))
			return &r->rows[i];
	return NULL;
}

static void propose(struct runner *r, const struct tool_question *q, struct str call_id)
{
	struct turn_loop *l = r->l;
	struct turn_wait *w = r->waits = arena_new(r->a, struct turn_wait);
	unsigned char *digest = arena_alloc(r->a, WAIT_DIGEST_BYTES);

	wait_digest(&l->run->id, call_id, str_of(r->tool->name), r->row.plan, digest);
	*w = (struct turn_wait){
		.id = uuid_new(), .turn_id = l->run->id, .kind = WAIT_APPROVAL,
		.call_id = call_id, .tool = str_of(r->tool->name),
		/* Results that are kept are those of its steps as they are. */
		.effect = r->tool->effect, .flags = WAIT_INNER | (r->again ? 0 : WAIT_EDITABLE),
		.reason = str_of(q->reason), .origins = r->row.origins,
		.args = r->row.plan,
		.digest = { (const char *)digest, WAIT_DIGEST_BYTES },
		.expires_us = clock_now_us() +
			(int64_t)l->run->in.by.conf->limits.approval_s * 1000000,
	};
	r->n_waits = 1;
}

static int take_edited(struct runner *r, struct str edited, struct err *e)
{
	json_t *j = jx_load(edited, e);

	if (!j)
		return -1;
	jx_keep(r->a, j);
	if (agentplan_read(j, known, r, r->a, &r->plan, e) < 0)
		return -1;
	r->row.plan = plan_text(r);
	return 0;
}

/* 1: it may run; 0: it waits for the user; -1: refused. */
static int may_run(struct runner *r, struct err *e)
{
	char id[UUID_TEXT_BYTES];
	const struct str call_id = str_of(arena_printf(r->a, "plan-%s",
						       uuid_format(&r->row.id, id)));
	const struct turn_wait *w = proposal(r, call_id);
	struct tool_ctx ctx = *r->call;
	struct tool_question q;

	ctx.taint = &r->from;
	if (!w) {
		if (!tool_asks(r->tool, &ctx, NULL, &q))
			return 1;
		propose(r, &q, call_id);
		return 0;
	}
	if (w->status == WAIT_OPEN) {
		r->waits = arena_new(r->a, struct turn_wait);
		*r->waits = *w;
		r->n_waits = 1;
		return 0;
	}
	if (w->status != WAIT_APPROVED)
		return err_public(e, ERR_TOOL_NOT_APPROVED, "The user did not approve the "
				  "plan; nothing of it was done.");
	if (w->edited.p && take_edited(r, w->edited, e) < 0)
		return -1;
	r->agreed = true;
	return 1;
}

/* -- carrying it out ----------------------------------------------------------------- */

static bool is_done(const struct runner *r)
{
	for (size_t i = 0; i < r->plan.n_steps; i++)
		if (r->steps[i].row.status != PLAN_DONE)
			return false;
	return true;
}

static void answer(const struct runner *r, struct buf *out)
{
	struct jw w = jw_on(out);

	jw_obj(&w);
	jw_kuuid(&w, "planId", &r->row.id);
	jw_kstr(&w, "status", r->row.status);
	jw_kstr(&w, "goal", r->plan.goal);
	jw_key(&w, "steps");
	turn_plan_write_steps(&w, r, true);
	jw_end_obj(&w);
}

static int carry_out(struct runner *r, struct buf *out, struct err *e)
{
	struct turn_loop *l = r->l;

	r->row.status = STR("running");
	if (agentplan_start(turn_plan_db(r), &l->owner, &r->row, r->plan.n_steps, e) < 0 ||
	    turn_plan_load_steps(r, e) < 0 || turn_plan_run_steps(r, e) < 0)
		return -1;
	if (r->n_waits)
		return turn_plan_tell(r, "waiting", e);
	if (turn_plan_tell(r, is_done(r) ? "done" : "partial", e) < 0)
		return -1;
	for (size_t i = 0; i < r->plan.n_steps; i++)
		origins_join(&r->of->from, &r->steps[i].from);
	r->of->untrusted |= r->of->from.n > 0;
	answer(r, out);
	return 0;
}

/* It has failed, or was refused. A process that ends leaves it for the next one. */
static void stop(struct runner *r)
{
	struct err ignored = ERR_INIT;

	if (r->l->relay.entry.interrupted || !r->plan.n_steps)
		return;
	turn_plan_drop_waits(r);
	if (!r->steps && turn_plan_load_steps(r, &ignored) < 0)
		log_err("steps of a stopped plan", &ignored);
	else if (turn_plan_tell(r, "stopped", &ignored) < 0)
		log_err("a stopped plan", &ignored);
}

int turn_plan_run(const struct tool_ctx *call, const struct tool *t, const json_t *args,
		  struct buf *out, struct err *e)
{
	struct call_run *run = call->host_ctx;
	struct turn_loop *l = run->loop;
	struct turn_call *c = run->call;
	struct runner *r = arena_new(call->arena, struct runner);
	struct turn_wait *rows;
	size_t n_rows;
	bool stored, fresh;
	int rc;

	*r = (struct runner){
		.l = l, .call = call, .tool = t, .of = c, .a = call->arena,
		.row.id = agentplan_id_of(&l->run->id, c->id), .log = log_bound(),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.again = jx_str(args, "again").n > 0,
	};
	clock_cond_init(&r->changed);
	rc = store_turn_wait_list(turn_plan_db(r), &l->owner, &l->run->id, r->a, &rows, &n_rows, e);
	r->rows = rows;
	r->n_rows = rc < 0 ? 0 : n_rows;
	if (rc == 0)
		rc = agentplan_get(turn_plan_db(r), &l->owner, &r->row.id, r->a, &r->row, e);
	stored = rc > 0;
	fresh = !stored;
	if (rc >= 0)
		rc = rc ? read_stored(r, e) : r->again ? begin_again(r, args, e)
			: begin(r, args, e);
	stored |= rc == 0;
	/* The user came back: a job may go on with it for another day (wake.c). */
	if (rc == 0 && !fresh && !l->run->in.woken)
		rc = agentplan_asked(turn_plan_db(r), &l->owner, &r->row.id, rights(r), e);
	if (rc == 0 && str_is(r->row.status, "proposed"))
		rc = may_run(r, e);
	else if (rc == 0)
		rc = 1;
	if (rc > 0)
		rc = carry_out(r, out, e);
	/* Else its row is none, or that of the plan that was to run again. */
	if (rc < 0 && stored)
		stop(r);
	run->waits = r->waits;
	/* What was asked before the process ends waits on. */
	run->n_waits = rc < 0 && !l->relay.entry.interrupted ? 0 : r->n_waits;
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	return rc;
}
