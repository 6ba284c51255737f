/* SPDX-License-Identifier: MIT */
/*
 * What an identity may do: roles of the configuration give permissions,
 * routes and tools ask for them by name. "AIChat.*" gives everything below
 * AIChat, "*" everything.
 */
#ifndef AUTH_POLICY_H
#define AUTH_POLICY_H

#include <stdbool.h>

#include "auth/identity.h"
#include "base/buf.h"

enum permission {
#define PERM(id, name, help) PERM_##id,
#include "auth/permissions.def"
#undef PERM
	PERM__MAX
};

struct permission_row {
	const char *name, *help;
};

/* Indexed by enum permission. */
extern const struct permission_row permission_rows[PERM__MAX];

#define PERM_TOOL_PREFIX "AI.Chat.UseTool."	/* and the tool's name */

/* Whether some grant of who covers the permission. Any thread. */
bool policy_allows(const struct identity *who, const char *permission);
bool policy_may(const struct identity *who, enum permission p);

/*
 * Whether who may decide approvals: a person with PERM_APPROVALS_DECIDE. A caller
 * with an API token is not a person and needs a token that was made for it and does
 * not only read, and an explicit grant ("AIChat.Approvals.Decide",
 * "AIChat.Approvals.*"); a wider one is not enough.
 */
bool policy_may_decide(const struct identity *who);

/*
 * Whether who may store and change provider instances, which receive all turns
 * of a user. An API token needs, as in policy_may_decide, PERM_PROVIDERS_WRITE,
 * by a grant that begins with "AIChat.Providers.".
 */
bool policy_may_store_keys(const struct identity *who);

/*
 * The same for the LLM services of workspaces that who manages: an API token needs
 * PERM_WORKSPACES_WRITE by a grant that begins with "AI.Workspaces.".
 */
bool policy_may_store_workspace_keys(const struct identity *who);

/*
 * As policy_allows for PERM_TOOL_PREFIX and the tool's name; a token that names its
 * tools has only those.
 */
bool policy_may_use_tool(const struct identity *who, const char *tool);

/*
 * Whether the token of who (NULL: nobody, who has all), if it names its agents, has
 * this one; agent.p == NULL: one of the workspace; empty: all of the workspace.
 */
bool policy_may_ask(const struct identity *who, struct str workspace, struct str agent);

/*
 * Whether who is a member of one of the groups. An empty list and "*" mean
 * everyone: the rule of visible_to, and of groups of datasets and columns.
 */
bool policy_in_groups(const struct identity *who, const struct conf_list *l);

/*
 * The permissions of who for /me: names of the table, and tool permissions as
 * they were granted. Sorted as the table; in a.
 */
void policy_names(const struct identity *who, struct arena *a,
		  const struct str **out, size_t *n);

/* Whether pattern (of a role) covers name. */
bool policy_covers(struct str pattern, struct str name);

/*
 * Appends one line per permission of a role that covers no existing permission,
 * most likely a typing error. For `lamplighter check`. Returns their number.
 */
int policy_check(const struct conf *c, struct buf *out);

/* "name TAB help" lines, for `list permissions` and the docs. */
void policy_print(struct buf *out);

#endif
