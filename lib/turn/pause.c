/* SPDX-License-Identifier: MIT */
/*
 * Calls that wait: for the user's approval (A42), for the page to run them
 * (E16), or for the user's answer (A41). The step's other calls run; then the
 * turn is stored as waiting and leaves the process. resume.c continues it in
 * whichever process gets the decision.
 *
 * The requests are emitted after the commit, so a decision may follow at once.
 * They are made from the stored rows, like those for later readers (follow.c).
 */
#include "turn/pause.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "metric/metric.h"
#include "turn/calls.h"
#include "context/cite.h"
#include "turn/finish.h"
#include "turn/loop.h"
#include "turn/meta.h"
#include "event/notify.h"
#include "turn/trail.h"

#include "base/banned.h"

bool pause_waits(const struct turn_loop *l)
{
	for (size_t i = 0; i < l->step.n_calls; i++)
		if (l->step.calls[i].wait || l->step.calls[i].sleeps)
			return true;
	return false;
}

void pause_drop(struct turn_loop *l)
{
	for (size_t i = 0; i < l->step.n_calls; i++) {
		struct turn_call *c = &l->step.calls[i];

		if (!c->wait)
			continue;
		c->wait = 0;
		tool_refuse(l->arena, ERR_CANCELLED,
			    "The user stopped this turn before the call ran.",
			    &c->result);
		calls_end(l, c);
	}
}

/* -- rows -------------------------------------------------------------------- */

static void make_row(struct turn_loop *l, struct turn_call *c, struct turn_wait *w)
{
	const struct tool *t = tool_set_find(&l->context.tools, c->name)->tool;
	const struct str call_id = trail_call_id(l, c);
	unsigned char *digest = arena_alloc(l->arena, WAIT_DIGEST_BYTES);
	bool approval = c->wait == WAIT_APPROVAL;
	struct buf from = BUF_INIT(65536);
	struct jw j = jw_on(&from);

	origins_write(&j, &l->log.asked);
	wait_digest(&l->run->id, call_id, c->name, c->shown, digest);
	*w = (struct turn_wait){
		.id = uuid_new(), .turn_id = l->run->id, .kind = c->wait,
		.call_id = call_id, .tool = str_of(t->name), .effect = t->effect,
		.flags = (l->within.trail ? WAIT_INNER : 0) |
			 (approval && t->editable ? WAIT_EDITABLE : 0) |
			 (approval && c->ask.may_remember ? WAIT_REMEMBER : 0),
		.reason = approval ? str_of(c->ask.reason) : STR(""),
		.origins = approval ? arena_str(l->arena, buf_str(&from))
				    : (struct str){ NULL, 0 },
		.args = c->shown,
		.digest = { (const char *)digest, WAIT_DIGEST_BYTES },
		.expires_us = clock_now_us() +
			(int64_t)l->run->in.by.conf->limits.approval_s * 1000000,
	};
	buf_release(&from);
}

/* Whether a wait of a plan is stored. */
static bool is_stored(const struct turn_wait *w)
{
	return w->created_us > 0;
}

/* Adds the rows of a call's waits that are stored, or that are not. */
static size_t add_rows(struct turn_loop *l, struct turn_call *c, bool stored,
		       struct turn_wait *rows, size_t n)
{
	if (!c->wait)
		return n;
	for (size_t i = 0; i < c->n_inner; i++)
		if (is_stored(&c->inner[i]) == stored)
			rows[n++] = c->inner[i];
	if (!c->n_inner && (c->row != NULL) == stored) {
		if (stored)
			rows[n] = *c->row;
		else
			make_row(l, c, &rows[n]);
		n++;
	}
	return n;
}

/* Makes the rows of all waits, in order; the *n_new last ones are new. */
static void make_rows(struct turn_loop *l, size_t *n_new)
{
	struct turn_step *s = &l->step;
	struct turn_wait *rows;
	size_t most = s->n_calls, n = 0, n_stored;

	for (size_t i = 0; i < s->n_calls; i++)
		most += s->calls[i].n_inner;
	rows = arena_zalloc(l->arena, most, sizeof(*rows));
	for (size_t i = 0; i < s->n_calls; i++)
		n = add_rows(l, &s->calls[i], true, rows, n);
	n_stored = n;
	for (size_t i = 0; i < s->n_calls; i++)
		n = add_rows(l, &s->calls[i], false, rows, n);
	*n_new = n - n_stored;
	l->waits.v = rows;
	l->waits.n = n;
}

void pause_step(struct turn_loop *l)
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
			make_row(l, c, &l->waits.v[l->waits.n++]);
	}
	l->waits.waiting = true;
}

/* Links the calls to their stored rows. */
static void keep_rows(struct turn_loop *l, struct turn_wait *waits, size_t n)
{
	struct turn_step *s = &l->step;

	for (size_t i = 0, k = 0; i < s->n_calls && k < n; i++) {
		struct turn_call *c = &s->calls[i];

		for (size_t m = 0; c->wait && m < c->n_inner; m++)
			k += !is_stored(&c->inner[m]);
		if (c->wait && !c->n_inner && !c->row)
			c->row = &waits[k++];
	}
}

static int store_pause(struct turn_loop *l, void *ctx, struct err *e)
{
	struct turn_pause *p = ctx;
	struct turn_events *events = NULL;

	event_live_ending(l->run->deps->live, &l->relay.entry, l->arena, &events,
			 &p->n_events);
	p->events = events;
	/* One event per wait and the last one, emitted after the commit. */
	p->last_event_seq = (int64_t)l->relay.seq + (int64_t)l->waits.n + 1;
	p->rows = l->rows.unstored;
	p->n_rows = l->rows.n_unstored;
	if (cite_store(&l->context, e) < 0)
		return -1;
	return store_turn_pause(l->run->deps->db, &l->owner, p, e);
}

/* -- telling ------------------------------------------------------------------ */

static bool is_announced(const struct turn_loop *l, const struct turn_wait *w)
{
	for (size_t i = 0; i < l->waits.n_announced; i++)
		if (uuid_eq(&l->waits.announced[i], &w->id))
			return true;
	return false;
}

/* Each has a number, which followers count back from the last one. */
static void announce_waits(struct turn_loop *l)
{
	struct turn_event all = {
		.type = TURN_EV_WAITING, .waits = l->waits.v,
		.n_waits = l->waits.n, .message = &l->run->answer,
	};

	for (size_t i = 0; i < l->waits.n; i++) {
		struct turn_event ev = event_of_wait(&l->waits.v[i]);

		if (is_announced(l, &l->waits.v[i]))
			l->relay.seq++;
		else
			relay_emit(&l->relay, &ev);
	}
	relay_emit(&l->relay, &all);
	relay_flush(&l->relay);
}

/* Sets the text that stands for the answer where a client needs one. */
static void set_waiting_answer(struct turn_loop *l)
{
	struct turn_run *t = l->run;

	t->waits = l->waits.v;
	t->n_waits = l->waits.n;
	t->answer = (struct message){
		.role = ROLE_ASSISTANT, .turn_id = t->id,
		.created_us = clock_now_us(),
		.content = turn_waiting_text(l->arena, l->waits.v, l->waits.n),
		.meta = meta_answer(l, "waiting", NULL, STR("")),
		.kind = KIND_ANSWER, .finish_reason = STR("waiting"),
		.continues_seq = t->continues_seq,
	};
}

int pause_turn(struct turn_loop *l, struct err *e)
{
	struct turn_run *t = l->run;
	struct usage u = loop_usage(l, "waiting");
	struct turn_pause p = {
		.turn_id = t->id, .conversation_id = t->conversation_id,
		.resumes = t->resumes,
		.usage = l->served.model_calls ? &u : NULL,
		.cut = l->relay.entry.interrupted,
	};
	size_t n_new;

	make_rows(l, &n_new);
	p.waits = l->waits.v + l->waits.n - n_new;
	p.n_waits = n_new;
	for (size_t i = 0; i < l->waits.n; i++)
		p.until_us = MAX(p.until_us, l->waits.v[i].expires_us);
	if (!l->waits.n)
		/*
		 * Nobody is asked: it sleeps until a job, or a request, goes on with its
		 * plan.
		 */
		p.until_us = clock_now_us() + TURN_SLEEP_US;
	steps_add(l);
	relay_status(&l->relay, "waiting");
	if (p.usage)
		/*
		 * If the COMMIT is not answered, usage_settle asks by this id whether it
		 * has happened.
		 */
		l->waits.paused = u.id;
	if (loop_stubbornly(l, store_pause, &p, e) < 0)
		return -1;
	l->waits.paused = (struct uuid){ { 0 } };
	l->rows.n_unstored = 0;
	keep_rows(l, p.waits, n_new);
	if (p.news) {
		event_live_on(t->deps->live, &l->relay.entry);
		return 0;
	}
	l->waits.waiting = true;
	if (!p.over)	/* otherwise another process has emitted what follows */
		notify_turn(t->deps->notify, &l->owner, &t->id,
			    &t->conversation_id, TURN_WAITING);
	/*
	 * The turn is any process's now: no lease is extended, no event is written here any
	 * more.
	 */
	event_live_remove(t->deps->live, &l->relay.entry);
	metric_add(METRIC_TURNS, store_turn_status_name(TURN_WAITING), NULL, 1);
	set_waiting_answer(l);
	announce_waits(l);
	return 1;
}

/* -- as text ------------------------------------------------------------------- */

static void add_question(struct buf *b, const struct turn_wait *w)
{
	struct err ignored = ERR_INIT;
	json_t *j = jx_load_lenient(w->args, &ignored);
	const json_t *options = jx_arr(j, "options"), *o;
	size_t i;

	buf_addstr(b, jx_str(j, "question"));
	json_array_foreach((json_t *)options, i, o)
		buf_addf(b, "\n%c: %s", (char)('A' + i),
			 json_is_string(o) ? json_string_value(o) : "");
	json_decref(j);
}

struct str turn_waiting_text(struct arena *a, const struct turn_wait *waits,
			     size_t n)
{
	struct buf b = BUF_INIT(1048576);
	struct str s;

	for (size_t i = 0; i < n; i++) {
		const struct turn_wait *w = &waits[i];

		buf_adds(&b, i ? "\n\n" : "");
		if (w->kind == WAIT_QUESTION)
			add_question(&b, w);
		else if (w->kind == WAIT_CLIENT)
			buf_addf(&b, "Waiting for the page to run %.*s.", STR_ARG(w->tool));
		else
			buf_addf(&b, "Waiting for your approval: %.*s with "
				 "%.*s", STR_ARG(w->tool), STR_ARG(w->args));
	}
	s = arena_str(a, buf_str(&b));
	buf_release(&b);
	return s;
}
