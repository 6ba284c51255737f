/* SPDX-License-Identifier: MIT */
/* What agents are made from: templates and tools. */
#include "setting/values.h"
#include "domain/stored.h"
#include "api/api.h"
#include "api/page.h"
#include "api/resource.h"
#include "api/scope.h"
#include "app.h"
#include "base/fields.h"
#include "route.h"
#include "store/conversation.h"
#include "tool/core/tool.h"

#include "base/banned.h"

static const struct resource *const agents = &resources[RESOURCE_AGENT];

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
		jw_kstrz(&w, "templateId", t->agent.id);
		jw_kstrz(&w, "name", t->agent.name);
		jw_kstrz(&w, "description", t->agent.description);
		jw_kstrz(&w, "useCase", t->use_case);
		jw_kstrz(&w, "icon", *t->icon ? t->icon : NULL);
		jw_kstrz(&w, "systemPrompt", t->agent.system_prompt);
		jw_kint(&w, "version", t->agent.prompt_version);
		jw_kbool(&w, "defaultOnNewWorkspace", t->on_new);
		jw_end_obj(&w);
	}
	api_page_items_end(&w, (int64_t)c->n_templates);
	return 0;
}

/*
 * GET /workspaces/{w}/tools: 200 {items: [Tool], …}: those that an agent of the
 * workspace could have for the caller if it named them, by name. 404.
 */
int api_tool_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws = scope_workspace(rq, route_arg(rq, "workspace"), e);
	int64_t n;
	struct jw w;

	if (!ws || setting_read_for(&rq->by, e) < 0)
		return -1;
	w = api_page_items(rs);
	n = tool_choices_write(&rq->by, ws, &w);
	api_page_items_end(&w, n);
	return 0;
}

/* Of the agent with this id, 0 of one that nobody has asked. */
static int64_t users_of(const struct agent_users *v, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(v[i].agent_id, id))
			return v[i].users;
	return 0;
}

/*
 * GET /workspaces/{w}/agent-users: 200 {items: [{agentId, users}], …}: of each agent
 * that the caller sees and others may use, how many people have a conversation with
 * it. Nobody is named. 404.
 */
int api_agent_users(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws = scope_workspace(rq, route_arg(rq, "workspace"), e);
	struct stored_choice choice;
	struct agent_users *v;
	int64_t n_items = 0;
	struct jw w;
	size_t n;

	if (!ws || stored_choice_of(&rq->by, ws, &choice, e) < 0 ||
	    conversation_users(rq->app->db, &rq->by.owner, str_of(ws->id), rq->arena, &v,
			       &n, e) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < choice.n_agents; i++) {
		const struct agent *a = choice.agents[i];

		if (a->row && uuid_eq(&a->row->holder, &rq->by.owner.user_id))
			continue;
		jw_obj(&w);
		jw_kstrz(&w, "agentId", a->id);
		jw_kint(&w, "users", users_of(v, n, a->id));
		jw_end_obj(&w);
		n_items++;
	}
	api_page_items_end(&w, n_items);
	return 0;
}

struct template_body {
	struct str template, agent_id, name, visibility;
};

static void put_value(struct resource_row *row, size_t column, struct str s)
{
	if (s.p)
		row->v[column] = DB_S(s);
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
	struct resource_call c = {
		.r = agents, .verb = VERB_CREATE,
		.parent = route_arg(rq, "workspace"),
	};
	const struct agent_template *t;
	struct template_body b;
	struct resource_row row;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b),
			e) < 0)
		return -1;
	t = catalog_template(rq->conf, b.template);
	if (!t)
		return err_field(e, ERR_INVALID_FIELD, "templateId",
				 "There is no template with this id.");
	resource_new(agents, &row);
	agent_from_template(t, rq->arena, &row);
	put_value(&row, COLUMN(AGENT, name), b.name);
	put_value(&row, COLUMN(AGENT, agent_id), b.agent_id);
	put_value(&row, COLUMN(AGENT, visibility), b.visibility);
	c.draft = &row;
	return api_resource_answer(rq, rs, &c, e);
}
