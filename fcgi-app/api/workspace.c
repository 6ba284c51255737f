/* Workspaces and their agents, as the configuration has them. */
#include "api/api.h"

#include <string.h>

#include "api/page.h"
#include "api/scope.h"
#include "auth/policy.h"
#include "llm/llm.h"

#include "base/banned.h"

static void write_strings(struct jw *w, const char *key,
			  const struct conf_list *l)
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

/* Whether a turn with this service would start (B17 to B19). */
static bool usable(const struct llm_service *s)
{
	struct err e = ERR_INIT;

	return s && llm_check_service(s, &e) == 0;
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

static void write_workspace(struct jw *w, struct request *rq,
			    const struct workspace *ws)
{
	const struct agent *agent = workspace_default_agent(ws);
	const struct llm_service *s = scope_service(rq, ws, agent);

	jw_obj(w);
	jw_kstrz(w, "workspaceId", ws->id);
	jw_kstrz(w, "name", ws->name);
	jw_kstrz(w, "description", ws->description);
	jw_kstrz(w, "source", domain_source_name(ws->source));
	jw_kstrz(w, "model", s ? s->model : NULL);
	jw_kstrz(w, "provider", s ? s->provider : NULL);
	write_capabilities(w, s);
	jw_kstrz(w, "defaultAgentId", agent->id);
	write_strings(w, "suggestions", &ws->suggestions);
	write_actions(w, rq, ws);
	jw_kbool(w, "chatEnabled", usable(s));
	jw_end_obj(w);
}

/* GET /workspaces: 200 {items: [Workspace], …}, in the configuration's order. */
int api_workspace_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws;
	struct page_walk p;
	size_t at = 0;
	struct jw w;

	if (api_page_walk_begin(rq, &p, e) < 0)
		return -1;
	w = api_page_items(rs);
	while ((ws = catalog_each(&rq->by, &at)))
		if (api_page_walk_takes(&p, str_of(ws->id)))
			write_workspace(&w, rq, ws);
	api_page_walk_end(&w, &p);
	return 0;
}

/* GET /workspaces/{w}: 200 Workspace; 404 for one that is not visible. */
int api_workspace_get(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws =
		scope_workspace(rq, route_arg(rq, "workspace"), e);
	struct jw w;

	if (!ws)
		return -1;
	w = resp_json(rs, 200);
	write_workspace(&w, rq, ws);
	return 0;
}

/*
 * The record (B12): every member, null where it is not set. llmServiceId is the
 * agent's own, resolvedLlmServiceId the one that answers. Agents of the
 * configuration have no creation time; createdAt and updatedAt are null. The prompt
 * is shown to its users, because it is not secret. webSearch: whether the agent has
 * tools for the web for this caller (A64).
 */
static void write_agent(struct jw *w, struct request *rq,
			const struct workspace *ws,
			const struct agent *a)
{
	const struct llm_service *s = scope_service(rq, ws, a);

	jw_obj(w);
	jw_kstrz(w, "workspaceId", ws->id);
	jw_kstrz(w, "agentId", a->id);
	jw_kstrz(w, "name", a->name);
	jw_kstrz(w, "description", a->description);
	jw_kstrz(w, "source", domain_source_name(a->source));
	jw_kbool(w, "isDefault", a->is_default);
	write_strings(w, "toolIds", &a->tools);
	jw_kbool(w, "webSearch", scope_web(rq, ws, a));
	jw_kstrz(w, "llmServiceId", a->set.llm_service
		 ? a->llm_service : NULL);
	jw_kstrz(w, "resolvedLlmServiceId", s ? s->id : NULL);
	jw_kstrz(w, "model", s ? s->model : NULL);
	jw_kstrz(w, "systemPrompt", a->set.system_prompt
		 ? a->system_prompt : NULL);
	jw_kstrz(w, "userPrompt", NULL);
	jw_kbool(w, "ragEnabled", false);
	jw_key(w, "knowledgeBaseIds");
	jw_arr(w);
	jw_end_arr(w);
	jw_kstrz(w, "ragMaxResults", NULL);
	jw_kstrz(w, "ragMinScore", NULL);
	jw_kbool(w, "rerankEnabled", false);
	jw_kstrz(w, "rerankingServiceId", NULL);
	jw_kstrz(w, "rerankMaxResults", NULL);
	jw_kstrz(w, "createdAt", NULL);
	jw_kstrz(w, "updatedAt", NULL);
	jw_end_obj(w);
}

/* GET /workspaces/{w}/agents: 200 {items: [Agent], …}. */
int api_agent_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws =
		scope_workspace(rq, route_arg(rq, "workspace"), e);
	struct page_walk p;
	struct jw w;

	if (!ws || api_page_walk_begin(rq, &p, e) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < ws->n_agents; i++)
		if (api_page_walk_takes(&p, str_of(ws->agents[i].id)))
			write_agent(&w, rq, ws, &ws->agents[i]);
	api_page_walk_end(&w, &p);
	return 0;
}

/* GET /workspaces/{w}/agents/{a}: 200 Agent; 404. */
int api_agent_get(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws;
	const struct agent *a;
	struct jw w;

	if (scope_path(rq, &ws, &a, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	write_agent(&w, rq, ws, a);
	return 0;
}
