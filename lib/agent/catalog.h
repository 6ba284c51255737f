/*
 * All workspaces, LLM services and prompts, and those of them that a caller may
 * see. The catalog of a generation of the configuration is made once and lives
 * as long as the generation; it never changes.
 */
#ifndef AGENT_CATALOG_H
#define AGENT_CATALOG_H

#include "agent/agent.h"
#include "agent/caller.h"

/* A prompt of catalogue.d, for everyone to choose; "" for what is not said. */
struct shipped_prompt {
	struct uuid id;		/* by its name in the files */
	int version;
	const char *name, *description, *icon, *colour, *body;
	struct str sort_key;	/* resource_fold of name */
};

/* What agents are made from (B7); "" for what is not said. */
struct agent_template {
	const char *id, *name, *description, *use_case, *icon;
	const char *system_prompt;
	int version;
	bool on_new;		/* a new workspace gets one (B3) */
};

struct catalog {
	uint64_t version;
	const struct workspace *workspaces;	/* in the order of the files */
	size_t n_workspaces;
	const struct llm_service *services;
	size_t n_services;
	const struct prompt *prompts;		/* of prompts.d */
	size_t n_prompts;
	const struct shipped_prompt *shipped;	/* by sort_key and id */
	size_t n_shipped;
	const struct agent_template *templates;	/* by id */
	size_t n_templates;
	struct prompt platform;			/* unset: no such layer */
	const char *chat_service;	/* id, where none is named (B15) */
	struct {
		bool platform, chat_service;
	} set;
};

/* -- for a caller ------------------------------------------------------------ */

/* Whether the caller may see w (visible_to). Any thread, as all of these. */
bool catalog_sees(const struct caller *by, const struct workspace *w);

/* The workspace of this id; NULL where there is none or it is not for them. */
const struct workspace *catalog_find(const struct caller *by, struct str id);

/*
 * The next workspace that the caller sees, in order, or NULL; *at begins as 0
 * and is moved on.
 */
const struct workspace *catalog_each(const struct caller *by, size_t *at);

/* -- for the installation: regardless of the caller ------------------------------ */

/* The catalog of a generation, made by the first call. Never NULL. */
const struct catalog *catalog_of(const struct conf *c);

/* By id or name; NULL where there is none. Borrowed from c. */
const struct workspace *catalog_workspace(const struct conf *c, struct str id);
const struct llm_service *catalog_service(const struct conf *c, struct str id);
const struct prompt *catalog_prompt(const struct conf *c, struct str name);
const struct agent_template *catalog_template(const struct conf *c, struct str id);

/* -- the adapter (adapt.c) ------------------------------------------------------ */

/* Makes the catalog of files, in a; texts are borrowed from c. */
const struct catalog *catalog_adapt(const struct conf *c, struct arena *a);

#endif
