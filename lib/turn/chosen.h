/*
 * What a request chose for its message: the prompt of the catalogue that it was made
 * from (A43), and the active module (prompt/module.h).
 */
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

/* Reads the module that the options name into t. The errors of module_read. */
int chosen_module_find(struct turn_run *t, struct err *e) MUST_CHECK;

/*
 * The active module, or NULL. One of a stored message that is there no more, or not
 * as it was, is left out.
 */
const struct module_use *chosen_module(struct turn_run *t);

#endif
