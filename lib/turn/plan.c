/* SPDX-License-Identifier: MIT */
#include "turn/plan.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "net/http.h"
#include "plan/plan.h"
#include "plan/rows.h"
#include "tool/agent/option.h"
#include "tool/core/kind.h"
#include "turn/ask.h"
#include "turn/calls.h"
#include "turn/finish.h"
#include "turn/loop.h"
#include "turn/nested.h"
#include "turn/plan_prompt.h"
#include "turn/plan_stop.h"
#include "turn/trail.h"

#include "base/banned.h"

enum {
	STACK_BYTES = 262144,
	STEP_MS = 900000,
	STEP_ROUNDS = 12, STEP_CALLS = 30, STEP_TOKENS = 200000,
	TOLD_CHARS = 4000,	/* of a step's result in that of the plan */
	LOOK_MS = 1000,		/* how often is looked for steps that the user has stopped */
	INPUTS_CHARS = 1000000,	/* of all inputs of a step; each has the same part of it */
};

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
	struct turn_wait *waits;
	size_t n_waits, waits_size;
	bool agreed;			/* the user has approved the plan */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const struct log_bound *log;
};

static struct db *db_of(const struct runner *r)
{
	return r->l->run->deps->db;
}

static bool known(void *ctx, struct str tool)
{
	const struct runner *r = ctx;

	return tool_set_find(&r->l->tools, tool) != NULL;
}

/* -- where it stands ---------------------------------------------------------------- */

static void write_steps(struct jw *w, const struct runner *r, bool results)
{
	jw_arr(w);
	for (size_t i = 0; i < r->plan.n_steps; i++) {
		const struct plan_step_row *s = &r->steps[i].row;
		const bool over = s->status == PLAN_DONE || s->status == PLAN_FAILED;

		jw_obj(w);
		jw_kstr(w, "id", r->plan.steps[i].id);
		if (results)
			jw_kstr(w, "title", r->plan.steps[i].title);
		jw_kstrz(w, "status", agentplan_step_status(s));
		if (s->tokens)
			jw_kint(w, "tokens", s->tokens);
		if (!isnan(s->cost) && s->cost > 0)
			jw_kreal(w, "cost", s->cost);
		if (over && s->started_us)
			jw_kint(w, "durationMs", (s->ended_us - s->started_us) / 1000);
		if (results && s->result.p)
			jw_kstr(w, "result", utf8_head(s->result, TOLD_CHARS));
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void write_board(struct jw *w, const struct runner *r)
{
	jw_kuuid(w, "planId", &r->row.id);
	jw_kstr(w, "callId", r->of->id);
	jw_kstr(w, "status", r->row.status);
	jw_key(w, "plan");
	jw_json(w, r->plan.json);
	jw_key(w, "progress");
	write_steps(w, r, false);
}

/* Stores where it stands and shows it. */
static int tell(struct runner *r, const char *status, struct err *e)
{
	struct buf b = BUF_INIT(1048576), s = BUF_INIT(1048576);
	struct jw w = jw_on(&b), sw = jw_on(&s);
	int rc;

	r->row.status = str_of(status);
	write_steps(&sw, r, false);
	r->row.progress = arena_str(r->a, buf_str(&s));
	rc = agentplan_set(db_of(r), &r->l->owner, &r->row, e);
	jw_obj(&w);
	write_board(&w, r);
	jw_end_obj(&w);
	tool_note(r->call, &(struct tool_note){ .plan = buf_str(&b) });
	buf_release(&b);
	buf_release(&s);
	return rc;
}

/* -- making it ---------------------------------------------------------------------- */

/* The tool's schema, of a whole plan. */
static json_t *plan_schema(const struct runner *r, struct arena *a)
{
	const struct tool_offer *o = tool_set_find(&r->l->tools, str_of(r->tool->name));
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
	for (size_t i = 0; i < r->l->tools.n; i++) {
		const struct tool_offer *o = &r->l->tools.v[i];

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

/* The agent that is declared for an executor, plan_writer for example; or NULL. */
static const struct conf_tool *declared(const struct runner *r, enum plan_executor x)
{
	const struct caller *by = &r->l->run->in.by;
	const struct workspace *w = r->l->run->in.target.workspace;
	const char *name = arena_printf(r->a, "plan_%s", agentplan_executor_name(x));

	for (size_t i = 0; i < w->n_tools; i++)
		if (!strcmp(w->tools[i].name, name) && w->tools[i].agent)
			return &w->tools[i];
	for (size_t i = 0; i < by->conf->n_tools; i++)
		if (!strcmp(by->conf->tools[i].name, name) && by->conf->tools[i].agent)
			return &by->conf->tools[i];
	return NULL;
}

/* Asks the model once; its answer fits the schema. */
static int ask(struct runner *r, const json_t *args, struct str wrong, json_t **out,
	       struct err *e)
{
	const struct conf_tool *d = declared(r, PLAN_PLANNER);
	const struct llm_service *s = d ? tool_agent_service(r->l->run->in.by.conf, d->agent)
					: NULL;
	struct prompt_ask q = {
		.service = s ? s : r->l->run->in.target.service, .kind = USAGE_AGENT,
		.layer = "tool", .prompt = &turn_plan_prompt, .guardrails = true,
		.input = plan_input(r, args, wrong), .schema = plan_schema(r, r->a),
		.max_bytes = LIM_TOOL_ARGS_BYTES, .stream = true, .abort = r->l->abort,
	};
	struct prompt_reply reply;
	int rc = turn_ask(r->l->run->deps, NULL, &q, r->a, &reply, e);

	turn_usage_place(&reply.usage, r->l);
	reply.usage.agent_id = STR("plan");
	prompt_ask_record(db_of(r), &r->l->owner, &reply);
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

static void set_row(struct runner *r)
{
	r->row.conversation_id = r->l->run->conversation_id;
	r->row.turn_id = r->l->run->id;
	r->row.goal = r->plan.goal;
	r->row.status = STR("proposed");
	r->row.plan = plan_text(r);
	r->row.progress = STR("[]");
	r->row.origins = origins_text(&r->from, r->a);
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
	return agentplan_put(db_of(r), &l->owner, &r->row, r->of->id, e);
}

/* -- making it again ---------------------------------------------------------------- */

/* Makes those steps ready that run again; the others stay as they were. */
static int choose_again(struct runner *r, const json_t *ids, struct plan_step_row *v,
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
		rc = agentplan_get(db_of(r), &l->owner, &id, r->a, &r->row, e);
	if (rc < 0)
		return -1;
	if (!rc || !uuid_eq(&r->row.conversation_id, &l->run->conversation_id))
		return err_public(e, ERR_TOOL_ARGS, "There is no such plan in this "
				  "conversation.");
	if (read_stored(r, e) < 0 ||
	    agentplan_steps(db_of(r), &l->owner, &id, r->a, &rows, &n, e) < 0)
		return -1;
	origins_join(&r->from, r->call->taint);
	v = arena_zalloc(r->a, r->plan.n_steps, sizeof(*v));
	for (size_t i = 0; i < r->plan.n_steps; i++)
		v[i] = i < n ? rows[i] : (struct plan_step_row){
			.number = (int64_t)i, .status = PLAN_READY, .cost = NAN };
	if (choose_again(r, jx_arr(args, "steps"), v, e) < 0)
		return -1;
	r->row.id = fresh;
	set_row(r);
	return agentplan_put_again(db_of(r), &l->owner, &r->row, r->of->id, v,
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

/* -- one step ----------------------------------------------------------------------- */

/*
 * What a step gave under this name: a member of its answer, or all of it; of what is longer
 * than max characters the beginning.
 */
static void write_output(struct jw *w, const struct work *k, const struct plan_step *s,
			 const char *name, size_t max, struct arena *a)
{
	json_t *j = json_array_size(s->outputs) > 1 ? jx_try(str_trim(k->row.result)) : NULL;
	const json_t *v = json_object_get(j, name);
	struct str text = v && !json_is_string(v) ? str_of(jx_text(a, v)) :
		v ? (struct str){ json_string_value(v), json_string_length(v) } :
		k->row.result.p ? k->row.result : STR("");
	const struct str head = utf8_head(text, max);

	jw_key(w, name);
	if (head.n < text.n)
		jw_str(w, str_of(arena_printf(a, "%.*s\n[The rest is left out: it is too long.]",
					      STR_ARG(head))));
	else if (v)
		jw_json(w, v);
	else
		jw_str(w, text);
	json_decref(j);
}

static void write_inputs(struct jw *w, struct work *k)
{
	const struct runner *r = k->r;
	const json_t *inputs = r->plan.steps[k->number].inputs, *v;
	const size_t max = INPUTS_CHARS / MAX(json_array_size(inputs), 1);
	size_t i;

	jw_key(w, "inputs");
	jw_obj(w);
	json_array_foreach((json_t *)inputs, i, v) {
		const char *name = json_string_value(v);

		for (size_t m = 0; m < r->plan.n_steps; m++)
			if (agentplan_makes(&r->plan.steps[m], str_of(name)))
				write_output(w, &r->steps[m], &r->plan.steps[m], name,
					     max, &k->arena);
	}
	jw_end_obj(w);
}

static struct str step_input(struct work *k)
{
	const struct runner *r = k->r;
	const struct plan_step *s = &r->plan.steps[k->number];
	/* Of a character JSON makes up to six bytes. */
	struct buf b = BUF_INIT(6 * (INPUTS_CHARS + LIM_TOOL_ARGS_BYTES));
	struct jw w = jw_on(&b);
	struct str text;

	jw_obj(&w);
	jw_kstr(&w, "goal", r->plan.goal);
	if (jx_arr(r->plan.json, "constraints")) {
		jw_key(&w, "constraints");
		jw_json(&w, jx_arr(r->plan.json, "constraints"));
	}
	jw_key(&w, "step");
	jw_obj(&w);
	jw_kstr(&w, "id", s->id);
	jw_kstr(&w, "title", s->title);
	jw_kstr(&w, "intent", s->intent);
	if (s->outputs) {
		jw_key(&w, "outputs");
		jw_json(&w, s->outputs);
	}
	jw_end_obj(&w);
	write_inputs(&w, k);
	jw_end_obj(&w);
	text = arena_str(&k->arena, buf_str(&b));
	buf_release(&b);
	return text;
}

/* The step's agent: that of its executor, with the tools of the step. */
static void make_agent(struct work *k)
{
	const struct runner *r = k->r;
	const struct plan_step *s = &r->plan.steps[k->number];
	const struct conf_tool *d = declared(r, s->executor);
	const size_t n = json_array_size(s->tools);
	const char **tools = arena_alloc(r->a, (n + 1) * sizeof(*tools));

	for (size_t i = 0; i < n; i++)
		tools[i] = json_string_value(json_array_get(s->tools, i));
	k->agent = d ? *d->agent : (struct conf_tool_agent){
		.prompt = turn_plan_step_prompt(s->executor), .llm_service = "",
		.max_tool_iterations = STEP_ROUNDS, .max_calls = STEP_CALLS,
		.max_tokens = STEP_TOKENS,
	};
	k->agent.tools = (struct conf_list){ tools, n };
	k->tool = (struct conf_tool){
		.name = arena_printf(r->a, "plan_%s", agentplan_executor_name(s->executor)),
		.kind = "agent", .description = "", .group = "",
		.timeout_ms = d && d->timeout_ms ? d->timeout_ms : STEP_MS,
		.agent = &k->agent, .file = "built-in",
	};
}

static void run_step(struct work *k)
{
	struct runner *r = k->r;
	struct tool_ctx ctx = *r->call;
	struct origins given = r->from;
	struct tool_task task = { .tool = &k->tool };

	for (size_t i = 0; i < r->plan.n_steps; i++)
		if (r->plan.steps[k->number].needs & ((uint64_t)1 << i))
			origins_join(&given, &r->steps[i].from);
	ctx.arena = &k->arena;
	if (r->agreed)
		ctx.turn.said = TOOL_MODE_ACT;
	task.input = step_input(k);
	k->rc = nested_step(r->l, &ctx, &task, &k->trail, &given, &k->text, &k->end,
			    &k->err);
}

static void *step_main(void *p)
{
	struct work *k = p;
	struct runner *r = k->r;

	log_borrow(r->log);
	run_step(k);
	pthread_mutex_lock(&r->lock);
	k->ended = true;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* -- all steps ---------------------------------------------------------------------- */

static bool is_over(int64_t status)
{
	return status == PLAN_DONE || status == PLAN_FAILED || status == PLAN_SKIPPED;
}

static int store(struct work *k, struct err *e)
{
	return agentplan_step_set(db_of(k->r), &k->r->row.id, &k->row, e);
}

static void set_skipped(struct work *k, const char *why)
{
	k->row.status = PLAN_SKIPPED;
	k->row.result = str_of(why);
	k->row.ended_us = clock_now_us();
}

static int start(struct runner *r, size_t i, struct err *e)
{
	struct work *k = &r->steps[i];
	pthread_attr_t attr;
	int rc;

	k->arena = (struct arena)ARENA_INIT;
	k->text = (struct buf)BUF_INIT(LIM_ANSWER_BYTES);
	k->err = (struct err)ERR_INIT;
	k->trail = (struct trail){
		.plan_id = r->row.id, .step = i, .rows = r->rows, .n_rows = r->n_rows,
		.stop = &k->stop, .call = r->call,
	};
	make_agent(k);
	if (!k->row.started_us)
		k->row.started_us = clock_now_us();
	rc = agentplan_step_begin(db_of(r), &r->row.id, k->row.number, k->row.started_us, e);
	if (rc == 0)
		set_skipped(k, PLAN_SKIPPED_TEXT);
	if (rc <= 0 || turn_step_open(&k->stop, r->l->abort, e) < 0)
		return MIN(rc, 0);
	k->row.status = PLAN_RUNNING;
	k->runs = true;
	k->ended = false;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	k->threaded = pthread_create(&k->thread, &attr, step_main, k) == 0;
	pthread_attr_destroy(&attr);
	if (!k->threaded) {
		log_warn("no thread for a step of a plan, it runs in the plan's");
		run_step(k);
		k->ended = true;
	}
	return 0;
}

static void add_waits(struct runner *r, const struct nested_end *end)
{
	r->waits = arena_room(r->a, r->waits, r->n_waits, end->n_waits, &r->waits_size,
			      sizeof(*r->waits));
	for (size_t i = 0; i < end->n_waits; i++)
		store_turn_wait_copy(&r->waits[r->n_waits++], &end->waits[i], r->a);
}

/* Whether it has no result of its own: its model was cut off, or it would wait. */
static bool was_cut(const struct work *k)
{
	return k->rc < 0 ? k->err.code == ERR_CANCELLED : k->end.n_waits > 0;
}

/* Takes the outcome of a step whose thread is over. */
static int finish(struct work *k, struct err *e)
{
	struct runner *r = k->r;

	if (k->threaded)
		pthread_join(k->thread, NULL);
	turn_step_close(&k->stop);
	k->runs = false;
	k->row.tokens += k->end.tokens;
	if (!isnan(k->end.cost))
		k->row.cost = (isnan(k->row.cost) ? 0 : k->row.cost) + k->end.cost;
	k->from = k->end.from;
	k->row.origins = origins_text(&k->from, r->a);
	if (k->row.stop_us && !http_aborted(r->l->abort) && was_cut(k)) {
		set_skipped(k, PLAN_STOPPED_TEXT);
	} else if (k->rc == 0 && k->end.n_waits) {
		k->row.status = PLAN_WAITING;
		add_waits(r, &k->end);
	} else {
		k->row.status = k->rc == 0 ? PLAN_DONE : PLAN_FAILED;
		k->row.result = k->rc == 0 ? arena_str(r->a, buf_str(&k->text))
			: str_of(arena_strdup(r->a, err_message(&k->err)));
		k->row.ended_us = clock_now_us();
	}
	buf_release(&k->text);
	arena_release(&k->arena);
	/* A stopped one goes on where it was, should the plan. */
	if (k->rc < 0 && k->err.code == ERR_CANCELLED && k->row.status != PLAN_SKIPPED) {
		k->row.status = PLAN_READY;
		k->row.result = (struct str){ NULL, 0 };
	}
	return store(k, e);
}

/* Whether what it needs failed; then it is not run. */
static bool is_blocked(const struct runner *r, size_t i)
{
	for (size_t k = 0; k < r->plan.n_steps; k++)
		if (r->plan.steps[i].needs & ((uint64_t)1 << k) &&
		    (r->steps[k].row.status == PLAN_FAILED ||
		     r->steps[k].row.status == PLAN_SKIPPED))
			return true;
	return false;
}

static bool is_ready(const struct runner *r, size_t i)
{
	if (r->steps[i].runs || r->steps[i].row.status != PLAN_READY)
		return false;
	for (size_t k = 0; k < r->plan.n_steps; k++)
		if (r->plan.steps[i].after & ((uint64_t)1 << k) &&
		    !is_over(r->steps[k].row.status))
			return false;
	return true;
}

static int skip(struct runner *r, size_t i, struct err *e)
{
	set_skipped(&r->steps[i], "A step that it needs failed or was skipped.");
	return store(&r->steps[i], e);
}

/* Starts or skips what can be. *moved: there was something. */
static int start_ready(struct runner *r, size_t *running, bool *moved, struct err *e)
{
	for (size_t i = 0; i < r->plan.n_steps && *running < PLAN_PARALLEL; i++) {
		if (!is_ready(r, i))
			continue;
		*moved = true;
		if (is_blocked(r, i) ? skip(r, i, e) < 0 : start(r, i, e) < 0)
			return -1;
		*running += r->steps[i].runs;
	}
	return 0;
}

/* Stops the running steps that the user wants stopped, in whichever process that was said. */
static void look(struct runner *r)
{
	struct err e = ERR_INIT;
	struct arena_mark m = arena_mark(r->a);
	struct plan_step_row *rows;
	bool any = false;
	size_t n = 0;

	if (agentplan_stopped(db_of(r), &r->row.id, r->a, &rows, &n, &e) < 0)
		log_err("steps to stop", &e);
	for (size_t i = 0; i < n; i++) {
		struct work *k = rows[i].number < (int64_t)r->plan.n_steps
			? &r->steps[rows[i].number] : NULL;

		if (!k || !k->runs || k->row.stop_us)
			continue;
		k->row.stop_us = rows[i].stop_us;
		any |= turn_step_stop(&k->stop);
	}
	arena_rewind(r->a, m);
	if (any && tell(r, "running", &e) < 0)
		log_err("where a plan stands", &e);
}

/* One that has ended; waits for it. NULL: none runs. */
static struct work *next_ended(struct runner *r)
{
	struct work *found = NULL;
	bool any = true;

	pthread_mutex_lock(&r->lock);
	while (!found && any) {
		struct timespec at = clock_mono_at(clock_mono_ms() + LOOK_MS);

		any = false;
		for (size_t i = 0; i < r->plan.n_steps && !found; i++) {
			any |= r->steps[i].runs;
			if (r->steps[i].runs && r->steps[i].ended)
				found = &r->steps[i];
		}
		if (found || !any || pthread_cond_timedwait(&r->changed, &r->lock, &at) == 0)
			continue;
		pthread_mutex_unlock(&r->lock);
		look(r);
		pthread_mutex_lock(&r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	return found;
}

/* Runs steps until none can go on. */
static int run_all(struct runner *r, struct err *e)
{
	struct err first = ERR_INIT;
	size_t running = 0;
	struct work *k;

	for (;;) {
		bool moved = false;

		if (first.code == ERR_NONE && !http_aborted(r->l->abort) &&
		    start_ready(r, &running, &moved, &first) == 0 && moved &&
		    tell(r, "running", &first) == 0 && running < PLAN_PARALLEL && !running)
			continue;	/* all were skipped */
		k = next_ended(r);
		if (!k)
			break;
		running--;
		if (finish(k, first.code == ERR_NONE ? &first : &(struct err)ERR_INIT) == 0 &&
		    first.code == ERR_NONE && tell(r, "running", &first) < 0)
			continue;
	}
	if (first.code == ERR_NONE && http_aborted(r->l->abort))
		err_set(&first, ERR_CANCELLED, "stopped on request");
	if (first.code == ERR_NONE)
		return 0;
	*e = first;
	return -1;
}

/* One that the user stopped, and whose process ended before it did. */
static int skip_stopped(struct work *k, struct err *e)
{
	const int cut = agentplan_was_cut(db_of(k->r), &k->r->row.id, k->row.number, e);

	if (cut < 0)
		return -1;
	set_skipped(k, cut ? PLAN_CUT_TEXT : PLAN_STOPPED_TEXT);
	return store(k, e);
}

/* The steps as stored; those that ran in a process that died, or waited, run again. */
static int load_steps(struct runner *r, struct err *e)
{
	struct plan_step_row *rows;
	size_t n;

	if (agentplan_steps(db_of(r), &r->l->owner, &r->row.id, r->a, &rows, &n, e) < 0)
		return -1;
	r->steps = arena_zalloc(r->a, r->plan.n_steps, sizeof(*r->steps));
	for (size_t i = 0; i < r->plan.n_steps; i++) {
		struct work *k = &r->steps[i];

		*k = (struct work){ .r = r, .number = i };
		k->row = i < n ? rows[i] : (struct plan_step_row){ .cost = NAN };
		k->row.number = (int64_t)i;
		if (!is_over(k->row.status))
			k->row.status = PLAN_READY;
		if (k->row.status == PLAN_READY && k->row.stop_us &&
		    skip_stopped(k, e) < 0)
			return -1;
		if (k->row.origins.p)
			origins_parse(&k->from, k->row.origins);
	}
	return 0;
}

static bool is_done(const struct runner *r)
{
	for (size_t i = 0; i < r->plan.n_steps; i++)
		if (r->steps[i].row.status != PLAN_DONE)
			return false;
	return true;
}

static void drop_waits(struct runner *r, int64_t step)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n_waits; i++)
		if (agentplan_step_of_wait(&r->row.id, r->waits[i].call_id) != step)
			r->waits[kept++] = r->waits[i];
	r->n_waits = kept;
}

/* Takes what the user has skipped of what waits. 1: there was something; 0; -1. */
static int take_skipped(struct runner *r, struct err *e)
{
	struct plan_step_row *rows;
	size_t n;
	int any = 0;

	if (agentplan_steps(db_of(r), &r->l->owner, &r->row.id, r->a, &rows, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n && i < r->plan.n_steps; i++)
		if (rows[i].status == PLAN_SKIPPED &&
		    r->steps[i].row.status == PLAN_WAITING) {
			set_skipped(&r->steps[i], PLAN_SKIPPED_TEXT);
			drop_waits(r, rows[i].number);
			any = 1;
		}
	return any;
}

static void answer(const struct runner *r, struct buf *out)
{
	struct jw w = jw_on(out);

	jw_obj(&w);
	jw_kuuid(&w, "planId", &r->row.id);
	jw_kstr(&w, "status", r->row.status);
	jw_kstr(&w, "goal", r->plan.goal);
	jw_key(&w, "steps");
	write_steps(&w, r, true);
	jw_end_obj(&w);
}

static int carry_out(struct runner *r, struct buf *out, struct err *e)
{
	struct turn_loop *l = r->l;
	int skipped;

	r->row.status = STR("running");
	if (agentplan_start(db_of(r), &l->owner, &r->row, r->plan.n_steps, e) < 0 ||
	    load_steps(r, e) < 0)
		return -1;
	do {
		if (run_all(r, e) < 0)
			return -1;
		skipped = r->n_waits ? take_skipped(r, e) : 0;
	} while (skipped > 0);
	if (skipped < 0)
		return -1;
	if (r->n_waits)
		return tell(r, "waiting", e);
	if (tell(r, is_done(r) ? "done" : "partial", e) < 0)
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

	if (r->l->live.interrupted || !r->plan.n_steps)
		return;
	if (!r->steps && load_steps(r, &ignored) < 0)
		log_err("steps of a stopped plan", &ignored);
	else if (tell(r, "stopped", &ignored) < 0)
		log_err("a stopped plan", &ignored);
}

int turn_plan_run(struct turn_loop *l, struct turn_call *c, const struct tool_ctx *call,
		  const struct tool *t, const json_t *args, struct buf *out,
		  struct turn_wait **waits, size_t *n, struct err *e)
{
	struct runner *r = arena_new(call->arena, struct runner);
	struct turn_wait *rows;
	size_t n_rows;
	bool stored;
	int rc;

	*r = (struct runner){
		.l = l, .call = call, .tool = t, .of = c, .a = call->arena,
		.row.id = agentplan_id_of(&l->run->id, c->id), .log = log_bound(),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.again = jx_str(args, "again").n > 0,
	};
	clock_cond_init(&r->changed);
	rc = store_turn_wait_list(db_of(r), &l->owner, &l->run->id, r->a, &rows, &n_rows, e);
	r->rows = rows;
	r->n_rows = rc < 0 ? 0 : n_rows;
	if (rc == 0)
		rc = agentplan_get(db_of(r), &l->owner, &r->row.id, r->a, &r->row, e);
	stored = rc > 0;
	if (rc >= 0)
		rc = rc ? read_stored(r, e) : r->again ? begin_again(r, args, e)
			: begin(r, args, e);
	stored |= rc == 0;
	if (rc == 0 && str_is(r->row.status, "proposed"))
		rc = may_run(r, e);
	else if (rc == 0)
		rc = 1;
	if (rc > 0)
		rc = carry_out(r, out, e);
	/* Else its row is none, or that of the plan that was to run again. */
	if (rc < 0 && stored)
		stop(r);
	*waits = r->waits;
	*n = rc < 0 ? 0 : r->n_waits;
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	return rc;
}

void turn_plan_keep_waits(struct turn_call *c, const struct turn_wait *waits, size_t n,
			  struct arena *a)
{
	c->inner = arena_zalloc(a, n, sizeof(*c->inner));
	c->n_inner = n;
	for (size_t i = 0; i < n; i++)
		store_turn_wait_copy(&c->inner[i], &waits[i], a);
	c->wait = WAIT_APPROVAL;
}
