/* SPDX-License-Identifier: MIT */
/*
 * What a user's words ask for (C31, D10, D35), in English and German, without a model. A
 * model says with each change in projects what it takes the user to want; that counts only
 * as far as their last own words say the same (tool/core/gate.c).
 */
#ifndef CONTEXT_INTENT_H
#define CONTEXT_INTENT_H

#include "tool/core/tool.h"

/*
 * TOOL_MODE_ACT if the words order a change, TOOL_MODE_INFORM if they only ask for
 * something to read, else TOOL_MODE_CLARIFY, also in other languages. Quotes, quoted lines
 * and code are not the user's own words; of a long text its beginning and its end count.
 * No I/O; any thread.
 */
enum tool_mode intent_of(struct str words);

/* The mode after the user has answered a question of the turn: it stays unless they object. */
enum tool_mode intent_answered(enum tool_mode before, struct str answer);

/* The mode of a turn before the answers to its questions. */
struct context;
enum tool_mode intent_of_turn(const struct context *cx);

/*
 * Sets the mode of a turn by an answer of the user to a question of it: result is the
 * stored {"answer": "…"}. Called for each answer in their order, also for those of earlier
 * waits when the turn is resumed. A turn without a mode, and other JSON, stay as they are.
 */
void intent_hear(struct context *cx, struct str result);

#endif
