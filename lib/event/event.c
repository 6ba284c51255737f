/* SPDX-License-Identifier: MIT */
#include "event/event.h"

#include "store/wait.h"

#include "base/banned.h"

enum { COALESCED = 1, URGENT = 2, BARE = 4 };

#define NO_FIELDS { { .key = NULL } }
#define FIELDS(...) { __VA_ARGS__ }
#define FIELD(k, what, member) { .key = k, .kind = TURN_FIELD_##what, \
	.offset = offsetof(struct turn_event, member) }

const struct turn_event_row event_table[TURN_EV__MAX] = {
#define EVENT(n, l, flags, says, f, wire) \
	[TURN_EV_##n] = { .name = #n, .when = says, .letter = l, \
		.coalesced = (flags) & COALESCED, .urgent = (flags) & URGENT, \
		.bare = (flags) & BARE, .fields = f },
#include "event/event.def"
};

/* Readers of a row stop at the first field without a key. */
#define EVENT(n, l, flags, says, f, wire) \
	_Static_assert(sizeof((struct turn_event_field[])f) <= \
		       TURN_EVENT_FIELDS * sizeof(struct turn_event_field), \
		       #n " has more than TURN_EVENT_FIELDS fields");
#include "event/event.def"

struct turn_event event_of_wait(const struct turn_wait *wait)
{
	static const enum turn_event_type types[] = {
		[WAIT_APPROVAL] = TURN_EV_APPROVAL_REQUEST,
		[WAIT_CLIENT] = TURN_EV_CLIENT_TOOL_CALL,
		[WAIT_QUESTION] = TURN_EV_CLARIFICATION,
	};

	return (struct turn_event){
		.type = types[wait->kind], .waits = wait, .n_waits = 1,
		.call_id = wait->call_id, .tool_name = wait->tool,
	};
}
