/* SPDX-License-Identifier: MIT */
#include "event/texts.h"

#include "event/pack.h"

#include "base/banned.h"

/* A delta: part of the current model call, or the start of a new one. */
static void said(struct event_summary *told, const struct turn_event *ev)
{
	if (ev->seq <= told->after_seq)
		return;
	told->calls += !told->speaking;
	told->speaking = true;
	told->output_bytes += (int64_t)(ev->text.n + ev->args.n);
}

void event_texts(struct event_summary *told, int64_t seq, struct str data)
{
	struct pack_reader r = { .data = data, .first = (uint32_t)seq };
	struct turn_event ev;

	while (pack_next(&r, &ev)) {
		if (ev.seq <= told->last_seq)	/* batches may overlap */
			continue;
		told->last_seq = ev.seq;
		if (ev.type == TURN_EV_TOKEN || ev.type == TURN_EV_REASONING ||
		    ev.type == TURN_EV_TOOL_CALL)
			said(told, &ev);
		if (ev.type == TURN_EV_TOKEN)
			buf_addstr(&told->text, ev.text);
		else if (ev.type == TURN_EV_TOKEN_RESET)
			buf_reset(&told->text);
		else if (ev.type == TURN_EV_TOOL_RESULT)
			told->speaking = false;
	}
}
