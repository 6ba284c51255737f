/* SPDX-License-Identifier: MIT */
/*
 * The loop (E1): call the model, run the tools it asks for, call it again,
 * until it answers or the limit of iterations is reached; then one last call in
 * which it may not call tools.
 */
#include "turn/loop.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/trace.h"
#include "context/cite.h"
#include "context/context.h"
#include "context/history.h"
#include "context/payload.h"
#include "context/whose.h"
#include "domain/stored.h"
#include "event/live.h"
#include "event/notify.h"
#include "metric/metric.h"
#include "plan/rows.h"
#include "setting/setting.h"
#include "store/key.h"
#include "turn/calls.h"
#include "turn/fallback.h"
#include "turn/finish.h"
#include "turn/pause.h"
#include "turn/plan.h"
#include "turn/resume.h"
#include "turn/stuck.h"
#include "turn/trail.h"

#include "base/banned.h"

/* -- calls that the user has asked for ------------------------------------- */

/*
 * A turn that was asked to run an earlier plan again, or to try a tool, begins with the call
 * that does: it is the user's wish and needs no model that understands it.
 */

/* Makes the current step this call. kind: of its id, a few letters. */
static void set_call(struct turn_loop *l, const char *kind, struct str name,
		     const json_t *args)
{
	struct turn_step *s = &l->step;
	char turn[UUID_TEXT_BYTES];

	s->calls = arena_zalloc(l->arena, 1, sizeof(*s->calls));
	s->n_calls = s->calls_size = 1;
	s->calls[0] = (struct turn_call){
		/* Providers want other ids in each turn, of 40 characters at most. */
		.id = str_of(arena_printf(l->arena, "%s_%s", kind,
					  uuid_format(&l->run->id, turn) + 12)),
		.name = name, .args = str_of(jx_text(l->arena, args)),
	};
}

/*
 * Makes the current step a call of `plan` that runs an earlier plan again, if the turn was
 * asked to (options.plan_again). Of the turn's first step.
 */
static bool turn_plan_again(struct turn_loop *l)
{
	const struct turn_options *o = &l->run->in.options;
	json_t *args = jx_keep(l->arena, json_object());
	struct plan_row old = { .goal = STR("") };
	struct err ignored = ERR_INIT;
	struct uuid id;

	/* Of this turn only, not of one that continues it. */
	if (!o->plan_again.n || l->within.parent || l->run->continues_seq)
		return false;
	if (!uuid_parse(o->plan_again, &id) ||
	    agentplan_get(l->run->deps->db, &l->owner, &id, l->arena, &old, &ignored) <= 0)
		old.goal = STR("?");
	json_object_set_new(args, "goal", jx_string(old.goal));
	json_object_set_new(args, "again", jx_string(o->plan_again));
	if (json_array_size(o->plan_steps))
		json_object_set(args, "steps", o->plan_steps);
	set_call(l, "again", STR("plan"), args);
	return true;
}

/* Whether the turn is one call that the user tries, which no model is told of. */
static bool is_trial(const struct turn_loop *l)
{
	return l->run->in.options.try_tool && !l->within.parent;
}

/* Makes the current step the call that the user tries. */
static void set_tried(struct turn_loop *l)
{
	const json_t *t = l->run->in.options.try_tool;
	const json_t *args = jx_obj(t, "arguments");

	set_call(l, "try", jx_str(t, "name"),
		 args ? args : jx_keep(l->arena, json_object()));
}

/* -- the loop ----------------------------------------------------------------- */

enum { GUESSES = 2 };	/* a quarter of the history, then a quarter of that */

/* -- a new one -------------------------------------------------------------- */

struct turn_loop *loop_new(struct turn_run *t, struct arena *a)
{
	struct turn_loop *l = arena_new(a, struct turn_loop);
	int answer_bytes = t->in.by.conf->limits.answer_bytes;

	*l = (struct turn_loop){
		.run = t, .arena = a, .idle_ms = TURN_IDLE_MS,
		.owner = t->in.by.owner,
		.relay = {
			.run = t, .live = t->deps->live, .settle = commit_settle,
		},
		.begun.started_ms = clock_mono_ms(),
		.step = {
			.text = BUF_INIT(answer_bytes > 0 ? (size_t)answer_bytes
							  : LIM_ANSWER_BYTES),
			.reasoning = BUF_INIT(LIM_ANSWER_BYTES),
		},
		.served = {
			.usage = LLM_USAGE_UNKNOWN, .now.usage = LLM_USAGE_UNKNOWN,
			.timings = BUF_INIT(65536),
		},
	};
	l->served.now.since_ms = l->begun.started_ms;
	context_init(&l->context, t, a, &l->relay);
	t->loop = l;
	return l;
}

void loop_drop(struct turn_loop *l)
{
	buf_release(&l->step.text);
	buf_release(&l->step.reasoning);
	buf_release(&l->served.timings);
	if (!l->within.parent)
		context_release(&l->context);
}

static void loop_release(void *p)
{
	struct turn_loop *l = p;

	commit_wait(l);		/* of a turn that was not run */
	event_live_remove(l->run->deps->live, &l->relay.entry);
	loop_drop(l);
	http_abort_free(l->abort);
}

int loop_open(struct turn_run *t, struct err *e)
{
	struct turn_loop *l = loop_new(t, t->arena);

	l->abort = http_abort_new(e);
	if (!l->abort)
		return -1;
	l->context.tool_ctx.turn.abort = l->abort;
	l->context.tool_ctx.turn.conversation_id = &t->conversation_id;
	arena_defer(t->arena, loop_release, l);
	return 0;
}

void loop_begun(struct turn_run *t)
{
	event_live_add(t->deps->live, &t->loop->relay.entry, &t->id, t->loop->abort,
		      EVENT_LIVE_BEGUN);
	commit_begun(t->loop);
}

/* Loads the user message that the old turn answered. */
static int load_user(struct turn_run *t, int64_t seq, struct err *e)
{
	if (message_get(t->deps->db, &t->loop->owner, &t->conversation_id, seq,
			t->arena, &t->user, e) < 0)
		return -1;
	/* Followers know it as this turn's, though an earlier one may have stored it. */
	t->user.turn_id = t->id;
	t->in.content = t->user.content;
	options_recall(t->arena, &t->in.options, &t->user.options);
	options_recall_meta(t->arena, &t->in.options, t->user.meta);
	return 0;
}

void loop_begun_stored(struct turn_run *t, int64_t user_seq)
{
	loop_begun(t);
	if (load_user(t, user_seq, &t->loop->err) < 0)
		t->user = (struct message){ .role = ROLE_USER, .seq = user_seq,
					    .turn_id = t->id };
}

/* -- output of the model ---------------------------------------------------- */

static void first_delta(struct turn_loop *l)
{
	if (l->served.first_token_ms)
		return;
	l->served.first_token_ms = clock_mono_ms();
	if (!l->within.parent)
		metric_observe(METRIC_FIRST_TOKEN,
			       l->served.first_token_ms - l->begun.started_ms);
}

/* The hot path: one append, one emit. */
static int on_text(struct turn_loop *l, struct str text)
{
	struct turn_event ev = { .type = TURN_EV_TOKEN, .text = text };

	if (!l->step.answering) {
		trace_point(TRACE_TOKEN);
		first_delta(l);
		l->step.answering = true;
		relay_status(&l->relay, "answering");
	}
	buf_addstr(&l->step.text, text);
	if (!buf_ok(&l->step.text)) {
		l->step.full = true;
		return -1;
	}
	relay_emit(&l->relay, &ev);
	return 0;
}

static void on_reasoning(struct turn_loop *l, struct str text)
{
	struct turn_event ev = { .type = TURN_EV_REASONING, .text = text };

	first_delta(l);
	/*
	 * What is beyond its cap is shown, but not kept: reasoning never ends an
	 * answer, and only its beginning is stored (meta.c).
	 */
	buf_addstr(&l->step.reasoning, text);
	relay_emit(&l->relay, &ev);
}

static void on_call(struct turn_loop *l, const struct llm_event *ev)
{
	struct turn_step *s = &l->step;
	struct turn_call *c;

	/*
	 * Servers that ignore parallel_tool_calls are held to it here. A call that is
	 * left out is in no message, so it needs no result (P-B15).
	 */
	if (s->n_calls == LIM_TOOL_CALLS ||
	    (s->n_calls && l->context.generation.params.parallel_tools < 0))
		return;
	s->calls = arena_room(l->arena, s->calls, s->n_calls, 1, &s->calls_size,
			      sizeof(*s->calls));
	c = &s->calls[s->n_calls++];
	*c = (struct turn_call){
		.id = arena_str(l->arena, ev->id),
		.name = arena_str(l->arena, ev->name),
		.args = arena_str(l->arena, ev->text),
		.bad_args = ev->bad_args,
	};
	if (ev->opaque)
		c->opaque = jx_keep(l->arena, json_incref(ev->opaque));
}

static void on_done(struct turn_loop *l, const struct llm_event *ev)
{
	l->step.stop = ev->stop;
	if (ev->replay)
		l->step.replay = jx_keep(l->arena, json_incref(ev->replay));
	if (ev->model.n)
		l->served.model = arena_str(l->arena, ev->model);
}

static int on_event(void *ctx, const struct llm_event *ev)
{
	struct turn_loop *l = ctx;

	switch (ev->type) {
	case LLM_EV_TEXT:
		return on_text(l, ev->text);
	case LLM_EV_REFUSAL:
		l->step.refused = true;
		return on_text(l, ev->text);
	case LLM_EV_REASONING:
		on_reasoning(l, ev->text);
		break;
	case LLM_EV_TOOL_CALL:
		on_call(l, ev);
		break;
	case LLM_EV_USAGE:
		l->step.usage = ev->usage;
		l->step.has_usage = true;
		break;
	case LLM_EV_DONE:
		on_done(l, ev);
		break;
	case LLM_EV_TOOL_START:
	case LLM_EV_TOOL_ARGS:
	case LLM_EV_WARNING:	/* llm_stream has logged it */
	case LLM_EV_ERROR:	/* llm_stream returns it */
	case LLM_EV__MAX:
		break;
	}
	return 0;
}

/* on_flush and on_event run on the thread of lib/net: see http.h. */
static int on_flush(void *ctx)
{
	struct turn_loop *l = ctx;

	/* Without an answer, the head is sent when the begin is committed. */
	if (commit_pending(l) && !l->served.first_token_ms && !l->step.n_calls)
		return HTTP_LATER;
	return !commit_pending(l) && relay_try_flush(&l->relay) ? 0 : HTTP_STALL;
}

static int on_idle(void *ctx)
{
	struct turn_loop *l = ctx;

	relay_idle(&l->relay);
	return on_flush(ctx);
}

static void on_stall(void *ctx)
{
	struct turn_loop *l = ctx;

	relay_flush(&l->relay);
}

/* Runs in the turn's own thread while the model reads the request. */
static void on_meanwhile(void *ctx)
{
	commit_wait(ctx);
	steps_store_added(ctx);
}

/* -- one call of the model -------------------------------------------------- */

static void step_reset(struct turn_loop *l)
{
	buf_reset(&l->step.text);
	buf_reset(&l->step.reasoning);
	l->step = (struct turn_step){
		.text = l->step.text, .reasoning = l->step.reasoning,
	};
}

static void tell_usage(struct turn_loop *l)
{
	struct turn_event ev = {
		.type = TURN_EV_CONTEXT_USAGE,
		.input_tokens = context_tokens(&l->context),
		.context_tokens = l->run->in.target.service->context_tokens,
		.n_messages = (int64_t)l->context.n_messages, .parts = l->context.share,
	};

	relay_emit(&l->relay, &ev);
}

/* Estimates the usage that P-D5 requires if the provider reported none. */
static void settle_usage(struct turn_loop *l)
{
	if (!l->step.has_usage)
		l->step.usage = (struct llm_usage){
			.input = context_tokens(&l->context), .cache_read = -1,
			.cache_write = -1,
			.output = llm_estimate_tokens(buf_str(&l->step.text)) +
				  llm_estimate_tokens(buf_str(&l->step.reasoning)),
			.reasoning = -1, .cost = NAN, .estimated = true,
		};
	llm_usage_add(&l->served.usage, &l->step.usage);
	llm_usage_add(&l->served.now.usage, &l->step.usage);
	l->served.now.paid = true;
}

static bool is_silent(const struct turn_loop *l)
{
	return l->step.text.n == 0 && l->step.reasoning.n == 0;
}

/* Whether a provider bills a request that failed like this. */
static bool was_paid(const struct err *e)
{
	return e->code == ERR_CANCELLED || e->code == ERR_UPSTREAM_TIMEOUT ||
	       e->code == ERR_UPSTREAM_EARLY_END;
}

static int stream(struct turn_loop *l, const struct llm_io *io, struct err *e)
{
	TRACE_SPAN(TRACE_MODEL, NULL);

	return llm_stream(&l->context.request, io, l->arena, on_event, l, e);
}

/*
 * Whether the history was cut so that a request that the server refused may be
 * accepted now. A request that is too long is shortened until it fits. Servers have
 * many words for that, and a message that they refuse for another reason would be
 * sent with every later one; so after a refusal that is not understood, the request
 * is sent with less, at most GUESSES times.
 */
static bool cut_history(struct turn_loop *l, const struct err *e, int *n_guesses)
{
	bool cut = false;

	if (e->code == ERR_UPSTREAM_CONTEXT) {
		cut = context_shorten(&l->context);
	} else if (*n_guesses < GUESSES && (e->code == ERR_UPSTREAM_REQUEST ||
					   e->code == ERR_UPSTREAM_FILTER)) {
		++*n_guesses;
		cut = context_drop_unanswered(&l->context);
		if (e->code == ERR_UPSTREAM_REQUEST)
			cut |= context_shorten_much(&l->context);
	}
	if (!cut)
		return false;
	relay_warn(&l->relay, "history_shortened", e->code == ERR_UPSTREAM_CONTEXT
		  ? "The conversation is too long for the model; its older part "
		    "was left out."
		  : "The model refused the conversation; part of it was left "
		    "out.");
	return true;
}

static int ask_model(struct turn_loop *l, struct err *e)
{
	struct llm_io io = {
		/* The client is not watched: a turn does not end with its connection. */
		.http = l->run->deps->http, .abort = l->abort, .watch_fd = -1,
		.idle_ms = l->idle_ms, .idle_fn = on_idle,
		.flush_fn = on_flush, .stall_fn = on_stall,
		.meanwhile_fn = l->rows.n_unstored || commit_pending(l) ? on_meanwhile
								   : NULL,
		.sends_first = !commit_pending(l),	/* the COMMIT is running */
	};
	int n_guesses = 0;
	int rc;

	fallback_before(l);
	for (;;) {
		step_reset(l);
		if (arena_check(l->arena, e) < 0)
			return -1;
		tell_usage(l);
		relay_status(&l->relay, "thinking");
		/* Sent by on_flush, behind the request: a client that is woken
		   first would keep the model waiting. */
		l->served.model_calls++;
		l->served.now.calls++;
		rc = stream(l, &io, e);
		/*
		 * An answer that arrived in one piece is flushed before it is
		 * stored.
		 */
		relay_flush(&l->relay);
		if (rc == 0 || !is_silent(l) || l->step.has_usage ||
		    was_paid(e))
			settle_usage(l);
		/*
		 * Once the user has seen a part of the answer, no other service starts
		 * over.
		 */
		if ((rc == 0 || is_silent(l)) && fallback_after(l, e)) {
			err_clear(e);
			continue;
		}
		if (rc == 0 || !is_silent(l) || !cut_history(l, e, &n_guesses))
			break;
		err_clear(e);
	}
	if (rc < 0 && l->step.full) {	/* our own limit: the answer is cut off */
		err_clear(e);
		l->step.stop = LLM_STOP_MAX_TOKENS;
		l->step.n_calls = 0;
		/*
		 * What fits is the answer. Of its calls nobody knows whether they are
		 * whole.
		 */
		l->step.text.overflow = false;
		rc = 0;
	}
	if (http_aborted(l->abort)) {
		err_clear(e);
		return err_set(e, ERR_CANCELLED, "stopped on request");
	}
	return rc;
}

/* -- the loop --------------------------------------------------------------- */

static void tell_reset(struct turn_loop *l)
{
	struct turn_event reset = { .type = TURN_EV_TOKEN_RESET };

	if (l->step.text.n)
		relay_emit(&l->relay, &reset);
}

/*
 * Whether the step has changed nothing outside the conversation. Then it may be
 * stored during the next model call; otherwise it is stored first, so that a
 * turn that dies there shows what was done.
 */
static bool only_read(const struct turn_loop *l)
{
	for (size_t i = 0; i < l->step.n_calls; i++)
		if (calls_may_change(l, &l->step.calls[i]))
			return false;
	return true;
}

/* Returns 1 if the turn waits; 0 if the step is done; -1. */
static int finish_step(struct turn_loop *l, bool pausing, struct err *e)
{
	while (pause_waits(l)) {
		int rc;

		if (l->within.trail) {
			pause_step(l);
			return 1;
		}
		/* What waits when its process ends waits on. */
		if (http_aborted(l->abort) && !l->relay.entry.interrupted) {
			pause_drop(l);
			break;
		}
		if (pausing)
			tell_reset(l);
		pausing = false;
		rc = pause_turn(l, e);
		if (rc)
			return rc;
		if (resume_calls(l, e) < 0)
			return -1;
	}
	context_add_step(&l->context, &l->step);
	if (pausing && only_read(l))
		steps_add(l);
	else
		steps_store(l);
	if (!l->within.parent)		/* a task is a turn */
		notify_job(l->run->deps->notify, &l->owner, &l->run->id,
			   store_turn_status_name(TURN_RUNNING), l->served.iterations, -1);
	if (pausing)
		tell_reset(l);
	return 0;
}

static int run_tools(struct turn_loop *l, struct err *e)
{
	TRACE_SPAN(TRACE_TOOLS, NULL);

	if (l->within.trail && trail_round(l, e) < 0)
		return -1;
	calls_run(l);
	l->served.iterations++;
	return finish_step(l, true, e);
}

static int max_iterations(const struct turn_loop *l)
{
	const struct turn_request *in = &l->run->in;
	const int64_t n = setting_get(SETTING_MAX_TOOL_ITERATIONS,
		&(struct setting_scope){
			.conf = in->by.conf, .workspace = in->target.workspace,
			.agent = in->target.agent }).number;

	return (int)stored_rounds(&in->by, in->target.workspace,
				  in->target.agent, n);
}

/* Whether a nested loop has used up its budget and must answer now. */
static bool is_over_budget(const struct turn_loop *l)
{
	return l->within.parent && (l->within.n_called >= l->within.max_calls ||
			     llm_usage_tokens(&l->served.usage) >= l->within.max_tokens ||
			     clock_mono_ms() >= l->context.until_ms);
}

/* After a step: whether the model may be called again, and how. */
static int prepare_next(struct turn_loop *l, int limit, struct err *e)
{
	if (http_aborted(l->abort)) {
		step_reset(l);
		return err_set(e, ERR_CANCELLED, "stopped on request");
	}
	if (l->served.iterations >= limit || is_over_budget(l) || stuck_ends(&l->log)) {
		l->served.capped = true;
		context_last_call(&l->context);
	}
	return 0;
}

/* After a step: a call is forced until one was made, of the client if it has tools. */
static void relax_tool_choice(struct turn_loop *l)
{
	struct llm_params *w = &l->context.generation.params;

	if (w->tool_choice == LLM_CHOICE_NAMED || !l->context.tool_ctx.turn.n_more)
		w->tool_choice = LLM_CHOICE_AUTO;
}

/*
 * The answer of the step, where the request wants a value of a schema. 0: it fits;
 * 1: the model is asked again, once, with what is wrong added to the context.
 */
static int check_typed(struct turn_loop *l, struct err *e)
{
	struct turn_step *s = &l->step;
	struct err wrong = ERR_INIT;
	struct str whole, text;

	if (!l->context.generation.schema || s->refused ||
	    (s->stop != LLM_STOP_END && s->stop != LLM_STOP_NONE))
		return 0;
	whole = text = arena_str(l->arena, buf_str(&s->text));
	if (generation_check(&l->context.generation, l->arena, &text, &wrong) == 0) {
		buf_reset(&s->text);
		buf_addstr(&s->text, text);
		return 0;
	}
	if (l->context.generation.repaired)
		return err_public(e, ERR_UPSTREAM_PROTOCOL, "The model's answer "
				  "does not fit the schema: %.180s",
				  err_message(&wrong));
	l->context.generation.repaired = true;
	context_add(&l->context, LLM_ASSISTANT, whole);
	context_add(&l->context, LLM_USER, str_of(arena_printf(l->arena,
		"[Your answer does not fit the schema: %s Answer with the "
		"corrected JSON value only.]", err_message(&wrong))));
	context_count(&l->context);
	tell_reset(l);
	return 1;
}

/* Whether the model is asked again since it has only announced what it does (stuck.h). */
static bool nudge(struct turn_loop *l)
{
	struct context *cx = &l->context;

	if (!stuck_nudges(l))
		return false;
	context_add(cx, LLM_ASSISTANT, arena_str(l->arena, buf_str(&l->step.text)));
	context_add(cx, LLM_USER, STR("[You said what you are about to do, but called no tool. "
		"Call it now if it is needed; else give the answer itself, and say what you "
		"cannot do.]"));
	context_count(cx);
	tell_reset(l);
	return true;
}

/* After the step of a call that is tried (rc: of finish_step): no model is asked. */
static int end_trial(struct turn_loop *l, int rc, struct err *e)
{
	if (rc)
		return MIN(rc, 0);
	step_reset(l);
	return http_aborted(l->abort)
		? err_set(e, ERR_CANCELLED, "stopped on request") : 0;
}

int loop_converse(struct turn_loop *l, struct err *e)
{
	int limit = max_iterations(l);
	int rc = 0;

	if (l->run->resumed) {
		if (resume_calls(l, e) < 0)
			return -1;
		rc = finish_step(l, false, e);
		if (rc || is_trial(l))
			return end_trial(l, rc, e);
		if (prepare_next(l, limit, e) < 0)
			return -1;
	}
	if (l->within.trail) {
		rc = resume_trail(l, e);
		if (rc > 0)
			rc = finish_step(l, false, e);
		if (rc || (l->served.iterations && prepare_next(l, limit, e) < 0))
			return rc > 0 ? 0 : -1;
	}
	cite_tell(&l->context);
	whose_tell(&l->context);
	if (!l->run->resumed && is_trial(l)) {
		set_tried(l);
		return end_trial(l, run_tools(l, e), e);
	}
	if (!l->run->resumed && turn_plan_again(l)) {
		rc = run_tools(l, e);
		if (rc == 0 && prepare_next(l, limit, e) < 0)
			return -1;
	}
	while (rc == 0) {
		if (ask_model(l, e) < 0)
			return -1;
		/* None may be made in the last call, or by the request; some models make them. */
		if (l->step.n_calls == 0 || l->context.request.no_tool_calls) {
			rc = check_typed(l, e);
			if (rc <= 0 && (rc < 0 || !nudge(l)))
				return rc;
			rc = 0;
			continue;
		}
		rc = run_tools(l, e);
		relax_tool_choice(l);
		if (rc == 0 && prepare_next(l, limit, e) < 0)
			return -1;
	}
	return MIN(rc, 0);
}

/* Emits the turn's id, the user's message as stored, and its title. */
static void tell_begin(struct turn_loop *l)
{
	struct turn_event session = { .type = TURN_EV_SESSION };
	struct turn_event title = {
		.type = TURN_EV_TITLE, .text = l->begun.title,
	};

	relay_emit(&l->relay, &session);
	if (l->run->resumed)
		return;
	relay_message(&l->relay, TURN_EV_USER_MESSAGE, &l->run->user);
	if (l->begun.titled)
		relay_emit(&l->relay, &title);
}

static void emit_nowhere(struct sink *s, const struct turn_event *ev)
{
	(void)s;
	(void)ev;
}

/* Fetches the key for sealing an unstored end while the database is up. */
static void get_key(const struct turn_deps *deps)
{
	unsigned char key[KEY_BYTES];
	struct err e = ERR_INIT;

	if (deps->unstored_key &&
	    key_cached(deps->unstored_key, deps->db, key, &e) < 0)
		log_err("no key for ends that cannot be stored", &e);
	sodium_memzero(key, sizeof(key));
}

/* What the log says of every line of this thread while the turn runs. */
static void bind_log(const struct turn_run *t)
{
	char turn[UUID_TEXT_BYTES], conversation[UUID_TEXT_BYTES];

	log_bind_turn(&(struct log_turn){
		.service = t->in.target.service->id,
		.workspace = t->in.target.workspace->id,
		.conversation = uuid_format(&t->conversation_id, conversation),
		.turn = uuid_format(&t->id, turn),
		.client = identity_kind_name(t->in.by.who->kind),
	});
}

static void log_end(const struct turn_loop *l, enum turn_status status)
{
	char ms[24];

	snprintf(ms, sizeof(ms), "%lld",
		 (long long)(clock_mono_ms() - l->begun.started_ms));
	log_info("a turn ended", "status", store_turn_status_name(status),
		 "model", l->run->in.target.service->model, "ms", ms);
	log_bind_turn(NULL);
}

/* Records the calls of a turn that is resumed, once its context is built. */
static void calls_recall(struct turn_loop *l)
{
	const struct llm_tool_call *calls;
	size_t at = 0, n;

	while ((calls = history_own_calls(&l->context, &at, &n)))
		for (size_t i = 0; i < n; i++)
			calls_note(l, &(struct turn_call){
				.name = calls[i].name, .args = calls[i].args,
			});
	l->served.iterations = l->context.n_own_steps;
}

static int build(struct turn_loop *l, struct err *e)
{
	if (context_build(&l->context, &l->step, e) < 0)
		return -1;
	calls_recall(l);
	return 0;
}

enum turn_status turn_run(struct turn_run *t, struct sink *s)
{
	struct sink nowhere = { .emit = emit_nowhere };
	struct turn_loop *l = t->loop;
	enum turn_status status;

	bind_log(t);
	l->relay.sink = s ? s : &nowhere;
	get_key(t->deps);
	tell_begin(l);
	if (l->err.code == ERR_NONE &&
	    (build(l, &l->err) < 0 || loop_converse(l, &l->err) < 0) &&
	    l->err.code != ERR_CANCELLED)
		log_err("turn failed", &l->err);
	commit_wait(l);
	/*
	 * The model was asked while the begin was being committed; of a turn that was
	 * never stored, nothing may stay on the screen.
	 */
	if (l->begun.err.code != ERR_NONE) {
		tell_reset(l);
		step_reset(l);
		l->err = l->begun.err;
	}
	status = l->waits.waiting ? TURN_WAITING : loop_finish(l);
	bind_log(t);		/* another service may have taken over */
	log_end(l, status);
	l->relay.sink = NULL;
	return status;
}
