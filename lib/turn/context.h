/*
 * What the model is sent: prompt, tools, the thread (history.h), the user's
 * message, and the steps of this turn.
 */
#ifndef TURN_CONTEXT_H
#define TURN_CONTEXT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "llm/llm.h"

struct turn_loop;

enum { CONTEXT_OWN_MESSAGES = 6 };	/* of a turn that calls a tool or two */

/* System prompt, tools, history and the user's message. */
int context_build(struct turn_loop *l, struct err *e) MUST_CHECK;

/* Adds the current step and the results of its calls. */
void context_add_step(struct turn_loop *l);

/* Drops the older half of the history; false when there is none left. */
bool context_shorten(struct turn_loop *l);

/* What there is, for another service of the turn: its tools, its window. */
void context_serve(struct turn_loop *l);

/* Tells the model that this is its last call. */
void context_last_call(struct turn_loop *l);

/* Estimated tokens of the request as it is now (C25). */
int64_t context_tokens(const struct turn_loop *l);

/* Room for n messages more, since what is outgrown stays in the arena. */
void context_reserve(struct turn_loop *l, size_t n);

/* Adds a message; valid until the next one is added. text must live as long as l. */
struct llm_message *context_add(struct turn_loop *l, enum llm_role role,
				struct str text);

/*
 * The model has just been told of a result that read_result reads: then that
 * is offered too. Not before, so that most turns have a tool less.
 */
void context_told_of_kept(struct turn_loop *l);

/*
 * Adds what call c gave, as the model is to see it: others' text in the turn's
 * envelope; edited is what the user made of the arguments, or empty.
 */
void context_add_result(struct turn_loop *l, const struct llm_tool_call *c,
			struct str text, bool untrusted, bool is_error,
			struct str edited);

#endif
