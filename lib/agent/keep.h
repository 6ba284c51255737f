/*
 * Storing workspaces, agents, LLM services and prompts: who may, what must be right,
 * and what goes along in the same transaction. For the API and the command; the rows
 * themselves are written by lib/resource.
 */
#ifndef AGENT_KEEP_H
#define AGENT_KEEP_H

#include "agent/stored.h"

/*
 * Fills a new agent of w: its id, visibility and holder; row->id is the one that it
 * keeps. Where nothing is said, it is the workspace's for managers of a stored
 * workspace, else private. ERR_FORBIDDEN, ERR_INVALID_FIELD; ERR_CONFLICT where
 * the agentId is that of another which the caller sees.
 */
int keep_agent_new(const struct caller *by, const struct workspace *w,
		   struct resource_row *row, struct err *e) MUST_CHECK;

/*
 * Whether the values of a new or changed agent are right, its tools apart; lists
 * are brought into form. ERR_INVALID_FIELD.
 */
int keep_agent_check(const struct caller *by, const struct workspace *w,
		     struct resource_row *row, struct err *e) MUST_CHECK;

/* Copies name, description and prompt (B10). */
void keep_agent_from(const struct agent_template *t, struct resource_row *row);

/* The same for workspaces; now: the row as it is, NULL: it is new. */
int keep_workspace_new(const struct caller *by, struct resource_row *row,
		       struct err *e) MUST_CHECK;
int keep_workspace_check(const struct caller *by,
			 const struct resource_row *now,
			 struct resource_row *row, struct err *e) MUST_CHECK;

/*
 * In the transaction that stores a workspace: who sees it and, of a new one, the
 * agents that it begins with (B3).
 */
int keep_workspace_also(const struct caller *by, struct db *tx,
			const struct resource_row *row,
			struct err *e) MUST_CHECK;

/* In the transaction that stores an agent: it uses its LLM services. */
int keep_agent_also(const struct caller *by, struct db *tx,
		    const struct resource_row *row, struct err *e) MUST_CHECK;

/*
 * In the transaction that deletes an agent of w, or w: asks for the job that deletes
 * its conversations, whoever's (B27, B48). Those of an agent whose id a file has as
 * well are that one's, and stay.
 */
int keep_agent_gone(const struct caller *by, struct db *tx,
		    const struct workspace *w, const struct agent *a,
		    struct err *e) MUST_CHECK;
int keep_workspace_gone(const struct caller *by, struct db *tx,
			const struct workspace *w, struct err *e) MUST_CHECK;

/*
 * Fills the llmServiceId of a new LLM service, where it is not set, and says whether
 * it may have it. ERR_INVALID_FIELD; ERR_CONFLICT where a file has it.
 */
int keep_service_new(const struct caller *by, struct resource_row *row,
		     struct err *e) MUST_CHECK;

/*
 * Whether the values of an LLM service or a provider instance (r) are right. Of one
 * that is not new, its address is looked at only where it is given; a key that is
 * not given stays with the address it was stored for, which is read from the
 * database. ERR_INVALID_FIELD; errors of the database.
 */
int keep_service_check(const struct caller *by, const struct resource *r,
		       bool is_new, struct resource_row *row,
		       struct err *e) MUST_CHECK;

/* Whether a prompt's colour and blanks are right. ERR_INVALID_FIELD. */
int keep_prompt_check(const struct caller *by, const struct resource_row *row,
		      struct err *e) MUST_CHECK;

/* The same for the colour alone, of a prompt or a category. */
int keep_prompt_colour(const struct resource *r, const struct resource_row *row,
		       struct err *e) MUST_CHECK;

/* In the transaction that stores a prompt: keeps how it reads, if a text is given. */
int keep_prompt_also(const struct caller *by, struct db *tx,
		     const struct resource_row *row, struct err *e) MUST_CHECK;

#endif
