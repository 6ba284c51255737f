/* SPDX-License-Identifier: MIT */
/*
 * What the model is sent: prompt, tools, thread (history.h), user message, and
 * the steps of this turn.
 */
#ifndef CONTEXT_CONTEXT_H
#define CONTEXT_CONTEXT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "llm/llm.h"

struct turn_loop;

enum { CONTEXT_OWN_MESSAGES = 6 };	/* of a turn with one or two tool calls */

/* Builds system prompt, tools, history and the user message. */
int context_build(struct turn_loop *l, struct err *e) MUST_CHECK;

/* Appends the current step and the results of its calls. */
void context_add_step(struct turn_loop *l);

/* Drops the older half of the history; false if none is left. */
bool context_shorten(struct turn_loop *l);

/*
 * For a refusal that is not understood: drops three quarters of the history of a
 * large request. False if it is not large or nothing is left.
 */
bool context_shorten_much(struct turn_loop *l);

/*
 * Drops the turns of the history that have no answer: theirs may be what the server
 * refuses, since it refused them before. False if there are none.
 */
bool context_drop_unanswered(struct turn_loop *l);

/* Adapts the context to another service: its tools and its window. */
void context_serve(struct turn_loop *l);

/* Tells the model that it may not call tools any more. */
void context_last_call(struct turn_loop *l);

/* Counts the messages anew, after some were added. */
void context_count(struct turn_loop *l);

/* Estimated tokens of the current request (C25). */
int64_t context_tokens(const struct turn_loop *l);

/*
 * Reserves room for n more messages: an array that is outgrown stays in the
 * arena.
 */
void context_reserve(struct turn_loop *l, size_t n);

/* Adds a message, valid until the next one is added. text must outlive l. */
struct llm_message *context_add(struct turn_loop *l, enum llm_role role,
				struct str text);

/*
 * Offers read_result, once the model has been told of a kept result. Until then
 * the tool only costs tokens.
 */
void context_told_of_kept(struct turn_loop *l);

/*
 * Adds the result of call c as the model sees it, with untrusted text in the
 * turn's envelope. edited: the arguments as the user changed them; empty if
 * unchanged.
 */
void context_add_result(struct turn_loop *l, const struct llm_tool_call *c,
			struct str text, bool untrusted, bool is_error,
			struct str edited);

#endif
