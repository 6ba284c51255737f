/* SPDX-License-Identifier: MIT */
/*
 * The prompt of the catalogue that a message was made from (A43), and its
 * active module (prompt/module.h).
 */
#ifndef CONTEXT_PROMPT_USE_H
#define CONTEXT_PROMPT_USE_H

#include "prompt/blocks.h"
#include "context/request.h"

/*
 * Finds the prompt that the options name among those visible to the caller, and
 * keeps its stamp in t. Costs one round trip for a stored prompt.
 * ERR_INVALID_FIELD (promptId) if it does not exist.
 */
int context_prompt_find(struct turn_run *t, struct err *e) MUST_CHECK;

/*
 * The stamp for the usage record, or NULL. NULL also if an answer is
 * regenerated after the prompt was deleted.
 */
const struct prompt_stamp *context_prompt_stamp(struct turn_run *t);

/* Notes that the caller has used it, once their message is stored; failures are logged. */
void context_prompt_count(const struct turn_run *t);

/* Reads the module that the options name into t. Errors as module_read. */
int context_module_find(struct turn_run *t, struct err *e) MUST_CHECK;

/*
 * The active module, or NULL. NULL also if a stored message names a module that
 * was removed or whose parameters have changed.
 */
const struct module_use *context_module(struct turn_run *t);

#endif
