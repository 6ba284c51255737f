/* SPDX-License-Identifier: MIT */
/*
 * Converts the structs of configuration files to those of the domain. The only
 * place outside lib/conf that knows how files represent unset values: as "", 0
 * or NaN.
 */
#include <stdlib.h>
#include <string.h>

#include "domain/catalog.h"
#include "base/limits.h"
#include "resource/resource.h"

#include "base/banned.h"

static void prompt_of(struct prompt *to, const struct conf_prompt *from)
{
	*to = (struct prompt){
		.source = SOURCE_CONFIG, .name = from->name,
		.version = from->version, .text = from->text,
	};
}

static void agent_of(struct agent *to, const struct conf_agent *from,
		     uint64_t version)
{
	*to = (struct agent){
		.source = SOURCE_CONFIG, .version = version,
		.id = from->id, .name = from->name,
		.description = from->description,
		.is_default = from->is_default,
		.system_prompt = from->system_prompt,
		.prompt_version = from->version,
		.llm_service = from->llm_service, .tools = from->tools,
		.max_tool_iterations = from->max_tool_iterations,
		.rag = &from->rag,
		.set = {
			.system_prompt = *from->system_prompt,
			.llm_service = *from->llm_service,
			.tools = from->tools.n > 0,
			.max_tool_iterations = from->max_tool_iterations > 0,
		},
	};
}

static void workspace_of(struct workspace *to,
			 const struct conf_workspace *from, uint64_t version,
			 struct arena *a)
{
	struct agent *agents = arena_zalloc(a, from->n_agents + 1,
					    sizeof(*agents));

	for (size_t i = 0; i < from->n_agents; i++)
		agent_of(&agents[i], &from->agents[i], version);
	*to = (struct workspace){
		.source = SOURCE_CONFIG, .version = version,
		.id = from->id, .name = from->name,
		.description = from->description,
		.llm_service = from->llm_service,
		.autos = from->autos, .n_autos = from->n_autos,
		.visible_to = from->visible_to,
		.max_tool_iterations = from->max_tool_iterations,
		.history_messages = from->history_messages,
		.history_tokens = from->history_tokens,
		.max_parallel_tools = from->max_parallel_tools,
		.title_by_model = from->title_by_model,
		.personal_memory = from->personal_memory,
		.confirm = from->confirm, .suggestions = from->suggestions,
		.agents = agents, .n_agents = from->n_agents,
		.datasets = from->datasets, .n_datasets = from->n_datasets,
		.actions = from->actions, .n_actions = from->n_actions,
		.client_tools = from->client_tools,
		.allow_tools = from->allow_tools, .projects = from->projects,
		.tools = from->tools, .n_tools = from->n_tools,
		.file = from->file,
		.set = {
			.llm_service = *from->llm_service,
			.prompt = from->prompt.text != NULL,
			.allow_tools = from->allow_tools.n > 0,
		},
	};
	prompt_of(&to->prompt, &from->prompt);
}

static int compare_shipped(const void *a, const void *b)
{
	const struct shipped_prompt *x = a, *y = b;
	const struct resource_row p = { .id = x->id, .sort_key = x->sort_key };
	const struct resource_row q = { .id = y->id, .sort_key = y->sort_key };

	return resource_compare(&p, &q);
}

static int compare_categories(const void *a, const void *b)
{
	const struct shipped_category *x = a, *y = b;
	const struct resource_row p = { .id = x->id, .sort_key = x->sort_key };
	const struct resource_row q = { .id = y->id, .sort_key = y->sort_key };

	return resource_compare(&p, &q);
}

/* By what resource_compare sorts; two that differ only in case are one. */
static struct uuid id_of_category(const char *name, struct arena *a)
{
	return uuid_of_name(STR("catalogue.d categories"),
			    resource_fold(a, str_of(name)));
}

static void categories_of(struct catalog *out, const struct conf *c,
			  struct arena *a)
{
	struct shipped_category *v = arena_zalloc(
		a, c->n_catalogue * LIM_PROMPT_IN + 1, sizeof(*v));
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < c->n_catalogue; i++) {
		const struct conf_list *names = &c->catalogue[i].categories;

		for (size_t k = 0; k < names->n; k++)
			v[n++] = (struct shipped_category){
				.id = id_of_category(names->v[k], a),
				.name = names->v[k],
				.sort_key = resource_fold(a,
							  str_of(names->v[k])),
			};
	}
	qsort(v, n, sizeof(*v), compare_categories);
	for (size_t i = 0; i < n; i++)
		if (!i || !uuid_eq(&v[i].id, &v[i - 1].id))
			v[kept++] = v[i];
	out->categories = v;
	out->n_categories = kept;
}

static int compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct uuid));
}

/* Ids as the database has them: in order, each once. */
static struct str ids_of(const struct conf_list *names, struct arena *a)
{
	struct uuid *v = arena_zalloc(a, names->n + 1, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < names->n; i++)
		v[i] = id_of_category(names->v[i], a);
	qsort(v, names->n, sizeof(*v), compare_ids);
	for (size_t i = 0; i < names->n; i++)
		if (!i || !uuid_eq(&v[i], &v[i - 1]))
			v[n++] = v[i];
	return (struct str){ (const char *)v, n * sizeof(*v) };
}

static void shipped_of(struct shipped_prompt *out,
		       const struct conf_catalogue *p, struct arena *a)
{
	*out = (struct shipped_prompt){
		.categories = ids_of(&p->categories, a),
		.id = uuid_of_name(STR("catalogue.d"), str_of(p->id)),
		.version = p->version, .name = p->name,
		.description = p->description, .icon = p->icon,
		.colour = p->colour, .body = p->body,
		.sort_key = resource_fold(a, str_of(p->name)),
	};
}

static int compare_templates(const void *a, const void *b)
{
	const struct agent_template *x = a, *y = b;

	return strcmp(x->id, y->id);
}

static const struct agent_template *templates_of(const struct conf *c,
						 struct arena *a)
{
	struct agent_template *out = arena_zalloc(a, c->n_templates + 1,
						  sizeof(*out));

	for (size_t i = 0; i < c->n_templates; i++) {
		const struct conf_template *t = &c->templates[i];

		out[i] = (struct agent_template){
			.id = t->id, .name = t->name,
			.description = t->description, .use_case = t->use_case,
			.icon = t->icon, .system_prompt = t->system_prompt,
			.version = t->version, .on_new = t->on_new,
		};
	}
	qsort(out, c->n_templates, sizeof(*out), compare_templates);
	return out;
}

const struct catalog *catalog_adapt(const struct conf *c, struct arena *a)
{
	struct catalog *out = arena_new(a, struct catalog);
	struct workspace *w = arena_zalloc(a, c->n_workspaces + 1, sizeof(*w));
	struct shipped_prompt *shipped =
		arena_zalloc(a, c->n_catalogue + 1, sizeof(*shipped));
	struct prompt *p = arena_zalloc(a, c->n_prompts + 1, sizeof(*p));

	for (size_t i = 0; i < c->n_workspaces; i++)
		workspace_of(&w[i], &c->workspaces[i], c->generation, a);
	for (size_t i = 0; i < c->n_catalogue; i++)
		shipped_of(&shipped[i], &c->catalogue[i], a);
	qsort(shipped, c->n_catalogue, sizeof(*shipped), compare_shipped);
	for (size_t i = 0; i < c->n_prompts; i++)
		prompt_of(&p[i], &c->prompts[i]);
	*out = (struct catalog){
		.version = c->generation,
		.workspaces = w, .n_workspaces = c->n_workspaces,
		.services = c->llms, .n_services = c->n_llms,
		.shipped = shipped, .n_shipped = c->n_catalogue,
		.templates = templates_of(c, a), .n_templates = c->n_templates,
		.prompts = p, .n_prompts = c->n_prompts,
		.chat_service = c->chat_llm_service,
		.set = {
			.platform = c->platform.text != NULL,
			.chat_service = c->chat_llm_service &&
				*c->chat_llm_service,
		},
	};
	categories_of(out, c, a);
	prompt_of(&out->platform, &c->platform);
	return out;
}
