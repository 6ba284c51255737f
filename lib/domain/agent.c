/* SPDX-License-Identifier: MIT */
#include "domain/agent.h"

#include "tool/agent/option.h"

#include "base/banned.h"

const struct agent *workspace_agent(const struct workspace *w, struct str id)
{
	for (size_t i = 0; i < w->n_agents; i++)
		if (str_is(id, w->agents[i].id))
			return &w->agents[i];
	return NULL;
}

const struct agent *workspace_default_agent(const struct workspace *w)
{
	for (size_t i = 0; i < w->n_agents; i++)
		if (w->agents[i].is_default)
			return &w->agents[i];
	return w->agents;
}

struct workspace *workspace_named(struct arena *a, struct str id)
{
	struct workspace *w = arena_new(a, struct workspace);

	*w = (struct workspace){
		.id = arena_str(a, id).p, .name = "", .description = "",
		.llm_service = "", .file = "",
	};
	return w;
}

struct agent *agent_named(struct arena *a, struct str id)
{
	struct agent *g = arena_new(a, struct agent);

	*g = (struct agent){
		.id = arena_str(a, id).p, .name = "", .description = "",
		.system_prompt = "", .prompt_version = 1, .llm_service = "",
		.rag.ranker = "",
	};
	return g;
}

const struct agent *agent_of_tool(struct arena *a, const struct conf_tool *c)
{
	static const char *none[] = { "none" };
	const struct conf_tool_agent *t = c->agent;
	struct agent *g = agent_named(a, str_of(c->name));

	g->name = c->name;
	g->system_prompt = t->prompt;
	g->tools = t->tools.n ? t->tools : (struct conf_list){ none, 1 };
	g->max_tool_iterations = t->max_tool_iterations;
	g->set.system_prompt = g->set.tools = g->set.max_tool_iterations = true;
	return g;
}
