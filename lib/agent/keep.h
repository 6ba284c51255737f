/* SPDX-License-Identifier: MIT */
/*
 * Rules for storing workspaces, agents, LLM services and prompts: who may store
 * them, which values are valid, and what else the transaction must do. Used by
 * the API and the command; lib/resource writes the rows.
 */
#ifndef AGENT_KEEP_H
#define AGENT_KEEP_H

#include "agent/stored.h"

/*
 * Completes a new agent of w: id, visibility and holder. row->id is its final
 * id. The default visibility is the workspace's for managers of a stored
 * workspace, else private. ERR_FORBIDDEN, ERR_INVALID_FIELD; ERR_CONFLICT if
 * another agent that the caller sees has the agentId. Database errors.
 */
int keep_agent_new(const struct caller *by, const struct workspace *w,
		   struct resource_row *row, struct err *e) MUST_CHECK;

/*
 * Validates a new or changed agent, except its tools, and normalizes its lists. now: the
 * current row; NULL for a new one. ERR_INVALID_FIELD; database errors.
 */
int keep_agent_check(const struct caller *by, const struct workspace *w,
		     const struct resource_row *now, struct resource_row *row,
		     struct err *e) MUST_CHECK;

/* Copies name, description and prompt of a template (B10). */
void keep_agent_from(const struct agent_template *t, struct resource_row *row);

/* The same for workspaces. now: the current row; NULL for a new one. */
int keep_workspace_new(const struct caller *by, struct resource_row *row,
		       struct err *e) MUST_CHECK;
int keep_workspace_check(const struct caller *by,
			 const struct resource_row *now,
			 struct resource_row *row, struct err *e) MUST_CHECK;

/*
 * Part of the transaction that stores a workspace: stores who sees it and, for
 * a new one, its first agents (B3).
 */
int keep_workspace_also(const struct caller *by, struct db *tx,
			const struct resource_row *row,
			struct err *e) MUST_CHECK;

/* Part of the transaction that stores an agent: binds its LLM services. */
int keep_agent_also(const struct caller *by, struct db *tx,
		    const struct resource_row *row, struct err *e) MUST_CHECK;

/*
 * Part of the transaction that deletes an agent of w, or w: queues the job that
 * deletes its conversations, of all users (B27, B48). If a file declares an
 * agent of the same id, the conversations are that agent's and stay.
 */
int keep_agent_gone(const struct caller *by, struct db *tx,
		    const struct workspace *w, const struct agent *a,
		    struct err *e) MUST_CHECK;
int keep_workspace_gone(const struct caller *by, struct db *tx,
			const struct workspace *w, struct err *e) MUST_CHECK;

/*
 * Completes the llmServiceId of a new LLM service and checks that it is free.
 * ERR_INVALID_FIELD; ERR_CONFLICT if a file declares it.
 */
int keep_service_new(const struct caller *by, struct resource_row *row,
		     struct err *e) MUST_CHECK;

/*
 * Validates an LLM service or a provider instance (r). When an existing row is
 * changed, its address is checked only if it is given; if the key is not given,
 * the address must stay the one that the key was stored for, which is read from
 * the database. ERR_INVALID_FIELD; database errors.
 */
int keep_service_check(const struct caller *by, const struct resource *r,
		       bool is_new, struct resource_row *row,
		       struct err *e) MUST_CHECK;

/* Validates a prompt's colour and blanks. ERR_INVALID_FIELD. */
int keep_prompt_check(const struct caller *by, const struct resource_row *row,
		      struct err *e) MUST_CHECK;

/*
 * Validates a category's colour, and that no file has one of its name, if that is
 * given. ERR_INVALID_FIELD; ERR_CONFLICT.
 */
int keep_category_check(const struct caller *by, const struct resource_row *row,
			struct err *e) MUST_CHECK;

/*
 * Part of the transaction that stores a prompt: adds a version if its text is
 * given.
 */
int keep_prompt_also(const struct caller *by, struct db *tx,
		     const struct resource_row *row, struct err *e) MUST_CHECK;

#endif
