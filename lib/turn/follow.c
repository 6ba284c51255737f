/* SPDX-License-Identifier: MIT */
#include "turn/follow.h"

#include "base/clock.h"
#include "store/conversation.h"
#include "event/live.h"
#include "event/log.h"
#include "event/notify.h"
#include "event/pack.h"
#include "event/texts.h"

#include "base/banned.h"

enum {
	LIST_ROWS = 16,		/* batches per read */
	JOIN_BYTES = 8192,	/* target size of a merged delta */
	CHUNK_BYTES = 33554432,	/* of a log */
	WAITS_SENT = 64,	/* that are not told twice */
};

struct following {
	struct turn_follow *f;
	struct sink *sink;
	struct arena chunk;	/* for one batch; reset after it */
	struct buf records;	/* copied from a log */
	struct buf delta;	/* merged neighbours */
	struct turn_event joined;	/* their event; type TOKEN … or _MAX */
	struct turn_events from;	/* the last batch read; only its
					   position */
	int64_t sent_ms;	/* when the client last got something */
	bool unflushed;		/* since the last flush */
	struct uuid waits_sent[WAITS_SENT];	/* the last ones, of n */
	size_t n_waits_sent;
};

static bool has_ended(const struct turn *t)
{
	return t->status != TURN_RUNNING && t->status != TURN_WAITING;
}

/* -- telling ---------------------------------------------------------------- */

static void send_event(struct following *k, struct turn_event *ev)
{
	ev->run = &k->f->run;
	k->sink->emit(k->sink, ev);
	k->f->after = ev->seq;
	k->unflushed = true;
}

static void tell_wait(struct following *k, const struct turn_wait *w, int64_t seq)
{
	struct turn_event ev = event_of_wait(w);

	for (size_t i = 0; i < MIN(k->n_waits_sent, WAITS_SENT); i++)
		if (uuid_eq(&k->waits_sent[i], &w->id))
			return;
	k->waits_sent[k->n_waits_sent++ % WAITS_SENT] = w->id;
	ev.seq = (uint32_t)seq;
	send_event(k, &ev);
}

static void tell_delta(struct following *k)
{
	if (k->joined.type == TURN_EV__MAX)
		return;
	k->joined.text = buf_str(&k->delta);
	send_event(k, &k->joined);
	buf_reset(&k->delta);
	k->joined.type = TURN_EV__MAX;
}

static void add_delta(struct following *k, const struct turn_event *ev)
{
	/*
	 * One that reads a long turn from the store gets few large deltas, not each
	 * token again.
	 */
	if (k->joined.type != ev->type || k->delta.n > JOIN_BYTES || k->f->apart)
		tell_delta(k);
	k->joined = *ev;
	buf_addstr(&k->delta, ev->text);
}

/* Reads one message, superseded or not; false if there is none. */
static bool load_message(struct following *k, int64_t seq, struct message *out,
			 struct err *e)
{
	return seq > 0 &&
		message_get(k->f->deps->db, &k->f->by.owner,
			    &k->f->turn.conversation_id, seq, k->f->by.arena,
			    out, e) == 0;
}

static int tell_user(struct following *k, struct turn_event *ev, struct err *e)
{
	struct turn_run *run = &k->f->run;

	if (load_message(k, k->f->turn.user_seq, &run->user, e)) {
		/* A continuation answers the message of an earlier turn. */
		run->user.turn_id = k->f->turn_id;
		ev->message = &run->user;
		send_event(k, ev);
	}
	return e->code == ERR_NONE ? 0 : -1;
}

/* What a running turn waits for (event.def): the record has its call. */
static int tell_asked(struct following *k, const struct turn_event *asked, struct err *e)
{
	const struct arena_mark m = arena_mark(k->f->by.arena);
	struct turn_wait *rows;
	size_t n;

	if (store_turn_wait_list(k->f->deps->db, &k->f->by.owner, &k->f->turn_id,
				 k->f->by.arena, &rows, &n, e) < 0)
		return -1;
	k->f->after = asked->seq;
	for (size_t i = 0; i < n; i++)
		if (rows[i].status == WAIT_OPEN &&
		    str_eq(rows[i].call_id, asked->call_id))
			tell_wait(k, &rows[i], asked->seq);
	arena_rewind(k->f->by.arena, m);
	return 0;
}

static bool is_of_wait(enum turn_event_type t)
{
	return t == TURN_EV_APPROVAL_REQUEST || t == TURN_EV_CLIENT_TOOL_CALL ||
		t == TURN_EV_CLARIFICATION;
}

/* Emits the records after `after`. */
static int tell_records(struct following *k, struct str data, uint32_t first,
			struct err *e)
{
	struct pack_reader r = { .data = data, .first = first };
	struct turn_event ev;

	while (pack_next(&r, &ev)) {
		if (ev.seq <= k->f->after)
			continue;
		if (event_table[ev.type].coalesced) {
			add_delta(k, &ev);
			continue;
		}
		tell_delta(k);
		if (ev.type == TURN_EV_USER_MESSAGE) {
			if (tell_user(k, &ev, e) < 0)
				return -1;
		} else if (is_of_wait(ev.type)) {
			if (tell_asked(k, &ev, e) < 0)
				return -1;
		} else {
			send_event(k, &ev);
		}
	}
	tell_delta(k);
	return 0;
}

/* The answer of a turn that stored none. */
static struct message no_answer(const struct turn *t)
{
	return (struct message){
		.role = ROLE_ASSISTANT, .turn_id = t->id,
		.created_us = t->ended_us,
		.meta = STR("{\"finish_reason\":\"cancelled\"}"),
		.kind = KIND_ANSWER, .finish_reason = STR("cancelled"),
	};
}

/* The conversation was deleted meanwhile, which stopped the turn. */
static void tell_gone(struct following *k)
{
	struct turn_follow *f = k->f;

	f->run.answer = no_answer(&f->turn);
	f->run.answer.turn_id = f->turn_id;
	f->run.answer.created_us = clock_now_us();
	send_event(k, &(struct turn_event){
		.type = TURN_EV_DONE, .seq = (uint32_t)f->after + 1,
		.message = &f->run.answer });
	f->done = true;
}

static void tell_end(struct following *k, struct err *e)
{
	struct turn_follow *f = k->f;
	const struct turn *t = &f->turn;
	struct turn_event ev = {
		.type = t->status == TURN_ERROR ? TURN_EV_ERROR : TURN_EV_DONE,
		.seq = (uint32_t)t->last_event_seq,
		.message = &f->run.answer,
	};

	if (!load_message(k, t->answer_seq, &f->run.answer, e))
		f->run.answer = no_answer(t);
	if (e->code == ERR_NONE) {
		send_event(k, &ev);
		f->done = true;
	}
}

/*
 * Emits the waits, numbered back from the turn's last event. The rows are those
 * that it was stored with, because a decision resumes the turn.
 */
static int tell_waiting(struct following *k, struct err *e)
{
	struct turn_follow *f = k->f;
	struct turn_wait *rows;
	int64_t seq;
	size_t n, open = 0;

	if (store_turn_wait_list(f->deps->db, &f->by.owner, &f->turn_id, f->by.arena,
				 &rows, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (!rows[i].used_us)
			rows[open++] = rows[i];
	/* As announce_waits (pause.c) has numbered them for those who followed live. */
	seq = f->turn.last_event_seq - (int64_t)open;
	for (size_t i = 0; i < open; i++, seq++)
		if (seq > f->after)
			tell_wait(k, &rows[i], seq);
	send_event(k, &(struct turn_event){
		.type = TURN_EV_WAITING,
		.seq = (uint32_t)f->turn.last_event_seq,
		.waits = rows, .n_waits = open });
	return 0;
}

/* How long to wait now; 0 = no longer. Flushes first. */
static int wait_ms(struct following *k)
{
	int64_t now_ms = clock_mono_ms();

	if (k->unflushed) {
		k->unflushed = false;
		k->sent_ms = now_ms;
		if (k->sink->flush)
			k->sink->flush(k->sink);
	} else if (now_ms - k->sent_ms >= TURN_IDLE_MS) {
		k->sent_ms = now_ms;
		if (k->sink->idle)
			k->sink->idle(k->sink);
		if (k->sink->flush)
			k->sink->flush(k->sink);
	}
	return k->f->patience(k->f->ctx);
}

/* -- from the store --------------------------------------------------------- */

/* Emits everything stored after `after`. *n: number of batches. */
static int tell_stored(struct following *k, size_t *n, struct err *e)
{
	struct turn_events *rows;
	size_t got;
	bool more;

	*n = 0;
	do {
		int rc = store_turn_events_list(k->f->deps->db, &k->f->by.owner,
						&k->f->turn_id, k->f->after,
						&k->from, LIST_ROWS, &k->chunk,
						&rows, &got, &more, e);

		for (size_t i = 0; !rc && i < got; i++) {
			rc = tell_records(k, rows[i].data,
					  (uint32_t)rows[i].seq, e);
			if (rows[i].number)
				k->from = (struct turn_events){
					.process = rows[i].process,
					.number = rows[i].number };
		}
		arena_reset(&k->chunk);
		if (rc < 0)
			return -1;
		*n += got;
	} while (more);
	return 0;
}

int turn_now(const struct turn_deps *deps, const struct owner *o,
	     const struct uuid *id, struct arena *a, struct turn *out,
	     struct err *e)
{
	bool closed;

	if (store_turn_get(deps->db, o, id, a, out, e) < 0)
		return -1;
	if (out->status != TURN_RUNNING ||
	    out->lease_until_us >= clock_now_us())
		return 0;
	if (store_turn_recover(deps->db, o, id, event_texts, &closed, e) < 0)
		return -1;
	if (closed)
		notify_turn(deps->notify, o, id, &out->conversation_id,
			    TURN_INTERRUPTED);
	return store_turn_get(deps->db, o, id, a, out, e);
}

/* Called several times a second: releases the row's texts, which nobody reads. */
static int refresh(struct following *k, struct err *e)
{
	struct turn_follow *f = k->f;
	struct arena_mark m = arena_mark(f->by.arena);
	int rc = turn_now(f->deps, &f->by.owner, &f->turn_id, f->by.arena,
			  &f->turn, e);

	arena_rewind(f->by.arena, m);
	f->turn.error_code = f->turn.error_text = f->turn.client =
		(struct str){ NULL, 0 };
	return rc;
}

static int follow_store(struct following *k, struct err *e)
{
	struct turn_follow *f = k->f;
	struct event_watch *w = event_watch_open(f->deps->live, &f->turn_id);
	int rc, ms;
	size_t n;

	do {
		/*
		 * The state before the events: a turn that has ended by then has stored
		 * all of them.
		 */
		rc = refresh(k, e);
		if (!rc)
			rc = tell_stored(k, &n, e);
		if (!rc && has_ended(&f->turn)) {
			if (f->turn.last_event_seq > f->after)
				tell_end(k, e);
			else
				f->done = true;
			rc = e->code == ERR_NONE ? 0 : -1;
		} else if (!rc && f->turn.status == TURN_WAITING) {
			if (f->turn.last_event_seq > f->after)
				rc = tell_waiting(k, e);
			f->done = f->ends_at_wait;
		}
		/* Called each time, even if there are events already. */
		ms = rc || f->done ? 0 : wait_ms(k);
		while (ms && !event_watch_wait(w, MAX(f->after,
						     f->turn.last_event_seq),
					      ms))
			ms = wait_ms(k);
	} while (ms);
	event_watch_close(w);
	return rc;
}

/* -- from memory ------------------------------------------------------------ */

/*
 * Returns 1 if the turn has ended here and the rest is in the store; 0 when
 * patience runs out; -1.
 */
static int follow_log(struct following *k, struct event_log *log, struct err *e)
{
	uint32_t first;
	size_t n;

	for (;;) {
		/* The first read does not wait. */
		int ms = wait_ms(k);

		switch (event_log_read(log, (uint32_t)k->f->after, ms,
				      &k->records, &first)) {
		case EVENT_LOG_NEWS:
			if (tell_records(k, buf_str(&k->records), first, e) < 0)
				return -1;
			if (ms == 0)
				return 0;
			break;
		case EVENT_LOG_BEHIND:
			if (tell_stored(k, &n, e) < 0)
				return -1;
			if (n == 0)	/* the store has no more either */
				return 1;
			break;
		case EVENT_LOG_ENDED:
			return 1;
		case EVENT_LOG_QUIET:
			if (ms == 0)
				return 0;
			break;
		}
	}
}

/* -- all of it -------------------------------------------------------------- */

/*
 * The target that events point to: the agent as configured, or at least its
 * name. Dialects may name the model; without a service they omit it.
 */
static void find_target(struct turn_follow *f, const struct conversation *c)
{
	const struct workspace *w = catalog_workspace(f->by.conf,
						      c->workspace_id);
	struct turn_options options = { .web = 0 };
	struct str id = c->agent_id;
	const struct agent *a;
	struct err e = ERR_INIT;

	options_fill(f->turn.client, f->by.arena, &options);
	if (options.answer_agent.p)
		id = options.answer_agent;
	a = w ? workspace_agent(w, id) : NULL;
	if (!a && target_find(&f->by, c->workspace_id, id, &f->run.in.target, &e) == 0)
		return;		/* stored agents */
	if (!a)
		a = agent_named(f->by.arena, id);
	if (!w)
		w = workspace_named(f->by.arena, c->workspace_id);
	f->run.in.target = target_of(f->by.conf, w, a);
}

int turn_follow_open(struct turn_follow *f, struct err *e)
{
	const struct owner *owner = &f->by.owner;
	struct conversation c;

	if (store_turn_get(f->deps->db, owner, &f->turn_id, f->by.arena, &f->turn,
			   e) < 0 ||
	    conversation_get(f->deps->db, owner, &f->turn.conversation_id,
			     f->by.arena, &c, e) < 0)
		return -1;
	f->run = (struct turn_run){
		.deps = f->deps, .id = f->turn_id,
		.conversation_id = f->turn.conversation_id, .arena = f->by.arena,
		.in = { .by = f->by,
			.conversation_id = f->turn.conversation_id },
		/*
		 * Until the event sets it; dialects take the date of frames
		 * from it.
		 */
		.user = { .seq = f->turn.user_seq, .role = ROLE_USER,
			  .turn_id = f->turn_id,
			  .created_us = f->turn.started_us },
	};
	f->run.in.options.context_type = c.context.context_type;
	f->run.in.options.project_id = c.context.project_id;
	f->run.in.options.focus_id = c.context.focus_id;
	find_target(f, &c);
	f->after = MIN(MAX(f->after, 0), UINT32_MAX);
	f->done = (has_ended(&f->turn) ||
		   (f->ends_at_wait && f->turn.status == TURN_WAITING)) &&
		f->turn.last_event_seq <= f->after && f->after > 0;
	return 0;
}

int turn_follow_run(struct turn_follow *f, struct sink *s, struct err *e)
{
	struct following k = {
		.f = f, .sink = s, .chunk = ARENA_INIT,
		.records = BUF_INIT(CHUNK_BYTES), .delta = BUF_INIT(CHUNK_BYTES),
		.joined = { .type = TURN_EV__MAX }, .sent_ms = clock_mono_ms(),
	};
	struct event_log *log = f->done ? NULL
		: event_live_log(f->deps->live, &f->turn_id);
	int rc = f->done ? 0 : 1;

	if (log) {
		event_log_follow(log);
		rc = follow_log(&k, log, e);
		event_log_unfollow(log);
		event_log_unref(log);
	}
	if (rc > 0)
		rc = follow_store(&k, e);
	/* Its rows go with the conversation; a follower still gets an end. */
	if (rc < 0 && e->code == ERR_NOT_FOUND) {
		err_clear(e);
		tell_gone(&k);
		rc = 0;
	}
	if (s->flush)
		s->flush(s);
	arena_release(&k.chunk);
	buf_release(&k.records);
	buf_release(&k.delta);
	return rc;
}
