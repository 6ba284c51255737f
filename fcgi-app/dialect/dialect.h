/* SPDX-License-Identifier: MIT */
/*
 * Events on the wire. A dialect is one vocabulary for the same events. The table
 * lib/event/event.def decides which events each dialect sends, and their names. A
 * dialect is one file, with the general form of events and writers for those with
 * a different form, and one row here. Routes name their dialect; docs/dialects.md
 * has the table for people.
 *
 * Encoding is cheap: frames are appended to the stream's buffer, without a
 * JSON tree; a token costs well under a microsecond (tests/bench).
 */
#ifndef DIALECT_DIALECT_H
#define DIALECT_DIALECT_H

#include "base/arena.h"
#include "base/buf.h"
#include "store/message.h"
#include "event/event.h"

enum dialect_id {
	DIALECT_NATIVE,
	DIALECT_V2,
	DIALECT_FORGE,
	DIALECT_AI_SDK,
	DIALECT_AG_UI,
	DIALECT_OPENAI,
	DIALECT__MAX
};

/*
 * When an EventSource reconnects. It belongs to an event's block: some clients take
 * a separate block for an event.
 */
#define SSE_RETRY "retry: 2000\n"
#define SSE_RETRY_BRIEF "retry: 20000\n"	/* PLACE_NOTIFICATION_S */

/* What a stream remembers between its events. */
struct dialect_state {
	enum record_style style;	/* how records are rendered (B6) */
	const void *asked;	/* the dialect's additional data of the request
				   (ai_sdk.h, ag_ui.h, openai.h); or NULL */
	bool retry_due;		/* SSE_RETRY goes in front of the next event */
	bool has_text;		/* a token came since the last tool call */
	void *own;		/* the dialect's own; NULL where it has none */
	struct arena *arena;	/* for what own points to */
};

/*
 * Appends the whole frames of one event, or nothing.
 * name: the row's, for dialects that show it.
 */
typedef void dialect_write(struct buf *out, const char *name,
			   const struct turn_event *ev,
			   struct dialect_state *st);

/* One decision of event.def: the name, or the reason in `left_out`. */
struct dialect_row {
	const char *name;	/* on the wire, where frames have names */
	const char *left_out;	/* the reason, when name is NULL */
	const char *frames;	/* all of them, for the docs; NULL: the name */
	bool own;		/* by the dialect's own writer */
};
extern const struct dialect_row dialect_rows[TURN_EV__MAX][DIALECT__MAX];

struct dialect {
	enum dialect_id id;
	const char *name;		/* "native" */
	const char *content_type;
	const char *header, *value;	/* one more of the head; or NULL */
	struct str preamble;		/* first bytes of a stream */
	struct str keep_alive;		/* during silence */
	struct str end;			/* after the terminal event; or empty */
	bool retries;			/* its clients reconnect by
					 * themselves */
	bool ends_at_wait;		/* WAITING ends its streams, all of them */
	size_t own_bytes;	/* of its state, zero at first; or 0 */
	dialect_write *any;	/* an event from its fields; or NULL */
	const char *any_is;	/* its frame's name in the docs; or NULL */
	dialect_write *own[TURN_EV__MAX];	/* where its row says so */
};

extern const struct dialect dialect_native, dialect_v2, dialect_forge,
	dialect_ai_sdk, dialect_ag_ui, dialect_openai;

/* The table; never NULL. */
const struct dialect *dialect_get(enum dialect_id id);

/*
 * The state of a new stream; what asked points to, and a, must outlive it. The part
 * that is the dialect's own is allocated in a.
 */
struct dialect_state dialect_open(enum dialect_id id, enum record_style style,
				  const void *asked, struct arena *a);

/* The dialect called name; DIALECT__MAX when there is none. */
enum dialect_id dialect_find(struct str name);

/* "native, v2, …", for messages. Constant text of this program's table. */
void dialect_names(struct buf *out);

/*
 * The rows of event.def: as tab-separated lines, as the table of docs/dialects.md,
 * and as the part in docs/openapi.yaml.
 */
void dialect_print_events(struct buf *out);
void dialect_print_table(struct buf *out);
void dialect_print_schemas(struct buf *out);

/* Appends ev in dialect d. */
static inline void dialect_encode(const struct dialect *d, struct buf *out,
				  const struct turn_event *ev,
				  struct dialect_state *st)
{
	const struct dialect_row *row = &dialect_rows[ev->type][d->id];
	size_t before = out->n, at;

	if (row->name && st->retry_due)
		buf_adds(out, SSE_RETRY);
	at = out->n;
	if (row->name)
		(row->own ? d->own[ev->type] : d->any)(out, row->name, ev, st);
	if (out->n > at)
		st->retry_due = false;
	else if (at > before)
		out->p[out->n = before] = '\0';
	if (ev->type == TURN_EV_TOKEN)
		st->has_text = true;
	else if (ev->type == TURN_EV_TOOL_CALL)
		st->has_text = false;
}

#endif
