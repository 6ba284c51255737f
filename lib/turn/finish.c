/* SPDX-License-Identifier: MIT */
/*
 * The end of a turn: storing its answer, and the terminal event (B45). The
 * event follows the commit, so that DONE and ERROR contain what a reader will
 * find. If nothing could be stored, ERROR says so and contains the text, so
 * that the user can save it.
 */
#include "turn/finish.h"

#include <sodium.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "db/db.h"
#include "metric/metric.h"
#include "turn/after.h"
#include "context/cite.h"
#include "turn/loop.h"
#include "turn/meta.h"
#include "event/notify.h"
#include "turn/unstored.h"

#include "base/banned.h"

/*
 * Delays between attempts to store the answer; the last one repeats. A planned
 * database restart takes 4 to 8 s, an unplanned one somewhat longer.
 */
static const int store_waits_ms[] = { 100, 300, 800, 1500, 2500 };

enum { STORE_HOLD_MS = 28000 };

/* -- rows of steps ---------------------------------------------------------- */

/* The unstored rows of the step; a call that waits or runs has none yet. */
static size_t step_rows(struct turn_loop *l, struct message *rows)
{
	struct turn_step *s = &l->step;
	size_t n = 0;

	if (!s->stored)
		rows[n++] = (struct message){
			.role = ROLE_ASSISTANT,
			.content = arena_str(l->arena, buf_str(&s->text)),
			.meta = meta_step(l), .kind = KIND_STEP,
		};
	s->stored = true;
	for (size_t i = 0; i < s->n_calls; i++) {
		struct turn_call *c = &s->calls[i];

		if (c->stored || c->wait || !c->result.text.p)
			continue;
		c->stored = true;
		rows[n++] = (struct message){
			.role = ROLE_TOOL, .content = c->result.text,
			.meta = meta_tool(l, c),
			.kind = c->reply ? KIND_REPLY : KIND_RESULT,
			.kept = c->result.kept,
		};
	}
	return n;
}

/* Stores the pending rows and these after them. */
static int append(struct turn_loop *l, struct err *e)
{
	struct turn_run *t = l->run;

	if (l->rows.n_unstored == 0)
		return 0;
	if (store_turn_append(t->deps->db, &l->owner, &t->conversation_id, &t->id,
			      l->rows.last_seq, l->rows.unstored, l->rows.n_unstored, e) < 0)
		return -1;
	l->rows.last_seq = l->rows.unstored[l->rows.n_unstored - 1].seq;
	l->rows.n_unstored = 0;
	return 0;
}

void steps_add(struct turn_loop *l)
{
	if (l->within.parent)
		return;
	l->rows.unstored = arena_room(l->arena, l->rows.unstored, l->rows.n_unstored,
				 1 + l->step.n_calls, &l->rows.unstored_size,
				 sizeof(*l->rows.unstored));
	l->rows.n_unstored += step_rows(l, l->rows.unstored + l->rows.n_unstored);
}

void steps_store(struct turn_loop *l)
{
	steps_add(l);
	steps_store_added(l);
}

void steps_store_added(struct turn_loop *l)
{
	struct err e = ERR_INIT;

	if (append(l, &e) < 0 || cite_store(&l->context, &e) < 0)
		/*
		 * The rows stay unstored: the next step or the end of the turn stores
		 * them.
		 */
		log_err("step of a turn not stored yet", &e);
}

/* -- the outcome ------------------------------------------------------------ */

struct outcome {
	enum turn_status status;
	const char *finish_reason;
	struct str content;
	const struct err *why;		/* for an error */
};

/* The text of an answer that has none. */
static const char *silence(const struct turn_loop *l)
{
	if (l->step.refused || l->step.stop == LLM_STOP_REFUSAL)
		return "The model declined to answer this.";
	if (l->step.stop == LLM_STOP_FILTER)
		return "The provider's content filter stopped the answer.";
	if (l->step.stop == LLM_STOP_MAX_TOKENS ||
	    l->step.stop == LLM_STOP_CONTEXT)
		return "The answer was cut off at the output limit before it "
		       "had any text.";
	if (l->served.capped)
		return "The limit of tool calls was reached before the model "
		       "gave an answer.";
	return NULL;
}

static const char *finish_reason(const struct turn_loop *l)
{
	if (l->step.refused)
		return "refusal";
	if (l->step.stop == LLM_STOP_TOOL_USE || l->step.stop == LLM_STOP_NONE ||
	    l->step.stop == LLM_STOP_PAUSE || l->step.stop == LLM_STOP_SEQUENCE)
		return "stop";
	return llm_stop_name(l->step.stop);
}

static void decide(struct turn_loop *l, struct outcome *o)
{
	struct str text = arena_str(l->arena, buf_str(&l->step.text));

	*o = (struct outcome){ .status = TURN_DONE, .content = text };
	if (l->err.code == ERR_CANCELLED) {
		o->status = l->relay.entry.interrupted ? TURN_INTERRUPTED
			: TURN_CANCELLED;
		o->finish_reason = store_turn_status_name(o->status);
		return;
	}
	/* A stop sequence may be the first that the model says; a trial asks none. */
	if (l->err.code == ERR_NONE && str_trim(text).n == 0 && !silence(l) &&
	    !l->context.generation.params.n_stop && !l->run->in.options.try_tool)
		err_public(&l->err, ERR_UPSTREAM_PROTOCOL,
			   "The language model gave an empty answer.");
	if (l->err.code != ERR_NONE) {
		o->status = TURN_ERROR;
		o->finish_reason = "error";
		o->why = &l->err;
		if (text.n == 0)
			o->content = str_of(err_message(&l->err));
		return;
	}
	o->finish_reason = finish_reason(l);
	if (str_trim(text).n == 0 && silence(l))
		o->content = str_of(silence(l));
}

/* -- storing ---------------------------------------------------------------- */

struct finishing {
	struct outcome o;
	struct usage usage;
	int64_t ended_us;	/* of the first attempt, so that all record the
				   same end */
};

static struct turn_end end_of(struct turn_loop *l, const struct finishing *n)
{
	const struct outcome *o = &n->o;
	struct turn_run *t = l->run;

	return (struct turn_end){
		.turn_id = t->id, .conversation_id = t->conversation_id,
		.resumes = t->resumes, .status = o->status,
		.answer = &t->answer, .usage = &n->usage,
		.error_code = o->why ? err_row(o->why)->code : NULL,
		.error_text = o->why ? err_message(o->why) : NULL,
		/* + 1: the terminal event, which follows the commit. */
		.last_event_seq = (int64_t)l->relay.seq + 1, .job = t->after,
		.ended_us = n->ended_us,
	};
}

static int store_answer(struct turn_loop *l, void *ctx, struct err *e)
{
	struct finishing *n = ctx;
	struct turn_run *t = l->run;
	struct turn_end end = end_of(l, n);
	struct turn_events *events = NULL;
	int rc;

	event_live_ending(t->deps->live, &l->relay.entry, l->arena, &events,
			 &end.n_events);
	end.events = events;
	if (append(l, e) < 0 || cite_store(&l->context, e) < 0)
		return -1;
	rc = store_turn_end(t->deps->db, &l->owner, &end, e);
	n->ended_us = end.ended_us;
	return rc;
}

static bool worth_a_retry(const struct err *e)
{
	return e->code == ERR_DB_DOWN || e->code == ERR_DB_RETRY ||
	       e->code == ERR_OVERLOADED || e->code == ERR_DB_TIMEOUT;
}

static void pause_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

int loop_stubbornly(struct turn_loop *l, loop_store_fn *fn, void *ctx,
		    struct err *e)
{
	const size_t last = ARRAY_LEN(store_waits_ms) - 1;
	int64_t until_ms = clock_mono_ms() + STORE_HOLD_MS;

	for (size_t i = 0;; i++) {
		if (fn(l, ctx, e) == 0)
			return 0;
		if (!worth_a_retry(e) || clock_mono_ms() >= until_ms)
			return -1;
		log_err("end of a turn not stored yet", e);
		if (i == 0)
			relay_warn(&l->relay, "storing_delayed",
				  "The answer could not be stored yet; trying "
				  "again.");
		/*
		 * The client hears something: otherwise it, or a proxy, gives up before
		 * the database is back.
		 */
		relay_idle(&l->relay);
		relay_flush(&l->relay);
		pause_ms(store_waits_ms[MIN(i, last)]);
		err_clear(e);
	}
}

/*
 * The process that closed the turn recorded an estimate of its usage: replaces it
 * by the actual usage. If the turn is still open, whoever closes it will record one.
 */
static void settle(struct turn_loop *l, const struct err *cause)
{
	struct usage u = loop_usage(l, "interrupted");
	struct err e = ERR_INIT;

	if ((cause->code != ERR_CONFLICT && cause->code != ERR_NOT_FOUND) ||
	    !l->served.model_calls)
		return;
	/* The estimate has the turn's id, so that there is one record of its usage. */
	u.id = l->run->id;
	if (cause->code == ERR_NOT_FOUND)	/* the conversation is gone */
		u.conversation_id = u.turn_id = (struct uuid){ { 0 } };
	if (usage_settle(l->run->deps->db, &l->owner, &u, &l->waits.paused, &e) < 0)
		log_err("usage of a turn that others closed", &e);
}

/* The sealed end for the client to keep; empty if there is none. */
static struct str hand_over(struct turn_loop *l, struct finishing *n,
			    const struct err *cause)
{
	struct turn_run *t = l->run;
	struct turn_unstored u = {
		.answer = t->answer, .usage = n->usage,
		.steps = l->rows.unstored, .n_steps = l->rows.n_unstored,
	};
	unsigned char key[KEY_BYTES];
	struct str text;

	if (!worth_a_retry(cause) || !t->deps->unstored_key ||
	    !key_peek(t->deps->unstored_key, key))
		return STR("");
	if (!n->ended_us)	/* not even the steps could be stored */
		n->ended_us = clock_now_us();
	u.end = end_of(l, n);
	text = unstored_seal(l->arena, key, &l->owner, &u);
	sodium_memzero(key, sizeof(key));
	return text;
}

/* Tells the client that nothing was stored. */
static void not_stored(struct turn_loop *l, struct finishing *n,
		       const struct err *cause)
{
	const struct outcome *o = &n->o;
	struct str unstored = hand_over(l, n, cause);
	struct err why = ERR_INIT;
	struct turn_run *t = l->run;

	log_err(unstored.n ? "answer of a turn is with its client only"
		: "answer of a turn is lost", cause);
	settle(l, cause);
	if (cause->code == ERR_CONFLICT || cause->code == ERR_NOT_FOUND)
		err_public(&why, ERR_CONFLICT, "This turn was closed or its "
			   "conversation deleted meanwhile. The answer was not "
			   "stored.");
	else
		err_public(&why, cause->code, "The answer could not be stored: "
			   "%s%s", err_rows[cause->code].message,
			   unstored.n ? ""
			   : " It will be gone after a reload.");
	t->answer = (struct message){
		.role = ROLE_ASSISTANT, .turn_id = t->id,
		.created_us = clock_now_us(),
		.content = o->status == TURN_DONE ? o->content
			: arena_str(l->arena, str_of(err_message(&why))),
		.meta = meta_answer(l, "error", &why, unstored),
		.kind = KIND_ANSWER, .finish_reason = STR("error"),
		.continues_seq = t->continues_seq,
	};
	if (o->status != TURN_DONE && l->step.text.n)
		t->answer.content = o->content;
}

enum turn_status loop_finish(struct turn_loop *l)
{
	struct turn_run *t = l->run;
	struct finishing n = { .ended_us = 0 };
	struct err e = ERR_INIT;
	TRACE_SPAN(TRACE_FINISH, NULL);

	decide(l, &n.o);
	cite_check(&l->context, buf_str(&l->step.text));
	n.usage = loop_usage(l, n.o.finish_reason);
	t->answer = (struct message){
		.role = ROLE_ASSISTANT, .turn_id = t->id,
		.content = n.o.content,
		.meta = meta_answer(l, n.o.finish_reason, n.o.why,
				    (struct str){ NULL, 0 }),
		.kind = KIND_ANSWER,
		.finish_reason = str_of(n.o.finish_reason),
		.continues_seq = t->continues_seq,
		.variant_index = t->variant_index,
		.variant_count = t->variant_count,
	};
	if (n.o.status == TURN_DONE)
		t->after = after_job(t);
	if (loop_stubbornly(l, store_answer, &n, &e) < 0) {
		not_stored(l, &n, &e);
		n.o.status = TURN_ERROR;
	} else {
		notify_turn(t->deps->notify, &l->owner, &t->id,
			    &t->conversation_id, n.o.status);
	}
	/* Followers continue with the store, which has the terminal event now. */
	event_live_remove(t->deps->live, &l->relay.entry);
	metric_add(METRIC_TURNS, store_turn_status_name(n.o.status), NULL, 1);
	relay_message(&l->relay, n.o.status == TURN_ERROR ? TURN_EV_ERROR : TURN_EV_DONE,
		     &t->answer);
	relay_flush(&l->relay);
	return n.o.status;
}
