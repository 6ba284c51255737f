/* SPDX-License-Identifier: MIT */
/*
 * prompt, category: prompts of the tenant and of groups, or of one user, and
 * their categories. A prompt is found by its name among those of its holder: of
 * several with the same name, the first in a file is the oldest.
 */
#include <string.h>

#include "domain/catalog.h"
#include "exchange.h"
#include "store/prompt.h"

#include "base/banned.h"

static const struct resource *const categories =
	&resources[RESOURCE_PROMPT_CATEGORY];

/* -- which there are -------------------------------------------------------------- */

static int each(struct exchange_run *m, cli_exchange_take *take, void *ctx, struct err *e)
{
	const struct resource *r = cli_exchange_of(m);
	struct str tenant = m->by.owner.tenant_id;
	struct uuid holder = resource_of_tenant(tenant);
	struct uuid after = { { 0 } }, next;
	bool more = true;

	if (m->user)
		return cli_exchange_each_held(m, r, &m->by.owner.user_id, take, ctx,
					  e);
	if (m->group) {
		holder = resource_of_group(tenant, str_of(m->group));
		return cli_exchange_each_held(m, r, &holder, take, ctx, e);
	}
	while (more) {
		if (cli_exchange_each_held(m, r, &holder, take, ctx, e) ||
		    store_prompt_team(m->by.db, tenant, &after, &next, &more, e))
			return -1;
		if (more)
			after = holder = next;
	}
	return 0;
}

static const char *name_of(struct exchange_run *m, const struct resource_row *row)
{
	const char *name = cli_exchange_text(m, row, COLUMN(PROMPT, name));
	const char *group = cli_exchange_text(m, row, COLUMN(PROMPT, team));

	return *group ? arena_printf(&m->s->arena, "%s/%s", group, name) : name;
}

/* -- categories, by their names ------------------------------------------------------ */

static int read_categories(struct exchange_run *m, struct err *e)
{
	const struct resource_at at = resource_own(&m->by.owner);
	const struct resource_want want = { .size = LIM_PROMPT_CATEGORIES };
	bool more;

	return m->categories ? 0
		: resource_list(m->by.db, categories, &at, &want, &m->s->arena,
				&m->categories, &m->n_categories, &more, e);
}

static int shown(struct exchange_run *m, struct resource_row *row, struct err *e)
{
	const struct catalog *c = catalog_of(m->by.conf);
	struct db_val *v = &row->v[COLUMN(PROMPT, prompt_in_category)];
	json_t *names = jx_keep(&m->s->arena, json_array());

	if (v->null || !v->s.n) {
		v->null = true;
		return 0;
	}
	if (read_categories(m, e))
		return -1;
	for (size_t i = 0; i < m->n_categories; i++)
		if (resource_ids_have(v, &m->categories[i].id))
			json_array_append_new(names, jx_string(resource_text(
				&m->categories[i], COLUMN(PROMPT_CATEGORY, name))));
	for (size_t i = 0; i < c->n_categories; i++)
		if (resource_ids_have(v, &c->categories[i].id))
			json_array_append_new(names, jx_string(resource_text(
				&c->categories[i], COLUMN(PROMPT_CATEGORY, name))));
	v->s = str_of(jx_text(&m->s->arena, names));
	return 0;
}

static const struct uuid *category(const struct exchange_run *m, struct str name)
{
	const struct catalog *c = catalog_of(m->by.conf);

	for (size_t i = 0; i < m->n_categories; i++)
		if (str_eq(resource_text(&m->categories[i], COLUMN(PROMPT_CATEGORY, name)),
			   name))
			return &m->categories[i].id;
	for (size_t i = 0; i < c->n_categories; i++)
		if (str_eq(resource_text(&c->categories[i], COLUMN(PROMPT_CATEGORY, name)),
			   name))
			return &c->categories[i].id;
	return NULL;
}

/* Replaces the names by the field of the API. */
static int take_categories(struct exchange_run *m, struct exchange_item *i, struct err *e)
{
	const json_t *names = json_object_get(i->body, CLI_EXCHANGE_NAMES);
	json_t *ids = jx_keep(&m->s->arena, json_array());
	char text[UUID_TEXT_BYTES];

	if (json_object_get(i->body, "categoryIds"))
		return err_field(e, ERR_INVALID_FIELD, "categoryIds", "Ids are valid "
				 "in one database only: name the " CLI_EXCHANGE_NAMES
				 " instead.");
	if (!names)
		return 0;
	if (!json_is_array(names))
		return err_field(e, ERR_INVALID_FIELD, CLI_EXCHANGE_NAMES,
				 CLI_EXCHANGE_NAMES " must be a list of names.");
	if (read_categories(m, e))
		return -1;
	for (size_t k = 0; k < json_array_size(names); k++) {
		const char *s = json_string_value(json_array_get(names, k));
		struct str name = str_of(s ? s : "");
		const struct uuid *id = category(m, name);

		if (!id)
			return err_field(e, ERR_INVALID_FIELD, CLI_EXCHANGE_NAMES,
					 "There is no category \"%.*s\": see "
					 "`lamplighter category`.",
					 (int)MIN(name.n, 100), name.p);
		json_array_append_new(ids, json_string(uuid_format(id, text)));
	}
	json_object_del(i->body, CLI_EXCHANGE_NAMES);
	json_object_set(i->body, "categoryIds", ids);
	return 0;
}

/* -- import ---------------------------------------------------------------------------- */

/* The holder, from the tier and the group, which are normalised. */
static int take_tier(struct exchange_run *m, struct exchange_item *i, struct uuid *holder,
		     struct err *e)
{
	struct str tier = jx_str(i->body, "tier");
	struct str group = jx_str(i->body, "group"), tenant = m->by.owner.tenant_id;

	if (m->user && tier.p && !str_is(tier, "private"))
		return err_field(e, ERR_INVALID_FIELD, "tier", "With --user only "
				 "private prompts are imported.");
	if (!m->user && !str_is(tier, "tenant") && !str_is(tier, "team"))
		return err_field(e, ERR_INVALID_FIELD, "tier", "tier must be "
				 "tenant, or team with a group; a private "
				 "prompt needs --user, its owner.");
	if (!group.n != !str_is(tier, "team"))
		return err_field(e, ERR_INVALID_FIELD, "group", "A prompt of "
				 "the tier team must have a group, and no "
				 "other prompt has one.");
	if (m->group && !str_is(group, m->group))
		return err_field(e, ERR_INVALID_FIELD, "group", "With --group only "
				 "prompts of that group are imported.");
	*holder = m->by.owner.user_id;
	if (m->user)
		json_object_set_new(i->body, "tier", json_string("private"));
	else
		*holder = group.n ? resource_of_group(tenant, group)
			: resource_of_tenant(tenant);
	i->name = arena_printf(&m->s->arena, "%.*s%s%.*s", STR_ARG(group),
			       group.n ? "/" : "",
			       STR_ARG(jx_str(i->body, "name")));
	return 0;
}

static bool is_taken(const struct exchange_run *m, const struct uuid *id)
{
	for (size_t i = 0; i < m->n_taken; i++)
		if (uuid_eq(&m->taken[i], id))
			return true;
	return false;
}

static bool is_first(const struct resource_row *a, const struct resource_row *b)
{
	if (!b || a->created_us != b->created_us)
		return !b || a->created_us < b->created_us;
	return memcmp(&a->id, &b->id, sizeof(a->id)) < 0;
}

struct naming {
	struct exchange_item *item;
	const struct uuid *holder;
	struct str name, folded;
};

static int take_named(struct exchange_run *m, const struct resource_row *row, void *ctx,
		      struct err *e)
{
	const struct naming *k = ctx;
	struct exchange_item *i = k->item;

	(void)e;
	if (uuid_eq(&row->holder, k->holder) &&
	    str_eq(resource_text(row, COLUMN(PROMPT, name)), k->name) &&
	    !is_taken(m, &row->id) && is_first(row, i->now))
		i->now = row;
	return !str_eq(row->sort_key, k->folded);
}

/* The first remaining row of the holder with that name. */
static int find_named(struct exchange_run *m, struct exchange_item *i,
		      const struct uuid *holder, struct str name, struct err *e)
{
	const struct resource_at at = {
		.by = m->by.owner, .readers = holder, .n_readers = 1,
	};
	struct naming k = { i, holder, name, resource_fold(&m->s->arena, name) };

	return cli_exchange_pages(m, cli_exchange_of(m), &at, k.folded, take_named, &k,
			      e);
}

static int find_prompt(struct exchange_run *m, struct exchange_item *i, struct err *e)
{
	struct uuid holder;
	struct str name;

	if (cli_exchange_take_text(m, i, "name", &name, e) ||
	    take_tier(m, i, &holder, e) || take_categories(m, i, e))
		return -1;
	return find_named(m, i, &holder, name, e);
}

/* -- categories ------------------------------------------------------------------------ */

static int find_category(struct exchange_run *m, struct exchange_item *i, struct err *e)
{
	struct str name;

	if (cli_exchange_take_text(m, i, "name", &name, e) || read_categories(m, e))
		return -1;
	i->name = name.p;
	for (size_t k = 0; k < m->n_categories; k++)
		if (str_eq(resource_text(&m->categories[k], COLUMN(PROMPT_CATEGORY, name)),
			   name))
			i->now = &m->categories[k];
	return 0;
}

static const char *name_of_category(struct exchange_run *m,
				    const struct resource_row *row)
{
	return cli_exchange_text(m, row, COLUMN(PROMPT_CATEGORY, name));
}

const struct exchange_kind cli_exchange_prompt = {
	.name = "prompt", .plural = "prompts", .id = RESOURCE_PROMPT,
	.options = "ug", .named_by = "name",
	.second = COLUMN(PROMPT, description), .each = each, .find = find_prompt,
	.name_of = name_of, .shown = shown,
};
const struct exchange_kind cli_exchange_category = {
	.name = "category", .plural = "categories",
	.id = RESOURCE_PROMPT_CATEGORY, .options = "", .named_by = "name",
	.second = COLUMN(PROMPT_CATEGORY, description), .each = cli_exchange_each,
	.find = find_category,
	.name_of = name_of_category,
};
