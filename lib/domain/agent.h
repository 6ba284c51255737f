/* SPDX-License-Identifier: MIT */
/* Workspaces and their agents (conf/workspace.h, conf/agent.h), from files and from rows. */
#ifndef DOMAIN_AGENT_H
#define DOMAIN_AGENT_H

#include "base/arena.h"
#include "llm/service.h"
#include "resource/resource.h"

/*
 * workspace_agent: the agent of w with this id, or NULL.
 * workspace_default_agent: never NULL.
 */
const struct agent *workspace_agent(const struct workspace *w, struct str id);
const struct agent *workspace_default_agent(const struct workspace *w);

/*
 * A placeholder for a workspace or agent that was deleted or that the caller
 * need not see: an id with nothing set. In a; id is copied.
 */
struct workspace *workspace_named(struct arena *a, struct str id);
struct agent *agent_named(struct arena *a, struct str id);

/*
 * The agent that a tool's configuration describes (kinds agent and image_text).
 * Without a list of tools it has none. In a; texts are borrowed.
 */
const struct agent *agent_of_tool(struct arena *a, const struct conf_tool *c);

#endif
