/* SPDX-License-Identifier: MIT */
/* agent, workspace: what differs from the other kinds. */
#include <string.h>

#include "exchange.h"

#include "base/banned.h"

/* -- which there are -------------------------------------------------------------- */

static bool is_meant(const struct exchange_run *m, const char *workspace)
{
	return !m->workspace || strcmp(m->workspace, workspace) == 0;
}

/* column: of the id of its workspace; a workspace has its own. */
static const char *workspace_of(const struct exchange_run *m, size_t column,
				const struct resource_row *row)
{
	return arena_str(&m->s->arena, resource_text(row, column)).p;
}

/* The state while the rows of one workspace are listed. */
struct within {
	size_t column;	/* of the id of the workspace */
	cli_exchange_take *take;
	void *ctx;
};

static int take_meant(struct exchange_run *m, const struct resource_row *row, void *ctx,
		      struct err *e)
{
	const struct within *k = ctx;

	return is_meant(m, workspace_of(m, k->column, row))
		? k->take(m, row, k->ctx, e) : 0;
}

static int each_workspace(struct exchange_run *m, cli_exchange_take *take, void *ctx,
			  struct err *e)
{
	const struct resource *r = &resources[RESOURCE_WORKSPACE];
	const struct uuid all = resource_of_admins(m->by.owner.tenant_id);
	const struct resource_at at = {
		.by = m->by.owner, .readers = &all, .n_readers = 1,
	};
	struct within k = { COLUMN(WORKSPACE, workspace_id), take, ctx };

	return cli_exchange_pages(m, r, &at, STR(""), take_meant, &k, e);
}

static int take_workspace(struct exchange_run *m, const struct resource_row *row,
			  void *ctx, struct err *e)
{
	return cli_exchange_each_held(m, &resources[RESOURCE_AGENT], &row->id,
				  take_meant, ctx, e);
}

static int each_agent(struct exchange_run *m, cli_exchange_take *take, void *ctx, struct err *e)
{
	const struct resource *r = &resources[RESOURCE_AGENT];
	const struct catalog *c = catalog_of(m->by.conf);
	struct within k = { COLUMN(AGENT, workspace_id), take, ctx };

	if (m->user)
		return cli_exchange_each_held(m, r, &m->by.owner.user_id, take_meant,
					  &k, e);
	for (size_t i = 0; i < c->n_workspaces; i++) {
		const struct resource_at at =
			stored_agents_at(&m->by, &c->workspaces[i]);

		if (is_meant(m, c->workspaces[i].id) &&
		    cli_exchange_each_held(m, r, &at.parent, take_meant, &k, e))
			return -1;
	}
	return each_workspace(m, take_workspace, &k, e);
}

/* -- import ---------------------------------------------------------------------------- */

static int find_workspace_of(struct exchange_run *m, struct str id,
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

static int find_agent(struct exchange_run *m, struct exchange_item *i, struct err *e)
{
	const char *meant = m->user ? "private" : "workspace";
	struct str workspace, id, seen = jx_str(i->body, "visibility");
	struct resource_row *rows = arena_zalloc(&m->s->arena, RESOURCE_NAMED_MAX,
						 sizeof(*rows));
	const struct workspace *w;
	struct resource_at at;
	size_t n;

	if (cli_exchange_take_text(m, i, "workspaceId", &workspace, e) ||
	    cli_exchange_take_text(m, i, "agentId", &id, e) ||
	    find_workspace_of(m, workspace, &w, e))
		return -1;
	if (seen.p && !str_is(seen, meant))
		return err_field(e, ERR_INVALID_FIELD, "visibility", m->user
				 ? "With --user only private agents are imported."
				 : "A private agent needs --user, its owner.");
	json_object_del(i->body, "workspaceId");
	json_object_set_new(i->body, "visibility", json_string(meant));
	i->parent = workspace;
	i->name = arena_printf(&m->s->arena, "%.*s/%.*s", STR_ARG(workspace),
			       STR_ARG(id));
	at = stored_agents_at(&m->by, w);
	if (resource_named(m->by.db, cli_exchange_of(m), &at, id, (struct str){ NULL, 0 },
			   &m->s->arena, rows, &n, e))
		return -1;
	i->now = held_by(rows, n, m->user ? &m->by.owner.user_id : &at.parent);
	return 0;
}

static int find_workspace(struct exchange_run *m, struct exchange_item *i, struct err *e)
{
	struct resource_row *rows = arena_zalloc(&m->s->arena, RESOURCE_NAMED_MAX,
						 sizeof(*rows));
	struct resource_at at;
	struct str id;
	size_t n;

	if (cli_exchange_take_text(m, i, "workspaceId", &id, e))
		return -1;
	i->name = id.p;
	at = stored_workspaces_at(&m->by);
	if (resource_named(m->by.db, cli_exchange_of(m), &at, id, (struct str){ NULL, 0 },
			   &m->s->arena, rows, &n, e))
		return -1;
	i->now = n ? rows : NULL;
	/* Not the command. */
	if (!i->now && !json_object_get(i->body, "managerUsers") &&
	    !json_object_get(i->body, "managerGroups"))
		return err_field(e, ERR_INVALID_FIELD, "managerUsers",
				 "A workspace must have a manager: name one in "
				 "managerUsers or managerGroups.");
	return 0;
}

/* -- the commands ------------------------------------------------------------------------ */

static const char *name_of_agent(struct exchange_run *m, const struct resource_row *row)
{
	return arena_printf(&m->s->arena, "%s/%s",
			    cli_exchange_text(m, row, COLUMN(AGENT, workspace_id)),
			    cli_exchange_text(m, row, COLUMN(AGENT, agent_id)));
}

static const char *name_of_workspace(struct exchange_run *m,
				     const struct resource_row *row)
{
	return cli_exchange_text(m, row, COLUMN(WORKSPACE, workspace_id));
}

const struct exchange_kind cli_exchange_agent = {
	.name = "agent", .plural = "agents", .id = RESOURCE_AGENT,
	.options = "uw", .named_by = "", .second = COLUMN(AGENT, name),
	.each = each_agent,
	.find = find_agent, .name_of = name_of_agent,
};
const struct exchange_kind cli_exchange_workspace = {
	.name = "workspace", .plural = "workspaces", .id = RESOURCE_WORKSPACE,
	.options = "w", .named_by = "", .second = COLUMN(WORKSPACE, name),
	.each = each_workspace,
	.find = find_workspace, .name_of = name_of_workspace,
};
