/* SPDX-License-Identifier: MIT */
/*
 * The page of a turn: its events so far and as they come (turn/follow.h). It may be
 * reloaded at any time, from anywhere; once the turn has ended, it redirects to the
 * conversation with the formatted answer.
 *
 * Streamed, the page grows with the answer. If something between here and the
 * browser buffers it until it is complete, it can be requested in steps instead: a
 * page that is complete within seconds and reloads itself.
 */
#include <sodium.h>
#include <string.h>

#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/log.h"
#include "places.h"
#include "plain/plain.h"
#include "store/wait.h"
#include "tool/core/tool.h"
#include "turn/follow.h"
#include "turn/wake.h"

#include "base/banned.h"

/* Whether the turn asks for something, also while it runs. 1, 0, -1. (wait.c) */
static int plain_asks(struct request *rq, const struct uuid *turn, struct err *e)
{
	struct turn_wait *rows;
	size_t n;

	if (store_turn_wait_list(rq->app->db, &rq->by.owner, turn, rq->arena, &rows, &n,
				 e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (rows[i].status == WAIT_OPEN)
			return 1;
	return 0;
}

enum {
	LOOK_MS = 1000,		/* how often a stream looks whether to end */
	BATCH_BYTES = 65536,	/* of a stream, about */
	STEP_MS = 3000,		/* what a step waits for */
	STEP_PAUSE_S = 1,	/* until the browser asks for the next one */
};

struct page_sink {
	struct sink sink;	/* first: a sink is cast back */
	struct response *rs;
	struct request *rq;
	struct plain_writer w;
	const struct uuid *turn;
	int64_t until_ms;	/* of a step */
};

static void page_emit(struct sink *s, const struct turn_event *ev)
{
	struct page_sink *ts = (struct page_sink *)s;

	if (!ts->rs->gone)
		plain_event(&ts->w, ev);
	/* All stored events may come at once; they are not collected here. */
	if (ts->rs->state == RESP_STREAM &&
	    resp_stream(ts->rs)->n > BATCH_BYTES)
		resp_flush(ts->rs);
}

static void page_flush(struct sink *s)
{
	resp_flush(((struct page_sink *)s)->rs);
}

/* Keeps servers and proxies from timing out. */
static void page_idle(struct sink *s)
{
	struct page_sink *ts = (struct page_sink *)s;

	if (!ts->rs->gone)
		buf_adds(ts->w.p->b, "<!-- -->\n");
}

static int stream_patience(void *ctx)
{
	struct page_sink *ts = ctx;

	if (!ts->rs->gone)
		send_watched(ts->rq, ts->turn);
	return ts->rs->gone || atomic_load(&ts->rq->app->stopping) ? 0 : LOOK_MS;
}

static int step_patience(void *ctx)
{
	struct page_sink *ts = ctx;

	send_watched(ts->rq, ts->turn);
	if (ts->rq->brief || atomic_load(&ts->rq->app->stopping))
		return 0;
	return (int)MAX(ts->until_ms - clock_mono_ms(), 0);
}

/* Sent before the turn, because the rest may take long. */
static void put_controls(struct plain *p, const struct turn *t)
{
	char id[UUID_TEXT_BYTES], conversation[UUID_TEXT_BYTES];

	uuid_format(&t->id, id);
	uuid_format(&t->conversation_id, conversation);
	plain_form(p, arena_printf(p->rq->arena, "turns/%s/stop", id));
	buf_addf(p->b, "%s<p>", p->steps ? PLAIN_STEPS : "");
	plain_submit(p, NULL, "Stop");
	buf_addf(p->b, " <a href=\"%sturns/%s%s\">", p->root, id,
		 p->steps ? "" : "?steps=1");
	plain_say(p, p->steps ? N_("Show it as it grows") : N_("Show it in steps"));
	buf_addf(p->b, "</a> <a href=\"%sconversations/%s%s\">", p->root, conversation,
		 p->steps ? "?steps=1" : "");
	plain_say(p, "Conversation");
	buf_adds(p->b, "</a></p></form>\n");
}

/*
 * The end of the page: a link to the conversation, or forms for a running turn.
 */
static void put_after(struct plain *p, const struct turn *t, bool asks, bool ended)
{
	struct err e = ERR_INIT;
	char id[UUID_TEXT_BYTES], conversation[UUID_TEXT_BYTES];

	uuid_format(&t->conversation_id, conversation);
	if (t->status == TURN_WAITING || asks) {
		buf_adds(p->b, "<p>");
		plain_say(p, "Waiting for you.");
		buf_adds(p->b, "</p>\n");
		if (plain_waits(p, t, &e) < 0)
			log_err("what a turn waits for", &e);
	}
	if (t->status == TURN_WAITING)
		return;
	if (!ended) {
		buf_adds(p->b, "<p>");
		plain_say(p, "The answer is still being written.");
		buf_addf(p->b, " <a href=\"%sturns/%s%s\">", p->root,
			 uuid_format(&t->id, id), p->steps ? "?steps=1" : "");
		plain_say(p, "Check again");
		buf_adds(p->b, "</a></p>\n");
		return;
	}
	buf_addf(p->b, "<p><a href=\"%sconversations/%s%s#m%lld\">", p->root, conversation,
		 p->steps ? "?steps=1" : "", (long long)t->user_seq);
	plain_say(p, "The answer with its formatting");
	buf_adds(p->b, "</a></p>\n");
	plain_message_form(p, arena_printf(p->rq->arena, "conversations/%s",
					   conversation));
	plain_message_fields(p, STR(""));
}

static void stream(struct page_sink *s, struct turn_follow *f)
{
	struct plain *p = s->w.p;
	struct err e = ERR_INIT;

	plain_headers(s->rs);
	resp_open_stream(s->rs, RESP_HTML, STR(""));
	if (s->rs->head_only)
		return;
	p->b = resp_stream(s->rs);
	plain_head(p, str_of(plain_text(p, "Answer")), 0);
	put_controls(p, &f->turn);
	resp_flush(s->rs);
	s->sink.flush = page_flush;
	s->sink.idle = page_idle;
	f->patience = stream_patience;
	if (turn_follow_run(f, &s->sink, &e) < 0)
		log_err("page of a turn", &e);
	if (s->rs->gone)
		return;
	plain_close(&s->w);
	put_after(p, &f->turn, false, s->w.ended);
	plain_foot(p);
	resp_flush(s->rs);
}

/* The address of an ended turn: its page of a long conversation. */
static int go_to_thread(struct request *rq, struct response *rs,
			const struct turn *t, struct err *e)
{
	char id[UUID_TEXT_BYTES];
	struct conversation c;
	struct plain p;

	if (conversation_get(rq->app->db, &rq->by.owner, &t->conversation_id,
			     rq->arena, &c, e) < 0 ||
	    plain_open(rq, &p, e) < 0)
		return -1;
	uuid_format(&c.id, id);
	if (t->answer_seq && t->answer_seq < c.last_seq)
		resp_see_other(rs, arena_printf(
			rq->arena, "%sconversations/%s?before=%lld%s#m%lld",
			p.root, id, (long long)t->answer_seq + 1,
			p.steps ? "&steps=1" : "", (long long)t->user_seq));
	else
		plain_go(rq, rs, arena_printf(rq->arena, "conversations/%s", id),
			 arena_printf(rq->arena, "#m%lld",
				      (long long)t->user_seq));
	return 0;
}

static int step(struct page_sink *s, struct turn_follow *f, struct err *e)
{
	struct plain *p = s->w.p;
	struct buf turn = BUF_INIT(RESP_BODY_BYTES);
	int rc, asks = 0;

	p->b = &turn;
	f->patience = step_patience;
	s->until_ms = clock_mono_ms() + STEP_MS;
	rc = turn_follow_run(f, &s->sink, e);
	plain_close(&s->w);
	if (rc == 0 && f->turn.status == TURN_RUNNING)
		asks = plain_asks(s->rq, &f->turn_id, e);
	if (rc == 0 && s->w.ended) {
		rc = go_to_thread(s->rq, s->rs, &f->turn, e);
	} else if (asks < 0) {
		rc = -1;
	} else if (rc == 0) {
		p->b = resp_html(s->rs, 200);
		plain_headers(s->rs);
		/* What the user types in a form would be gone. */
		plain_head(p, str_of(plain_text(p, "Answer")), f->turn.status == TURN_WAITING || asks
			   ? 0 : STEP_PAUSE_S);
		put_controls(p, &f->turn);
		buf_addstr(p->b, buf_str(&turn));
		put_after(p, &f->turn, asks, false);
		plain_foot(p);
	}
	buf_release(&turn);
	return rc;
}

/*
 * GET {base}/plain/turns/{t}?steps=1: 200 with the page, which grows until the
 * turn ends; in steps it is complete after at most STEP_MS and reloads itself, as
 * it is without steps if there is no place for an open answer (places.h). For a
 * turn that waits for the user, it has the forms for that. 303 to the conversation
 * if the turn has ended. 404.
 */
int plain_turn(struct request *rq, struct response *rs, struct err *e)
{
	struct turn_follow f = {
		.deps = &rq->app->deps, .by = rq->by,
		.turn_id = *route_arg_uuid(rq, "turn"),
		.ends_at_wait = true,
	};
	struct page_sink s = { .sink = { .emit = page_emit }, .rs = rs,
			       .rq = rq, .turn = &f.turn_id };
	struct plain p;

	if (turn_follow_open(&f, e) < 0 || plain_open(rq, &p, e) < 0)
		return -1;
	if (f.turn.ended_us)
		return go_to_thread(rq, rs, &f.turn, e);
	f.ctx = &s;
	s.w = (struct plain_writer){
		.p = &p,
		.name = plain_agent_name(rq,
					 str_of(f.run.in.target.workspace->id),
					 str_of(f.run.in.target.agent->id)),
	};
	p.web = tool_web_offered(&rq->by, f.run.in.target.workspace, f.run.in.target.agent);
	if (!places_check(rq))
		p.steps = true;
	if (p.steps)
		return step(&s, &f, e);
	stream(&s, &f);
	return 0;
}
