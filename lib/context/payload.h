/* SPDX-License-Identifier: MIT */
/* The messages and the tools of a request to the model, as they are added to it. */
#ifndef CONTEXT_PAYLOAD_H
#define CONTEXT_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "llm/llm.h"

struct context;

enum { CONTEXT_OWN_MESSAGES = 6 };	/* of a turn with one or two tool calls */

/*
 * Reserves room for n more messages: an array that is outgrown stays in the
 * arena.
 */
void context_reserve(struct context *cx, size_t n);

/* Adds a message, valid until the next one is added. text must outlive it. */
struct llm_message *context_add(struct context *cx, enum llm_role role,
				struct str text);

/* Counts the messages anew, after some were added. */
void context_count(struct context *cx);

/* Estimated tokens of the current request (C25). */
int64_t context_tokens(const struct context *cx);

/* Declares the tools to the model; again when a call has changed the offer. */
int context_offer_tools(struct context *cx, struct err *e) MUST_CHECK;

/*
 * Offers read_result, once the model has been told of a kept result. Until then
 * the tool only costs tokens.
 */
void context_offer_read_result(struct context *cx);

/*
 * Adds the result of call c as the model sees it, with untrusted text in the
 * turn's envelope. edited: the arguments as the user changed them; empty if
 * unchanged.
 */
void context_add_result(struct context *cx, const struct llm_tool_call *c,
			struct str text, bool untrusted, bool is_error,
			struct str edited);

#endif
