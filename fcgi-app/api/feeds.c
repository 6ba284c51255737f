/* SPDX-License-Identifier: MIT */
#include "api/feeds.h"

#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "auth/identity.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "dialect/wire.h"
#include "turn/follow.h"
#include "event/live.h"

#include "base/banned.h"

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
static void put(struct feeds *s, const struct turn_event *ev, struct str frame)
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

		put(s, ev, (struct str){ all.p, n });
		all = (struct str){ all.p + n, all.n - n };
	}
}

static int no_patience(void *ctx)
{
	(void)ctx;
	return 0;
}

struct feeds *feeds_new(struct app *app, const struct owner *o,
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
static size_t find(const struct feeds *s, const struct uuid *turn)
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

void feeds_free(struct feeds *s)
{
	if (!s)
		return;
	while (s->n)
		feed_free(s->v[--s->n]);
	buf_release(&s->frame);
	conf_put(s->conf);
	free(s);
}

void feeds_turn(struct feeds *s, const struct uuid *turn, bool running)
{
	size_t i = find(s, turn);
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

bool feeds_busy(const struct feeds *s)
{
	for (size_t i = 0; s && i < s->n; i++)
		if (!s->v[i]->rests && !s->v[i]->over)
			return true;
	return false;
}

bool feeds_tells(const struct feeds *s, const struct uuid *turn)
{
	return find(s, turn) < s->n;
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

bool feeds_settle(struct feeds *s, const struct uuid *turn, bool ended,
		  struct buf *out)
{
	size_t i = find(s, turn);

	if (i == s->n || s->v[i]->over)
		return true;
	s->out = out;
	return clock_mono_ms() >= s->trouble_until_ms &&
		read_feed(s, s->v[i]) && (s->v[i]->over || !ended);
}

void feeds_read(struct feeds *s, struct buf *out)
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
