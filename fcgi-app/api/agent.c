/* SPDX-License-Identifier: MIT */
/* The templates for new agents. */
#include "domain/stored.h"
#include "api/api.h"
#include "api/page.h"
#include "api/resource.h"
#include "api/scope.h"
#include "base/fields.h"
#include "route.h"

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

static void put(struct resource_row *row, size_t column, struct str s)
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
	agent_from_template(t, &row);
	put(&row, COLUMN(AGENT, name), b.name);
	put(&row, COLUMN(AGENT, agent_id), b.agent_id);
	put(&row, COLUMN(AGENT, visibility), b.visibility);
	c.draft = &row;
	return api_resource_answer(rq, rs, &c, e);
}
