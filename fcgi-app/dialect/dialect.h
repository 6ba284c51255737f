/*
 * Events on the wire. A dialect is one vocabulary for the same events; each is
 * one file with one table that is indexed by the event type, and one row here.
 * Routes name the dialect they speak.
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
	DIALECT__MAX
};

/* What a stream remembers between its events. Zero at the start. */
struct dialect_state {
	enum record_style style;	/* how records are rendered (B6) */
	bool text_open, reasoning_open;	/* for dialects with parts */
	uint32_t part;			/* number of the open part */
};

/*
 * Appends the whole frames of one event, or nothing.
 * name: the row's, for dialects that show it.
 */
typedef void dialect_write(struct buf *out, const char *name,
			   const struct turn_event *ev,
			   struct dialect_state *st);

struct dialect_row {
	const char *name;	/* NULL: this dialect does not have the event */
	dialect_write *write;
};

struct dialect {
	const char *name;		/* "native" */
	const char *content_type;
	struct str preamble;		/* first bytes of a stream */
	struct str keep_alive;		/* during silence */
	struct str end;			/* after the terminal event; or empty */
	struct dialect_row rows[TURN_EV__MAX];
};

extern const struct dialect dialect_native;

/* The table; never NULL. */
const struct dialect *dialect_get(enum dialect_id id);

/* Appends ev in dialect d. */
static inline void dialect_encode(const struct dialect *d, struct buf *out,
				  const struct turn_event *ev,
				  struct dialect_state *st)
{
	const struct dialect_row *row = &d->rows[ev->type];

	if (row->write)
		row->write(out, row->name, ev, st);
}

#endif
