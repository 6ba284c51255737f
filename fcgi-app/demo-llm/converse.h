/* SPDX-License-Identifier: MIT */
/*
 * converse.h - the conversational mode: what the demo says when no script
 * tells it. Rules, not a model: it understands simple questions about the
 * datasets it can reach through the tools list_datasets and query_data, and
 * says so when it does not understand.
 */
#ifndef DEMO_CONVERSE_H
#define DEMO_CONVERSE_H

#include "demo-llm/plan.h"

/* True when the request asks for a conversation's title and nothing else. */
bool converse_wants_title(const struct ask *a);

/* Fills the empty plan p with a tool call or a text. */
void converse(const struct ask *a, struct plan *p);

#endif
