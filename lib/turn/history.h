/* The stored thread as messages for the model. */
#ifndef TURN_HISTORY_H
#define TURN_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct history_own;
struct turn_loop;

/* How many rows are read with the beginning of a turn that wants so many messages. */
size_t history_first_rows(int64_t messages);

/* Adds the newest part of the stored thread that its share allows. */
int history_add(struct turn_loop *l, struct err *e) MUST_CHECK;

/*
 * Adds what the client gave in front of a user message (turn_request.meta). A
 * system message of a client is text like any other: what governs the agent is
 * declared by the deployment (E12).
 */
void history_add_given(struct turn_loop *l, struct str meta);

/*
 * Puts the old turn's message, steps and text so far at the end of the history.
 * They are never left out, and if the text was cut off in the middle, the model is
 * told to continue.
 */
void history_continue(struct turn_loop *l);

/*
 * For a turn that was stored and is resumed: the rows behind the user's message, and
 * how much of the window they need, which is taken from the rest of the history.
 * Counts the turn's iterations. In the arena. NULL: ERR_CONFLICT if there is no
 * step, or an error of the store.
 */
struct history_own *history_read_own(struct turn_loop *l, struct err *e);

/*
 * Adds them but for the last step, which becomes the current one, with the
 * results that are stored. Notes the calls as if they had been made just now.
 */
void history_add_own(struct turn_loop *l, const struct history_own *own);

#endif
