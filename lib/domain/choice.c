/* SPDX-License-Identifier: MIT */
#include "domain/choice.h"

#include <string.h>

#include "domain/auto.h"
#include "domain/catalog.h"
#include "domain/stored.h"
#include "domain/stored_service.h"
#include "domain/target.h"
#include "auth/policy.h"
#include "base/limits.h"

#include "base/banned.h"

/* -- of new conversations --------------------------------------------------------- */

static struct str text_of(const struct setting_value *v)
{
	return v->text ? str_of(v->text) : (struct str){ NULL, 0 };
}

/*
 * The workspace with this id and its default agent; *w is NULL if the caller
 * sees none.
 */
static int find_default(const struct caller *by, struct str id,
			const struct workspace **w, const struct agent **a,
			struct err *e)
{
	*w = NULL;
	if (!id.p || target_scope(by, id, (struct str){ NULL, 0 }, w, a, e) == 0)
		return 0;
	*w = NULL;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

/*
 * The first workspace that the caller sees; stored ones only if settings are
 * read.
 */
static int first_of(const struct caller *by, const struct workspace **w,
		    const struct agent **a, struct err *e)
{
	const struct workspace **all;
	size_t at = 0, n;

	*w = catalog_each(by, &at);
	*a = *w ? workspace_default_agent(*w) : NULL;
	if (*w || !by->settings)
		return 0;
	if (stored_workspaces(by, &all, &n, e) < 0)
		return -1;
	return n ? find_default(by, str_of(all[0]->id), w, a, e) : 0;
}

int choice_default(const struct caller *by, const struct workspace **w,
		    const struct agent **agent, struct err *e)
{
	const struct setting_scope in = { .conf = by->conf, .values = by->settings,
					  .passed = AUTO_WORKSPACE };
	struct setting_value space = setting_get(SETTING_DEFAULT_WORKSPACE, &in);
	struct setting_value a = setting_get(SETTING_DEFAULT_AGENT, &in);
	const struct agent *found;

	*agent = NULL;
	if (find_default(by, text_of(&space), w, agent, e) < 0 ||
	    (!*w && first_of(by, w, agent, e) < 0))
		return -1;
	if (!*w || !a.text)
		return 0;
	if (target_agent(by, *w, str_of(a.text), &found, e) == 0)
		*agent = found;
	else if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

/* -- changes ---------------------------------------------------------------------- */

struct change {
	const struct caller *by;
	const struct setting_values *s;	/* including the change */
	struct setting_scope scope;
	enum setting_level level;
	struct arena *a;
};

/* The nearest of n ids, for who writes the files; others are not told what exists. */
static const char *nearest(const struct change *c, struct str id, const void *v,
			   size_t n, size_t size)
{
	return c->level == LEVEL_INSTALLATION
		? str_nearest(id, v, n, size, 1 + (int)MIN(id.n, 64) / 3) : NULL;
}

#define NEAREST(c, id, v, n) \
	nearest((c), (id), CATALOG_IDS((v), (n)), (n), sizeof(*(v)))

/* Whether the caller decides for everyone, without having to see what they name. */
static bool manages(const struct caller *by)
{
	return !by->who || policy_may(by->who, PERM_SETTINGS_MANAGE);
}

/* A workspace from files or rows; *w is NULL if by sees none. */
static int find_workspace(const struct caller *by, struct str id,
			  const struct workspace **w, struct err *e)
{
	const struct agent *a;

	*w = by->who ? catalog_find(by, id) : catalog_workspace(by->conf, id);
	if (*w || stored_find(by, id, (struct str){ NULL, 0 }, w, &a, e) == 0)
		return 0;
	*w = NULL;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

/* Managers of settings may name workspaces for others that they do not see. */
static int workspace_of(const struct caller *by, const struct setting_values *s,
			struct str id, const struct workspace **w, struct err *e)
{
	struct caller all = *by;

	if (find_workspace(by, id, w, e) < 0)
		return -1;
	if (*w || s->v[0].level == LEVEL_USER || !manages(by))
		return 0;
	all.who = NULL;
	return find_workspace(&all, id, w, e);
}

int choice_workspace(const struct caller *by, const struct setting_values *s,
		      const struct workspace **w, struct err *e)
{
	struct setting_value v = setting_get(SETTING_DEFAULT_WORKSPACE,
		&(struct setting_scope){ .conf = by->conf, .values = s,
					 .passed = AUTO_WORKSPACE });
	const struct workspace **all;
	size_t n;

	*w = NULL;
	if (v.text)
		return workspace_of(by, s, str_of(v.text), w, e);
	if (!by->who)
		return 0;
	if (stored_workspaces(by, &all, &n, e) < 0)
		return -1;
	*w = n ? all[0] : NULL;
	return 0;
}

bool choice_tells_service(const struct caller *by, const struct setting_values *s,
			   struct str id)
{
	/* What the tenant offers to everyone. */
	const struct setting_values offer = { .v = &s->v[s->n - 1], .n = 1 };
	const struct setting_scope in = { .conf = by->conf, .values = &offer };

	return str_is(id, AUTO_SERVICE) || manages(by) ||
		policy_may(by->who, PERM_SERVICES_READ) ||
		setting_lists(SETTING_LLM_SERVICES, &in, id);
}

/* *s is NULL for "auto", too. */
static int find_service(const struct caller *by, struct str id,
			const struct llm_service **s, bool *there, struct err *e)
{
	*s = NULL;
	*there = str_is(id, AUTO_SERVICE);
	if (*there)
		return 0;
	/* Settings apply in all workspaces, so none of one workspace's. */
	if (stored_service_look(by, (struct str){ NULL, 0 }, id, s, e) < 0)
		return -1;
	*there = *s != NULL;
	return 0;
}

/* key: llm_service or summary_service, which only the tenant has. */
static int check_service(const struct change *c, const char *key, struct str id,
			 struct err *e)
{
	/* An admin may set it first; it applies once the lists have it. */
	bool chooses = c->level != LEVEL_TENANT && c->by->who;
	const struct llm_service *s;
	bool there;

	if (find_service(c->by, id, &s, &there, e) < 0)
		return -1;
	if (!chooses && !there)
		return err_field(e, ERR_INVALID_FIELD, key, "%s: there is no LLM "
				 "service \"%.64s\".", key, id.p);
	/*
	 * The same text for an unknown id, so that it does not reveal which ids
	 * exist.
	 */
	if (chooses && !(there && setting_lists(SETTING_LLM_SERVICES, &c->scope,
						id)))
		return err_field(e, ERR_INVALID_FIELD, key, "%s: \"%.64s\" is not "
				 "one of the LLM services to choose from "
				 "(llm_services).", key, id.p);
	return s ? stored_service_suits(s, LLM_CAN_CHAT, key, e) : 0;
}

static int check_services(const struct change *c, const json_t *list,
			  struct err *e)
{
	const char *key = setting_rows[SETTING_LLM_SERVICES].key;
	const struct catalog *all = catalog_of(c->by->conf);
	const struct llm_service *s;
	bool there;
	const json_t *v;
	size_t i;

	json_array_foreach((json_t *)list, i, v) {
		struct str id = str_of(json_string_value(v));
		const char *near = NEAREST(c, id, all->services,
					   all->n_services);

		if (find_service(c->by, id, &s, &there, e) < 0)
			return -1;
		if (!there || !choice_tells_service(c->by, c->s, id)) {
			(void)err_field(e, ERR_INVALID_FIELD, key,
					"%s: there is no LLM service \"%.64s\".", key, id.p);
			return err_meant(e, near);
		}
		if (s && stored_service_suits(s, LLM_CAN_CHAT, key, e) < 0)
			return -1;
	}
	return 0;
}

/* An agent of w; for other users, not one that only the caller sees. */
static int find_agent(const struct change *c, const struct workspace *w,
		      struct str id, bool *there, struct err *e)
{
	const struct uuid all = stored_agents_at(c->by, w).parent;
	const struct agent *a;

	*there = target_agent(c->by, w, id, &a, e) == 0;
	if (!*there && e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	if (*there && a->row && c->level != LEVEL_USER)
		*there = uuid_eq(&a->row->holder, &all);
	return 0;
}

/* An agent of any workspace, where each user's first one is meant. */
static int find_anywhere(const struct change *c, struct str id, bool *there,
			 struct err *e)
{
	const struct catalog *all = catalog_of(c->by->conf);
	const struct uuid admins = resource_of_admins(c->by->owner.tenant_id);
	const struct resource_at at = {
		.by = c->by->owner, .readers = &admins, .n_readers = 1,
	};
	const struct resource_want want = { .size = LIM_PAGE_MAX };
	struct resource_row *rows = NULL;
	bool more = false;
	size_t n = 0;

	*there = false;
	for (size_t i = 0; !*there && i < all->n_workspaces; i++)
		if (find_agent(c, &all->workspaces[i], id, there, e) < 0)
			return -1;
	if (!*there && c->by->db &&
	    resource_list(c->by->db, &resources[RESOURCE_WORKSPACE], &at, &want,
			  c->a, &rows, &n, &more, e) < 0)
		return -1;
	for (size_t i = 0; !*there && i < n; i++)
		if (find_agent(c, stored_workspace_of(c->by, &rows[i]), id, there,
			       e) < 0)
			return -1;
	*there |= more;		/* one of so many may have it */
	return 0;
}

static int check_anywhere(const struct change *c, struct str id, struct err *e)
{
	const struct catalog *all = catalog_of(c->by->conf);
	const char *key = setting_rows[SETTING_DEFAULT_AGENT].key, *near = NULL;
	bool there;

	if (find_anywhere(c, id, &there, e) < 0)
		return -1;
	for (size_t i = 0; !near && i < all->n_workspaces; i++)
		near = NEAREST(c, id, all->workspaces[i].agents,
			       all->workspaces[i].n_agents);
	if (there)
		return 0;
	(void)err_field(e, ERR_INVALID_FIELD, key, "%s: no workspace has an agent \"%.64s\".",
			key, id.p);
	return err_meant(e, near);
}

static int check_agent(const struct change *c, struct err *e)
{
	struct setting_value v = setting_get(SETTING_DEFAULT_AGENT, &c->scope);
	const char *key = setting_rows[SETTING_DEFAULT_AGENT].key, *near;
	const struct workspace *w;
	bool there;

	if (v.level != c->level)
		return 0;
	if (choice_workspace(c->by, c->s, &w, e) < 0)
		return -1;
	if (!w)
		return c->level == LEVEL_INSTALLATION
			? check_anywhere(c, str_of(v.text), e) : 0;
	if (find_agent(c, w, str_of(v.text), &there, e) < 0)
		return -1;
	near = NEAREST(c, str_of(v.text), w->agents, w->n_agents);
	if (there)
		return 0;
	(void)err_field(e, ERR_INVALID_FIELD, key, "%s: the workspace %s has no agent \"%.64s\".",
			key, w->id, v.text);
	return err_meant(e, near);
}

static int check_workspace(const struct change *c, struct str id, struct err *e)
{
	const char *key = setting_rows[SETTING_DEFAULT_WORKSPACE].key;
	const struct catalog *all = catalog_of(c->by->conf);
	const char *near = NEAREST(c, id, all->workspaces,
				   all->n_workspaces);
	const struct workspace *w;

	if (!strcasecmp(id.p, AUTO_WORKSPACE))
		return 0;
	if (workspace_of(c->by, c->s, id, &w, e) < 0)
		return -1;
	if (w)
		return 0;
	(void)err_field(e, ERR_INVALID_FIELD, key, "%s: there is no workspace \"%.64s\".",
			key, id.p);
	return err_meant(e, near);
}

/* Checks that the ids in the changed values exist. */
static int check_names(const struct change *c, const json_t *change,
		       struct err *e)
{
	static const enum setting_id services[] = {
		SETTING_LLM_SERVICE, SETTING_SUMMARY_SERVICE,
	};
	const json_t *values = c->s->v[0].values, *v;
	const char *key = setting_rows[SETTING_DEFAULT_WORKSPACE].key;
	struct str id = jx_str(values, key);

	if (json_object_get(change, key) && id.p &&
	    check_workspace(c, id, e) < 0)
		return -1;
	if ((json_object_get(change, key) ||
	     json_object_get(change, setting_rows[SETTING_DEFAULT_AGENT].key)) &&
	    check_agent(c, e) < 0)
		return -1;
	v = json_object_get(change, setting_rows[SETTING_LLM_SERVICES].key);
	if (json_is_array(v) && check_services(c, v, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(services); i++) {
		key = setting_rows[services[i]].key;
		id = jx_str(change, key);
		if (id.p && check_service(c, key, id, e) < 0)
			return -1;
	}
	return 0;
}

/* The same with keys instead of aliases; the key wins over its alias. */
static const json_t *by_key(const json_t *change, struct arena *a)
{
	json_t *out = jx_keep(a, json_copy((json_t *)change));

	for (int i = 0; i < SETTING__MAX; i++) {
		const struct setting_row *row = &setting_rows[i];
		json_t *v = row->alias ? json_object_get(change, row->alias)
			: NULL;

		if (!v)
			continue;
		if (!json_object_get(change, row->key))
			json_object_set(out, row->key, v);
		json_object_del(out, row->alias);
	}
	return out;
}

const json_t *choice_changed(const struct caller *by,
			      const struct setting_values *s,
			      const json_t *change, struct arena *a,
			      struct err *e)
{
	struct setting_values *after = arena_new(a, struct setting_values);
	struct change c = {
		.by = by, .s = after, .level = s->v[0].level, .a = a,
		.scope = { .conf = by->conf, .values = after },
	};
	json_t *values = jx_keep(a, s->v[0].values ? json_copy((json_t *)s->v[0].values)
			       : json_object());
	const char *key;
	json_t *v;

	if (setting_check(change, c.level, e) < 0)
		return NULL;
	change = by_key(change, a);
	json_object_foreach((json_t *)change, key, v)
		if (json_is_null(v))
			json_object_del(values, key);
		else
			json_object_set(values, key, v);
	*after = *s;
	after->v = arena_alloc(a, s->n * sizeof(*s->v));
	memcpy(after->v, s->v, s->n * sizeof(*s->v));
	after->v[0].values = values;
	return check_names(&c, change, e) < 0 ? NULL : values;
}

int choice_check_names(const struct caller *by, struct err *e)
{
	struct setting_holder file = { .level = LEVEL_INSTALLATION };
	const struct setting_values values = { .v = &file, .n = 1 };
	const struct change c = {
		.by = by, .s = &values, .level = file.level, .a = by->arena,
		.scope = { .conf = by->conf, .values = &values },
	};
	struct err why = ERR_INIT;

	if (!by->conf->settings)
		return 0;
	file.values = by_key(by->conf->settings, by->arena);
	if (check_names(&c, file.values, &why) == 0)
		return 0;
	if (why.code == ERR_INVALID_FIELD)
		return setting_conf_error(by->conf, &why, e);
	*e = why;
	return -1;
}
