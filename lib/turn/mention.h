/*
 * What a message mentions, for its turn: looked up under the caller's rights
 * whenever a turn of the message begins or goes on, never taken from what a
 * client or an earlier turn says of it.
 */
#ifndef TURN_MENTION_H
#define TURN_MENTION_H

#include "base/err.h"
#include "base/str.h"

struct turn_loop;
struct turn_run;

/*
 * Looks up the mentions of a message that is about to be stored, and writes
 * them, with their labels and links, into its metadata: given is that without
 * mentions. ERR_INVALID_FIELD with field "mentions": too many, not in the form of
 * a reference, or nothing that is there for the caller.
 */
int context_mention_new(struct turn_run *t, struct str given,
			struct err *e) MUST_CHECK;

/*
 * Looks up those of a stored message, unless that is done. What is there no more
 * is said to be so; nothing fails.
 */
void context_mentions(struct turn_loop *l);

/*
 * Whether two texts of metadata say the same, if what is mentioned is compared by
 * its references only: labels may have changed between two requests.
 */
bool context_mention_same(struct str a, struct str b);

#endif
