/* SPDX-License-Identifier: MIT */
/*
 * All workspaces, LLM services and prompts of the configuration files, and the
 * subset that a caller may see. Made once for each generation of the
 * configuration, lives as long as that; immutable.
 */
#ifndef DOMAIN_CATALOG_H
#define DOMAIN_CATALOG_H

#include "domain/agent.h"
#include "auth/caller.h"
#include "resource/resource.h"

struct catalog {
	uint64_t version;
	const struct workspace *workspaces;	/* in the order of the files */
	size_t n_workspaces;
	const struct llm_service *services;
	size_t n_services;
	const struct prompt *prompts;		/* from prompts.d */
	size_t n_prompts;
	/* Prompts of catalogue.d and the categories that they name, as rows, by sort_key */
	const struct resource_row *shipped;
	size_t n_shipped;
	const struct resource_row *categories;
	size_t n_categories;
	const struct agent_template *templates;	/* by id */
	size_t n_templates;
	struct prompt platform;			/* unset: no such layer */
	const char *chat_service;	/* default service id (B15) */
	struct {
		bool platform, chat_service;
	} set;
};

/* -- for a caller ------------------------------------------------------------ */

/* Whether the caller may see w (visible_to). Any thread, like everything here. */
bool catalog_sees(const struct caller *by, const struct workspace *w);

/*
 * The workspace with this id; NULL if there is none or the caller may not see
 * it.
 */
const struct workspace *catalog_find(const struct caller *by, struct str id);

/*
 * Iterates over the workspaces that the caller sees, in order: returns the next
 * one or NULL. *at starts as 0 and advances.
 */
const struct workspace *catalog_each(const struct caller *by, size_t *at);

/* -- for the installation: regardless of the caller ------------------------------ */

/* The catalog of a generation, made by the first call. Never NULL. */
const struct catalog *catalog_of(const struct conf *c);

/* Find by id or name; NULL if there is none. Borrowed from c. */
const struct workspace *catalog_workspace(const struct conf *c, struct str id);
const struct llm_service *catalog_service(const struct conf *c, struct str id);
/* For str_nearest: the ids of n structs. */
#define CATALOG_IDS(v, n) ((n) ? (const void *)&(v)->id : NULL)

/* The id of a service that is near to an unknown one, or NULL. */
const char *catalog_service_near(const struct conf *c, struct str unknown);
const struct prompt *catalog_prompt(const struct conf *c, struct str name);
/* The prompt of catalogue.d with this id, as a row. */
const struct resource_row *catalog_shipped(const struct conf *c, const struct uuid *id);
const struct agent_template *catalog_template(const struct conf *c, struct str id);

#endif
