/* SPDX-License-Identifier: MIT */
/*
 * Events of a turn and the sink that receives them. The loop emits; sinks are
 * implemented by the layers above (a wire dialect over SSE, a recorder, a
 * test), so that lib does not depend on them.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/uuid.h"
#include "store/message.h"

struct turn_wait;	/* store/wait.h */
struct part_share;	/* prompt/part.h */

enum turn_event_type {
#define EVENT(name, letter, flags, when, fields, wire) TURN_EV_##name,
#include "event/event.def"
	TURN_EV__MAX
};

/* How the field of an event is written. */
enum turn_field_kind {
	TURN_FIELD_TEXT,
	TURN_FIELD_TEXT_OR_NONE,	/* omitted when empty, in each dialect */
	TURN_FIELD_TEXT_IF_ANY,	/* omitted when empty, unless the dialect's
				   events have a fixed form */
	TURN_FIELD_INT, TURN_FIELD_BOOL,
	TURN_FIELD_JSON,	/* untrusted JSON text; empty: {} */
	TURN_FIELD_OBJECT,	/* the same, always an object */
	TURN_FIELD_RESULT,	/* untrusted JSON text, or plain text if
				   !result_json */
	TURN_FIELD_CONVERSATION, TURN_FIELD_TURN,	/* ids of the run */
	TURN_FIELD_WORKSPACE, TURN_FIELD_AGENT,
	TURN_FIELD_CONTEXT_TYPE, TURN_FIELD_SCOPE,	/* where its user is (D4) */
	TURN_FIELD_PROJECT, TURN_FIELD_FOCUS,
	TURN_FIELD_CREATED,	/* whether the turn created the conversation */
	TURN_FIELD_MESSAGE,	/* the message's record */
	TURN_FIELD_WAIT,	/* the first of the waits */
	TURN_FIELD_WAITS,
	TURN_FIELD_PARTS	/* of the context; omitted in fixed forms */
};

enum { TURN_EVENT_FIELDS = 10 };	/* maximum per event */

struct turn_event_row {
	const char *name;	/* "TOOL_CALL" */
	const char *when;
	char letter;		/* of its stored record; 0: not stored */
	bool coalesced, urgent, bare;
	struct turn_event_field {
		const char *key;	/* NULL after the last one */
		enum turn_field_kind kind;
		size_t offset;		/* within struct turn_event */
	} fields[TURN_EVENT_FIELDS + 1];
};
extern const struct turn_event_row event_table[TURN_EV__MAX];

/*
 * One event. Members that its type does not use are zero. Borrowed until emit
 * returns. The stored members come from event.def.
 */
struct turn_event {
	enum turn_event_type type;
	uint32_t seq;		/* 1, 2, … within the turn: the SSE id */
#define TURN_EVENT_TEXT struct str
#define TURN_EVENT_NUMBER int64_t
#define TURN_EVENT_FLAG bool
#define MEMBER(type, name) TURN_EVENT_##type name;
#include "event/event.def"
	int64_t input_tokens, context_tokens, n_messages;	/* context usage */
	const struct part_share *parts;	/* context usage; PART__MAX of them */
	const struct message *message;		/* user-message, done, error */
	const struct turn_wait *waits;		/* for a turn that waits */
	size_t n_waits;
	const struct turn_run *run;		/* ids; never NULL */
};

/* The event that announces one wait, without a number. Borrows. */
struct turn_event event_of_wait(const struct turn_wait *wait);

enum { TURN_IDLE_MS = 15000 };	/* silence before a keep-alive */

struct sink {
	/*
	 * Takes one event. Must not block, and must not fail towards the turn:
	 * a sink whose client is gone discards the rest, because a turn
	 * outlives its listeners.
	 */
	void (*emit)(struct sink *s, const struct turn_event *ev);
	/* Sends what was emitted; may wait for the client. May be NULL. */
	void (*flush)(struct sink *s);
	/*
	 * The same without waiting: returns false, with nothing sent, if it
	 * would block. May be NULL if flush is.
	 */
	bool (*try_flush)(struct sink *s);
	/* Called after TURN_IDLE_MS of silence; emits a keep-alive. May be NULL. */
	void (*idle)(struct sink *s);
};

#endif
