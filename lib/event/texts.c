/* SPDX-License-Identifier: MIT */
#include "event/texts.h"

#include "event/pack.h"

#include "base/banned.h"

/* A delta: part of the current model call, or the start of a new one. */
static void add_delta(struct event_summary *sum, const struct turn_event *ev)
{
	/* What a pause has recorded already is not counted twice. */
	if (ev->seq <= sum->after_seq)
		return;
	sum->calls += !sum->speaking;
	sum->speaking = true;
	sum->output_bytes += (int64_t)(ev->text.n + ev->args.n);
}

void event_texts(struct event_summary *sum, int64_t seq, struct str data)
{
	struct pack_reader r = { .data = data, .first = (uint32_t)seq };
	struct turn_event ev;

	while (pack_next(&r, &ev)) {
		if (ev.seq <= sum->last_seq)	/* batches may overlap */
			continue;
		sum->last_seq = ev.seq;
		if (ev.type == TURN_EV_TOKEN || ev.type == TURN_EV_REASONING ||
		    ev.type == TURN_EV_TOOL_CALL)
			add_delta(sum, &ev);
		if (ev.type == TURN_EV_TOKEN)
			buf_addstr(&sum->text, ev.text);
		else if (ev.type == TURN_EV_TOKEN_RESET)
			buf_reset(&sum->text);
		else if (ev.type == TURN_EV_TOOL_RESULT)
			sum->speaking = false;
	}
}
