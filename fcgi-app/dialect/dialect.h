/*
 * Events on the wire. A dialect is one vocabulary for the same events; each is
 * one file with one table that is indexed by the event type, and one row here.
 * Routes name the dialect they speak; docs/dialects.md is the whole table.
 *
 * Encoding is cheap: frames are appended to the stream's buffer, without a
 * JSON tree; a token costs well under a microsecond (tests/bench).
 */
#ifndef DIALECT_DIALECT_H
#define DIALECT_DIALECT_H

#include "base/buf.h"
#include "store/message.h"
#include "turn/event.h"

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
 * When an EventSource comes back. It belongs to an event's block: in a block of
 * its own some clients take it for an event.
 */
#define SSE_RETRY "retry: 2000\n"

/*
 * What a stream remembers between its events. Zero at the start, but for what
 * its request said.
 */
struct dialect_state {
	/* of the request */
	enum record_style style;	/* how records are rendered (B6) */
	struct str thread_id, run_id;	/* ag-ui: the client's; or empty */
	struct str model;		/* openai: as it was asked for */
	bool want_usage;		/* openai: stream_options */
	int sdk;			/* ai-sdk: major version; 0 = not said */

	/* of the stream */
	bool retry_due;		/* SSE_RETRY goes in front of the next event */
	bool said;		/* a token came since the last tool call */
	bool text_open, reasoning_open;	/* for dialects with parts */
	uint32_t part;			/* number of the open part */
	char state_told;	/* v2: the first letter of the last agent_state */
	const char *delta_name;	/* v2: the last delta … */
	uint32_t delta_seq;
	size_t delta_text_end, delta_end;	/* … and where its JSON string
						   and its frame end, unsent */
	bool step_open, step_called;	/* ai-sdk: and it called a tool, */
	bool step_answered;		/* which answered */
	bool has_parent;	/* ag-ui: this step's message has an id */
	bool begun;		/* the run or message of the client was opened */
};

/*
 * Appends the whole frames of one event, or nothing.
 * name: the row's, for dialects that show it.
 */
typedef void dialect_write(struct buf *out, const char *name,
			   const struct turn_event *ev,
			   struct dialect_state *st);

/*
 * One decision per event and dialect: how it looks, or, in `left_out`, why it
 * is not shown. A row without either is a hole, and a test finds it.
 */
struct dialect_row {
	const char *name;	/* on the wire, where frames have names */
	dialect_write *write;
	const char *left_out;	/* the reason, when write is NULL */
};

struct dialect {
	const char *name;		/* "native" */
	const char *content_type;
	const char *header, *value;	/* one more of the head; or NULL */
	struct str preamble;		/* first bytes of a stream */
	struct str keep_alive;		/* during silence */
	struct str end;			/* after the terminal event; or empty */
	bool retries;			/* its clients come back by themselves */
	bool ends_at_wait;		/* WAITING ends its streams, all of them */
	struct dialect_row rows[TURN_EV__MAX];
};

extern const struct dialect dialect_native, dialect_v2, dialect_forge,
	dialect_ai_sdk, dialect_ag_ui, dialect_openai;

/* The table; never NULL. */
const struct dialect *dialect_get(enum dialect_id id);

/* The dialect called name; DIALECT__MAX when there is none. */
enum dialect_id dialect_find(struct str name);

/* "native, v2, …", for messages. Constant text of this program's table. */
void dialect_names(struct buf *out);

/* Appends ev in dialect d. */
static inline void dialect_encode(const struct dialect *d, struct buf *out,
				  const struct turn_event *ev,
				  struct dialect_state *st)
{
	const struct dialect_row *row = &d->rows[ev->type];
	size_t before = out->n, at;

	if (row->write && st->retry_due)
		buf_adds(out, SSE_RETRY);
	at = out->n;
	if (row->write)
		row->write(out, row->name, ev, st);
	if (out->n > at)
		st->retry_due = false;
	else if (at > before)
		out->p[out->n = before] = '\0';
	if (ev->type == TURN_EV_TOKEN)
		st->said = true;
	else if (ev->type == TURN_EV_TOOL_CALL)
		st->said = false;
}

#endif
