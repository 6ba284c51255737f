/* SPDX-License-Identifier: MIT */
#include "api/send.h"

#include <stdatomic.h>
#include <stdio.h>

#include "api/idempotent.h"
#include "api/scope.h"
#include "app.h"
#include "base/clock.h"
#include "base/log.h"
#include "form.h"
#include "places.h"
#include "store/user.h"
#include "turn/follow.h"
#include "turn/wake.h"
#include "event/live.h"

#include "base/banned.h"

enum {
	LOOK_MS = 1000,		/* interval at which a follower checks if it must end */
	BATCH_BYTES = 65536,	/* of replayed events, about */
};

/* -- decoding ---------------------------------------------------------------- */

struct turn_request send_request(const struct request *rq, enum turn_verb verb)
{
	return (struct turn_request){
		.verb = verb, .by = rq->by,
	};
}

struct turn_request send_resume(const struct request *rq, const struct turn *t,
				struct turn_decision *decisions, size_t n)
{
	struct turn_request in = send_request(rq, TURN_RESUME);

	in.of = t;
	in.conversation_id = t->conversation_id;
	in.decisions = decisions;
	in.n_decisions = n;
	return in;
}

/*
 * A turn that sleeps (turn/wake.h) is resumed, and one that goes on with a plan already is
 * followed: *in becomes that request.
 */
static int wake(struct request *rq, const struct turn *t, struct turn_request *in,
		struct err *e)
{
	struct turn_request woken = send_resume(rq, t, NULL, 0);
	/* A job may have been faster. */
	const int goes_on = t->status == TURN_RUNNING
		? turn_plans(rq->app->db, &rq->by.owner, t, rq->arena, e)
		: turn_sleeps(rq->app->db, &rq->by.owner, t, rq->arena, e);

	if (goes_on > 0)
		*in = woken;
	return MIN(goes_on, 0);
}

int send_continue(struct request *rq, struct turn *t, struct turn_request *in,
		  struct err *e)
{
	if (turn_now(&rq->app->deps, &rq->by.owner, route_arg_uuid(rq, "turn"),
		     rq->arena, t, e) < 0)
		return -1;
	in->of = t;
	in->conversation_id = t->conversation_id;
	return wake(rq, t, in, e);
}

int send_read(struct request *rq, enum turn_verb verb,
	      const struct field *fields, size_t n, void *out,
	      size_t size_bytes, struct err *e)
{
	struct turn_request *in = out;

	if (fields_read(fields, n, rq->body, out, size_bytes, e) < 0)
		return -1;
	in->verb = verb;
	in->by = rq->by;
	return 0;
}

int send_read_options(const json_t *o, struct turn_options *out, struct err *e)
{
	static const struct field fields[] = {
		SEND_OPTIONS
	};
	struct turn_request in = { .options = *out };

	if (fields_pick(fields, ARRAY_LEN(fields), o, &in, e) < 0)
		return -1;
	*out = in.options;
	return 0;
}

static json_t *form_texts(const struct request *rq, struct str s)
{
	json_t *list = jx_keep(rq->arena, json_array());

	while (s.p) {
		struct str one = str_cut(&s, ' ');

		if (one.n)
			json_array_append_new(list, jx_string(one));
	}
	return list;
}

struct turn_options send_form_options(const struct request *rq)
{
	struct turn_options v = { 0 };

	for (size_t i = 0; i < N_TURN_OPTIONS; i++) {
		const struct turn_option *o = &options_rows[i];
		void *p = (char *)&v + o->offset;

		if (!*o->form || !form_field(rq, o->form).n)
			continue;
		if (o->type == TURN_OPTION_TEXTS)
			*(json_t **)p = form_texts(rq, form_field(rq, o->form));
		else if (o->type == TURN_OPTION_TEXT)
			*(struct str *)p = form_field(rq, o->form);
		else
			*(int *)p = 1;
	}
	return v;
}

/* -- starting ---------------------------------------------------------------- */

/* After the answer was sent: title and other work, then the turn is finished. */
static void after(struct request *rq)
{
	struct turn_run *t = rq->after_ctx;
	struct err e = ERR_INIT;

	turn_after(t);
	if (t->jobs_asked)
		atomic_store(&rq->app->jobs_asked, true);
	if (app_user_due(&rq->by.who->user_id) &&
	    store_user_touch(rq->app->db, &rq->by.owner, rq->by.who->login,
			     rq->by.who->name, &e) < 0)
		log_err("user not noted", &e);
}

static void run_after(struct request *rq)
{
	(void)turn_run(rq->after_ctx, NULL);
	after(rq);
}

void send_later(struct request *rq, struct turn_run *t)
{
	rq->after = run_after;
	rq->after_ctx = t;
}

int send_start(struct request *rq, struct turn_request *in,
	       struct turn_run **out, struct err *e)
{
	struct turn_run *t = arena_new(rq->arena, struct turn_run);
	struct err bad_key = ERR_INIT;
	int rc;

	/* A decision needs no key, so an invalid key matters only if it would be used. */
	if (idempotent_key(rq, in, &bad_key) < 0 && in->verb != TURN_RESUME) {
		*e = bad_key;
		return -1;
	}
	rc = turn_start(t, &rq->app->deps, in, rq->arena, e);
	/* A valid key would have told a repeated decision from one that comes too late. */
	if (rc < 0 && e->code == ERR_CONFLICT && bad_key.code)
		*e = bad_key;
	if (rc == TURN_STARTED) {
		rq->after = after;
		rq->after_ctx = t;
	}
	*out = t;
	return rc;
}

/* -- as a stream --------------------------------------------------------------- */

/* The sink of a stream, live or replayed: a dialect over an answer. */
struct stream_sink {
	struct sink sink;	/* must be first: a sink is cast back */
	bool left;		/* the answer has ended, the turn has not */
	bool may_leave;		/* its clients can follow the turn on */
	bool ended;		/* the dialect's end was written with the last event */
	bool holds_process;	/* its place is one of those that the store counts */
	struct request *rq;
	struct response *rs;
	const struct dialect *dialect;
	struct dialect_state state;
	struct turn_run *stop;		/* stopped when the client is gone; or NULL */
	struct turn_run *leave;		/* stopped some time after it is gone; or NULL */
	const struct uuid *watched;	/* a turn that is followed; or NULL */
	const struct send_as *as;	/* of a turn that runs here; or NULL */
};

void send_retry_after(struct response *rs, int seconds)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", seconds);
	resp_header(rs, "Retry-After", text);
}

/* The worker has nothing to take over: the connection has ended. */
static void nothing_left(void *ctx, struct conn *conn)
{
	(void)ctx;
	(void)conn;
}

/*
 * Ends the answer, which frees its place at the web server, and runs the turn on:
 * clients read the rest with GET /turns/{t}/events.
 */
static void stream_leave(struct stream_sink *ss)
{
	resp_finish(ss->rs);
	ss->rq->conn->end(ss->rq->conn);
	ss->rq->adopt = nothing_left;
	share_give(&ss->rq->open);
	ss->left = true;
}

/*
 * Whether to leave now. Where each answer has a process, only the store knows how
 * many there are; it is asked once the client has got the first of the answer.
 */
static bool has_place(struct stream_sink *ss, bool first)
{
	if (ss->rq->brief)
		return false;
	return first || places_check(ss->rq);
}

/* Whether the client is gone. The turn then continues, unless it must stop, or soon. */
static bool stream_gone(struct stream_sink *ss)
{
	if (ss->left)
		return true;
	if (!ss->rs->gone)
		return false;
	if (ss->stop)
		event_live_cancel(ss->stop->deps->live, &ss->stop->id);
	if (ss->leave)
		event_live_left(ss->leave->deps->live, &ss->leave->id,
				ss->rq->conf->client_left_s);
	ss->stop = ss->leave = NULL;
	return true;
}

static void stream_flush(struct sink *s)
{
	struct stream_sink *ss = (struct stream_sink *)s;
	bool first = !ss->rs->sent_bytes;

	if (ss->left)
		return;
	resp_flush(ss->rs);
	if (!stream_gone(ss) && ss->may_leave && !has_place(ss, first))
		stream_leave(ss);
}

/*
 * On the thread of lib/net: to leave, and to ask the store, is for the turn's own,
 * which flushes what is refused here.
 */
static bool stream_try_flush(struct sink *s)
{
	struct stream_sink *ss = (struct stream_sink *)s;
	bool flushed;

	if (ss->left)
		return true;
	if (ss->may_leave && (ss->rq->brief ||
			      (ss->holds_process && ss->rs->sent_bytes &&
			       places_look_due(&ss->rq->app->places))))
		return false;
	flushed = resp_try_flush(ss->rs);
	stream_gone(ss);
	return flushed;
}

static bool is_last(const struct dialect *d, const struct turn_event *ev)
{
	return ev->type == TURN_EV_DONE || ev->type == TURN_EV_ERROR ||
		(ev->type == TURN_EV_WAITING && d->ends_at_wait);
}

static void stream_emit(struct sink *s, const struct turn_event *ev)
{
	struct stream_sink *ss = (struct stream_sink *)s;

	if (stream_gone(ss))
		return;
	dialect_encode(ss->dialect, resp_stream(ss->rs), ev, &ss->state);
	if (ss->as && ss->as->written)
		ss->as->written(ev, ss->as->ctx);
	/* Of a turn that runs here nothing follows: one write for both. */
	if (ss->as && !ss->as->no_end && ss->dialect->end.n && is_last(ss->dialect, ev)) {
		buf_addstr(resp_stream(ss->rs), ss->dialect->end);
		ss->ended = true;
	}
	/* All stored events may come at once; do not collect them here. */
	if (!s->try_flush && resp_stream(ss->rs)->n > BATCH_BYTES)
		stream_flush(s);
}

static void stream_idle(struct sink *s)
{
	struct stream_sink *ss = (struct stream_sink *)s;

	if (!stream_gone(ss))
		buf_addstr(resp_stream(ss->rs), ss->dialect->keep_alive);
}

void send_watched(struct request *rq, const struct uuid *turn)
{
	struct err e = ERR_INIT;

	if (event_live_is_left(rq->app->live, turn) &&
	    store_turn_left(rq->app->db, turn, 0, &e) < 0)
		log_err("a turn that is watched again", &e);
}

/* A process that must stop disconnects its clients, which will reconnect. */
static int stream_patience(void *ctx)
{
	struct stream_sink *ss = ctx;

	if (!ss->rs->gone && ss->watched)
		send_watched(ss->rq, ss->watched);
	return ss->rs->gone || ss->rq->brief ||
		atomic_load(&ss->rq->app->stopping) ? 0 : LOOK_MS;
}

static struct stream_sink stream_open(struct request *rq, struct response *rs,
				      const struct send_as *as)
{
	const struct dialect *d = dialect_get(as->dialect);
	struct stream_sink s = {
		.sink = { .emit = stream_emit, .flush = stream_flush,
			  .idle = stream_idle },
		.rq = rq, .rs = rs, .dialect = d,
		.state = dialect_open(as->dialect, as->style, as->asked,
				      rq->arena),
	};

	if (d->header)
		resp_header(rs, d->header, d->value);
	if (rq->brief)
		send_retry_after(rs, PLACE_ANSWER_S);
	resp_open_stream(rs, d->content_type, d->preamble);
	return s;
}

static void stream_close(struct stream_sink *s, bool ended)
{
	if (s->left)
		return;
	if (ended && !s->ended)
		buf_addstr(resp_stream(s->rs), s->dialect->end);
	resp_flush(s->rs);
}

static int whole_patience(void *ctx)
{
	struct request *rq = ctx;

	return atomic_load(&rq->app->stopping) ? 0 : LOOK_MS;
}

static void ignore(struct sink *s, const struct turn_event *ev)
{
	(void)s;
	(void)ev;
}

/* Stops the turn that made the conversation busy (e, which is cleared), and waits. */
static int end_running(struct request *rq, struct err *e)
{
	struct turn_follow f = {
		.deps = &rq->app->deps, .by = rq->by, .patience = whole_patience,
		.ctx = rq, .ends_at_wait = true,
	};
	struct sink s = { .emit = ignore };
	struct turn t;

	if (!uuid_parse(str_of(e->id), &f.turn_id))
		return -1;
	err_clear(e);
	if (store_turn_cancel(rq->app->db, &rq->by.owner, &f.turn_id, rq->arena, &t, e))
		return -1;
	if (t.status == TURN_RUNNING)
		event_live_cancel(rq->app->live, &f.turn_id);
	return turn_follow_open(&f, e) < 0 ? -1 : f.done ? 0 : turn_follow_run(&f, &s, e);
}

static int start(struct request *rq, struct turn_request *in, const struct send_as *as,
		 struct turn_run **t, struct err *e)
{
	enum { TRIES = 3 };	/* another message may come in between */
	int rc;

	for (int i = 0;; i++) {
		rc = send_start(rq, in, t, e);
		if (rc >= 0 || !as->ends_running || e->code != ERR_BUSY || i == TRIES ||
		    end_running(rq, e) < 0)
			return rc;
	}
}

int send_stream(struct request *rq, struct response *rs,
		struct turn_request *in, const struct send_as *as,
		struct err *e)
{
	bool resumable = dialect_get(as->dialect)->retries;
	struct stream_sink s;
	struct turn_run *t;
	int rc;

	/* Its answer ends at once, and the client could not follow the turn. */
	if (rq->brief && !resumable)
		return places_refuse(e);
	in->runs_at_once = true;
	rc = start(rq, in, as, &t, e);

	if (rc < 0 || (rc == TURN_REPEATED && in->verb == TURN_RESUME &&
		       send_after(rq, t->follow_seq, &t->follow_seq, e) < 0))
		return -1;
	if (rc != TURN_STARTED && as->followed)
		as->followed(t, as->ctx);
	if (rc != TURN_STARTED)
		return send_events(rq, rs, &t->id, t->follow_seq, as, e);
	if (as->begun)
		as->begun(rs, t, as->ctx);
	s = stream_open(rq, rs, as);
	s.sink.try_flush = stream_try_flush;
	s.may_leave = resumable;
	s.as = as;
	s.holds_process = places_hold_process(rq);
	/* With a key the client can ask for the answer again. */
	if (as->stops_with_client && in->key == TURN_KEY_NONE)
		s.stop = t;
	if (as->ends_running)
		s.leave = t;
	turn_run(t, &s.sink);
	stream_close(&s, !as->no_end);
	return 0;
}

int send_events(struct request *rq, struct response *rs,
		const struct uuid *turn, int64_t after_seq,
		const struct send_as *as, struct err *e)
{
	struct turn_follow f = {
		.deps = &rq->app->deps, .by = rq->by,
		.turn_id = *turn, .after = after_seq,
		.patience = stream_patience,
		.ends_at_wait = dialect_get(as->dialect)->ends_at_wait,
		.apart = as->apart,
	};
	struct err later = ERR_INIT;
	struct stream_sink s;

	if (!places_check(rq) && !dialect_get(as->dialect)->retries)
		return places_refuse(e);
	if (turn_follow_open(&f, e) < 0)
		return -1;
	if (f.done) {
		/*
		 * To which an EventSource does not reconnect, as it would after the end of
		 * a stream.
		 */
		resp_empty(rs, 204);
		return 0;
	}
	s = stream_open(rq, rs, as);
	if (rs->head_only)
		return 0;
	f.ctx = &s;
	s.watched = turn;
	if (f.turn.stop_us && store_turn_left(rq->app->db, turn, 0, &later) < 0) {
		log_err("a turn that is watched again", &later);
		err_clear(&later);
	}
	if (turn_follow_run(&f, &s.sink, &later) < 0)
		log_err("events of a turn", &later);
	err_clear(&later);
	/* The turn may run in another process, which looks at its row. */
	if (as->ends_running && rs->gone && !f.done &&
	    store_turn_left(rq->app->db, turn, clock_now_us() +
			    (int64_t)rq->conf->client_left_s * 1000000, &later) < 0)
		log_err("a turn that was left", &later);
	stream_close(&s, f.done && !as->no_end);
	return 0;
}

/* -- as a whole ------------------------------------------------------------------ */

struct waiting_sink {
	struct sink sink;	/* must be first: a sink is cast back */
	struct turn_run *run;
};

/* Keeps only what the turn waits for, if anything. */
static void keep_waits(struct sink *s, const struct turn_event *ev)
{
	struct turn_run *run = ((struct waiting_sink *)s)->run;

	if (ev->type != TURN_EV_WAITING)
		return;
	run->waits = ev->waits;
	run->n_waits = ev->n_waits;
	run->answer = (struct message){
		.role = ROLE_ASSISTANT, .turn_id = run->id,
		.content = turn_waiting_text(run->arena, ev->waits,
					     ev->n_waits),
	};
}

static int await_end(struct request *rq, struct turn_run *t,
		     enum turn_status *status, struct err *e)
{
	struct turn_follow f = {
		.deps = &rq->app->deps, .by = rq->by,
		.turn_id = t->id,
		.patience = whole_patience, .ctx = rq, .ends_at_wait = true,
	};
	struct waiting_sink s = {
		.sink = { .emit = keep_waits }, .run = &f.run,
	};

	if (turn_follow_open(&f, e) < 0 || turn_follow_run(&f, &s.sink, e) < 0)
		return -1;
	if (!f.done) {
		uuid_format(&f.turn_id, e->id);
		return err_set(e, ERR_BUSY, "stopped in front of the answer");
	}
	/* The stream ended with an answer, so load it. */
	if (message_get(rq->app->db, &rq->by.owner, &f.turn.conversation_id,
			f.turn.user_seq, rq->arena, &f.run.user, e) < 0)
		return -1;
	*t = f.run;
	*status = (enum turn_status)f.turn.status;
	return 0;
}

int send_whole(struct request *rq, struct turn_request *in,
	       struct turn_run **t, enum turn_status *status, struct err *e)
{
	int rc;

	if (rq->brief)
		return places_refuse(e);
	in->runs_at_once = true;
	rc = send_start(rq, in, t, e);
	if (rc < 0)
		return -1;
	if (rc != TURN_STARTED)
		return await_end(rq, *t, status, e);
	*status = turn_run(*t, NULL);
	return 0;
}

/* -- the query ------------------------------------------------------------------- */

int send_dialect(struct request *rq, enum dialect_id *out, struct err *e)
{
	struct buf names = BUF_INIT(256);
	struct str name;

	*out = DIALECT_NATIVE;
	if (req_query(rq, "dialect", &name, e) < 0)
		return -1;
	if (name.p)
		*out = dialect_find(name);
	if (*out < DIALECT__MAX)
		return 0;
	dialect_names(&names);
	err_field(e, ERR_INVALID_FIELD, "dialect",
		  "dialect must be one of: %s.", names.p);
	buf_release(&names);
	return -1;
}

int send_after(struct request *rq, int64_t dflt, int64_t *after, struct err *e)
{
	struct str header = req_header(rq, "Last-Event-ID");
	int64_t given, seen = header.n ? 0 : -1;

	if (req_query_int(rq, "after", INT64_MIN, &given, e) < 0)
		return -1;
	if (given < 0 && given != INT64_MIN)
		return err_field(e, ERR_INVALID_FIELD, "after",
				 "after must not be negative.");
	for (size_t i = 0; i < header.n && seen >= 0; i++)
		seen = header.p[i] >= '0' && header.p[i] <= '9' &&
			header.n < 11 ? seen * 10 + (header.p[i] - '0') : -1;
	*after = MAX(given == INT64_MIN ? dflt : given, seen);
	return 0;
}

int send_wait_s(struct request *rq, int64_t *out, struct err *e)
{
	struct str given;

	if (req_query(rq, "wait", &given, e) < 0 ||
	    req_query_int(rq, "wait", -1, out, e) < 0)
		return -1;
	if (given.p && (*out < 0 || *out > SEND_WAIT_MAX_S))
		return err_field(e, ERR_INVALID_FIELD, "wait",
				 "wait must be 0 to %d seconds.",
				 SEND_WAIT_MAX_S);
	return 0;
}
