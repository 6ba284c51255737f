/* SPDX-License-Identifier: MIT */
/*
 * What dialects share: the frame of an event, JSON from others, and the content of
 * the record that ends a turn. In every dialect, lines end with LF, and the data is
 * one line.
 */
#ifndef DIALECT_WIRE_H
#define DIALECT_WIRE_H

#include "base/json.h"
#include "dialect/dialect.h"
#include "turn/turn.h"

/* For a dialect's row: the start of a stream of server-sent events, and its
    keep-alive. */
#define WIRE_SSE \
	.content_type = "text/event-stream", \
	.preamble = STR(": ok\n\n"), .keep_alive = STR(": ka\n\n")

/*
 * "event: NAME", "id: N" and "data: ", up to the data. seq is the event's
 * number within its turn, 0 = no id line.
 */
static inline void wire_open(struct buf *out, const char *name, uint32_t seq)
{
	buf_add(out, "event: ", 7);
	buf_adds(out, name);
	if (seq) {
		buf_add(out, "\nid: ", 5);
		buf_addu(out, seq);
	}
	buf_add(out, "\ndata: ", 7);
}

/* The value after "name: " in a line of a frame; p == NULL: no such line. */
struct str wire_line(struct str frame, const char *name);

/* The end of a frame: an empty line. */
static inline void wire_close(struct buf *out)
{
	buf_add(out, "\n\n", 2);
}

/* A frame whose data is an object: up to its members, and its end. */
static inline struct jw wire_frame(struct buf *out, const char *name,
				   uint32_t seq)
{
	struct jw w = jw_on(out);

	wire_open(out, name, seq);
	jw_obj(&w);
	return w;
}

/* The same without a name and a number, its first member being its type. */
static inline struct jw wire_typed(struct buf *out, const char *type)
{
	struct jw w = jw_on(out);

	buf_add(out, "data: ", 6);
	jw_obj(&w);
	jw_kstrz(&w, "type", type);
	return w;
}

static inline void wire_frame_end(struct jw *w)
{
	jw_end_obj(w);
	wire_close(w->b);
}

/*
 * JSON text that a model or a tool wrote: as one line (a line end between its
 * tokens would end the frame's data) or, if it is not JSON after all, as a string,
 * so that the frame is always readable.
 */
void wire_foreign(struct jw *w, struct str text);

/* Where a turn is: {conversationId, turnId, workspaceId, agentId}. */
void wire_session(struct jw *w, const struct turn_run *run);

/* As wire_foreign, but always an object: an empty one for anything else. */
void wire_object(struct jw *w, struct str text);

/* A tool's result: its JSON, or its text as a string. */
void wire_result(struct jw *w, const struct turn_event *ev);

/*
 * The fields of ev (event.def): as members of the open object with unchanged keys or
 * those of v2, as elements of the open array, or as one value, which for a BARE
 * event is the field itself. v2 and arrays have a fixed form, without optional
 * fields.
 */
void wire_snake_members(struct jw *w, const struct turn_event *ev,
			const struct dialect_state *st);
void wire_elements(struct jw *w, const struct turn_event *ev,
		   const struct dialect_state *st);
void wire_value(struct jw *w, const struct turn_event *ev,
		const struct dialect_state *st);

/*
 * What a turn waits for, as one object with the names of the native dialect:
 * {type, turnId, toolCallId, tool, …}; docs/approvals.md lists the members of each
 * kind. The decision, if any, is not included.
 */
void wire_wait(struct jw *w, const struct turn_wait *wait);

/* The same, its members into an open object. */
void wire_wait_members(struct jw *w, const struct turn_wait *wait);

/* The stored origins of text (turn_wait.origins), as [{kind, name}]. */
void wire_origins(struct jw *w, struct str stored);

/* The digest of a wait as hex text. */
#define WIRE_DIGEST_CHARS (2 * WAIT_DIGEST_BYTES)
const char *wire_digest(const struct turn_wait *wait,
			char out[WIRE_DIGEST_CHARS + 1]);

/* The record of ev's message: who, whose, and how it is rendered. */
void wire_message(struct jw *w, const struct turn_event *ev,
		  const struct dialect_state *st);

/* How a turn ended, read from the metadata of its answer. */
struct wire_answer {
	json_t *meta;			/* owned; NULL when there is none */
	struct str finish_reason;	/* "stop", "cancelled", "error", … */
	struct str model;
	struct str error_code, error_message;	/* of finish_reason error */
	bool retryable;
	const json_t *usage;		/* borrowed; or NULL */
};

/* Whether it was stopped, by somebody or by a shutdown. */
bool wire_cut_short(const struct wire_answer *a);

/* Reads m. Release it with wire_answer_release; views are borrowed from it. */
void wire_answer_read(struct wire_answer *a, const struct message *m);
void wire_answer_release(struct wire_answer *a);

/*
 * The text of an answer that was not sent as tokens (a refusal without words, the
 * limit of tool calls): a dialect whose last event has no record must still send it.
 * Empty in the normal case.
 */
struct str wire_unsent(const struct turn_event *ev,
		       const struct dialect_state *st);

#endif
