/* SPDX-License-Identifier: MIT */
/* The catalog of the files: their structs, and prompts to choose from as rows have them. */
#include <stdlib.h>
#include <string.h>

#include "domain/catalog.h"
#include "base/limits.h"
#include "resource/resource.h"

#include "base/banned.h"

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

const struct catalog *catalog_adapt(const struct conf *c, struct arena *a)
{
	struct catalog *out = arena_new(a, struct catalog);
	struct shipped_prompt *shipped =
		arena_zalloc(a, c->n_catalogue + 1, sizeof(*shipped));

	for (size_t i = 0; i < c->n_catalogue; i++)
		shipped_of(&shipped[i], &c->catalogue[i], a);
	qsort(shipped, c->n_catalogue, sizeof(*shipped), compare_shipped);
	*out = (struct catalog){
		.version = c->generation,
		.workspaces = c->workspaces, .n_workspaces = c->n_workspaces,
		.services = c->llms, .n_services = c->n_llms,
		.shipped = shipped, .n_shipped = c->n_catalogue,
		.templates = c->templates, .n_templates = c->n_templates,
		.prompts = c->prompts, .n_prompts = c->n_prompts,
		.platform = c->platform, .chat_service = c->chat_llm_service,
		.set = {
			.platform = c->platform.text != NULL,
			.chat_service = c->chat_llm_service &&
				*c->chat_llm_service,
		},
	};
	categories_of(out, c, a);
	return out;
}
