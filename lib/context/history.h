/* SPDX-License-Identifier: MIT */
/* The stored thread as messages for the model. */
#ifndef CONTEXT_HISTORY_H
#define CONTEXT_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct history_own;
struct context;
struct llm_tool_call;
struct turn_step;

/* Number of rows to read at the start of a turn that wants this many messages. */
size_t history_first_rows(int64_t messages);

/* Adds the newest part of the stored thread that fits its share. Errors of the database. */
int history_add(struct context *cx, struct err *e) MUST_CHECK;

/*
 * Adds the messages that the client supplied before a user message
 * (turn_request.meta). A system message of a client has no special rank: only
 * the deployment's prompts govern the agent (E12).
 */
void history_add_given(struct context *cx, struct str meta);

/*
 * Adds the message, the steps and the text of the turn that is continued to the
 * end of the history. They are never dropped. If the text was cut off in the
 * middle, the model is told to continue it.
 */
void history_continue(struct context *cx);

/*
 * For a turn that is resumed: reads its rows after the user message, and
 * reserves the part of the window that they need, before the rest of the
 * history. Counts the turn's steps (n_own_steps). In the arena. NULL with ERR_CONFLICT
 * if there is no step, or with a database error.
 */
struct history_own *history_read_own(struct context *cx, struct err *e) MUST_CHECK;

/*
 * Adds these rows (cx->own), except the last step, which becomes *step with its stored
 * results.
 */
void history_add_own(struct context *cx, struct turn_step *step);

/*
 * The calls of the turn's own steps, the last one included: returns those of the next step,
 * *n of them, or NULL. *at starts as 0 and advances.
 */
const struct llm_tool_call *history_own_calls(const struct context *cx, size_t *at, size_t *n);

#endif
