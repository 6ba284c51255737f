/* SPDX-License-Identifier: MIT */
/*
 * Passages of knowledge bases that a turn gets without a tool call if its agent
 * has ragEnabled: searched with its message, numbered, in the turn's envelope.
 */
#ifndef CONTEXT_KNOWLEDGE_H
#define CONTEXT_KNOWLEDGE_H

#include "auth/caller.h"
#include "base/err.h"
#include "base/str.h"
#include "domain/agent.h"
#include "knowledge/retrieve.h"

struct context;
struct llm_call;

/*
 * Fills cx->knowledge with passages for the turn's message. Does nothing if that
 * is done already, the agent does not want passages, the message is empty, or no model
 * is asked (try_tool). A preview (no sink) searches words only: it calls no service and
 * stores nothing. Failures are logged and leave it empty.
 */
void context_knowledge(struct context *cx);

/*
 * The passages that the first turn of a conversation gets so for the message `text`, as
 * if the agent had ragEnabled. io: of the request. In by's arena; a notice as retrieve_find.
 * Errors of retrieve_bases, embed_service and retrieve_find.
 */
int context_passages(const struct caller *by, const struct workspace *w,
		     const struct agent *agent, struct str text,
		     const struct llm_call *io, struct retrieve_found *out,
		     struct err *e) MUST_CHECK;

#endif
