/*
 * Events of a turn, and the sink that takes them. The loop emits; sinks are
 * implemented above (a wire dialect over SSE, a recorder, a test), so lib
 * never calls upward by name.
 */
#ifndef TURN_EVENT_H
#define TURN_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/uuid.h"
#include "store/message.h"

struct turn_wait;	/* store/wait.h */

enum turn_event_type {
#define EVENT(name, stored, coalesced) TURN_EV_##name,
#include "turn/event.def"
#undef EVENT
	TURN_EV__MAX
};

struct turn_event_row {
	const char *name;	/* "TOOL_CALL" */
	bool stored, coalesced;
};
extern const struct turn_event_row turn_event_rows[TURN_EV__MAX];

/* One event; what is not of its type is zero. Borrowed until emit returns. */
struct turn_event {
	enum turn_event_type type;
	uint32_t seq;		/* 1, 2, … within the turn: the SSE id */
	struct str text;	/* deltas, status, title (of a tool too), warning */
	struct str code;	/* warning; tool-progress: start, progress, … */
	struct str call_id, tool_name;
	struct str args;	/* JSON text */
	struct str result;	/* JSON text, or plain text when !result_json */
	bool result_json, is_error;
	int64_t duration_ms;
	int64_t input_tokens, context_tokens, n_messages;	/* context usage */
	const struct message *message;		/* user-message, done, error */
	const struct turn_wait *waits;		/* what the turn waits for */
	size_t n_waits;
	const struct turn_run *run;		/* ids; never NULL */
};

struct sink {
	/*
	 * Takes one event; does not send, so it never blocks. Never fails
	 * towards the turn: a sink whose client is gone swallows the rest (a
	 * turn outlives its listeners).
	 */
	void (*emit)(struct sink *s, const struct turn_event *ev);
	/* Sends what was emitted; waits for the client. May be NULL. */
	void (*flush)(struct sink *s);
	/*
	 * The same without waiting: false, with nothing sent, when it would
	 * have to. May be NULL where flush is.
	 */
	bool (*try_flush)(struct sink *s);
	/* During silence (about every 15 s): emits a keep-alive. May be NULL. */
	void (*idle)(struct sink *s);
};

#endif
