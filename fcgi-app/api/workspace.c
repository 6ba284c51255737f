/* SPDX-License-Identifier: MIT */
/* Workspaces: those of the configuration, and stored ones. */
#include "api/agent.h"

#include <string.h>

#include "agent/author.h"
#include "agent/keep.h"
#include "api/api.h"
#include "api/etag.h"
#include "app.h"

#include "llm/llm.h"
#include "route.h"

#include "base/banned.h"

static const struct resource *const workspaces = &resources[RESOURCE_WORKSPACE];

void api_write_list(struct jw *w, const char *key, const struct conf_list *l)
{
	jw_key(w, key);
	jw_arr(w);
	for (size_t i = 0; i < l->n; i++)
		jw_str(w, str_of(l->v[i]));
	jw_end_arr(w);
}

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
static void write_actions(struct jw *w, const struct request *rq,
			  const struct workspace *ws)
{
	jw_key(w, "suggestedActions");
	jw_arr(w);
	for (size_t i = 0; i < ws->n_actions; i++) {
		const struct conf_action *a = &ws->actions[i];

		if (!a->offered || strchr(a->url, '{') ||
		    !policy_in_groups(rq->by.who, &a->groups))
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

static bool can_edit(const struct request *rq, const struct workspace *ws)
{
	return ws->row && policy_may(rq->by.who, PERM_WORKSPACES_WRITE) &&
		stored_manages(&rq->by, ws);
}

/* A list as stored; null: not set, or not visible to the caller. */
static void write_list(struct jw *w, const char *key,
		       const struct resource_row *row, const char *column)
{
	struct str s = row ? resource_text(workspaces, row, column)
		: (struct str){ NULL, 0 };

	jw_key(w, key);
	if (s.p)
		jw_raw(w, s);
	else
		jw_null(w);
}

static const struct db_val *value_of(const struct resource_row *row,
				     const char *column)
{
	return resource_value(workspaces, (struct resource_row *)row, column);
}

static void write_time(struct jw *w, const char *key, const int64_t *us)
{
	jw_key(w, key);
	if (us)
		jw_time(w, *us);
	else
		jw_null(w);
}

void api_write_times(struct jw *w, const struct resource_row *row)
{
	write_time(w, "createdAt", row ? &row->created_us : NULL);
	write_time(w, "updatedAt", row ? &row->updated_us : NULL);
}

/* For users who may change it; null for others. */
static void write_settings(struct jw *w, const struct request *rq,
			   const struct workspace *ws)
{
	const bool shown = can_edit(rq, ws);
	const struct resource_row *row = shown ? ws->row : NULL;

	jw_kbool(w, "canEdit", shown);
	jw_kstrz(w, "prompt", row && ws->set.prompt ? ws->prompt.text : NULL);
	jw_kstrz(w, "llmServiceId", row && ws->set.llm_service
		 ? ws->llm_service : NULL);
	write_list(w, "toolIds", row, "tools");
	jw_key(w, "maxToolIterations");
	if (row && !value_of(row, "max_tool_iterations")->null)
		jw_int(w, ws->max_tool_iterations);
	else
		jw_null(w);
	write_list(w, "managerUsers", row, "manager_users");
	write_list(w, "managerGroups", row, "manager_groups");
	write_list(w, "visibleTo", row, "visible_to");
	api_write_times(w, ws->row);
}

/* Who wrote the prompt. The hash is for those who may read it. */
static void write_author(struct jw *w, const struct request *rq,
			 const struct workspace *ws)
{
	struct author by = { .trusted = true };

	if (ws->row)
		author_of_row(rq->conf, rq->by.who, workspaces, ws->row,
			      rq->arena, &by);
	if (!ws->row || !can_edit(rq, ws))
		by.hash[0] = '\0';
	author_write(w, &by);
}

static void write_members(struct jw *w, struct request *rq,
			  const struct workspace *ws)
{
	const struct agent *agent = workspace_default_agent(ws);
	const struct llm_service *s = scope_service(rq, ws, agent);

	jw_kstrz(w, "workspaceId", ws->id);
	jw_kstrz(w, "name", ws->name);
	jw_kstrz(w, "description", ws->description);
	jw_kstrz(w, "source", domain_source_name(ws->source));
	jw_kstrz(w, "model", s ? s->model : NULL);
	jw_kstrz(w, "provider", s ? s->provider : NULL);
	write_capabilities(w, s);
	jw_kstrz(w, "defaultAgentId", agent->id);
	api_write_list(w, "suggestions", &ws->suggestions);
	write_actions(w, rq, ws);
	jw_kbool(w, "chatEnabled", usable(ws, s));
	write_author(w, rq, ws);
	write_settings(w, rq, ws);
}

static void write_workspace(struct jw *w, struct request *rq,
			    const struct workspace *ws)
{
	jw_obj(w);
	write_members(w, rq, ws);
	jw_end_obj(w);
}

/* The row as a workspace with its default agent. */
static int read_agent(const struct request *rq, const struct resource_row *row,
		      const struct workspace **ws, struct err *e)
{
	const struct agent *a;

	return stored_find(&rq->by, resource_text(workspaces, row,
						  "workspace_id"),
			   (struct str){ NULL, 0 }, ws, &a, e);
}

/*
 * GET /workspaces: 200 {items: [Workspace], …}: those of the configuration in its
 * order, then the others by name.
 */
int api_workspace_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource_at at = stored_workspaces_at(&rq->by);
	const struct workspace *ws, **all;
	struct resource_both b;
	size_t k = 0, n;
	struct jw w;

	if (api_resource_both_begin(rq, workspaces, &b, e) < 0)
		return -1;
	all = arena_zalloc(rq->arena, b.files.size + 1, sizeof(*all));
	while ((ws = catalog_each(&rq->by, &k)))
		if (api_resource_both_takes(&b, str_of(ws->id)))
			all[b.files.n_taken - 1] = ws;
	if (api_resource_both_rows(rq, workspaces, &at, &b, e) < 0)
		return -1;
	n = b.files.n_taken;
	for (size_t i = 0; i < b.n; i++) {
		if (read_agent(rq, &b.rows[i], &all[n], e) == 0)
			n++;
		else if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);	/* deleted meanwhile */
	}
	w = api_page_items(rs);
	for (size_t i = 0; i < n; i++)
		write_workspace(&w, rq, all[i]);
	api_resource_both_end(&w, workspaces, &b);
	return 0;
}

/*
 * GET /workspaces/{w}: 200 Workspace, ETag for changes; 404 for one that is not
 * visible.
 */
int api_workspace_get(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws =
		scope_workspace(rq, route_arg(rq, "workspace"), e);
	char tag[ETAG_BYTES];
	struct jw w;

	if (!ws)
		return -1;
	w = resp_json(rs, 200);
	if (ws->row)
		resp_header(rs, "ETag", etag_row(ws->row->version, tag));
	write_workspace(&w, rq, ws);
	return 0;
}

/* -- changing --------------------------------------------------------------------- */

static int place(struct request *rq, struct resource_at *at, struct err *e)
{
	(void)e;
	*at = stored_workspaces_at(&rq->by);
	return 0;
}

static int find(struct request *rq, struct resource_at *at,
		struct resource_row *row, struct err *e)
{
	const struct workspace *ws =
		scope_workspace(rq, route_arg(rq, "workspace"), e);

	if (!ws)
		return -1;
	if (!ws->row)
		return err_set(e, ERR_MANAGED_BY_CONFIG, "workspace %s", ws->id);
	if (!stored_manages(&rq->by, ws))
		return err_public(e, ERR_FORBIDDEN, "You can use this workspace, "
				  "but you cannot change it.");
	rq->place = ws;
	*row = *ws->row;
	at->holder = row->holder;
	return 0;
}

static int made(struct request *rq, struct resource_row *row,
		struct str *secret, struct err *e)
{
	(void)secret;
	return keep_workspace_new(&rq->by, row, e);
}

static int check(struct request *rq, struct resource_row *row, struct err *e)
{
	const struct resource_row *now = rq->place ? rq->place->row : NULL;

	if (keep_workspace_check(&rq->by, now, row, e) < 0)
		return -1;
	return api_agent_tools(rq, stored_workspace_of(&rq->by, row), workspaces,
			       row, e);
}

static int also(struct request *rq, struct db *tx, const struct resource_at *at,
		const struct resource_row *row, struct err *e)
{
	(void)at;
	return keep_workspace_also(&rq->by, tx, row, e);
}

static int gone(struct request *rq, struct db *tx, const struct resource_at *at,
		const struct resource_row *row, struct err *e)
{
	(void)at;
	(void)row;
	rq->jobs_asked = true;
	return keep_workspace_gone(&rq->by, tx, rq->place, e);
}

/* With its default agent if that can be read; the change is already stored. */
static void record(struct jw *w, struct request *rq,
		   const struct resource_row *row)
{
	const struct workspace *ws;
	struct err e = ERR_INIT;

	if (read_agent(rq, row, &ws, &e) < 0)
		ws = stored_workspace_of(&rq->by, row);
	write_members(w, rq, ws);
}

static const char *address(struct request *rq, const struct resource_row *row)
{
	return arena_printf(rq->arena, "workspaces/%.*s",
			    STR_ARG(resource_text(workspaces, row,
						  "workspace_id")));
}

const struct resource_odd api_workspace_odd = {
	.place = place, .find = find, .made = made, .check = check,
	.also = also, .gone = gone, .record = record, .address = address,
};
