/* SPDX-License-Identifier: MIT */
/*
 * Passages of knowledge bases that a turn gets without a tool call if its agent
 * has ragEnabled: searched with its message, numbered, in the turn's envelope.
 */
#ifndef CONTEXT_KNOWLEDGE_H
#define CONTEXT_KNOWLEDGE_H

struct context;

/*
 * Fills cx->knowledge with passages for the turn's message. Does nothing if that
 * is done already, the agent does not want passages, or the message is empty. A
 * preview (no sink) searches words only: it calls no service and stores
 * nothing. Failures are logged and leave it empty.
 */
void context_knowledge(struct context *cx);

#endif
