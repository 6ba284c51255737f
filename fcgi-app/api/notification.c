/* SPDX-License-Identifier: MIT */
/*
 * One stream per user with all kinds of notices (E5). An idle stream occupies no
 * worker and no thread of its own: its connection is passed to the process's
 * notification thread (event/notify.h), which writes to it, keeps it alive and ends
 * it, while the worker serves the next request.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "api/api.h"
#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "auth/identity.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "dialect/dialect.h"
#include "dialect/notice.h"
#include "dialect/wire.h"
#include "event/live.h"
#include "event/notify.h"
#include "metric/metric.h"
#include "places.h"
#include "quota.h"
#include "resource/call.h"
#include "turn/follow.h"
#include "turn/turn.h"

#include "base/banned.h"

struct app;

struct feeds;

/*
 * Appends the frames of new events, without ids, because ids belong to notices.
 * native: `turn-event` {turnId, conversationId, id, event, data}; forge: its own
 * events, which contain turn and conversation. At most FEEDS_BYTES, plus one event.
 */
#define FEEDS_BYTES 65536

/* -- feeds of turns -------------------------------------------------------- */

/*
 * The events of all running turns of a user, for one stream of notifications
 * (events=all; E5, E6). Each turn is followed (turn/follow.h) from its first
 * event to its end; one that waits is paused until it resumes. Reads only what is
 * available, for a thread that must not wait for turns.
 *
 * A notice about a turn and the turn's own events tell the same thing, in one
 * stream. So a notice that a turn has ended, or waits, follows its last event
 * (feeds_settle).
 */

enum {
	FRAME_BYTES = 33554432,
	TROUBLE_MS = 1000,	/* until the store is queried again after an error */
};

struct feed {			/* a followed turn */
	struct turn_follow f;
	struct event_watch *watch;	/* if another process runs it; or NULL */
	struct arena arena;
	struct dialect_state state;
	bool open;		/* turn_follow_open found it */
	bool rests;		/* it waits for an answer, or for the end of a client */
	bool over;		/* its last event was sent; kept for its notice */
};

struct feeds {
	struct sink sink;	/* first: a sink is cast back */
	struct app *app;
	const struct conf *conf;
	struct identity who;
	enum dialect_id dialect;
	struct buf frame;
	struct buf *out;	/* of the current feeds_read */
	struct feed *now;	/* the one that is read */
	int64_t trouble_until_ms;	/* the store failed; nothing is read until then */
	size_t n;
	struct feed *v[LIM_FEEDS];
};

/* Wraps a dialect's frame in one of the stream. */
static void put_frame(struct feeds *s, const struct turn_event *ev, struct str frame)
{
	struct str name = wire_line(frame, "event");
	struct str data = wire_line(frame, "data");
	struct jw w;

	if (!data.n)
		return;
	if (s->dialect == DIALECT_FORGE) {
		buf_addf(s->out, "event: %.*s\ndata: ", STR_ARG(name));
		buf_addstr(s->out, data);
		wire_close(s->out);
		return;
	}
	w = wire_frame(s->out, "turn-event", 0);
	jw_kuuid(&w, "turnId", &ev->run->id);
	jw_kuuid(&w, "conversationId", &ev->run->conversation_id);
	jw_kint(&w, "id", ev->seq);
	jw_kstr(&w, "event", name);
	jw_key(&w, "data");
	jw_raw(&w, data);
	wire_frame_end(&w);
}

static void emit(struct sink *sink, const struct turn_event *ev)
{
	struct feeds *s = (struct feeds *)sink;
	struct str all;

	buf_reset(&s->frame);
	dialect_encode(dialect_get(s->dialect), &s->frame, ev, &s->now->state);
	if (!buf_ok(&s->frame))
		return;
	for (all = buf_str(&s->frame); all.n;) {
		const char *end = memmem(all.p, all.n, "\n\n", 2);
		size_t n = end ? (size_t)(end - all.p) + 2 : all.n;

		put_frame(s, ev, (struct str){ all.p, n });
		all = (struct str){ all.p + n, all.n - n };
	}
}

static int no_patience(void *ctx)
{
	(void)ctx;
	return 0;
}

/* For o, whose text must live as long. Follows no turn yet. Owned: feeds_free. */
static struct feeds *feeds_new(struct app *app, const struct owner *o,
			       enum dialect_id dialect)
{
	struct feeds *s = xcalloc(1, sizeof(*s));

	*s = (struct feeds){
		.sink = { .emit = emit }, .app = app, .conf = app_conf(app),
		.who = { .user_id = o->user_id, .tenant = o->tenant_id },
		.dialect = dialect, .frame = BUF_INIT(FRAME_BYTES),
	};
	return s;
}

static void feed_end(struct feed *d)
{
	event_watch_close(d->watch);
	d->watch = NULL;
	arena_release(&d->arena);
	d->over = true;
}

static void feed_free(struct feed *d)
{
	if (!d->over)
		feed_end(d);
	free(d);
}

/* Removes number i; the others stay in their order. */
static void drop(struct feeds *s, size_t i)
{
	feed_free(s->v[i]);
	s->n--;
	memmove(s->v + i, s->v + i + 1, (s->n - i) * sizeof(*s->v));
}

/* The number of the turn's feed; s->n: none. */
static size_t feed_of(const struct feeds *s, const struct uuid *turn)
{
	size_t i = 0;

	while (i < s->n && !uuid_eq(&s->v[i]->f.turn_id, turn))
		i++;
	return i;
}

/* Makes room by dropping the oldest of those that are over. */
static bool make_room(struct feeds *s)
{
	for (size_t i = 0; s->n == LIM_FEEDS && i < s->n; i++)
		if (s->v[i]->over)
			drop(s, i);
	return s->n < LIM_FEEDS;
}

static void feeds_free(struct feeds *s)
{
	if (!s)
		return;
	while (s->n)
		feed_free(s->v[--s->n]);
	buf_release(&s->frame);
	conf_put(s->conf);
	free(s);
}

/*
 * The status of a turn changed. A running turn is followed from now on, up to
 * LIM_FEEDS of them; a waiting one is checked again. A turn that is not the owner's
 * is dropped at the first check.
 */
static void feeds_turn(struct feeds *s, const struct uuid *turn, bool running)
{
	size_t i = feed_of(s, turn);
	struct feed *d;

	if (i < s->n && !s->v[i]->over)
		s->v[i]->rests = s->v[i]->f.done = false;
	if (i < s->n || !running || !make_room(s))
		return;
	d = s->v[s->n++] = xcalloc(1, sizeof(*d));
	*d = (struct feed){
		.arena = ARENA_INIT,
		.f = { .deps = &s->app->deps,
		       .by = caller_of(s->conf, &s->who, s->app->db, &d->arena),
		       .turn_id = *turn, .patience = no_patience,
		       .ends_at_wait = true },
	};
	d->state = dialect_open(s->dialect, RECORD_PLAIN, NULL, &d->arena);
}

/* Whether a turn must be checked from time to time. */
static bool feeds_busy(const struct feeds *s)
{
	for (size_t i = 0; s && i < s->n; i++)
		if (!s->v[i]->rests && !s->v[i]->over)
			return true;
	return false;
}

/* Whether the turn is followed here, or was lately. */
static bool feeds_tells(const struct feeds *s, const struct uuid *turn)
{
	return feed_of(s, turn) < s->n;
}

/*
 * Whether there may be something new. This does not query the store, because it runs
 * for every turn of every stream, in a thread that serves them all.
 */
static bool has_news(struct feed *d)
{
	struct event_live *live = d->f.deps->live;
	struct event_log *log = event_live_log(live, &d->f.turn_id);

	event_log_unref(log);
	if (log || !d->open)
		return true;
	if (d->watch)
		return event_watch_wait(d->watch, MAX(d->f.after,
					d->f.turn.last_event_seq), 0);
	d->watch = event_watch_open(live, &d->f.turn_id);
	return true;
}

/* Reads what there is, at once. Returns false if the store failed. */
static bool read_feed(struct feeds *s, struct feed *d)
{
	struct err e = ERR_INIT;

	s->now = d;
	if ((!d->open && turn_follow_open(&d->f, &e) < 0) ||
	    turn_follow_run(&d->f, &s->sink, &e) < 0) {
		if (e.code != ERR_NOT_FOUND) {
			log_err("events of a turn", &e);
			s->trouble_until_ms = clock_mono_ms() + TROUBLE_MS;
		}
		if (e.code == ERR_NOT_FOUND || !err_row(&e)->retryable)
			feed_end(d);
		return d->over;
	}
	d->open = true;
	d->rests = d->f.done && d->f.turn.status == TURN_WAITING;
	if (d->f.done && !d->rests)
		feed_end(d);
	return true;
}

/*
 * Appends what is missing of a turn that has ended, or waits (ended: false), like
 * feeds_read. False if not all of it could be read: try again.
 */
static bool feeds_settle(struct feeds *s, const struct uuid *turn, bool ended,
			 struct buf *out)
{
	size_t i = feed_of(s, turn);

	if (i == s->n || s->v[i]->over)
		return true;
	s->out = out;
	return clock_mono_ms() >= s->trouble_until_ms &&
		read_feed(s, s->v[i]) && (s->v[i]->over || !ended);
}

static void feeds_read(struct feeds *s, struct buf *out)
{
	size_t before = out->n;

	s->out = out;
	for (size_t i = 0; i < s->n && out->n - before < FEEDS_BYTES; i++) {
		struct feed *d = s->v[i];

		if (clock_mono_ms() < s->trouble_until_ms)
			return;
		if (!d->rests && !d->over && has_news(d))
			(void)read_feed(s, d);
	}
	if (s->frame.size > FEEDS_BYTES)	/* its size is not counted */
		buf_release(&s->frame);
}

/* -- the stream --------------------------------------------------------------- */

enum {
	KEEP_ALIVE_MS = 15000,
	STALL_MS = 30000,	/* a client that does not read for this long is gone */
	PIECE_BYTES = 1024,	/* of a stream; what does not fit waits */
	POLL_BYTES = 16384,	/* of a poll, about; fits into any socket buffer */
	FEEDS_MS = 100,		/* interval of checks for events of running turns */
	SLICE_BYTES = 4096,	/* of such events; fits if a socket is writable */
	QUEUE_BYTES = 67108864,
};

/* How long somebody may have been gone whose connection, or the process, ended. */
#define BACK_US INT64_C(120000000)

/* An open stream or long poll. Owned by the notify thread after the handover. */
struct listener {
	struct notify_sub sub;	/* must be first: a sub is cast back */
	struct app *app;
	struct conn *conn;
	struct response rs;	/* its own, because the worker needs its response */
	char request_id[sizeof(((struct request *)NULL)->id)];
	enum dialect_id dialect;
	struct share_part share;	/* its place */
	int all;		/* places of all processes */
	bool patches_lost;	/* changes in projects that it did not take */
	bool lost;		/* notices before `after` are no longer available */
	bool retry_due;		/* the first event has the delay for reconnecting */
	bool poll;		/* JSON instead of a stream */
	bool brief;		/* ends at once: there is no place for it to stay open */
	bool close;		/* and its connection */
	int64_t until_ms;	/* of a poll: when it is answered at the latest */
	struct jw items;	/* of a poll */
	size_t n_items;
	int64_t stalled_ms;	/* since when the client has not read; 0: it reads */
	struct feeds *feeds;	/* events=all; else NULL */
	struct buf queue;	/* events of turns that are not sent yet … */
	size_t n_queue_sent;	/* … except for this many bytes */
	struct uuid user;	/* for whom the queue is counted */
	struct share_limit unsent;
	struct share_part held;	/* of the queue */
	int64_t alive_ms;	/* when the next comment is due */
	char rest[];		/* the readers, and the tenant */
};

/* -- one notice on the wire ----------------------------------------------------- */

/* When a client reconnects. */
static const char *retry_of(const struct listener *l)
{
	return l->brief ? SSE_RETRY_BRIEF : SSE_RETRY;
}

static void write_notice(struct listener *l, const struct notice *n)
{
	const char *name = dialect_notice_name(l->dialect, n);
	struct buf *out = resp_stream(&l->rs);
	struct jw w = jw_on(out);

	/* All that forge has of a notice, the turn's own events say. */
	if (!name || (l->feeds && l->dialect == DIALECT_FORGE &&
		      feeds_tells(l->feeds, &n->subject_id)))
		return;
	if (l->poll) {
		jw_obj(&l->items);
		jw_kint(&l->items, "id", n->seq ? n->seq : l->sub.after);
		jw_kstrz(&l->items, "event", name);
		jw_key(&l->items, "data");
		dialect_notice_data(l->dialect, &l->items, n);
		jw_end_obj(&l->items);
		l->n_items++;
		return;
	}
	if (l->retry_due)
		buf_adds(out, retry_of(l));
	l->retry_due = false;
	wire_open(out, name, (uint32_t)n->seq);
	dialect_notice_data(l->dialect, &w, n);
	wire_close(out);
}

/* Reports that single notices are no longer available. */
static void put_lost(struct listener *l, int64_t seq)
{
	const struct notice all = { .seq = seq, .kind = NOTICE_REFRESH,
				    .word = STR("all") };

	write_notice(l, &all);
}

/* -- the stream ------------------------------------------------------------------ */

/* Sends what is available; false if the listener accepts nothing now. */
static bool pass(struct listener *l)
{
	if (resp_try_flush(&l->rs)) {
		l->stalled_ms = 0;
		return true;
	}
	buf_reset(resp_stream(&l->rs));
	if (!l->stalled_ms)
		l->stalled_ms = clock_mono_ms();
	return false;
}

/* Sends what is queued, in slices; false if not everything was sent. */
static bool pass_queue(struct listener *l)
{
	while (l->n_queue_sent < l->queue.n) {
		size_t n = MIN(l->queue.n - l->n_queue_sent, SLICE_BYTES);

		if (l->retry_due)
			buf_adds(resp_stream(&l->rs), retry_of(l));
		buf_add(resp_stream(&l->rs), l->queue.p + l->n_queue_sent, n);
		if (!pass(l))
			return false;
		l->retry_due = false;
		l->n_queue_sent += n;
	}
	/* An idle stream does not need a large buffer. */
	if (l->held.of)
		buf_release(&l->queue);
	share_give(&l->held);
	buf_reset(&l->queue);
	l->n_queue_sent = 0;
	return true;
}

/*
 * Counts a queue that the client does not read like an unsent answer. False if it
 * would exceed the limit: the client can reconnect.
 */
static bool hold_queue(struct listener *l)
{
	struct err e = ERR_INIT;

	if (!buf_ok(&l->queue))
		return false;
	if (l->queue.size < ROUTE_UNSENT_BYTES ||
	    share_take(l->app->share, &l->user, SHARE_UNSENT,
		       (int64_t)l->queue.size, l->unsent, &l->held, &e) == 0)
		return true;
	log_err("a stream of notifications is not read", &e);
	return false;
}

/* When the listener must be served without a notice. */
static int64_t next_due_ms(const struct listener *l, int64_t now_ms)
{
	bool soon = l->queue.n || feeds_busy(l->feeds);

	return soon ? MIN(l->alive_ms, now_ms + FEEDS_MS) : l->alive_ms;
}

static bool is_gone(const struct listener *l, int64_t now_ms)
{
	return l->rs.gone ||
		(l->stalled_ms && now_ms - l->stalled_ms > STALL_MS);
}

/* Decides if the available data is sent now, in part, or waits for more. */
static bool pass_piece(struct listener *l, int64_t after, size_t min_bytes)
{
	if (resp_stream(&l->rs)->n < min_bytes)
		return true;
	if (!l->poll && !pass(l))
		return false;
	l->sub.after = after;
	return !l->poll || l->rs.body.n < POLL_BYTES;
}

/*
 * The events of the turn up to a notice about it are sent before the notice. False
 * if that is not possible yet.
 */
static bool settle(struct listener *l, const struct notice *n)
{
	bool ended = !str_is(n->word, "running") && !str_is(n->word, "waiting");

	feeds_turn(l->feeds, &n->subject_id, str_is(n->word, "running"));
	if (str_is(n->word, "running"))
		return true;
	if (!feeds_settle(l->feeds, &n->subject_id, ended, &l->queue))
		return false;
	if (!hold_queue(l))
		l->rs.gone = true;
	return !l->rs.gone && pass_queue(l);
}

/*
 * Numbers are assigned without gaps; a gap means that notices expired unread. A
 * piece is sent completely or not at all, and then again later.
 */
static bool send_notices(struct notify_sub *sub, const struct notice *rows, size_t n)
{
	struct listener *l = (struct listener *)sub;
	int64_t after = sub->after, now_ms = clock_mono_ms();
	bool passed = pass_queue(l);	/* not within a frame */

	for (size_t i = 0; i < n && passed; i++) {
		bool of_turn = l->feeds && rows[i].kind == NOTICE_TURN_STATUS;

		if (rows[i].seq <= after)
			continue;
		if (of_turn && !(pass_piece(l, after, 0) && settle(l, &rows[i])))
			break;
		if (rows[i].seq > after + 1)
			put_lost(l, rows[i].seq - 1);
		if (rows[i].kind)
			write_notice(l, &rows[i]);
		after = rows[i].kind ? rows[i].seq : rows[i].seq - 1;
		passed = pass_piece(l, after, PIECE_BYTES);
	}
	if (passed)
		(void)pass_piece(l, after, 0);
	if (l->brief)
		sub->due_ms = 0;
	else if (!l->poll)
		sub->due_ms = next_due_ms(l, now_ms);
	else if (l->n_items)
		sub->due_ms = l->until_ms = 0;	/* in this round */
	return !is_gone(l, now_ms);
}

/* They have no numbers: what the client does not take now, it is told of in one word. */
static bool patch(struct notify_sub *sub, const struct notice *rows, size_t n)
{
	struct listener *l = (struct listener *)sub;
	bool passed = pass_queue(l);	/* not within a frame */

	for (size_t i = 0; i < n && passed; i++) {
		write_notice(l, &rows[i]);
		passed = pass_piece(l, sub->after, PIECE_BYTES);
	}
	if (passed)
		passed = pass_piece(l, sub->after, 0);
	l->patches_lost |= !passed;
	if (l->poll && l->n_items)
		sub->due_ms = l->until_ms = 0;
	return !is_gone(l, clock_mono_ms());
}

/*
 * Whether other processes have come, so that the places of this one are fewer. Gives
 * the place back at once: the next listener is asked before this one has ended.
 */
static bool is_one_too_many(struct listener *l)
{
	struct app *app = l->app;

	places_look(app);
	if (!l->share.of || share_count(app->share, NULL, SHARE_STREAMS) <=
	    l->all / (1 + atomic_load(&app->places.others)))
		return false;
	share_give(&l->share);
	return true;
}

static bool stream_due(struct listener *l, int64_t now_ms)
{
	bool passed = pass_queue(l);

	if (passed && feeds_busy(l->feeds)) {
		feeds_read(l->feeds, &l->queue);
		if (!hold_queue(l))
			return false;
		passed = pass_queue(l);
	}
	if (l->brief)
		return false;
	if (passed && l->patches_lost) {
		const struct notice all = { .kind = NOTICE_REFRESH,
					    .word = STR("projects") };

		write_notice(l, &all);
		passed = pass(l);
		l->patches_lost = !passed;
	}
	if (now_ms >= l->alive_ms || !l->sub.due_ms) {
		l->alive_ms = now_ms + KEEP_ALIVE_MS;
		if (is_one_too_many(l))
			return false;
		if (passed) {
			buf_adds(resp_stream(&l->rs), ": ka\n\n");
			(void)pass(l);
		}
	}
	l->sub.due_ms = next_due_ms(l, now_ms);
	return !is_gone(l, now_ms);
}

static bool due(struct notify_sub *sub, int64_t now_ms)
{
	struct listener *l = (struct listener *)sub;

	if (!l->poll)
		return stream_due(l, now_ms);
	sub->due_ms = l->until_ms;
	return now_ms < l->until_ms;
}

/* Sends the client its first position, so that it can reconnect there. */
static void begin_stream(struct listener *l)
{
	resp_open_stream(&l->rs, "text/event-stream", STR(": ok\n\n"));
	l->retry_due = l->dialect != DIALECT_NATIVE;
	if (!l->retry_due)
		buf_addf(resp_stream(&l->rs),
			 "%sevent: ready\nid: %lld\ndata: {}\n\n",
			 retry_of(l), (long long)l->sub.after);
	l->alive_ms = clock_mono_ms() + KEEP_ALIVE_MS;
	l->sub.due_ms = l->brief ? 0 : next_due_ms(l, clock_mono_ms());
}

/* -- the long poll --------------------------------------------------------------- */

static void begin_poll(struct listener *l)
{
	l->items = resp_json(&l->rs, 200);
	jw_obj(&l->items);
	jw_key(&l->items, "items");
	jw_arr(&l->items);
}

static void end_poll(struct listener *l)
{
	jw_end_arr(&l->items);
	jw_kint(&l->items, "lastId", l->sub.after);
	jw_end_obj(&l->items);
}

/* -- both ------------------------------------------------------------------------ */

static void begin_listening(struct listener *l, struct conn *conn)
{
	l->conn = conn;
	conn->drain(conn);	/* here, because it may wait */
	resp_begin(&l->rs, conn, l->request_id, false);
	if (l->brief)
		send_retry_after(&l->rs, PLACE_NOTIFICATION_S);
	if (l->close)
		resp_header(&l->rs, "Connection", "close");
	if (l->poll)
		begin_poll(l);
	else
		begin_stream(l);
	if (l->lost)
		put_lost(l, l->sub.after);
	if (l->n_items)
		l->until_ms = 0;
	if (l->poll)
		l->sub.due_ms = l->until_ms;
}

static void end(struct notify_sub *sub)
{
	struct listener *l = (struct listener *)sub;

	if (l->poll)
		end_poll(l);
	/* Even ending would wait for a client that does not read. */
	if (l->stalled_ms)
		(void)shutdown(l->conn->fd, SHUT_RDWR);
	resp_finish(&l->rs);
	l->conn->end(l->conn);
	metric_add(METRIC_OPEN_STREAMS, "notifications", NULL, -1);
	share_give(&l->share);
	share_give(&l->held);
	feeds_free(l->feeds);
	buf_release(&l->queue);
	resp_release(&l->rs);
	free(l);
}

/* Runs on the worker after it has finished the request. */
static void adopt(void *ctx, struct conn *conn)
{
	struct listener *l = ctx;

	begin_listening(l, conn);
	if (!l->poll)
		resp_flush(&l->rs);
	if (l->rs.gone)
		l->sub.due_ms = 0;
	l->sub.fd = conn->fd;
	notify_add(l->app->notify, &l->sub);
}

/* Reads the query; *after -1: from now on. */
static int read_query(struct request *rq, enum dialect_id *dialect,
		      int64_t *after, int64_t *wait_s, bool *all, struct err *e)
{
	struct str events;

	if (send_dialect(rq, dialect, e) < 0 || send_after(rq, -1, after, e) < 0 ||
	    send_wait_s(rq, wait_s, e) < 0 ||
	    req_query(rq, "events", &events, e) < 0)
		return -1;
	*all = str_is(events, "all");
	if (events.n && (!*all || *wait_s >= 0))
		return err_field(e, ERR_INVALID_FIELD, "events", "events must "
				 "be all, and without wait.");
	if (!dialect_notice_speaks(*dialect))
		return err_field(e, ERR_INVALID_FIELD, "dialect",
				 "dialect must be native or forge here.");
	return 0;
}

static struct listener *listener_new(struct request *rq)
{
	static const struct notify_ops ops = {
		.tell = send_notices, .patch = patch, .due = due, .end = end,
	};
	const struct resource_at at = resource_for(&rq->by);
	const size_t readers = at.n_readers * sizeof(*at.readers);
	struct str tenant = rq->by.who->tenant;
	struct listener *l = xcalloc(1, sizeof(*l) + readers + tenant.n);

	memcpy(l->rest, at.readers, readers);
	memcpy(l->rest + readers, tenant.p, tenant.n);
	memcpy(l->request_id, rq->id, sizeof(l->request_id));
	l->sub.ops = &ops;
	l->sub.fd = -1;
	l->sub.owner.tenant_id = (struct str){ l->rest + readers, tenant.n };
	l->sub.readers = (const struct uuid *)(const void *)l->rest;
	l->sub.n_readers = at.n_readers;
	l->sub.projects = policy_may(rq->by.who, PERM_PROJECTS_READ);
	l->sub.owner.user_id = rq->by.who->user_id;
	l->app = rq->app;
	l->user = quota_user(rq);
	l->unsent = quota_limit(rq, SHARE_UNSENT);
	l->queue = (struct buf)BUF_INIT(QUEUE_BYTES);
	resp_init(&l->rs);
	return l;
}

/*
 * GET /notifications?after=N: changes of the caller's conversations from now on, or
 * after number N (or the Last-Event-ID), until the client leaves or this process
 * ends: turn-status, title, conversation, job-progress, refresh, entity-patch;
 * docs/notifications.md. dialect: native or forge. events=all: also the events of
 * the caller's running turns, in that dialect. With wait=SECONDS (0 to 25): 200
 * {items: [{id, event, data}], lastId} as soon as there is one, or after that time.
 * Without a place for an open answer (places.h, or the user's share) both end at
 * once with what there is, without events of turns, and with Retry-After.
 */
int api_notifications(struct request *rq, struct response *rs, struct err *e)
{
	struct share_part share = { .of = NULL };
	int64_t after, wait_s, last_seq;
	enum dialect_id dialect;
	struct uuid running[LIM_FEEDS];
	size_t n_running = 0;
	struct listener *l;
	bool all, brief = false;

	if (read_query(rq, &dialect, &after, &wait_s, &all, e) < 0 ||
	    notice_listen(rq->app->db, &rq->by.owner, &last_seq, e) < 0 ||
	    (all && store_turn_running(rq->app->db, &rq->by.owner, running, LIM_FEEDS,
				       &n_running, e) < 0))
		return -1;
	if (rs->head_only) {
		resp_open_stream(rs, wait_s >= 0 ? "application/json"
				 : "text/event-stream", STR(""));
		return 0;
	}
	if (wait_s) {
		places_look(rq->app);
		brief = !quota_take_place(rq, PLACE_NOTIFICATION, &share);
	}
	if (!notify_reserve(rq->app->notify)) {
		share_give(&share);
		e->retry_after_s = 5;
		return err_set(e, ERR_OVERLOADED, "the process is about to end");
	}
	l = listener_new(rq);
	l->share = share;
	l->dialect = dialect;
	l->poll = wait_s >= 0;
	l->brief = brief;
	l->close = brief && places_close_idle(rq);
	l->all = places_all(rq, PLACE_NOTIFICATION);
	l->lost = after > last_seq;
	/* A poll comes at once: it would be told the same again and again. */
	if (after >= 0 && !l->poll)
		l->sub.back_us = brief ? 2 * PLACE_NOTIFICATION_S * INT64_C(1000000) : BACK_US;
	l->sub.after = after < 0 || l->lost ? last_seq : after;
	l->sub.last_seq = last_seq;
	l->until_ms = clock_mono_ms() + (brief ? 0 : MAX(wait_s, 0) * 1000);
	if (all && !brief)
		l->feeds = feeds_new(rq->app, &l->sub.owner, dialect);
	for (size_t i = 0; i < n_running; i++)
		feeds_turn(l->feeds, &running[i], true);
	metric_add(METRIC_OPEN_STREAMS, "notifications", NULL, 1);
	rq->adopt = adopt;
	rq->adopt_ctx = l;
	resp_leave(rs);
	return 0;
}
