/* SPDX-License-Identifier: MIT */
#include "event/relay.h"

#include "base/banned.h"

void loop_idle(struct turn_loop *l)
{
	if (l->sink->idle)
		l->sink->idle(l->sink);
}

void loop_status(struct turn_loop *l, const char *status)
{
	struct turn_event ev = {
		.type = TURN_EV_STATUS, .text = str_of(status),
	};

	loop_emit(l, &ev);
}

void loop_warn(struct turn_loop *l, const char *code, const char *text)
{
	struct turn_event ev = {
		.type = TURN_EV_WARNING, .code = str_of(code),
		.text = str_of(text),
	};

	loop_emit(l, &ev);
	loop_flush(l);
}

void loop_message(struct turn_loop *l, enum turn_event_type type,
		  const struct message *m)
{
	struct turn_event ev = { .type = type, .message = m };

	loop_emit(l, &ev);
}
