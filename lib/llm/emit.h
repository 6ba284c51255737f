/* Between decoder.c and emit.c only. */
#ifndef LLM_EMIT_H
#define LLM_EMIT_H

#include "llm/decoder.h"

#define LLM_USAGE_UNKNOWN { .input = -1, .cache_read = -1, \
	.cache_write = -1, .output = -1, .reasoning = -1, .cost = NAN }

/*
 * Gives all that is pending and then DONE, or ERROR when d->err is set. Once.
 */
void emit_terminal(struct llm_decoder *d);

#endif
