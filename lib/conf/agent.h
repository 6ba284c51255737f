/* SPDX-License-Identifier: MIT */
/*
 * An agent, as files and rows have it: the members are described in resource/resource.def,
 * and in option.def those that only files have. Made by lib/conf and lib/domain; immutable.
 *
 * Flags in `set` say which members are set: a member without its flag has no
 * meaning, and no value stands for "unset".
 */
#ifndef CONF_AGENT_H
#define CONF_AGENT_H

#include "conf/list.h"
#include "conf/service.h"

struct resource_row;

/* A layer of the system prompt, or a named prompt. */
struct prompt {
	const char *name;	/* NULL = layer absent */
	enum domain_source source;
	int version;		/* as counted by its author */
	const char *text;
};

/* A prompt of the catalogue, of a file; "" for unset texts. */
struct catalogue_prompt {
	const char *id;
	int version;
	const char *name, *description, *icon, *colour, *body;
	struct conf_list categories;	/* names; rows have ids */
};

struct agent {
	const char *id;		/* first, for str_nearest */
	enum domain_source source;
	uint64_t version;	/* of a file: the generation */
	const struct resource_row *row;	/* NULL: from a file, or a placeholder */
	const char *name, *description;
	bool is_default;
	const char *system_prompt;	/* unset: falls back (B20) */
	int prompt_version;		/* of it: as counted by its author, or by the
					   changes of the row; from 1 (A43) */
	const char *llm_service;	/* id; unset: falls back (B15) */
	struct conf_list tools;		/* names and "group:NAME"; unset: all */
	int max_tool_iterations;	/* unset: the workspace's */
	struct agent_rag {
		bool enabled, ranks;
		struct conf_list bases;	/* ids; of a file names, too; unset: all */
		int max, max_ranked;	/* passages; 0 = not said */
		double min_score;	/* 0 to 1 */
		const char *ranker;	/* "" = none */
	} rag;
	struct {
		bool system_prompt, llm_service, tools, max_tool_iterations;
		struct {
			bool bases;
		} rag;
	} set;
};

/* A template for agents (B7); "" for unset texts. */
struct agent_template {
	struct agent agent;	/* what they get, with its id and version; first */
	const char *use_case, *icon;
	bool on_new;		/* new workspaces get an agent from it (B3) */
};

#endif
