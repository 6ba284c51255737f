/* SPDX-License-Identifier: MIT */
/*
 * Attachments of messages in a turn: resolves the ids of a request and adds
 * their content to what the model is sent. Texts are sent whole if they fit,
 * otherwise as the parts that match the message best, always in the turn's
 * envelope (they are untrusted) and each as a source of the answer. Images are
 * sent if the service accepts them. Attachments stay with the message that they
 * came with.
 */
#ifndef CONTEXT_ATTACH_H
#define CONTEXT_ATTACH_H

#include "context/request.h"

struct context;
struct llm_message;

/*
 * Replaces the ids in the request's options.attachments by records ({id, name,
 * mediaType, size}). ERR_INVALID_FIELD, naming the field, for an id that is not
 * the caller's, an incomplete or repeated one, too many of them, or attachments
 * without a message. Database errors.
 */
int attach_read(struct turn_run *t, struct err *e) MUST_CHECK;

/* Assigns the attachments to the turn's conversation. Failures are logged. */
void attach_use(const struct turn_run *t);

/* Limits the attachments added from now on to this many tokens in total. */
void attach_limit(struct context *cx, int64_t tokens);

/*
 * Adds the attachments of a message to m, after its text. list: their records, or
 * NULL. Attachments that exceed the turn's budget are only named. Taints the turn.
 */
void attach_add(struct context *cx, const json_t *list, struct llm_message *m);

/* The same for a message of the history, with list as stored. */
void attach_add_stored(struct context *cx, struct str list,
		       struct llm_message *m);

#endif
