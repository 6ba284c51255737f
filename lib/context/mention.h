/* SPDX-License-Identifier: MIT */
/*
 * What a message mentions. Looked up under the caller's rights whenever a turn
 * of the message starts or continues; labels from a client or an earlier turn
 * are never trusted.
 */
#ifndef CONTEXT_MENTION_H
#define CONTEXT_MENTION_H

#include "base/err.h"
#include "base/str.h"

struct context;
struct turn_run;

/*
 * Looks up the mentions of a message that is about to be stored and adds them,
 * with labels and links, to its metadata; given: the metadata without mentions.
 * ERR_INVALID_FIELD (mentions) for too many, a malformed reference, or one that
 * does not exist for the caller.
 */
int context_mention_new(struct turn_run *t, struct str given,
			struct err *e) MUST_CHECK;

/*
 * Looks up the mentions of a stored message, once. The model is told which ones
 * no longer exist; failures are logged.
 */
void context_mentions(struct context *cx);

#endif
