/* SPDX-License-Identifier: MIT */
#include "domain/stored.h"

#include "auth/policy.h"
#include "base/limits.h"

#include "base/banned.h"

static const struct resource *const workspaces = &resources[RESOURCE_WORKSPACE];
static const struct resource *const agents = &resources[RESOURCE_AGENT];

/* -- access ------------------------------------------------------------------------- */

struct resource_at stored_workspaces_at(const struct caller *by)
{
	const struct identity *who = by->who;
	struct str tenant = by->owner.tenant_id;
	struct resource_at at = resource_own(&by->owner);
	struct uuid *v = arena_zalloc(by->arena, who->n_groups + 3, sizeof(*v));
	size_t n = 0;

	v[n++] = by->owner.user_id;
	v[n++] = resource_of_tenant(tenant);
	for (size_t i = 0; i < who->n_groups; i++)
		v[n++] = resource_of_group(tenant, who->groups[i]);
	if (policy_may(who, PERM_WORKSPACES_MANAGE))
		v[n++] = resource_of_admins(tenant);
	at.readers = v;
	at.n_readers = n;
	return at;
}

/* The parent id of stored agents in a workspace of a file. */
static struct uuid file_key(struct str tenant, const char *id)
{
	struct buf b = BUF_INIT(LIM_SLUG_BYTES + 16);
	struct uuid key;

	buf_addf(&b, "%.*s/workspace", STR_ARG(tenant));
	key = uuid_of_name(buf_str(&b), str_of(id));
	buf_release(&b);
	return key;
}

struct resource_at stored_agents_at(const struct caller *by,
				    const struct workspace *w)
{
	struct resource_at at = resource_own(&by->owner);

	at.parent = w->row ? w->row->id
		: file_key(by->owner.tenant_id, w->id);
	at.above = w->row ? w->row->holder : (struct uuid){ { 0 } };
	return at;
}

static bool has_login(const struct conf_list *l, struct str login)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_is(login, l->v[i]))
			return true;
	return false;
}

static bool in_groups(const struct identity *who, const struct conf_list *l)
{
	return l->n && policy_in_groups(who, l);
}

bool stored_manages(const struct caller *by, const struct workspace *w)
{
	if (w->source == SOURCE_CONFIG)
		return policy_may(by->who, PERM_AGENTS_MANAGE);
	return policy_may(by->who, PERM_WORKSPACES_MANAGE) ||
		has_login(&w->manager_users, by->who->login) ||
		in_groups(by->who, &w->manager_groups);
}

static bool sees(const struct caller *by, const struct workspace *w)
{
	if (!policy_may_ask(by->who, str_of(w->id), (struct str){ NULL, 0 }))
		return false;
	return !by->who || stored_manages(by, w) ||
		in_groups(by->who, &w->visible_to);
}

int64_t stored_rounds(const struct caller *by, const struct workspace *w,
		      const struct agent *a, int64_t n)
{
	if (n <= w->max_tool_iterations || !a || !a->row || !by->who ||
	    !uuid_eq(&a->row->holder, &by->owner.user_id) ||
	    stored_manages(by, w))
		return n;
	return w->max_tool_iterations;
}

/* -- conversion of rows --------------------------------------------------------------- */

/* "" for NULL. */
static const char *text(const struct caller *by,
			const struct resource_row *row, size_t column)
{
	struct str s = resource_text(row, column);

	return s.p ? arena_str(by->arena, s).p : "";
}

static struct conf_list list(const struct caller *by,
			     const struct resource_row *row, size_t column)
{
	return filled_list(by->arena, resource_text(row, column));
}

const struct agent *stored_agent_of(const struct caller *by,
				    const struct resource_row *row)
{
	struct agent *a = arena_new(by->arena, struct agent);

	*a = (struct agent){ .source = SOURCE_API };
	filled_from_row(agents, row, by->arena, a);
	a->version = (uint64_t)row->version;
	a->row = row;
	a->id = text(by, row, COLUMN(AGENT, agent_id));
	a->prompt_version = (int)MIN(row->version + 1, INT32_MAX);
	return a;
}

const struct agent *stored_agent_item(const struct caller *by,
				      const struct resource_item *item)
{
	return item->object ? item->object : stored_agent_of(by, item->row);
}

static struct agent *built_in(const struct caller *by)
{
	struct agent *a = agent_named(by->arena, STR(STORED_DEFAULT_AGENT));

	a->source = SOURCE_API;
	a->name = "Assistant";
	a->is_default = true;
	return a;
}

struct workspace *stored_workspace_of(const struct caller *by,
				      const struct resource_row *row)
{
	struct workspace *w = arena_new(by->arena, struct workspace);

	*w = (struct workspace){ .source = SOURCE_API };
	filled_from_row(workspaces, row, by->arena, w);
	w->version = (uint64_t)row->version;
	w->row = row;
	w->id = text(by, row, COLUMN(WORKSPACE, workspace_id));
	w->visible_to = list(by, row, COLUMN(WORKSPACE, visible_to));
	w->manager_users = list(by, row, COLUMN(WORKSPACE, manager_users));
	w->manager_groups = list(by, row, COLUMN(WORKSPACE, manager_groups));
	w->agents = built_in(by);
	w->n_agents = 1;
	w->file = "";
	w->prompt = (struct prompt){
		.source = SOURCE_API, .name = w->id,
		.version = (int)MIN(row->version + 1, INT32_MAX),
		.text = text(by, row, COLUMN(WORKSPACE, prompt)),
	};
	w->set.prompt = *w->prompt.text;
	return w;
}

/* -- finding ------------------------------------------------------------------------- */

static bool is_named(const struct resource_row *row, struct str id)
{
	return id.p && str_eq(resource_text(row, COLUMN(AGENT, agent_id)), id);
}

/*
 * The agents of w with two ids, in one read: *own is the caller's, *all the
 * workspace's, *first the workspace's with the other id; NULL if there is none.
 */
struct agent_rows {
	const struct resource_row *own, *all, *first;
};

static int find_rows(const struct caller *by, const struct workspace *w,
		     struct str id, struct str dflt, struct agent_rows *out,
		     struct err *e)
{
	const struct resource_at at = stored_agents_at(by, w);
	struct resource_row *rows = arena_zalloc(by->arena, RESOURCE_NAMED_MAX,
						 sizeof(*rows));
	size_t n;

	*out = (struct agent_rows){ .own = NULL };
	if (resource_named(by->db, agents, &at, id, dflt, by->arena, rows, &n, e))
		return -1;
	for (size_t i = 0; i < n; i++) {
		bool shared = uuid_eq(&rows[i].holder, &at.parent);

		if (is_named(&rows[i], id) && shared)
			out->all = &rows[i];
		else if (is_named(&rows[i], id))
			out->own = &rows[i];
		if (is_named(&rows[i], dflt) && shared)
			out->first = &rows[i];
	}
	return 0;
}

int stored_agent_find(const struct caller *by, const struct workspace *w,
		      struct str id, const struct agent **out, struct err *e)
{
	struct agent_rows f = { .own = NULL };

	if (by->db && find_rows(by, w, id, (struct str){ NULL, 0 }, &f, e))
		return -1;
	if (!f.own && !f.all)
		return err_set(e, ERR_NOT_FOUND, "agent %.*s", STR_ARG(id));
	*out = stored_agent_of(by, f.own ? f.own : f.all);
	return 0;
}

/* row: of the agent that the workspace names as its default one. */
static void set_first(const struct caller *by, struct workspace *w,
		      const struct resource_row *row)
{
	struct agent *a = arena_new(by->arena, struct agent);

	*a = *stored_agent_of(by, row);
	a->is_default = true;
	w->agents = a;
}

/* Finds the default agent and the one with the id. */
static int find_agents(const struct caller *by, struct workspace *w,
		       struct str id, const struct agent **out, struct err *e)
{
	struct str dflt = resource_text(w->row, COLUMN(WORKSPACE, default_agent_id));
	struct agent_rows f;

	if (find_rows(by, w, id, dflt, &f, e))
		return -1;
	if (f.first)
		set_first(by, w, f.first);
	if (f.own)
		*out = stored_agent_of(by, f.own);
	else if (!id.p || (f.all && f.all == f.first))
		*out = w->agents;
	else if (f.all)
		*out = stored_agent_of(by, f.all);
	else if (!f.first && str_is(id, STORED_DEFAULT_AGENT))
		*out = w->agents;
	else
		return err_set(e, ERR_NOT_FOUND, "agent %.*s", STR_ARG(id));
	return 0;
}

int stored_find(const struct caller *by, struct str workspace, struct str agent,
		const struct workspace **w, const struct agent **a,
		struct err *e)
{
	const struct resource_at at = resource_own(&by->owner);
	struct resource_row *row = arena_zalloc(by->arena, RESOURCE_NAMED_MAX,
						sizeof(*row));
	struct workspace *found;
	size_t n = 0;

	if (by->db && resource_named(by->db, workspaces, &at, workspace,
				     (struct str){ NULL, 0 }, by->arena, row,
				     &n, e))
		return -1;
	found = n ? stored_workspace_of(by, row) : NULL;
	if (!found || !sees(by, found))
		return err_set(e, ERR_NOT_FOUND, "workspace %.*s",
			       STR_ARG(workspace));
	*w = found;
	return find_agents(by, found, agent, a, e);
}

/* -- lists ------------------------------------------------------------------------------ */

int stored_workspaces_of(const struct caller *by, const struct resource_row *rows,
			 size_t n, const void **out, struct err *e)
{
	struct uuid *ids = arena_zalloc(by->arena, n + 1, sizeof(*ids));
	struct resource_row *first = arena_zalloc(by->arena, n + 1, sizeof(*first));
	size_t found;

	for (size_t i = 0; i < n; i++)
		ids[i] = rows[i].id;
	if (resource_of_others(by->db, agents, RSTMT_AGENT_FIRST,
			       by->owner.tenant_id, ids, n, by->arena, first,
			       &found, e))
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct workspace *w = stored_workspace_of(by, &rows[i]);

		for (size_t k = 0; k < found; k++)
			if (uuid_eq(&first[k].holder, &rows[i].id))
				set_first(by, w, &first[k]);
		out[i] = w;
	}
	return 0;
}

static bool may_ask(const struct caller *by, const struct workspace *w,
		    const struct agent *a)
{
	return policy_may_ask(by->who, str_of(w->id), str_of(a->id));
}

int stored_choice_of(const struct caller *by, const struct workspace *w,
		     struct stored_choice *out, struct err *e)
{
	const struct resource_at at = stored_agents_at(by, w);
	const struct resource_want want = { .size = LIM_PAGE_MAX };
	const struct workspace *found = w;
	const struct agent *first;
	struct resource_row *rows = NULL;
	size_t n = 0;
	bool more;

	/* A stored workspace's default agent is not read yet. */
	if (w->row && stored_find(by, str_of(w->id), (struct str){ NULL, 0 },
				  &found, &first, e))
		return -1;
	if (by->db &&
	    resource_list(by->db, agents, &at, &want, by->arena, &rows, &n, &more,
			  e))
		return -1;
	*out = (struct stored_choice){
		.workspace = found,
		.agents = arena_zalloc(by->arena, found->n_agents + n,
				       sizeof(*out->agents)),
	};
	for (size_t i = 0; i < found->n_agents; i++)
		if (!found->agents[i].row && may_ask(by, found, &found->agents[i]))
			out->agents[out->n_agents++] = &found->agents[i];
	for (size_t i = 0; i < n; i++) {
		const struct agent *a = stored_agent_of(by, &rows[i]);

		if (may_ask(by, found, a))
			out->agents[out->n_agents++] = a;
	}
	return 0;
}

int stored_workspaces(const struct caller *by, const struct workspace ***out,
		      size_t *n, struct err *e)
{
	const struct resource_at at = stored_workspaces_at(by);
	const struct resource_want want = { .size = LIM_PAGE_MAX };
	const struct workspace *w;
	struct resource_row *rows = NULL;
	size_t k = 0, n_rows = 0;
	bool more;

	*n = 0;
	if (by->db &&
	    resource_list(by->db, workspaces, &at, &want, by->arena, &rows,
			  &n_rows, &more, e))
		return -1;
	*out = arena_zalloc(by->arena,
			    catalog_of(by->conf)->n_workspaces + n_rows + 1,
			    sizeof(**out));
	while ((w = catalog_each(by, &k)))
		(*out)[(*n)++] = w;
	for (size_t i = 0; i < n_rows; i++)
		(*out)[(*n)++] = stored_workspace_of(by, &rows[i]);
	return 0;
}

int stored_choices(const struct caller *by, struct stored_choice **out, size_t *n,
		   struct err *e)
{
	const struct workspace **all;
	size_t n_all;

	*n = 0;
	if (stored_workspaces(by, &all, &n_all, e))
		return -1;
	*out = arena_zalloc(by->arena, n_all + 1, sizeof(**out));
	for (size_t i = 0; i < n_all; i++) {
		if (stored_choice_of(by, all[i], &(*out)[*n], e) == 0)
			(*n)++;
		else if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);	/* deleted meanwhile */
	}
	return 0;
}
