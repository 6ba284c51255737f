/*
 * Workspaces and agents that people made: rows of the resources of the same names,
 * as those of files. A workspace of a file has stored agents, too.
 *
 * What a stored agent costs a turn: one read by a unique key; in a stored
 * workspace one more, for that. Nothing is kept between requests, so a change on
 * one node is used by the next turn on each. What files have is found without a read.
 */
#ifndef AGENT_STORED_H
#define AGENT_STORED_H

#include "agent/catalog.h"

/* The agent that answers in a stored workspace whose default one is missing. */
#define STORED_DEFAULT_AGENT "default"

/* As whom the caller reads stored workspaces. In by's arena. */
struct resource_at stored_workspaces_at(const struct caller *by);

/* As whom the caller reads the stored agents of w. */
struct resource_at stored_agents_at(const struct caller *by,
				    const struct workspace *w);

/*
 * Whether the caller may change w and the agents that everyone there sees: one of
 * the managers of a stored workspace, or by a permission (AI.Admin.Workspaces;
 * AI.Admin.Agents for those of files, whose agents alone they are).
 */
bool stored_manages(const struct caller *by, const struct workspace *w);

/*
 * Of n rounds of tool calls that agent a of w may have, those that it gets: the
 * caller's private agent no more than w has, whose limit may have been lowered since,
 * unless they manage w.
 */
int64_t stored_rounds(const struct caller *by, const struct workspace *w,
		      const struct agent *a, int64_t n);

/* A row as a workspace or agent; in by's arena, row is borrowed. Of a workspace
   the default agent is the built-in one. */
struct workspace *stored_workspace_of(const struct caller *by,
				      const struct resource_row *row);
const struct agent *stored_agent_of(const struct caller *by,
				    const struct resource_row *row);

/* The list of texts in a JSON array (p NULL: an empty one). In a. */
struct conf_list stored_list(struct arena *a, struct str json);

/*
 * The agent of this id of w, the caller's own before the workspace's.
 * ERR_NOT_FOUND, also for somebody else's private one.
 */
int stored_agent_find(const struct caller *by, const struct workspace *w,
		      struct str id, const struct agent **out,
		      struct err *e) MUST_CHECK;

/*
 * The stored workspace of this id with its default agent, and its agent of that id
 * (agent.p == NULL: the default one). ERR_NOT_FOUND, also where it is not
 * for the caller; without by->who nothing is hidden.
 */
int stored_find(const struct caller *by, struct str workspace, struct str agent,
		const struct workspace **w, const struct agent **a,
		struct err *e) MUST_CHECK;

/*
 * The workspaces that the caller sees, of files and of rows, of these at most
 * LIM_PAGE_MAX, in one read. In by's arena. Of a row the default agent is the
 * built-in one.
 */
int stored_workspaces(const struct caller *by, const struct workspace ***out,
		      size_t *n, struct err *e) MUST_CHECK;

/*
 * A workspace that the caller sees, with its agents, of files and at most
 * LIM_PAGE_MAX of rows, in one read, or two for a workspace of a row. In by's arena.
 * ERR_NOT_FOUND if it is gone.
 */
struct stored_choice {
	const struct workspace *workspace;
	const struct agent **agents;
	size_t n_agents;
};
int stored_choice_of(const struct caller *by, const struct workspace *w,
		     struct stored_choice *out, struct err *e) MUST_CHECK;

/* stored_choice_of each of stored_workspaces. */
int stored_choices(const struct caller *by, struct stored_choice **out, size_t *n,
		   struct err *e) MUST_CHECK;

#endif
