/* Versions of prompts. */
#ifndef STORE_PROMPT_H
#define STORE_PROMPT_H

#include "resource/resource.h"

/*
 * Keeps how the prompt reads at its version, in the transaction that stores it,
 * and forgets what is older than LIM_PROMPT_VERSIONS. at: the prompt's.
 */
int store_prompt_keep(struct db *tx, const struct resource_at *at,
		      struct resource_row *prompt, struct err *e) MUST_CHECK;

#endif
