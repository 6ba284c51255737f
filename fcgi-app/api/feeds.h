/* SPDX-License-Identifier: MIT */
/*
 * The events of all running turns of a user, for one stream of notifications
 * (events=all; E5, E6). Each turn is followed (turn/follow.h) from its first
 * event to its end; one that waits is paused until it resumes. Reads only what is
 * available, for a thread that must not wait for turns.
 *
 * A notice about a turn and the turn's own events tell the same thing, in one
 * stream. So a notice that a turn has ended, or waits, follows its last event
 * (feeds_settle).
 */
#ifndef API_FEEDS_H
#define API_FEEDS_H

#include "dialect/dialect.h"
#include "turn/turn.h"

struct app;
struct feeds;

/* For o, whose text must live as long. Follows no turn yet. Owned: feeds_free. */
struct feeds *feeds_new(struct app *app, const struct owner *o,
			enum dialect_id dialect);
void feeds_free(struct feeds *s);	/* s may be NULL */

/*
 * The status of a turn changed. A running turn is followed from now on, up to
 * LIM_FEEDS of them; a waiting one is checked again. A turn that is not the owner's
 * is dropped at the first check.
 */
void feeds_turn(struct feeds *s, const struct uuid *turn, bool running);

/*
 * Appends what is missing of a turn that has ended, or waits (ended: false), like
 * feeds_read. False if not all of it could be read: try again.
 */
bool feeds_settle(struct feeds *s, const struct uuid *turn, bool ended,
		  struct buf *out);

/* Whether the turn is followed here, or was lately. */
bool feeds_tells(const struct feeds *s, const struct uuid *turn);

/* Whether a turn must be checked from time to time. */
bool feeds_busy(const struct feeds *s);

/*
 * Appends the frames of new events, without ids, because ids belong to notices.
 * native: `turn-event` {turnId, conversationId, id, event, data}; forge: its own
 * events, which contain turn and conversation. At most FEEDS_BYTES, plus one event.
 */
#define FEEDS_BYTES 65536
void feeds_read(struct feeds *s, struct buf *out);

#endif
