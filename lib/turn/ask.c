/* SPDX-License-Identifier: MIT */
#include "turn/ask.h"

#include "net/http.h"
#include "base/utf8.h"
#include "event/live.h"
#include "turn/after.h"

#include "base/banned.h"

enum { EXCERPT_CHARS = 1500 };	/* of question and answer each */

int turn_ask(const struct turn_deps *deps, const struct uuid *id,
	     const struct prompt_ask *q, struct arena *a, struct prompt_reply *out,
	     struct err *e)
{
	struct http_abort *own = q->abort ? NULL : http_abort_new(e);
	struct event_live_entry entry = { .added = false };
	const struct uuid fresh = uuid_new();
	struct prompt_ask ask = *q;
	int rc;

	*out = (struct prompt_reply){ .usage = usage_init(q->kind) };
	ask.http = deps->http;
	if (own)
		ask.abort = own;
	else if (!q->abort)
		return -1;
	/* So that the end of the process, and who stops the turn, stop this call, too. */
	event_live_add(deps->live, &entry, id ? id : &fresh, ask.abort, EVENT_LIVE_ENDED);
	rc = prompt_ask(&ask, a, out, e);
	event_live_remove(deps->live, &entry);
	out->interrupted |= rc < 0 && entry.interrupted;
	http_abort_free(own);
	return rc;
}

static void excerpt(struct buf *b, const char *who, struct str s)
{
	buf_addf(b, "%s: %.*s\n\n", who, STR_ARG(utf8_head(s, EXCERPT_CHARS)));
}

int turn_ask_after(const struct after_work *w, struct prompt_ask *q,
		   struct prompt_reply *r, struct err *e)
{
	struct buf b = BUF_INIT(65536);
	int rc;

	excerpt(&b, "User", w->question);
	excerpt(&b, "Assistant", w->answer);
	q->service = w->service;
	q->input = arena_str(w->arena, buf_str(&b));
	buf_release(&b);
	q->aside = q->stream = true;
	q->stop = w->stop;
	q->abort = w->abort;
	rc = turn_ask(w->deps, &w->place.turn_id, q, w->arena, r, e);
	r->usage.workspace_id = w->place.workspace_id;
	r->usage.agent_id = w->place.agent_id;
	r->usage.conversation_id = w->place.conversation_id;
	r->usage.turn_id = w->place.turn_id;
	r->usage.turn_number = w->place.turn_number;
	prompt_ask_record(w->deps->db, &w->owner, r);
	return rc;
}
