/* The stored thread as messages for the model. */
#ifndef TURN_HISTORY_H
#define TURN_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct history_own;
struct turn_loop;

/* Rows that are read with the begin of a turn that wants so many messages. */
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
 * The old turn's message, steps and text so far stand at the end of the
 * history: they are not part of what may be left out, and where it was cut off
 * in mid-text the model is told to go on.
 */
void history_continue(struct turn_loop *l);

/*
 * Of a turn that was stored and is resumed: the rows behind the user's message,
 * and how much of the window they want, which the rest of the history gets less.
 * Counts its iterations. In the arena. NULL: ERR_CONFLICT where there is no
 * step, and the errors of the store.
 */
struct history_own *history_read_own(struct turn_loop *l, struct err *e);

/*
 * Adds them but for the last step, which becomes the current one, with the
 * results that are stored. Notes the calls as if they had been made just now.
 */
void history_add_own(struct turn_loop *l, const struct history_own *own);

#endif
