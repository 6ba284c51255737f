/* SPDX-License-Identifier: MIT */
/*
 * Workspaces as a resource: who sees and changes them, which values are valid,
 * what else their transactions do, and their records.
 */
#include <string.h>

#include "domain/row.h"
#include "domain/stored.h"
#include "domain/stored_service.h"
#include "domain/target.h"
#include "auth/identity.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/fields.h"
#include "base/limits.h"
#include "llm/llm.h"
#include "store/conversation.h"

#include "base/banned.h"

static const struct resource *const workspaces = &resources[RESOURCE_WORKSPACE];
static const struct resource *const agents = &resources[RESOURCE_AGENT];

/* -- values --------------------------------------------------------------------- */

static struct db_val json_list(const struct caller *by, struct str one)
{
	json_auto_t *j = json_array();

	json_array_append_new(j, jx_string(one));
	return DB_S(str_of(jx_text(by->arena, j)));
}

static int prepare_workspace(const struct caller *by, const struct resource *r,
			     struct resource_change *k, struct err *e)
{
	struct resource_row *row = &k->row;
	struct db_val *users = &row->v[COLUMN(WORKSPACE, manager_users)];
	struct db_val *dflt = &row->v[COLUMN(WORKSPACE, default_agent_id)];
	const struct catalog *c = catalog_of(by->conf);

	if (users->null && row->v[COLUMN(WORKSPACE, manager_groups)].null)
		*users = json_list(by, by->who->login);
	for (size_t i = 0; dflt->null && i < c->n_templates; i++)
		if (c->templates[i].on_new)
			*dflt = DB_S(str_of(c->templates[i].agent.id));
	row->holder = by->owner.user_id;
	return agent_row_check_id(by, r, row, COLUMN(WORKSPACE, workspace_id),
				  COLUMN(WORKSPACE, name), e);
}

/*
 * Only members may add a group; only those who manage all workspaces may add
 * "*".
 */
static int check_groups(const struct caller *by, const struct resource_row *now,
			struct resource_row *row, size_t column,
			struct err *e)
{
	const char *key = workspaces->fields[column].key;
	struct conf_list l = filled_list(by->arena, resource_text(row, column));
	struct conf_list old = { NULL, 0 };

	if (now)
		old = filled_list(by->arena, resource_text(now, column));
	for (size_t i = 0; i < l.n; i++) {
		const struct conf_list one = { &l.v[i], 1 };

		if (conf_list_has(&old, str_of(l.v[i])) ||
		    policy_may(by->who, PERM_WORKSPACES_MANAGE))
			continue;
		if (str_is(str_of(l.v[i]), "*") ||
		    !policy_in_groups(by->who, &one))
			return err_field(e, ERR_INVALID_FIELD, key,
					 "%s[%zu] must be one of your groups.",
					 key, i);
	}
	return 0;
}

/* The logins as those of requests are written (identity.login_case). */
static void fold_managers(const struct caller *by, struct resource_row *row)
{
	const size_t column = COLUMN(WORKSPACE, manager_users);
	const struct conf_list l = filled_list(by->arena, resource_text(row, column));
	json_auto_t *j = json_array();

	for (size_t i = 0; i < l.n; i++) {
		struct str one = identity_login(by->conf, str_of(l.v[i]), by->arena);

		json_array_append_new(j, jx_string(one));
	}
	if (l.n)
		row->v[column] = DB_S(str_of(jx_text(by->arena, j)));
}

static int check_managers(const struct caller *by, struct resource_row *row,
			  struct err *e)
{
	struct str groups = resource_text(row, COLUMN(WORKSPACE, manager_groups));
	const struct conf_list l = filled_list(by->arena, groups);

	if (conf_list_has(&l, STR("*")))
		return err_field(e, ERR_INVALID_FIELD, "managerGroups",
				 "managerGroups cannot have \"*\": not everyone "
				 "can manage a workspace.");
	if (!groups.p && row->v[COLUMN(WORKSPACE, manager_users)].null)
		return err_field(e, ERR_INVALID_FIELD, "managerUsers",
				 "A workspace must have a manager: name one in "
				 "managerUsers or managerGroups.");
	return 0;
}

static int id_taken(struct err *e)
{
	return err_field(e, ERR_CONFLICT, "workspaceId",
			 "Another workspace has this workspaceId.");
}

/*
 * Conversations of a deleted workspace, especially one of a file, must not pass
 * to whoever takes its id. A repeated request finds its own row.
 */
static int check_unused(const struct caller *by, const struct resource_row *row,
			struct str id, struct err *e)
{
	const struct resource_at at = stored_workspaces_at(by);
	struct resource_row stored;
	bool any = false;

	if (policy_may(by->who, PERM_WORKSPACES_MANAGE))
		return 0;
	if (conversation_any_in(by->db, by->owner.tenant_id, id, &any, e))
		return -1;
	if (!any || resource_get(by->db, workspaces, &at, &row->id, by->arena,
				 &stored, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return id_taken(e);
}

static int check_workspace(const struct caller *by, const struct resource *r,
			   struct resource_change *k, struct err *e)
{
	struct resource_row *row = &k->row;
	struct str dflt = resource_text(row, COLUMN(WORKSPACE, default_agent_id));
	struct str id = resource_text(row, COLUMN(WORKSPACE, workspace_id));

	if (dflt.p && !slug_valid(dflt))
		return err_field(e, ERR_INVALID_FIELD, "defaultAgentId",
				 "defaultAgentId must be an agent's id.");
	fold_managers(by, row);
	if (check_managers(by, row, e) ||
	    check_groups(by, k->now, row, COLUMN(WORKSPACE, manager_groups), e) ||
	    check_groups(by, k->now, row, COLUMN(WORKSPACE, visible_to), e) ||
	    stored_bindings_check(by, stored_workspace_of(by, row), r, row, e))
		return -1;
	if (k->now)
		return 0;
	return str_is(id, "auto") || catalog_workspace(by->conf, id)
		? id_taken(e)
		: check_unused(by, row, id, e);
}

/* -- related changes in the transaction ----------------------------------------- */

static int let_read(const struct caller *by, struct db *tx,
		    const struct resource_row *row, struct uuid reader,
		    struct err *e)
{
	return resource_let_read(tx, workspaces, &by->owner, &reader, ROLE_VIEWER,
				 row, e);
}

static int let_groups(const struct caller *by, struct db *tx,
		      const struct resource_row *row, const struct conf_list *l,
		      struct err *e)
{
	struct str tenant = by->owner.tenant_id;

	for (size_t i = 0; i < l->n; i++) {
		struct str group = str_of(l->v[i]);

		if (let_read(by, tx, row, str_is(group, "*")
			     ? resource_of_tenant(tenant)
			     : resource_of_group(tenant, group), e))
			return -1;
	}
	return 0;
}

static int write_readers(const struct caller *by, struct db *tx,
			 const struct workspace *w, struct err *e)
{
	struct resource_row row = *w->row;

	resource_sort(workspaces, by->arena, &row);
	if (db_exec(tx, RSTMT_WORKSPACE_READER_PURGE, DB_ARGS(DB_U(&row.id)),
		    NULL, e) ||
	    let_read(by, tx, &row, resource_of_admins(by->owner.tenant_id), e))
		return -1;
	for (size_t i = 0; i < w->manager_users.n; i++)
		if (let_read(by, tx, &row,
			     uuid_of_name(by->owner.tenant_id,
					  str_of(w->manager_users.v[i])), e))
			return -1;
	return let_groups(by, tx, &row, &w->manager_groups, e) ||
		let_groups(by, tx, &row, &w->visible_to, e) ? -1 : 0;
}

/* Ids are derived from names, so that the transaction can be repeated. */
static int add_agent(const struct caller *by, struct db *tx,
		     const struct workspace *w, const struct agent_template *t,
		     int64_t place, struct err *e)
{
	const struct resource_at at = stored_agents_at(by, w);
	struct resource_row row;
	char scope[UUID_TEXT_BYTES];

	resource_new(agents, &row);
	row.id = uuid_of_name(str_of(uuid_format(&w->row->id, scope)),
			      str_of(t->agent.id));
	row.created_us = row.updated_us = w->row->created_us + place;
	row.holder = at.parent;
	agent_from_template(t, by->arena, &row);
	row.v[COLUMN(AGENT, workspace_id)] = DB_S(str_of(w->id));
	row.v[COLUMN(AGENT, agent_id)] = DB_S(str_of(t->agent.id));
	row.v[COLUMN(AGENT, visibility)] = DB_S(STR("workspace"));
	return resource_create(tx, agents, &at, &row, NULL, e);
}

/* Stores who sees it and, for a new one, its first agents (B3). */
static int store_workspace(const struct caller *by, const struct resource *r,
			   struct resource_change *k, struct err *e)
{
	const struct workspace *w = stored_workspace_of(by, &k->row);
	const struct catalog *c = catalog_of(by->conf);

	if (stored_bindings_keep(by, by->db, r, &k->row, e) ||
	    write_readers(by, by->db, w, e))
		return -1;
	for (size_t i = 0; !k->row.version && i < c->n_templates; i++)
		if (c->templates[i].on_new &&
		    add_agent(by, by->db, w, &c->templates[i], (int64_t)i, e))
			return -1;
	return 0;
}

/* The same for a workspace. */
static int workspace_gone(const struct caller *by, const struct resource *r,
			  struct resource_change *k, struct err *e)
{
	(void)r;
	k->job_due = true;
	return conversation_delete_ask(by->db, &by->owner, &k->row.id,
		&(struct conversation_of){
			.workspace_id = resource_text(
				&k->row, COLUMN(WORKSPACE, workspace_id)),
			.agent_id = { NULL, 0 },
			.since_us = agent_row_since_us(&k->row), .before_us = clock_now_us(),
		}, by->arena, &k->ask, e);
}

/* -- finding -------------------------------------------------------------------- */

static int place_workspace(const struct caller *by, const struct resource *r,
			   struct str parent, struct resource_change *k,
			   struct err *e)
{
	(void)r;
	(void)parent;
	(void)e;
	k->at = stored_workspaces_at(by);
	return 0;
}

static int find_workspace(const struct caller *by, const struct resource *r,
			  struct str name, struct resource_change *k,
			  struct err *e)
{
	const struct workspace *w;
	const struct agent *a;

	(void)r;
	if (target_scope(by, name, (struct str){ NULL, 0 }, &w, &a, e))
		return -1;
	k->object = w;
	k->now = w->row;
	return 0;
}

static const void *workspace_of_file(const struct caller *by,
				     const struct resource_change *k, size_t *at,
				     struct str *name)
{
	const struct workspace *w = catalog_each(by, at);

	(void)k;
	if (w)
		*name = str_of(w->id);
	return w;
}

static bool has_workspace(const struct caller *by, const struct resource_change *k,
			  const struct resource_row *row)
{
	(void)k;
	return policy_may_ask(by->who, resource_text(row, COLUMN(WORKSPACE, workspace_id)),
			      (struct str){ NULL, 0 });
}

static bool may_change_workspace(const struct caller *by,
				 const struct resource_change *k)
{
	return stored_manages(by, stored_workspace_of(by, k->now));
}

/* -- records -------------------------------------------------------------------- */

static void write_capabilities(struct jw *w, const struct llm_service *s)
{
	json_auto_t *caps = s ? llm_capabilities(s) : NULL;

	jw_key(w, "capabilities");
	jw_json(w, caps);
}

/* Whether a turn with this service would start (A29, B17 to B19). */
static bool usable(const struct workspace *ws, const struct llm_service *s)
{
	const struct target t = { .workspace = ws, .service = s };
	struct err e = ERR_INIT;

	return target_can_chat(&t, &e) == 0;
}

/* Those that the caller may use and that have no placeholders (A40). */
static void write_actions(struct jw *w, const struct caller *by,
			  const struct workspace *ws)
{
	jw_key(w, "suggestedActions");
	jw_arr(w);
	for (size_t i = 0; i < ws->n_actions; i++) {
		const struct conf_action *a = &ws->actions[i];

		if (!a->offered || strchr(a->url, '{') ||
		    !policy_in_groups(by->who, &a->groups))
			continue;
		jw_obj(w);
		jw_kstrz(w, "action", a->name);
		jw_kstrz(w, "type", a->type);
		jw_kstrz(w, "label", a->label);
		jw_kstrz(w, "url", a->url);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

/* A list as stored; null: not set, or not visible to the caller. */
static void write_stored(struct jw *w, const char *key,
			 const struct resource_row *row, size_t column)
{
	struct str s = row ? resource_text(row, column)
		: (struct str){ NULL, 0 };

	jw_key(w, key);
	if (s.p)
		jw_raw(w, s);
	else
		jw_null(w);
}

/* For users who may change it; null for others. */
static void write_settings(struct jw *w, const struct workspace *ws, bool shown)
{
	const struct resource_row *row = shown ? ws->row : NULL;

	jw_kbool(w, "canEdit", shown);
	jw_kstrz(w, "prompt", row && ws->set.prompt ? ws->prompt.text : NULL);
	jw_kstrz(w, "llmServiceId", row && ws->set.llm_service
		 ? ws->llm_service : NULL);
	write_stored(w, "toolIds", row, COLUMN(WORKSPACE, tools));
	jw_key(w, "maxToolIterations");
	if (row && !row->v[COLUMN(WORKSPACE, max_tool_iterations)].null)
		jw_int(w, ws->max_tool_iterations);
	else
		jw_null(w);
	write_stored(w, "managerUsers", row, COLUMN(WORKSPACE, manager_users));
	write_stored(w, "managerGroups", row, COLUMN(WORKSPACE, manager_groups));
	write_stored(w, "visibleTo", row, COLUMN(WORKSPACE, visible_to));
	agent_row_write_times(w, ws->row);
}

/* With its default agent if that can be read; a change is already stored. */
static const struct workspace *workspace_item(const struct caller *by,
					      const struct resource_item *item)
{
	struct err e = ERR_INIT;
	const void *ws = item->object;

	if (!ws && stored_workspaces_of(by, item->row, 1, &ws, &e) < 0)
		ws = stored_workspace_of(by, item->row);
	return ws;
}

static void write_workspace(struct jw *w, const struct caller *by,
			    const struct resource_change *k,
			    const struct resource_item *item)
{
	const struct workspace *ws = workspace_item(by, item);
	const struct agent *agent = workspace_default_agent(ws);
	const struct llm_service *s = target_service(by, ws, agent);
	const bool can_edit = ws->row &&
		policy_may(by->who, PERM_WORKSPACES_WRITE) &&
		stored_manages(by, ws);

	(void)k;
	jw_kstrz(w, "workspaceId", ws->id);
	jw_kstrz(w, "name", ws->name);
	jw_kstrz(w, "description", ws->description);
	jw_kstrz(w, "source", domain_source_name(ws->source));
	jw_kstrz(w, "model", s ? s->model : NULL);
	jw_kstrz(w, "provider", s ? s->provider : NULL);
	write_capabilities(w, s);
	jw_kstrz(w, "defaultAgentId", agent->id);
	agent_row_write_list(w, "suggestions", &ws->suggestions);
	write_actions(w, by, ws);
	jw_kbool(w, "chatEnabled", usable(ws, s));
	/* The hash is for those who may read the prompt. */
	agent_row_write_author(w, by, workspaces, ws->row, can_edit);
	write_settings(w, ws, can_edit);
}

const struct resource_hooks workspace_hooks = {
	.place = place_workspace, .find = find_workspace,
	.file = workspace_of_file, .has = has_workspace, .objects = stored_workspaces_of,
	.may_change = may_change_workspace, .record = write_workspace,
	.prepare = prepare_workspace, .check = check_workspace,
	.store = store_workspace, .gone = workspace_gone,
	.changed = agent_row_changed,
};
