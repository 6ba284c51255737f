/* SPDX-License-Identifier: MIT */
#include "domain/catalog.h"

#include "auth/policy.h"

#include "base/banned.h"

static const void *make(const struct conf *c, struct arena *a)
{
	return catalog_adapt(c, a);
}

const struct catalog *catalog_of(const struct conf *c)
{
	return conf_made(c, CONF_MADE_CATALOG, make);
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
