/* SPDX-License-Identifier: MIT */
#include "domain/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "auth/policy.h"
#include "base/limits.h"
#include "domain/filled.h"

#include "base/banned.h"

/* -- what files have as rows ----------------------------------------------- */

/* The catalog of the files: their structs, and prompts to choose from as rows. */

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

static const struct catalog *catalog_adapt(const struct conf *c, struct arena *a)
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

/* -- the catalog -------------------------------------------------------------- */

static const void *make(const struct conf *c, struct arena *a)
{
	return catalog_adapt(c, a);
}

const struct catalog *catalog_of(const struct conf *c)
{
	return conf_derived(c, CONF_DERIVED_CATALOG, make);
}

bool catalog_sees(const struct caller *by, const struct workspace *w)
{
	return by->installation || (policy_in_groups(by->who, &w->visible_to) &&
		policy_may_ask(by->who, str_of(w->id), (struct str){ NULL, 0 }));
}

const struct workspace *catalog_find(const struct caller *by, struct str id)
{
	const struct workspace *w = catalog_workspace(by->conf, id);

	return w && catalog_sees(by, w) ? w : NULL;
}

const struct workspace *catalog_each(const struct caller *by, size_t *at)
{
	const struct catalog *c = catalog_of(by->conf);

	while (*at < c->n_workspaces) {
		const struct workspace *w = &c->workspaces[(*at)++];

		if (catalog_sees(by, w))
			return w;
	}
	return NULL;
}

#define FIND(array, count, member, key) \
	for (size_t i = 0; i < (count); i++) \
		if (str_is((key), (array)[i].member)) \
			return &(array)[i]; \
	return NULL

const struct workspace *catalog_workspace(const struct conf *conf,
					  struct str id)
{
	const struct catalog *c = catalog_of(conf);

	FIND(c->workspaces, c->n_workspaces, id, id);
}

const char *catalog_service_near(const struct conf *conf, struct str unknown)
{
	const struct catalog *c = catalog_of(conf);

	return str_nearest(unknown, CATALOG_IDS(c->services, c->n_services),
			   c->n_services, sizeof(*c->services), 1 + (int)MIN(unknown.n, 64) / 3);
}

const struct llm_service *catalog_service(const struct conf *conf,
					  struct str id)
{
	const struct catalog *c = catalog_of(conf);

	FIND(c->services, c->n_services, id, id);
}

const struct prompt *catalog_prompt(const struct conf *conf, struct str name)
{
	const struct catalog *c = catalog_of(conf);

	FIND(c->prompts, c->n_prompts, name, name);
}

const struct resource_row *catalog_shipped(const struct conf *conf, const struct uuid *id)
{
	const struct catalog *c = catalog_of(conf);

	for (size_t i = 0; i < c->n_shipped; i++)
		if (uuid_eq(&c->shipped[i].id, id))
			return &c->shipped[i];
	return NULL;
}

const struct agent_template *catalog_template(const struct conf *conf, struct str id)
{
	const struct catalog *c = catalog_of(conf);

	FIND(c->templates, c->n_templates, agent.id, id);
}
