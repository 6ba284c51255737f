/* SPDX-License-Identifier: MIT */
/*
 * Workspaces and agents in rows of the resources of these names. Workspaces of
 * files can have stored agents, too.
 *
 * A stored agent costs a turn one read by a unique key; a stored workspace one
 * more. Nothing is cached between requests, so a change on one node applies to
 * the next turn on every node. Workspaces and agents of files cost no read.
 */
#ifndef DOMAIN_STORED_H
#define DOMAIN_STORED_H

#include "domain/catalog.h"
#include "domain/filled.h"
#include "resource/call.h"

/*
 * Id of the built-in agent, for a stored workspace whose default agent is
 * missing.
 */
#define STORED_DEFAULT_AGENT "default"

/* The caller's access to stored workspaces. In by's arena. */
struct resource_at stored_workspaces_at(const struct caller *by);

/* The caller's access to the stored agents of w. In by's arena. */
struct resource_at stored_agents_at(const struct caller *by,
				    const struct workspace *w);

/*
 * Whether the caller may change w and its shared agents: as one of the managers
 * of a stored workspace, or by permission (AI.Admin.Workspaces; AI.Admin.Agents
 * for workspaces of files, where it covers only the agents).
 */
bool stored_manages(const struct caller *by, const struct workspace *w);

/*
 * Limits the n rounds of tool calls of agent a of w: a private agent of the
 * caller gets no more than w has now, unless the caller manages w.
 */
int64_t stored_rounds(const struct caller *by, const struct workspace *w,
		      const struct agent *a, int64_t n);

/*
 * Converts a row to a workspace or agent; in by's arena, row is borrowed. A
 * workspace gets the built-in default agent.
 */
struct workspace *stored_workspace_of(const struct caller *by,
				      const struct resource_row *row);
const struct agent *stored_agent_of(const struct caller *by,
				    const struct resource_row *row);

/* The agent of an item of a list or record; for a row as above. */
const struct agent *stored_agent_item(const struct caller *by,
				      const struct resource_item *item);

/*
 * An agent as in the body of POST …/agents, which is not stored: what its form would
 * store now, to be tried. Checked like that request, with its permissions. agentId: of
 * the agent that is being changed, if any, whose author its unchanged prompt keeps. Its
 * id is DRAFT_AGENT, which no stored agent can have. Sets *w. In by's arena. Errors of
 * that request. (agent_row.c)
 */
#define DRAFT_AGENT "~draft"
int agent_draft(const struct caller *by, struct str workspace, const json_t *body,
		const struct workspace **w, const struct agent **out,
		struct err *e) MUST_CHECK;

/* Fills row, a new agent, with what the template has (B10). In a. (agent_row.c) */
void agent_from_template(const struct agent_template *t, struct arena *a,
			 struct resource_row *row);

/*
 * The agent of w with this id; the caller's own takes precedence.
 * ERR_NOT_FOUND, also for a private agent of somebody else; database errors.
 */
int stored_agent_find(const struct caller *by, const struct workspace *w,
		      struct str id, const struct agent **out,
		      struct err *e) MUST_CHECK;

/*
 * The stored workspace with this id, its default agent, and its agent of the
 * other id (agent.p == NULL: the default one). ERR_NOT_FOUND, also if the
 * caller may not see it; without by->who everything is visible. Database
 * errors.
 */
int stored_find(const struct caller *by, struct str workspace, struct str agent,
		const struct workspace **w, const struct agent **a,
		struct err *e) MUST_CHECK;

/*
 * Into out the struct workspace of each of n rows that the caller sees, with its
 * default agent, in one read. In by's arena. Database errors.
 */
int stored_workspaces_of(const struct caller *by, const struct resource_row *rows,
			 size_t n, const void **out, struct err *e) MUST_CHECK;

/*
 * The workspaces that the caller sees, from files and at most LIM_PAGE_MAX from
 * rows, in one read. In by's arena. Stored ones have the built-in default
 * agent. Database errors.
 */
int stored_workspaces(const struct caller *by, const struct workspace ***out,
		      size_t *n, struct err *e) MUST_CHECK;

/*
 * A workspace that the caller sees, with its agents from files and at most
 * LIM_PAGE_MAX from rows. One read, or two for a stored workspace. In by's arena.
 * ERR_NOT_FOUND if it was deleted; database errors.
 */
struct stored_choice {
	const struct workspace *workspace;
	const struct agent **agents;
	size_t n_agents;
};
int stored_choice_of(const struct caller *by, const struct workspace *w,
		     struct stored_choice *out, struct err *e) MUST_CHECK;

/* stored_choice_of for each of stored_workspaces. */
int stored_choices(const struct caller *by, struct stored_choice **out, size_t *n,
		   struct err *e) MUST_CHECK;

#endif
