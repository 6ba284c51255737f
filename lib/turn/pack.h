/*
 * Stored events: how a turn's log looks in memory and in turn_event batches.
 *
 * A log is records, one per event: a letter for its type, the distance of its
 * number to the one before, the length of what follows, and that: the bare
 * text of a delta, or the members of any other event. So a token costs three
 * bytes more than its text, any two neighbours can be joined when replayed,
 * and a reader who has seen number N goes on with exactly what follows, also
 * inside a batch. Numbers have gaps where events are not stored.
 *
 * What is in rows anyway is not in the log: the user message is a record
 * without content, the terminal event none at all (turn/follow.h).
 */
#ifndef TURN_PACK_H
#define TURN_PACK_H

#include "base/buf.h"
#include "turn/event.h"

/*
 * Appends ev, whose number is greater than prev, that of the record before it
 * (0 = none). False when this type is not packed, or does not fit: out is then
 * as it was.
 */
bool pack_add(struct buf *out, uint32_t prev, const struct turn_event *ev);

struct pack_reader {
	struct str data;	/* what is left */
	uint32_t seq;		/* of the record read last */
	uint32_t first;		/* number of the next one; 0 = by distance */
};

/*
 * The next record as an event, its texts borrowed from data; run and message
 * are not set. False at the end, or where data is not ours.
 */
bool pack_next(struct pack_reader *r, struct turn_event *ev);

#endif
