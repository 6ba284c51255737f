/* SPDX-License-Identifier: MIT */
/*
 * Stored events: the format of a turn's log in memory and of turn_event
 * batches.
 *
 * A log is a sequence of records, one per event: a letter for the type, the
 * difference of its number to the one before, the length of the rest, and the
 * rest: the bare text of a delta, or the members of another event. A token thus
 * costs three bytes more than its text, any two neighbours can be joined in a
 * replay, and a reader that has seen number N can continue after it even within
 * a batch. Numbers have gaps for events that are not stored.
 *
 * The log does not repeat rows: the user message is a record without content,
 * and there is no terminal event (turn/follow.h).
 */
#ifndef EVENT_PACK_H
#define EVENT_PACK_H

#include "base/buf.h"
#include "event/event.h"

/*
 * Appends ev, whose number is greater than prev, the number of the record
 * before it (0 = none). Returns false, with out unchanged, if the type is not
 * packed or the event does not fit.
 */
bool pack_add(struct buf *out, uint32_t prev, const struct turn_event *ev);

struct pack_reader {
	struct str data;	/* the rest */
	uint32_t seq;		/* of the last record read */
	uint32_t first;		/* number of the next record; 0 = by difference */
};

/*
 * Reads the next record as an event whose texts borrow from data; run and
 * message are not set. False at the end, or if data is malformed.
 */
bool pack_next(struct pack_reader *r, struct turn_event *ev);

#endif
