/* SPDX-License-Identifier: MIT */
#include "turn/ask.h"

#include "net/http.h"
#include "event/live.h"

#include "base/banned.h"

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
	event_live_add(deps->live, &entry, id ? id : &fresh, ask.abort, EVENT_LIVE_ENDED);
	rc = prompt_ask(&ask, a, out, e);
	event_live_remove(deps->live, &entry);
	out->interrupted |= rc < 0 && entry.interrupted;
	http_abort_free(own);
	return rc;
}
