/* SPDX-License-Identifier: MIT */
/* Shared by decoder.c and emit.c only. */
#ifndef LLM_EMIT_H
#define LLM_EMIT_H

#include "llm/decoder.h"

/*
 * Emits all that is pending and then DONE, or ERROR if d->err is set. Once.
 */
void emit_terminal(struct llm_decoder *d);

#endif
