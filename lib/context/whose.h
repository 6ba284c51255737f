/* SPDX-License-Identifier: MIT */
/*
 * Prompts by others in a turn: the layers of the system prompt (prompt/part.h
 * notes those), and the prompt of the catalogue that a message was made from. They
 * taint the turn, and everything that was answered with them, for as long as it is
 * sent (docs/approvals.md).
 */
#ifndef CONTEXT_WHOSE_H
#define CONTEXT_WHOSE_H

#include "base/json.h"

struct message;
struct context;
struct turn_run;

/*
 * Notes in the metadata of a message that is not stored yet that it was made from
 * a prompt by another user. Call it after all else has written the metadata. old: the
 * message that it is an edited form of, which makes it of the same prompt; or NULL.
 */
void whose_mark_message(struct turn_run *t, const struct message *old);

/* Adds the origins of the turn's message to what is derived. */
void whose_of_message(struct context *cx);

/* Writes "origins" of a row that was derived from cx->derived; nothing if empty. */
void whose_write(const struct context *cx, struct jw *w);

/*
 * Tells the user, as a warning, whose prompts are used here for the first time:
 * no row that is sent was answered with them.
 */
void whose_tell(struct context *cx);

#endif
