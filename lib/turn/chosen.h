/* The prompt of the catalogue that a message was made from (A43). */
#ifndef TURN_CHOSEN_H
#define TURN_CHOSEN_H

#include "prompt/blocks.h"
#include "turn/turn.h"

/*
 * Looks for the prompt that the options name, among those that the caller sees, and
 * keeps its stamp in t. One round trip if it is a stored one; none if none is
 * named. ERR_INVALID_FIELD (promptId) if there is none.
 */
int chosen_find(struct turn_run *t, struct err *e) MUST_CHECK;

/*
 * The stamp for the usage record, or NULL. A prompt that is gone since the message
 * was stored, for an answer that is made again, leaves none.
 */
const struct prompt_stamp *chosen_stamp(struct turn_run *t);

#endif
