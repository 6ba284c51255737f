/* SPDX-License-Identifier: MIT */
/*
 * The tool calls of one step. Every call gets an answer (P-B15), except those that
 * wait for somebody (pause.c): they get it when the turn is resumed. A single short
 * call runs in the turn's own thread; several run in parallel, up to a limit, while
 * the turn's thread keeps the client informed: only that thread emits events.
 */
#include "turn/calls.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "memory/fact.h"
#include "plan/rows.h"
#include "context/cite.h"
#include "context/history.h"
#include "turn/finish.h"
#include "turn/loop.h"
#include "turn/nested.h"
#include "turn/note.h"
#include "turn/operation.h"
#include "turn/pause.h"
#include "turn/plan.h"
#include "turn/plan_stop.h"
#include "context/remember.h"
#include "context/text_origin.h"
#include "turn/stuck.h"
#include "turn/trail.h"

#include "base/banned.h"

enum {
	TOOL_STACK_BYTES = 262144,
	REPEATS = 2,		/* limit for equal calls */
};

struct jobs {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	const struct log_bound *log;	/* of the turn's thread */
};

enum job_state { JOB_WAITS, JOB_RUNS, JOB_ENDED, JOB_DONE };

struct call_job {
	struct call_run run;		/* must be first: tool_ctx.host_ctx */
	struct jobs *jobs;
	struct arena arena;		/* for this call only */
	struct tool_result result;	/* in that arena */
	enum job_state state;		/* under jobs->lock while it runs */
	pthread_t thread;
	struct resource_changes changes;	/* in the arena */
	struct call_notes notes;	/* under jobs->lock */
};

/* -- what is told and noted ------------------------------------------------- */

static void tell_call(struct turn_loop *l, const struct turn_call *c)
{
	struct turn_event ev = {
		.type = TURN_EV_TOOL_CALL, .call_id = c->id,
		.tool_name = c->name, .text = tool_set_title(&l->context.tools, c->name),
		.args = c->bad_args ? STR("{}") : c->args,
	};

	relay_emit(&l->relay, &ev);
}

static void tell_result(struct turn_loop *l, const struct turn_call *c)
{
	struct turn_event ev = {
		.type = TURN_EV_TOOL_RESULT, .call_id = c->id,
		.tool_name = c->name, .result = c->result.text,
		.result_json = c->result.is_json,
		.is_error = c->result.is_error,
		.duration_ms = c->result.duration_ms,
	};

	relay_emit(&l->relay, &ev);
	relay_flush(&l->relay);
}

/* Adds {"name","ms","ok"} to the usage record, for tools that exist. */
static void note_timing(struct turn_loop *l, const struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);
	struct jw w = jw_on(&l->served.timings);

	if (!o)
		return;
	if (l->served.timings.n)
		buf_addc(&l->served.timings, ',');
	jw_obj(&w);
	jw_kstrz(&w, "name", o->tool->name);
	jw_kint(&w, "ms", c->result.duration_ms);
	jw_kbool(&w, "ok", !c->result.is_error);
	jw_end_obj(&w);
}

/*
 * The result of an external tool is untrusted, even if it failed. Results from
 * the page or the user were classified where they came in.
 */
static void judge(struct turn_loop *l, struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);
	bool foreign = o && o->tool->untrusted && c->result.ran;

	c->untrusted |= foreign && c->result.foreign;
	if (!foreign && !c->untrusted)
		c->from.n = 0;
	else if (!c->from.n)
		origins_add(&c->from, ORIGIN_TOOL_RESULT, c->name);
	/*
	 * From the next step on: those of this one are judged by log.asked (calls_run).
	 */
	origins_join(&l->context.taint, &c->from);
}

static void tell_action(struct turn_loop *l, const struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);
	struct turn_event ev = {
		.type = TURN_EV_SUGGESTED_ACTION, .call_id = c->id,
		.tool_name = c->name, .args = c->result.text,
	};

	if (o && o->tool->suggests && !c->result.is_error)
		relay_emit(&l->relay, &ev);
}

/* What is remembered of the conversation without a model (memory/fact.h). */
static void note_change(struct turn_loop *l, const struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);
	struct turn_event ev = { .type = TURN_EV_AGENT_STATE };
	const bool changes = o && o->tool->effect != TOOL_READ;
	/* Those of steps were told by theirs. */
	const struct resource_changes none = { .first = NULL };

	l->context.memory.changed |= c->reply || c->row || changes || c->changes.first;
	/* An agent's turn looks itself whether it remembers. */
	if (!changes || c->result.is_error || (!l->within.parent && !context_remembers(l->run)))
		return;
	ev.args = fact_delta(c->name, c->result.text, o->tool->resumes ? &none
			     : &c->changes, l->arena);
	if (ev.args.n)
		relay_emit(&l->relay, &ev);
}

void calls_end(struct turn_loop *l, struct turn_call *c)
{
	judge(l, c);
	note_timing(l, c);
	tell_action(l, c);
	cite_tell(&l->context);
	tell_result(l, c);
	note_change(l, c);
	stuck_note(&l->log, &l->context.tools, c);
	/* What the end of the run has cut is to be done by the next one. */
	if (l->within.trail && !(c->result.is_error && http_aborted(l->abort)))
		trail_end(l, c);
}

/* The mode of the step's changes in projects, the least certain one (D10, D69). */
static void tell_mode(struct turn_loop *l)
{
	enum tool_mode mode = TOOL_MODE_NONE;
	struct turn_event ev = { .type = TURN_EV_AGENT_STATE, .args = STR("{}") };

	for (size_t i = 0; i < l->step.n_calls; i++) {
		const struct turn_call *c = &l->step.calls[i];
		const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);
		json_t *args = o && tool_declares(o->tool) ? jx_try(c->args) : NULL;
		const enum tool_mode m = o ? tool_mode_of(o->tool, &l->context.tool_ctx, args) : 0;

		json_decref(args);
		if (m && (!mode || m < mode))
			mode = m;
	}
	if (!mode || mode == l->log.mode)
		return;
	l->log.mode = mode;
	ev.code = str_of(tool_mode_name(mode));
	relay_emit(&l->relay, &ev);
}

static bool is_agent(const struct tool_offer *o)
{
	return o->tool->kind && !strcmp(o->tool->kind, "agent");
}

bool calls_may_change(const struct turn_loop *l, const struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);

	return o && (o->tool->effect != TOOL_READ || is_agent(o));
}

/* An agent changes something only by calls of its own. */
static bool changes_itself(const struct turn_loop *l, const struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);

	return o && o->tool->effect != TOOL_READ && !is_agent(o);
}

/* -- calls that are not run ------------------------------------------------- */

struct str calls_canonical(struct turn_loop *l, const struct turn_call *c)
{
	struct buf b = BUF_INIT(LIM_TOOL_ARGS_BYTES * 2);
	struct err e = ERR_INIT;
	json_auto_t *j = c->bad_args ? NULL : jx_load_lenient(c->args, &e);
	struct str s;

	if (!j)
		return c->args;
	jx_dump_sorted(&b, j);
	s = arena_str(l->arena, buf_str(&b));
	buf_release(&b);
	return s;
}

int calls_note(struct turn_loop *l, struct turn_call *c)
{
	struct str args = calls_canonical(l, c);
	struct turn_seen *s;

	for (s = l->log.seen; s; s = s->next)
		if (str_eq(s->name, c->name) && str_eq(s->args, args)) {
			c->seen = s;
			return s->times++;
		}
	s = arena_new(l->arena, struct turn_seen);
	*s = (struct turn_seen){ l->log.seen, c->name, args, 1 };
	l->log.seen = s;
	c->seen = s;
	return 0;
}

/* Explains a call that was cut off with the answer; NULL if it was not. */
static const char *cut_off(const struct turn_loop *l, const struct turn_call *c)
{
	if (!c->bad_args)
		return NULL;
	if (l->step.stop == LLM_STOP_MAX_TOKENS ||
	    l->step.stop == LLM_STOP_CONTEXT)
		return "The call was cut off at the output limit, so its "
			"arguments are incomplete. Make a shorter call.";
	/* lib/tool reads no arguments as {}; here they are missing. */
	if (!c->args.n)
		return "The answer was cut off before the arguments of the "
			"call. Make the call again, with its arguments.";
	return NULL;
}

/* Whether the call is answered without running. */
static bool refused(struct turn_loop *l, struct turn_call *c)
{
	const char *cut;

	if (http_aborted(l->abort)) {
		tool_refuse(l->arena, ERR_CANCELLED,
			    "The user stopped this turn before the call ran.",
			    &c->result);
		return true;
	}
	cut = cut_off(l, c);
	if (cut) {
		tool_refuse(l->arena, ERR_TOOL_ARGS, cut, &c->result);
		return true;
	}
	if (l->within.parent && l->within.n_called++ >= l->within.max_calls) {
		tool_refuse(l->arena, ERR_TOOL_FAILED,
			    "No more tool calls are possible here. Answer with "
			    "what you have, and say what is missing.",
			    &c->result);
		return true;
	}
	if (calls_note(l, c) >= REPEATS || stuck_repeats(&l->log, c)) {
		tool_refuse(l->arena, ERR_TOOL_ARGS,
			    "This call was made with the same arguments before; "
			    "its result will not change. Use the results that "
			    "you have, change the arguments, or answer.",
			    &c->result);
		c->repeated = true;
		return true;
	}
	return false;
}

/* -- calls that wait ------------------------------------------------------------ */

/*
 * Whether the user must be asked. Approvals for the whole conversation are read
 * when the first call needs them.
 */
static bool asks(struct turn_loop *l, const struct tool *t, struct turn_call *c)
{
	struct tool_ctx *ctx = &l->context.tool_ctx;
	struct wait_allowed *rows;
	struct err e = ERR_INIT;
	struct str *allowed;
	const json_t *args;
	size_t n;

	args = tool_declares(t) ? jx_keep(l->arena, jx_try(c->args)) : NULL;
	/* A plan (resumes) asks for itself, with what it is going to do. */
	if (c->approved || t->resumes || !tool_asks(t, ctx, args, &c->ask))
		return false;
	/*
	 * A new conversation has no approvals yet, and an agent cannot use those of its
	 * turn's.
	 */
	if ((l->run->created_conversation && !l->within.trail) || ctx->turn.allowed ||
	    !c->ask.may_remember)
		return true;
	if (wait_allowed_list(l->run->deps->db, &l->owner,
			      &l->run->conversation_id, l->arena, &rows, &n,
			      &e) < 0) {
		log_err("tools that need no approval", &e);
		return true;
	}
	/* One more, so that an empty list is not NULL and is not read again. */
	allowed = arena_alloc(l->arena, (n + 1) * sizeof(*allowed));
	for (size_t i = 0; i < n; i++)
		allowed[i] = rows[i].tool;
	ctx->turn.allowed = allowed;
	ctx->turn.n_allowed = n;
	return tool_asks(t, ctx, args, &c->ask);
}

static enum wait_kind kind_of(struct turn_loop *l, const struct tool *t,
			      struct turn_call *c)
{
	if (asks(l, t, c))
		return WAIT_APPROVAL;
	if (t->visibility == TOOL_CLIENT)
		return WAIT_CLIENT;
	return t->visibility == TOOL_USER ? WAIT_QUESTION : 0;
}

bool calls_must_wait(struct turn_loop *l, struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);
	struct str args = c->edited.n ? c->edited : c->args;
	enum wait_kind kind = o ? kind_of(l, o->tool, c) : 0;
	struct err e = ERR_INIT;
	json_t *j;

	if (!kind)
		return false;
	/* An invalid call is not worth a question. */
	if (tool_prepare(&l->context.tools, &l->context.tool_ctx, c->name, args, &o, &j,
			 &e) < 0) {
		tool_refuse(l->arena, e.code, err_message(&e), &c->result);
		return true;
	}
	c->shown = c->edited.n ? c->edited : calls_canonical(l, c);
	c->wait = kind;
	return true;
}

/* -- notes ------------------------------------------------------------------ */

/* Queues notes for the turn's thread. */
static void on_note(const struct tool_ctx *call, const struct tool_note *n)
{
	struct call_job *j = call->host_ctx;

	if (!j->jobs)
		return;		/* the call runs in the turn's own thread */
	pthread_mutex_lock(&j->jobs->lock);
	if (notes_add(&j->notes, n))
		pthread_cond_signal(&j->jobs->ended);
	pthread_mutex_unlock(&j->jobs->lock);
}

/* Safe without a lock: messages do not change while calls run. */
static bool is_from_others(const struct tool_ctx *call, struct str text)
{
	const struct call_run *r = call->host_ctx;

	return context_from_others(&r->loop->context, text);
}

/* What a tool may ask of the turn, and of an agent within one of its calls. */
static const struct tool_host host_of_turn = {
	.note = on_note, .agent = nested_agent, .plan = turn_plan_run,
	.is_from_others = is_from_others,
};
static const struct tool_host host_of_agent = {
	.note = on_note, .agent = nested_agent, .is_from_others = is_from_others,
};

/* Emits the notes of j; false if there were none. Under the lock. */
static bool tell_notes(struct turn_loop *l, struct jobs *jobs,
		       struct call_job *j)
{
	struct call_notes notes = j->notes;

	if (!notes_any(&notes))
		return false;
	/* Its thread may add more while these are written to the client. */
	j->notes = (struct call_notes){ .lines = NULL };
	pthread_mutex_unlock(&jobs->lock);
	notes_tell(l, j->run.call, &notes);
	pthread_mutex_lock(&jobs->lock);
	return true;
}

/* -- running ---------------------------------------------------------------- */

static void run_job(struct call_job *j)
{
	struct tool_ctx ctx = j->run.loop->context.tool_ctx;
	/* What an agent changes in a step of a plan counts as the call's that runs it. */
	const struct resource_changes *of = ctx.turn.by.changes;

	ctx.arena = &j->arena;
	/*
	 * The one that serves now: a fallback may have taken over since the context was
	 * made.
	 */
	ctx.turn.service = j->run.loop->run->in.target.service;
	ctx.host = j->run.loop->within.parent ? &host_of_agent : &host_of_turn;
	ctx.host_ctx = j;
	ctx.approved = j->run.call->approved;
	ctx.from = &j->run.call->from;
	j->changes.turn_id = j->run.loop->run->id;
	j->changes.conversation_id = j->run.loop->run->conversation_id;
	j->changes.others = ctx.taint && ctx.taint->n;
	if (of) {
		j->changes.plan_id = of->plan_id;
		j->changes.plan_call = of->plan_call;
		j->changes.plan_try = of->plan_try;
	}
	ctx.turn.by.changes = &j->changes;
	if (j->run.loop->within.trail && calls_may_change(j->run.loop, j->run.call) &&
	    !trail_begin(j->run.loop, j->run.call, &j->changes, &j->arena, &j->result))
		return;
	tool_call(&j->run.loop->context.tools, &ctx, j->run.call->name,
		  j->run.call->edited.n ? j->run.call->edited : j->run.call->args,
		  &j->result);
}

/*
 * Whether the step that an agent works for is stopped, which its process may not know yet;
 * a call of the step itself is refused by trail_begin then. If unknown, it is not.
 */
static bool is_stopped(const struct turn_loop *l)
{
	const struct resource_changes *of = l->context.tool_ctx.turn.by.changes;
	struct err e = ERR_INIT;
	int stops;

	if (l->within.trail || !of || uuid_is_nil(&of->plan_id))
		return false;
	stops = agentplan_stops(l->run->deps->db, &of->plan_id, of->plan_call, &e);
	if (stops < 0)
		log_err("whether a step of a plan is stopped", &e);
	return stops > 0;
}

/* In a step of a plan that may be stopped: not while a call changes something. */
static void run_whole(struct call_job *j)
{
	struct step_stop *stop = changes_itself(j->run.loop, j->run.call)
		? j->run.loop->within.stop : NULL;

	if (stop && is_stopped(j->run.loop))
		turn_step_stop(stop);
	if (stop && !turn_step_begin_change(stop)) {
		tool_refuse(&j->arena, ERR_CANCELLED, "The user stopped this step before the "
			    "call ran.", &j->result);
		return;
	}
	run_job(j);
	if (stop)
		turn_step_end_change(stop);
}

static void *job_main(void *p)
{
	struct call_job *j = p;

	log_borrow(j->jobs->log);
	run_whole(j);
	pthread_mutex_lock(&j->jobs->lock);
	j->state = JOB_ENDED;
	pthread_cond_signal(&j->jobs->ended);
	pthread_mutex_unlock(&j->jobs->lock);
	return NULL;
}

/* Whether it is a plan that the end of the process has cut. */
static bool sleeps(const struct call_job *j)
{
	const struct tool_offer *o = tool_set_find(&j->run.loop->context.tools, j->run.call->name);

	return o && o->tool->resumes && j->result.is_error && j->run.loop->relay.entry.interrupted;
}

/* Makes c wait for n waits of its plan, copied to a. */
static void wait_for(struct turn_call *c, const struct turn_wait *waits, size_t n,
		     struct arena *a)
{
	c->inner = arena_zalloc(a, n, sizeof(*c->inner));
	c->n_inner = n;
	for (size_t i = 0; i < n; i++)
		store_turn_wait_copy(&c->inner[i], &waits[i], a);
	c->wait = WAIT_APPROVAL;
}

/* Moves the result to the turn's arena. */
static void finish_job(struct call_job *j)
{
	struct turn_loop *l = j->run.loop;

	j->run.call->sleeps = !j->run.n_waits && sleeps(j);
	if (j->run.n_waits || j->run.call->sleeps) {
		if (j->run.n_waits)
			wait_for(j->run.call, j->run.waits, j->run.n_waits, l->arena);
		operation_end(l, j->run.call, &j->changes);
		arena_release(&j->arena);
		j->state = JOB_DONE;
		return;
	}
	j->run.call->result = j->result;
	j->run.call->result.text = arena_str(l->arena, j->result.text);
	operation_end(l, j->run.call, &j->changes);
	arena_release(&j->arena);
	j->state = JOB_DONE;
	calls_end(l, j->run.call);
}

static bool start_thread(struct call_job *j)
{
	pthread_attr_t attr;
	bool ok;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, TOOL_STACK_BYTES);
	j->state = JOB_RUNS;
	ok = pthread_create(&j->thread, &attr, job_main, j) == 0;
	pthread_attr_destroy(&attr);
	return ok;
}

static void start_or_run(struct call_job *j)
{
	operation_start(j->run.loop, j->run.call);
	if (start_thread(j))
		return;
	log_warn("no thread for a tool, it runs in the turn's");
	run_whole(j);
	finish_job(j);
}

/* Waits for the end of a job, at most one keep-alive interval. Under the lock. */
static void wait_for_end(struct turn_loop *l, struct jobs *jobs,
			 int64_t *idle_at_ms)
{
	struct timespec at = clock_mono_at(*idle_at_ms);

	if (pthread_cond_timedwait(&jobs->ended, &jobs->lock, &at) == 0)
		return;
	pthread_mutex_unlock(&jobs->lock);
	relay_idle(&l->relay);
	relay_flush(&l->relay);
	*idle_at_ms = clock_mono_ms() + l->idle_ms;
	pthread_mutex_lock(&jobs->lock);
}

/* The first job in this state, or NULL. */
static struct call_job *job_in(struct call_job *jobs, size_t n,
			       enum job_state state)
{
	for (size_t i = 0; i < n; i++)
		if (jobs[i].state == state)
			return &jobs[i];
	return NULL;
}

/* Emits the notes of all jobs; false if there were none. Under the lock. */
static bool tell_all(struct turn_loop *l, struct jobs *jobs, struct call_job *v,
		     size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any |= tell_notes(l, jobs, &v[i]);
	return any;
}

/* Runs n jobs, at most max at a time; returns when all results are emitted. */
static void run_parallel(struct turn_loop *l, struct call_job *jobs, size_t n,
			 size_t max)
{
	struct jobs shared = {
		.lock = PTHREAD_MUTEX_INITIALIZER, .log = log_bound(),
	};
	int64_t idle_at_ms = clock_mono_ms() + l->idle_ms;
	size_t running = 0;

	clock_cond_init(&shared.ended);
	for (size_t i = 0; i < n; i++)
		jobs[i].jobs = &shared;
	pthread_mutex_lock(&shared.lock);
	for (;;) {
		struct call_job *ended = job_in(jobs, n, JOB_ENDED);
		struct call_job *next = job_in(jobs, n, JOB_WAITS);

		if (tell_all(l, &shared, jobs, n))
			continue;
		if (!ended && next && running < max) {
			pthread_mutex_unlock(&shared.lock);
			start_or_run(next);
			pthread_mutex_lock(&shared.lock);
			running += next->state != JOB_DONE;
		} else if (ended) {
			pthread_mutex_unlock(&shared.lock);
			pthread_join(ended->thread, NULL);
			finish_job(ended);
			pthread_mutex_lock(&shared.lock);
			running--;
		} else if (running) {
			wait_for_end(l, &shared, &idle_at_ms);
		} else {
			break;
		}
	}
	pthread_mutex_unlock(&shared.lock);
	pthread_cond_destroy(&shared.ended);
	pthread_mutex_destroy(&shared.lock);
}

/* A plan goes on in another process if this one dies: its call is stored first. */
static void store_before(struct turn_loop *l, const struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);

	if (!l->within.parent && o && o->tool->resumes && !l->step.stored)
		steps_store(l);
}

/* Calls that may exceed the keep-alive interval need a thread. */
static bool may_run_inline(const struct turn_loop *l, const struct call_job *j)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, j->run.call->name);

	return !o || o->timeout_ms <= l->idle_ms;
}

void calls_go(struct turn_loop *l)
{
	struct turn_step *s = &l->step;
	struct call_job *jobs = arena_zalloc(l->arena, s->n_calls, sizeof(*jobs));
	int max = l->run->in.target.workspace->max_parallel_tools;
	size_t n = 0;

	for (size_t i = 0; i < s->n_calls; i++)
		if (!s->calls[i].result.text.p && !s->calls[i].wait) {
			store_before(l, &s->calls[i]);
			jobs[n++].run = (struct call_run){
				.loop = l, .call = &s->calls[i],
			};
		}
	if (n == 1 && may_run_inline(l, &jobs[0])) {
		operation_start(l, jobs[0].run.call);
		run_whole(&jobs[0]);
		finish_job(&jobs[0]);
	} else if (n) {
		run_parallel(l, jobs, n, max > 0 ? (size_t)max : 4);
	}
}

void calls_run(struct turn_loop *l)
{
	struct turn_step *s = &l->step;
	size_t repeated = 0;

	/*
	 * The calls of a step were requested before any of their results was
	 * read.
	 */
	l->log.asked = l->context.taint;
	l->context.tool_ctx.taint = &l->log.asked;
	/* Approvals for the conversation may have been revoked. */
	l->context.tool_ctx.turn.allowed = NULL;
	l->context.tool_ctx.turn.n_allowed = 0;
	relay_status(&l->relay, "executing");
	for (size_t i = 0; i < s->n_calls; i++)
		tell_call(l, &s->calls[i]);
	tell_mode(l);
	relay_flush(&l->relay);
	for (size_t i = 0; i < s->n_calls; i++)
		if (refused(l, &s->calls[i]))
			calls_end(l, &s->calls[i]);
		else if (calls_must_wait(l, &s->calls[i]) &&
			 s->calls[i].result.text.p)
			calls_end(l, &s->calls[i]);
	for (size_t i = 0; i < s->n_calls; i++)
		repeated += s->calls[i].repeated;
	l->log.stuck.steps += repeated == s->n_calls;
	calls_go(l);
}
