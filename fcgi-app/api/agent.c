/* SPDX-License-Identifier: MIT */
/*
 * Agents of the configuration, of a workspace and of the caller, in one list; and
 * the templates for new ones.
 */
#include "api/agent.h"

#include <string.h>

#include "agent/author.h"
#include "agent/keep.h"
#include "api/api.h"
#include "api/etag.h"
#include "app.h"
#include "base/log.h"
#include "fields.h"
#include "route.h"
#include "store/known.h"
#include "tool/core/tool.h"

#include "base/banned.h"

static const struct resource *const agents = &resources[RESOURCE_AGENT];

/* -- the record ---------------------------------------------------------------- */

/* Whether only its owner can use it. */
static bool is_private(const struct request *rq, const struct workspace *ws,
		       const struct agent *a)
{
	const struct resource_at at = stored_agents_at(&rq->by, ws);

	return a->row && !uuid_eq(&a->row->holder, &at.parent);
}

static bool is_default(const struct workspace *ws, const struct agent *a)
{
	const struct agent *d = workspace_default_agent(ws);

	return a == d || (a->row && d->row && uuid_eq(&a->row->id, &d->row->id));
}

static bool can_edit(const struct request *rq, const struct workspace *ws,
		     const struct agent *a)
{
	return a->row && policy_may(rq->by.who, PERM_AGENTS_WRITE) &&
		(is_private(rq, ws, a) || stored_manages(&rq->by, ws));
}

/* A column as stored; null for an agent of the configuration. */
static void write_column(struct jw *w, const char *key, const struct agent *a,
			 const char *column)
{
	struct resource_row copy;
	const struct db_val *v;

	jw_key(w, key);
	if (!a->row) {
		jw_null(w);
		return;
	}
	copy = *a->row;
	v = resource_value(agents, &copy, column);
	if (v->null)
		jw_null(w);
	else if (v->type == 'i')
		jw_int(w, v->i);
	else if (strcmp(column, "rag_min_score") == 0)
		jw_raw(w, v->s);
	else
		jw_str(w, v->s);
}

static void write_flag(struct jw *w, const char *key, const struct agent *a,
		       const char *column)
{
	struct resource_row copy;
	const struct db_val *v = NULL;

	if (a->row) {
		copy = *a->row;
		v = resource_value(agents, &copy, column);
	}
	jw_kbool(w, key, v && !v->null && v->i);
}

/* Who wrote the prompt; of an agent of the configuration, nobody in particular. */
static void write_author(struct jw *w, const struct request *rq,
			 const struct agent *a)
{
	struct author by = { .trusted = true };

	if (a->row)
		author_of_row(rq->conf, rq->by.who, agents, a->row, rq->arena, &by);
	author_write(w, &by);
}

/* The bases as the configuration names them: by name or id. */
static void write_file_rag(struct jw *w, const struct conf_rag *r)
{
	jw_kbool(w, "ragEnabled", r->enabled);
	api_write_list(w, "knowledgeBaseIds", &r->bases);
	jw_kbool(w, "knowledgeLimited", r->bases.n > 0);
	jw_kint_if(w, "ragMaxResults", r->max, r->max);
	jw_key(w, "ragMinScore");
	if (r->min_score > 0) {
		json_auto_t *score = json_real(r->min_score);

		jw_json(w, score);
	} else {
		jw_null(w);
	}
	jw_kbool(w, "rerankEnabled", r->ranks);
	jw_kstrz(w, "rerankingServiceId", *r->ranker ? r->ranker : NULL);
	jw_kint_if(w, "rerankMaxResults", r->max_ranked, r->max_ranked);
}

static void write_rag(struct jw *w, struct request *rq, const struct agent *a)
{
	struct str set = { NULL, 0 }, *known = &set;
	struct err e = ERR_INIT;

	if (a->rag) {
		write_file_rag(w, a->rag);
		return;
	}
	if (a->row)
		set = resource_text(agents, a->row, "knowledge_base_ids");
	if (store_known_bases(rq->app->db, rq->by.owner.tenant_id, &known, 1, rq->arena,
			      &e))
		log_err("the knowledge bases of an agent", &e);
	write_flag(w, "ragEnabled", a, "rag_enabled");
	jw_key(w, "knowledgeBaseIds");
	jw_raw(w, set.p ? set : STR("[]"));
	jw_kbool(w, "knowledgeLimited", set.p != NULL);
	write_column(w, "ragMaxResults", a, "rag_max_results");
	write_column(w, "ragMinScore", a, "rag_min_score");
	write_flag(w, "rerankEnabled", a, "rerank_enabled");
	write_column(w, "rerankingServiceId", a, "reranking_service_id");
	write_column(w, "rerankMaxResults", a, "rerank_max_results");
}

/*
 * The record (B12): every member, null where it is not set. llmServiceId is the
 * agent's own, resolvedLlmServiceId the one that answers. Agents of the
 * configuration have no creation time; createdAt and updatedAt are null. The prompt
 * is shown to its users, because it is not secret. webSearch: whether the agent has
 * tools for the web for this caller (A64).
 */
static void write_members(struct jw *w, struct request *rq,
			  const struct workspace *ws, const struct agent *a)
{
	const struct llm_service *s = scope_service(rq, ws, a);

	jw_kstrz(w, "workspaceId", ws->id);
	jw_kstrz(w, "agentId", a->id);
	jw_kstrz(w, "name", a->name);
	jw_kstrz(w, "description", *a->description ? a->description : NULL);
	jw_kstrz(w, "source", domain_source_name(a->source));
	jw_kstrz(w, "visibility", is_private(rq, ws, a) ? "private" : "workspace");
	jw_kbool(w, "canEdit", can_edit(rq, ws, a));
	jw_kbool(w, "isDefault", is_default(ws, a));
	api_write_list(w, "toolIds", &a->tools);
	jw_kbool(w, "webSearch", scope_web(rq, ws, a));
	jw_kstrz(w, "llmServiceId", a->set.llm_service
		 ? a->llm_service : NULL);
	jw_kstrz(w, "resolvedLlmServiceId", s ? s->id : NULL);
	jw_kstrz(w, "model", s ? s->model : NULL);
	jw_kstrz(w, "systemPrompt", a->set.system_prompt
		 ? a->system_prompt : NULL);
	write_author(w, rq, a);
	write_column(w, "userPrompt", a, "user_prompt");
	jw_kint_if(w, "maxToolIterations", a->set.max_tool_iterations,
		   a->max_tool_iterations);
	write_rag(w, rq, a);
	api_write_times(w, a->row);
}

static void write_agent(struct jw *w, struct request *rq,
			const struct workspace *ws,
			const struct agent *a)
{
	jw_obj(w);
	write_members(w, rq, ws, a);
	jw_end_obj(w);
}

/* -- reading ---------------------------------------------------------------------- */

/*
 * The number of agents before the rows: those of the configuration, or the built-in
 * one.
 */
static size_t fixed(const struct workspace *ws)
{
	return ws->row && ws->agents->row ? 0 : ws->n_agents;
}

/*
 * GET /workspaces/{w}/agents: 200 {items: [Agent], …}: those of the configuration
 * in its order, then the workspace's and the caller's own, oldest first (B23).
 */
int api_agent_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws =
		scope_workspace(rq, route_arg(rq, "workspace"), e);
	const struct agent **files;
	struct resource_both b;
	struct resource_at at;
	struct jw w;

	if (!ws || api_resource_both_begin(rq, agents, &b, e) < 0)
		return -1;
	at = stored_agents_at(&rq->by, ws);
	files = arena_zalloc(rq->arena, b.files.size + 1, sizeof(*files));
	for (size_t i = 0; i < fixed(ws); i++)
		if (api_resource_both_takes(&b, str_of(ws->agents[i].id)))
			files[b.files.n_taken - 1] = &ws->agents[i];
	if (api_resource_both_rows(rq, agents, &at, &b, e) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < b.files.n_taken; i++)
		write_agent(&w, rq, ws, files[i]);
	for (size_t i = 0; i < b.n; i++)
		write_agent(&w, rq, ws, stored_agent_of(&rq->by, &b.rows[i]));
	api_resource_both_end(&w, agents, &b);
	return 0;
}

/*
 * GET /workspaces/{w}/agents/{a}: 200 Agent, ETag for changes; 404. Never 304,
 * because the record also depends on the configuration.
 */
int api_agent_get(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws;
	const struct agent *a;
	char tag[ETAG_BYTES];
	struct jw w;

	if (scope_path(rq, &ws, &a, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	if (a->row)
		resp_header(rs, "ETag", etag_row(a->row->version, tag));
	write_agent(&w, rq, ws, a);
	return 0;
}

/* -- changing --------------------------------------------------------------------- */

static int place(struct request *rq, struct resource_at *at, struct err *e)
{
	rq->place = scope_workspace(rq, route_arg(rq, "workspace"), e);
	if (!rq->place)
		return -1;
	*at = stored_agents_at(&rq->by, rq->place);
	return 0;
}

static int find(struct request *rq, struct resource_at *at,
		struct resource_row *row, struct err *e)
{
	const struct agent *a = scope_agent(rq, rq->place,
					    route_arg(rq, "agent"), e);

	if (!a)
		return -1;
	if (!a->row)
		return err_set(e, ERR_MANAGED_BY_CONFIG, "agent %s", a->id);
	if (!is_private(rq, rq->place, a) && !stored_manages(&rq->by, rq->place))
		return err_public(e, ERR_FORBIDDEN, "You can use this agent, but "
				  "you cannot change it.");
	*row = *a->row;
	at->holder = row->holder;
	return 0;
}

static int made(struct request *rq, struct resource_row *row,
		struct str *secret, struct err *e)
{
	(void)secret;
	return keep_agent_new(&rq->by, rq->place, row, e);
}

int api_agent_tools(struct request *rq, const struct workspace *w,
		    const struct resource *r, const struct resource_row *row,
		    struct err *e)
{
	const struct conf_list l = stored_list(
		rq->arena, resource_text(r, row, "tools"));

	for (size_t i = 0; i < l.n; i++)
		if (!tool_is_choice(rq->conf, w, str_of(l.v[i])))
			return err_field(e, ERR_INVALID_FIELD, "toolIds",
					 "toolIds[%zu]: there is no tool "
					 "\"%.100s\".", i, l.v[i]);
	return 0;
}

static int check(struct request *rq, struct resource_row *row, struct err *e)
{
	const struct agent *now = route_has_arg(rq, "agent")
		? scope_agent(rq, rq->place, route_arg(rq, "agent"), e) : NULL;

	if (e->code || keep_agent_check(&rq->by, rq->place, now ? now->row : NULL,
					row, e) < 0)
		return -1;
	return api_agent_tools(rq, rq->place, agents, row, e);
}

static int gone(struct request *rq, struct db *tx, const struct resource_at *at,
		const struct resource_row *row, struct err *e)
{
	struct resource_row found;

	/* If it was deleted meanwhile, the DELETE statement reports that. */
	if (resource_get(tx, agents, at, &row->id, rq->arena, &found, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	}
	rq->jobs_asked = true;
	return keep_agent_gone(&rq->by, tx, rq->place,
			       stored_agent_of(&rq->by, &found), e);
}

static void record(struct jw *w, struct request *rq,
		   const struct resource_row *row)
{
	write_members(w, rq, rq->place, stored_agent_of(&rq->by, row));
}

static const char *address(struct request *rq, const struct resource_row *row)
{
	return arena_printf(rq->arena, "workspaces/%s/agents/%.*s",
			    rq->place->id,
			    STR_ARG(resource_text(agents, row, "agent_id")));
}

static int also(struct request *rq, struct db *tx, const struct resource_at *at,
		const struct resource_row *row, struct err *e)
{
	(void)at;
	return keep_agent_also(&rq->by, tx, row, e);
}

const struct resource_odd api_agent_odd = {
	.place = place, .find = find, .made = made, .check = check,
	.also = also, .gone = gone, .record = record, .address = address,
};

/* -- templates -------------------------------------------------------------------- */

/*
 * GET /agent-templates, GET /workspaces/{w}/agent-templates (B9)
 * 200 {items: [AgentTemplate], …}: all templates, by id.
 */
int api_template_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct catalog *c = catalog_of(rq->conf);
	struct jw w;

	if (route_has_arg(rq, "workspace") &&
	    !scope_workspace(rq, route_arg(rq, "workspace"), e))
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < c->n_templates; i++) {
		const struct agent_template *t = &c->templates[i];

		jw_obj(&w);
		jw_kstrz(&w, "templateId", t->id);
		jw_kstrz(&w, "name", t->name);
		jw_kstrz(&w, "description", t->description);
		jw_kstrz(&w, "useCase", t->use_case);
		jw_kstrz(&w, "icon", *t->icon ? t->icon : NULL);
		jw_kstrz(&w, "systemPrompt", t->system_prompt);
		jw_kint(&w, "version", t->version);
		jw_kbool(&w, "defaultOnNewWorkspace", t->on_new);
		jw_end_obj(&w);
	}
	api_page_items_end(&w, (int64_t)c->n_templates);
	return 0;
}

struct template_body {
	struct str template, agent_id, name, visibility;
};

static void put(struct resource_row *row, const char *column, struct str s)
{
	if (s.p)
		*resource_value(agents, row, column) = DB_S(s);
}

/*
 * POST /workspaces/{w}/agents/from-template {templateId, agentId?, name?,
 * visibility?}: 201, like POST …/agents with the values of the template (B10). 422
 * if there is no such template.
 */
int api_agent_from_template(struct request *rq, struct response *rs,
			    struct err *e)
{
	static const struct field fields[] = {
		{ .key = "templateId", .type = FIELD_SLUG,
		  .flags = FIELD_REQUIRED,
		  .offset = offsetof(struct template_body, template) },
		{ .key = "agentId", .type = FIELD_SLUG,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct template_body, agent_id) },
		{ .key = "name", .type = FIELD_TEXT,
		  .flags = FIELD_NULLABLE | FIELD_FILLED | FIELD_LINE,
		  .max_chars = 100,
		  .offset = offsetof(struct template_body, name) },
		{ .key = "visibility", .type = FIELD_TEXT,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct template_body, visibility) },
	};
	const struct agent_template *t;
	struct template_body b;
	struct resource_row row;
	struct resource_at at;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b),
			e) < 0 || place(rq, &at, e) < 0)
		return -1;
	t = catalog_template(rq->conf, b.template);
	if (!t)
		return err_field(e, ERR_INVALID_FIELD, "templateId",
				 "There is no template with this id.");
	resource_new(agents, &row);
	keep_agent_from(t, &row);
	put(&row, "name", b.name);
	put(&row, "agent_id", b.agent_id);
	put(&row, "visibility", b.visibility);
	return api_resource_created(rq, rs, agents, &at, &row, e);
}
