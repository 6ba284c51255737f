/* SPDX-License-Identifier: MIT */
/* agent, workspace: what differs from the other kinds. */
#include <string.h>

#include "agent/keep.h"
#include "made.h"
#include "tool/core/tool.h"

#include "base/banned.h"

/* -- which there are -------------------------------------------------------------- */

static bool is_meant(const struct made *m, const char *workspace)
{
	return !m->workspace || strcmp(m->workspace, workspace) == 0;
}

/* A workspace has its own. */
static const char *workspace_of(const struct made *m, const struct resource *r,
				const struct resource_row *row)
{
	return arena_str(&m->s->arena,
			 resource_text(r, row, "workspace_id")).p;
}

/* The state while the rows of one workspace are listed. */
struct within {
	const struct resource *r;
	cli_made_take *take;
	void *ctx;
};

static int take_meant(struct made *m, const struct resource_row *row, void *ctx,
		      struct err *e)
{
	const struct within *k = ctx;

	return is_meant(m, workspace_of(m, k->r, row))
		? k->take(m, row, k->ctx, e) : 0;
}

static int each_workspace(struct made *m, cli_made_take *take, void *ctx,
			  struct err *e)
{
	const struct resource *r = &resources[RESOURCE_WORKSPACE];
	const struct uuid all = resource_of_admins(m->by.owner.tenant_id);
	const struct resource_at at = {
		.by = m->by.owner, .readers = &all, .n_readers = 1,
	};
	struct within k = { r, take, ctx };

	return cli_made_pages(m, r, &at, STR(""), take_meant, &k, e);
}

static int take_workspace(struct made *m, const struct resource_row *row,
			  void *ctx, struct err *e)
{
	return cli_made_each_held(m, &resources[RESOURCE_AGENT], &row->id,
				  take_meant, ctx, e);
}

static int each_agent(struct made *m, cli_made_take *take, void *ctx, struct err *e)
{
	const struct resource *r = &resources[RESOURCE_AGENT];
	const struct catalog *c = catalog_of(m->by.conf);
	struct within k = { r, take, ctx };

	if (m->user)
		return cli_made_each_held(m, r, &m->by.owner.user_id, take_meant,
					  &k, e);
	for (size_t i = 0; i < c->n_workspaces; i++) {
		const struct resource_at at =
			stored_agents_at(&m->by, &c->workspaces[i]);

		if (is_meant(m, c->workspaces[i].id) &&
		    cli_made_each_held(m, r, &at.parent, take_meant, &k, e))
			return -1;
	}
	return each_workspace(m, take_workspace, &k, e);
}

/* -- import ---------------------------------------------------------------------------- */

static int find_workspace_of(struct made *m, struct str id,
			     const struct workspace **w, struct err *e)
{
	const struct agent *a;

	*w = catalog_workspace(m->by.conf, id);
	if (*w || stored_find(&m->by, id, (struct str){ NULL, 0 }, w, &a, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return err_field(e, ERR_INVALID_FIELD, "workspaceId",
			 "There is no workspace \"%.*s\".", STR_ARG(id));
}

/* Of the rows found, the one of the holder. */
static const struct resource_row *held_by(const struct resource_row *rows,
					  size_t n, const struct uuid *holder)
{
	for (size_t i = 0; i < n; i++)
		if (uuid_eq(&rows[i].holder, holder))
			return &rows[i];
	return NULL;
}

static int find_agent(struct made *m, struct made_item *i, struct err *e)
{
	const char *meant = m->user ? "private" : "workspace";
	struct str workspace, id, seen = jx_str(i->body, "visibility");
	struct resource_row *rows = arena_zalloc(&m->s->arena, RESOURCE_NAMED_MAX,
						 sizeof(*rows));
	struct uuid holder;
	size_t n;

	if (cli_made_take_text(m, i, "workspaceId", &workspace, e) ||
	    cli_made_take_text(m, i, "agentId", &id, e) ||
	    find_workspace_of(m, workspace, &i->w, e))
		return -1;
	if (seen.p && !str_is(seen, meant))
		return err_field(e, ERR_INVALID_FIELD, "visibility", m->user
				 ? "With --user only private agents are imported."
				 : "A private agent needs --user, its owner.");
	json_object_del(i->body, "workspaceId");
	json_object_del(i->body, "visibility");
	i->name = arena_printf(&m->s->arena, "%.*s/%.*s", STR_ARG(workspace),
			       STR_ARG(id));
	i->at = stored_agents_at(&m->by, i->w);
	holder = m->user ? m->by.owner.user_id : i->at.parent;
	if (resource_named(m->by.db, cli_made_of(m), &i->at, id, (struct str){ NULL, 0 },
			   &m->s->arena, rows, &n, e))
		return -1;
	i->now = held_by(rows, n, &holder);
	i->at.holder = holder;
	return 0;
}

static int check_tools(struct made *m, const struct made_item *i,
		       const struct workspace *w, struct err *e)
{
	const struct conf_list l = stored_list(
		&m->s->arena, resource_text(cli_made_of(m), &i->row, "tools"));

	for (size_t k = 0; k < l.n; k++)
		if (!tool_is_choice(m->by.conf, w, str_of(l.v[k])))
			return err_field(e, ERR_INVALID_FIELD, "toolIds",
					 "There is no tool \"%.100s\".", l.v[k]);
	return 0;
}

static int check_agent(struct made *m, struct made_item *i, struct err *e)
{
	struct db_val *seen = resource_value(cli_made_of(m), &i->row, "visibility");

	if (!i->now) {
		*seen = DB_S(m->user ? STR("private") : STR("workspace"));
		if (keep_agent_new(&m->by, i->w, &i->row, e))
			return -1;
	}
	if (keep_agent_check(&m->by, i->w, NULL, &i->row, e))
		return -1;
	return check_tools(m, i, i->w, e);
}

static int find_workspace(struct made *m, struct made_item *i, struct err *e)
{
	struct resource_row *rows = arena_zalloc(&m->s->arena, RESOURCE_NAMED_MAX,
						 sizeof(*rows));
	struct str id;
	size_t n;

	if (cli_made_take_text(m, i, "workspaceId", &id, e))
		return -1;
	i->name = id.p;
	i->at = stored_workspaces_at(&m->by);
	if (resource_named(m->by.db, cli_made_of(m), &i->at, id, (struct str){ NULL, 0 },
			   &m->s->arena, rows, &n, e))
		return -1;
	i->now = n ? rows : NULL;
	i->at.holder = n ? rows->holder : m->by.owner.user_id;
	return 0;
}

static int check_workspace(struct made *m, struct made_item *i, struct err *e)
{
	if (!i->now && !json_object_get(i->body, "managerUsers") &&
	    !json_object_get(i->body, "managerGroups"))
		return err_field(e, ERR_INVALID_FIELD, "managerUsers",
				 "A workspace must have a manager: name one in "
				 "managerUsers or managerGroups.");
	if ((!i->now && keep_workspace_new(&m->by, &i->row, e)) ||
	    keep_workspace_check(&m->by, i->now, &i->row, e))
		return -1;
	return check_tools(m, i, stored_workspace_of(&m->by, &i->row), e);
}

/* -- the commands ------------------------------------------------------------------------ */

static const char *name_of_agent(struct made *m, const struct resource_row *row)
{
	return arena_printf(&m->s->arena, "%s/%s",
			    cli_made_text(m, row, "workspace_id"),
			    cli_made_text(m, row, "agent_id"));
}

static const char *name_of_workspace(struct made *m,
				     const struct resource_row *row)
{
	return cli_made_text(m, row, "workspace_id");
}

const struct made_kind cli_made_agent = {
	.name = "agent", .plural = "agents", .id = RESOURCE_AGENT,
	.options = "uw", .named_by = "", .second = "name", .each = each_agent,
	.find = find_agent, .check = check_agent, .also = keep_agent_also,
	.name_of = name_of_agent,
};
const struct made_kind cli_made_workspace = {
	.name = "workspace", .plural = "workspaces", .id = RESOURCE_WORKSPACE,
	.options = "w", .named_by = "", .second = "name", .each = each_workspace,
	.find = find_workspace, .check = check_workspace,
	.also = keep_workspace_also, .name_of = name_of_workspace,
};
