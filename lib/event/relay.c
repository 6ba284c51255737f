/* SPDX-License-Identifier: MIT */
#include "event/relay.h"

#include "base/banned.h"

void relay_idle(struct relay *r)
{
	if (r->sink->idle)
		r->sink->idle(r->sink);
}

void relay_status(struct relay *r, const char *status)
{
	struct turn_event ev = {
		.type = TURN_EV_STATUS, .text = str_of(status),
	};

	relay_emit(r, &ev);
}

void relay_warn(struct relay *r, const char *code, const char *text)
{
	struct turn_event ev = {
		.type = TURN_EV_WARNING, .code = str_of(code),
		.text = str_of(text),
	};

	relay_emit(r, &ev);
	relay_flush(r);
}

void relay_message(struct relay *r, enum turn_event_type type,
		   const struct message *m)
{
	struct turn_event ev = { .type = type, .message = m };

	relay_emit(r, &ev);
}
