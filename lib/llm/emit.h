/* SPDX-License-Identifier: MIT */
/* Shared by decoder.c, emit.c and call.c only. */
#ifndef LLM_EMIT_H
#define LLM_EMIT_H

#include "llm/decoder.h"

/*
 * Emits all that is pending and then DONE, or ERROR if d->err is set. Once.
 */
void emit_terminal(struct llm_decoder *d);

/* Gives ev to the handler, unless that has said stop. */
void emit_send(struct llm_decoder *d, const struct llm_event *ev);

/*
 * s, the next part of a text, cleaned of stray pieces and NUL (P-C7, P-C9). *carry
 * belongs to that text. Uses *tmp only if something must be changed.
 */
struct str emit_clean(const struct llm_decoder *d, struct dec_carry *carry,
		      struct str s, struct buf *tmp);

/* Gives the whole call c, with an id of its own (P-B3). */
void emit_call(struct llm_decoder *d, struct dec_call *c);

#endif
