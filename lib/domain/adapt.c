/* SPDX-License-Identifier: MIT */
/* The catalog of the files: their structs, and prompts to choose from as rows. */
#include <stdlib.h>
#include <string.h>

#include "domain/catalog.h"
#include "base/limits.h"
#include "domain/filled.h"

#include "base/banned.h"

/* By what resource_compare sorts; two that differ only in case are one. */
static struct uuid id_of_category(const char *name, struct arena *a)
{
	return uuid_of_name(STR("catalogue.d categories"),
			    resource_fold(a, str_of(name)));
}

/* The categories that prompts name, each once, as in the first of them. */
static void categories_of(struct catalog *out, const struct conf *c,
			  struct arena *a)
{
	const struct resource *r = &resources[RESOURCE_PROMPT_CATEGORY];
	struct resource_row *v = NULL;
	size_t n = 0, kept = 0, room = 0;

	for (size_t i = 0; i < c->n_catalogue; i++) {
		const struct conf_list *names = &c->catalogue[i].categories;

		for (size_t k = 0; k < names->n; k++) {
			v = arena_room(a, v, n, 1, &room, sizeof(*v));
			filled_file_row(r, id_of_category(names->v[k], a), &v[n]);
			v[n].v[COLUMN(PROMPT_CATEGORY, name)] =
				DB_S(str_of(names->v[k]));
			resource_sort(r, a, &v[n++]);
		}
	}
	if (n)
		qsort(v, n, sizeof(*v), resource_compare);
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

static void shipped_of(struct catalog *out, const struct conf *c, struct arena *a)
{
	const struct resource *r = &resources[RESOURCE_PROMPT];
	struct resource_row *v = arena_zalloc(a, c->n_catalogue + 1, sizeof(*v));

	for (size_t i = 0; i < c->n_catalogue; i++) {
		const struct catalogue_prompt *p = &c->catalogue[i];

		filled_file_row(r, uuid_of_name(STR("catalogue.d"), str_of(p->id)), &v[i]);
		filled_to_row(r, p, a, &v[i]);
		resource_sort(r, a, &v[i]);
		v[i].version = p->version - 1;
		v[i].v[COLUMN(PROMPT, tier)] = DB_S(STR("shipped"));
		if (p->categories.n)
			v[i].v[COLUMN(PROMPT, prompt_in_category)] =
				DB_B(ids_of(&p->categories, a));
	}
	qsort(v, c->n_catalogue, sizeof(*v), resource_compare);
	out->shipped = v;
	out->n_shipped = c->n_catalogue;
}

const struct catalog *catalog_adapt(const struct conf *c, struct arena *a)
{
	struct catalog *out = arena_new(a, struct catalog);

	*out = (struct catalog){
		.version = c->generation,
		.workspaces = c->workspaces, .n_workspaces = c->n_workspaces,
		.services = c->llms, .n_services = c->n_llms,
		.templates = c->templates, .n_templates = c->n_templates,
		.prompts = c->prompts, .n_prompts = c->n_prompts,
		.platform = c->platform, .chat_service = c->chat_llm_service,
		.set = {
			.platform = c->platform.text != NULL,
			.chat_service = c->chat_llm_service &&
				*c->chat_llm_service,
		},
	};
	shipped_of(out, c, a);
	categories_of(out, c, a);
	return out;
}
