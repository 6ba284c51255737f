/* SPDX-License-Identifier: MIT */
#include "auth/policy.h"

#include <stdio.h>

#include "base/banned.h"

const struct permission_row permission_rows[PERM__MAX] = {
#define PERM(id, text, what) [PERM_##id] = { .name = text, .help = what },
#include "auth/permissions.def"
#undef PERM
};

bool policy_covers(struct str pattern, struct str name)
{
	if (pattern.n && pattern.p[pattern.n - 1] == '*') {
		pattern.n--;
		return str_starts(name, pattern);
	}
	return str_eq(pattern, name);
}

static bool allows(const struct identity *who, struct str name)
{
	for (size_t i = 0; i < who->n_grants; i++)
		if (policy_covers(who->grants[i], name))
			return true;
	return false;
}

bool policy_allows(const struct identity *who, const char *permission)
{
	return allows(who, str_of(permission));
}

bool policy_may(const struct identity *who, enum permission p)
{
	return allows(who, str_of(permission_rows[p].name));
}

/* As policy_may; an API token needs a grant that begins with stem. */
static bool may_by_name(const struct identity *who, enum permission p,
			struct str stem)
{
	struct str name = str_of(permission_rows[p].name);

	if (who->kind != IDENTITY_API_TOKEN)
		return allows(who, name);
	for (size_t i = 0; i < who->n_grants; i++)
		if (str_starts(who->grants[i], stem) &&
		    policy_covers(who->grants[i], name))
			return true;
	return false;
}

bool policy_may_decide(const struct identity *who)
{
	if (who->kind == IDENTITY_API_TOKEN && (!who->approve || who->read_only))
		return false;
	return may_by_name(who, PERM_APPROVALS_DECIDE,
			   STR("AIChat.Approvals."));
}

bool policy_may_store_keys(const struct identity *who)
{
	return may_by_name(who, PERM_PROVIDERS_WRITE,
			   STR("AIChat.Providers."));
}

bool policy_may_store_workspace_keys(const struct identity *who)
{
	return may_by_name(who, PERM_WORKSPACES_WRITE, STR("AI.Workspaces."));
}

/* An empty list names all. */
static bool is_named(const struct str *v, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(v[i], name))
			return true;
	return !n;
}

bool policy_may_use_tool(const struct identity *who, const char *tool)
{
	char name[sizeof(PERM_TOOL_PREFIX) + 128];
	int n = snprintf(name, sizeof(name), PERM_TOOL_PREFIX "%s", tool);

	/* no tool has so long a name */
	return n < (int)sizeof(name) && is_named(who->tools, who->n_tools, str_of(tool)) &&
		policy_allows(who, name);
}

bool policy_may_ask(const struct identity *who, struct str workspace, struct str agent)
{
	for (size_t i = 0; who && i < who->n_agents; i++) {
		struct str a = who->agents[i], w = str_cut(&a, '/');

		if (str_eq(w, workspace) && (!a.p || !agent.p || str_eq(a, agent)))
			return true;
	}
	return !who || !who->n_agents;
}

bool policy_in_groups(const struct identity *who, const struct conf_list *l)
{
	if (l->n == 0)
		return true;
	for (size_t i = 0; i < l->n; i++) {
		struct str group = str_of(l->v[i]);

		if (str_eq(group, STR("*")))
			return true;
		for (size_t k = 0; k < who->n_groups; k++)
			if (str_eq(who->groups[k], group))
				return true;
	}
	return false;
}

void policy_names(const struct identity *who, struct arena *a,
		  const struct str **out, size_t *n)
{
	struct str *v = arena_zalloc(a, PERM__MAX + who->n_grants + 1,
				     sizeof(*v));
	const struct str prefix = STR(PERM_TOOL_PREFIX);

	*out = v;
	*n = 0;
	for (int i = 0; i < PERM__MAX; i++)
		if (policy_may(who, (enum permission)i))
			v[(*n)++] = str_of(permission_rows[i].name);
	if (allows(who, prefix)) {	/* by "*", "AI.*" and the like */
		v[(*n)++] = STR(PERM_TOOL_PREFIX "*");
		return;
	}
	for (size_t i = 0; i < who->n_grants; i++)
		if (str_starts(who->grants[i], prefix))
			v[(*n)++] = who->grants[i];
}

static bool asked_for(struct str pattern)
{
	struct str stem = pattern;

	for (int i = 0; i < PERM__MAX; i++)
		if (policy_covers(pattern, str_of(permission_rows[i].name)))
			return true;
	if (stem.n && stem.p[stem.n - 1] == '*')
		stem.n--;
	return str_starts(stem, STR(PERM_TOOL_PREFIX)) ||
	       policy_covers(pattern, STR(PERM_TOOL_PREFIX));
}

int policy_check(const struct conf *c, struct buf *out)
{
	int n = 0;

	for (size_t i = 0; i < c->n_roles; i++) {
		const struct conf_role *r = &c->roles[i];

		for (size_t k = 0; k < r->permissions.n; k++) {
			struct str name = str_of(r->permissions.v[k]);
			const char *near;

			if (asked_for(name))
				continue;
			near = str_nearest(name, &permission_rows[0].name,
					   PERM__MAX, sizeof(*permission_rows),
					   3);
			buf_addf(out, "role %s: there is no permission \"%s\"."
				 STR_MEANT "\n", r->id, name.p,
				 STR_MEANT_ARG(near));
			n++;
		}
	}
	return n;
}

void policy_print(struct buf *out)
{
	for (int i = 0; i < PERM__MAX; i++)
		buf_addf(out, "%s\t%s\n", permission_rows[i].name,
			 permission_rows[i].help);
	buf_adds(out, PERM_TOOL_PREFIX "{tool}\tUse the tool of that name.\n");
}
