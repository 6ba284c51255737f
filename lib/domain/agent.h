/* SPDX-License-Identifier: MIT */
/*
 * The domain: workspaces and their agents, from files and from rows. Made only
 * by the adapter (adapt.c) and the constructors here; immutable.
 *
 * Flags in `set` say which members are set: a member without its flag has no
 * meaning, and no value stands for "unset". Datasets, actions and tools of a
 * workspace remain structs of lib/conf.
 */
#ifndef DOMAIN_AGENT_H
#define DOMAIN_AGENT_H

#include "base/arena.h"
#include "llm/service.h"
#include "resource/resource.h"

struct prompt {
	enum domain_source source;
	const char *name;
	int version;		/* as counted by its author */
	const char *text;
};

struct agent {
	enum domain_source source;
	uint64_t version;	/* of a file: the generation */
	const struct resource_row *row;	/* NULL: from a file, or a placeholder */
	const char *id, *name, *description;
	bool is_default;
	const char *system_prompt;	/* unset: falls back (B20) */
	int prompt_version;		/* of it: as counted by its author, or by the
					   changes of the row; from 1 (A43) */
	const char *llm_service;	/* id; unset: falls back (B15) */
	struct conf_list tools;		/* names and "group:NAME"; unset: all */
	int max_tool_iterations;	/* unset: the workspace's */
	const struct conf_rag *rag;	/* of a file; NULL: in the row */
	struct {
		bool system_prompt, llm_service, tools, max_tool_iterations;
	} set;
};

struct workspace {
	enum domain_source source;
	uint64_t version;
	const struct resource_row *row;	/* NULL: from a file, or a placeholder */
	const char *id, *name, *description;
	const char *llm_service;	/* id; unset: the chat: block's */
	const struct conf_auto *autos;	/* the rules, if it is "auto" */
	size_t n_autos;
	struct prompt prompt;		/* unset: the layer is absent */
	struct conf_list visible_to;	/* groups; none or "*" = everyone */
	struct conf_list manager_users, manager_groups;	/* of a row only */
	int max_tool_iterations;
	int history_messages, history_tokens;
	int max_parallel_tools;
	bool title_by_model;
	bool personal_memory;		/* what is remembered of users may be used here */
	enum tool_confirm confirm;	/* minimum for tools that change data */
	struct conf_list suggestions;
	/*
	 * Of a file: all agents, one of them the default. Of a row: the default
	 * agent; stored.h finds the others.
	 */
	const struct agent *agents;
	size_t n_agents;
	const struct conf_dataset *datasets;
	size_t n_datasets;
	const struct conf_action *actions;
	size_t n_actions;
	enum conf_client_tools client_tools;
	struct conf_list allow_tools;	/* same form as an agent's tools; unset:
					   all */
	bool projects;			/* with the tools of the context type */
	/* In addition to those of the main file */
	const struct conf_tool *tools;
	size_t n_tools;
	const char *file;		/* where it is declared, for messages */
	struct {
		bool llm_service, prompt, allow_tools;
	} set;
};

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
