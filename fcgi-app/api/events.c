/* SPDX-License-Identifier: MIT */
/* A turn's events for clients that connect later, or again. */
#include "api/api.h"

#include "api/send.h"
#include "api/scope.h"
#include "app.h"
#include "base/clock.h"
#include "dialect/wire.h"
#include "places.h"
#include "turn/follow.h"

#include "base/banned.h"

enum {
	LINGER_MS = 100,	/* a poll's answer includes events that follow within this time */
	LOOK_MS = 1000,		/* interval at which a poll checks if it must end */
	FRAME_BYTES = 33554432,
};

/* -- as a long poll --------------------------------------------------------- */

struct poll_sink {
	struct sink sink;
	struct jw items;
	struct buf frame;
	const struct dialect *dialect;
	struct dialect_state state;
	int64_t until_ms, linger_ms;	/* linger: 0 = no event yet */
	struct request *rq;
	const struct uuid *turn;
};

/* {"id","event","data"} with the content of a stream's frame. */
static void poll_emit(struct sink *s, const struct turn_event *ev)
{
	struct poll_sink *p = (struct poll_sink *)s;
	struct str frame;

	buf_reset(&p->frame);
	dialect_encode(p->dialect, &p->frame, ev, &p->state);
	frame = buf_str(&p->frame);
	if (frame.n == 0 || !buf_ok(&p->frame))
		return;
	jw_obj(&p->items);
	jw_kint(&p->items, "id", ev->seq);
	jw_kstr(&p->items, "event", wire_line(frame, "event"));
	jw_key(&p->items, "data");
	jw_raw(&p->items, wire_line(frame, "data"));
	jw_end_obj(&p->items);
	if (!p->linger_ms)
		p->linger_ms = clock_mono_ms() + LINGER_MS;
}

static int poll_patience(void *ctx)
{
	const struct poll_sink *p = ctx;
	int64_t until_ms = p->until_ms;

	send_watched(p->rq, p->turn);
	if (p->rq->brief || atomic_load(&p->rq->app->stopping))
		return 0;
	if (p->linger_ms)
		until_ms = MIN(until_ms, p->linger_ms);
	return (int)MIN(MAX(until_ms - clock_mono_ms(), 0), LOOK_MS);
}

static int poll(struct request *rq, struct response *rs,
		const struct uuid *turn, int64_t after, int64_t wait_s,
		struct err *e)
{
	struct poll_sink p = {
		.sink = { .emit = poll_emit }, .frame = BUF_INIT(FRAME_BYTES),
		.dialect = dialect_get(DIALECT_NATIVE),
		.state = dialect_open(DIALECT_NATIVE, RECORD_PLAIN, NULL,
				      rq->arena),
		.until_ms = clock_mono_ms() + wait_s * 1000, .rq = rq,
		.turn = turn,
	};
	struct turn_follow f = {
		.deps = &rq->app->deps, .by = rq->by,
		.turn_id = *turn, .after = after,
		.patience = poll_patience, .ctx = &p,
	};
	int rc;

	if (turn_follow_open(&f, e) < 0)
		return -1;
	if (rq->brief)
		send_retry_after(rs, PLACE_ANSWER_S);
	p.items = resp_json(rs, 200);
	jw_obj(&p.items);
	jw_key(&p.items, "items");
	jw_arr(&p.items);
	rc = turn_follow_run(&f, &p.sink, e);
	jw_end_arr(&p.items);
	jw_kbool(&p.items, "done", f.done);
	jw_end_obj(&p.items);
	buf_release(&p.frame);
	return rc;
}

/*
 * GET /turns/{t}/events?after=N: the events after number N (or after the
 * Last-Event-ID), as in the turn's own stream, then its further events, until the
 * terminal one. 204 if that was received before.
 * dialect: as for a message. With wait=SECONDS (0 to 25), always native: 200
 * {items: [{id, event, data}], done}, as soon as there is an event after N, or
 * without one when the time is over. A turn whose process died is closed first.
 * Without a place for an open answer (places.h) either ends at once, with
 * Retry-After.
 * 404 for others' turns.
 */
int api_turn_events(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *turn = route_arg_uuid(rq, "turn");
	struct send_as as = { .style = RECORD_PLAIN };
	int64_t wait_s, after;

	if (send_dialect(rq, &as.dialect, e) < 0 || send_after(rq, 0, &after, e) < 0 ||
	    send_wait_s(rq, &wait_s, e) < 0)
		return -1;
	if (wait_s > 0)
		(void)places_check(rq);
	if (wait_s >= 0)
		return poll(rq, rs, turn, after, wait_s, e);
	return send_events(rq, rs, turn, after, &as, e);
}
