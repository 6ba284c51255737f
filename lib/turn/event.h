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
struct part_share;	/* prompt/part.h */

enum turn_event_type {
#define EVENT(name, letter, flags, when, fields, wire) TURN_EV_##name,
#include "turn/event.def"
	TURN_EV__MAX
};

/* What a field of an event is, which says how it is written. */
enum turn_field_kind {
	TURN_FIELD_TEXT,
	TURN_FIELD_TEXT_IF_ANY,	/* left out when empty, and where a dialect's
				   events have a fixed form */
	TURN_FIELD_INT, TURN_FIELD_BOOL,
	TURN_FIELD_JSON,	/* JSON text of others; empty: {} */
	TURN_FIELD_OBJECT,	/* the same, an object in any case */
	TURN_FIELD_RESULT,	/* JSON text of others; text when !result_json */
	TURN_FIELD_CONVERSATION, TURN_FIELD_TURN,	/* ids of the run */
	TURN_FIELD_WORKSPACE, TURN_FIELD_AGENT,
	TURN_FIELD_CREATED,	/* whether it made the conversation */
	TURN_FIELD_MESSAGE,	/* its record */
	TURN_FIELD_WAIT,	/* the first of them */
	TURN_FIELD_WAITS,
	TURN_FIELD_PARTS	/* of the context; left out in fixed forms */
};

enum { TURN_EVENT_FIELDS = 8 };	/* the most of one event */

struct turn_event_row {
	const char *name;	/* "TOOL_CALL" */
	const char *when;
	char letter;		/* of its record; 0: it is not stored */
	bool coalesced, urgent, bare;
	struct turn_event_field {
		const char *key;	/* NULL behind the last */
		enum turn_field_kind kind;
		size_t offset;		/* in struct turn_event */
	} fields[TURN_EVENT_FIELDS + 1];
};
extern const struct turn_event_row turn_event_rows[TURN_EV__MAX];

/*
 * One event; what is not of its type is zero. Borrowed until emit returns. The
 * members that are stored come from event.def.
 */
struct turn_event {
	enum turn_event_type type;
	uint32_t seq;		/* 1, 2, … within the turn: the SSE id */
#define TURN_EVENT_TEXT struct str
#define TURN_EVENT_NUMBER int64_t
#define TURN_EVENT_FLAG bool
#define MEMBER(type, name) TURN_EVENT_##type name;
#include "turn/event.def"
	int64_t input_tokens, context_tokens, n_messages;	/* context usage */
	const struct part_share *parts;	/* the same: PART__MAX of them */
	const struct message *message;		/* user-message, done, error */
	const struct turn_wait *waits;		/* what the turn waits for */
	size_t n_waits;
	const struct turn_run *run;		/* ids; never NULL */
};

/* The event that tells of one thing that the turn waits for; without a number. */
struct turn_event turn_event_of_wait(const struct turn_wait *wait);

enum { TURN_IDLE_MS = 15000 };	/* silence until a keep-alive */

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
	/* After TURN_IDLE_MS of silence: emits a keep-alive. May be NULL. */
	void (*idle)(struct sink *s);
};

#endif
