/*
 * The events of all running turns of a user, for one stream of notifications
 * (events=all; E5, E6). Each turn is followed (turn/follow.h) from its first
 * event to its end; a waiting one rests until it goes on. Only reads what is
 * there: for a thread that must not wait for turns.
 */
#ifndef API_FEEDS_H
#define API_FEEDS_H

#include "dialect/dialect.h"
#include "turn/turn.h"

struct app;
struct feeds;

/* Of o, whose text lives as long. Follows nothing yet. Owned: feeds_free. */
struct feeds *feeds_new(struct app *app, const struct owner *o,
			enum dialect_id dialect);
void feeds_free(struct feeds *s);	/* NULL is fine */

/*
 * A turn has another status. One that is running is followed from now on, but
 * not beyond LIM_FEEDS; one that rests is looked at again. A turn that is not the
 * owner's ends at the first look.
 */
void feeds_turn(struct feeds *s, const struct uuid *turn, bool running);

/* Whether there is a turn to be looked at from time to time. */
bool feeds_busy(const struct feeds *s);

/*
 * Appends the frames of what has come since, without ids: those are the notices'.
 * native: `turn-event` {turnId, conversationId, id, event, data}; forge: its own
 * cases, which name turn and conversation. At most FEEDS_BYTES and one event.
 */
#define FEEDS_BYTES 65536
void feeds_read(struct feeds *s, struct buf *out);

#endif
