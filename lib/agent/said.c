#include "agent/said.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/auto.h"
#include "agent/catalog.h"
#include "auth/policy.h"
#include "base/limits.h"
#include "resource/resource.h"

#include "base/banned.h"

/* -- whose ----------------------------------------------------------------------- */

static struct setting_said *new_said(struct arena *a, size_t n)
{
	struct setting_said *s = arena_new(a, struct setting_said);

	s->v = arena_zalloc(a, n, sizeof(*s->v));
	s->n = n;
	return s;
}

static struct setting_holder tenant_of(struct str tenant)
{
	return (struct setting_holder){
		.level = LEVEL_TENANT, .id = resource_of_tenant(tenant),
		.name = tenant,
	};
}

static struct setting_holder team_of(struct str tenant, struct str group)
{
	return (struct setting_holder){
		.level = LEVEL_TEAM, .id = resource_of_group(tenant, group),
		.name = group,
	};
}

static int by_name(const void *a, const void *b)
{
	const struct setting_holder *x = a, *y = b;
	int order = memcmp(x->name.p, y->name.p, MIN(x->name.n, y->name.n));

	return order ? order : (x->name.n > y->name.n) - (x->name.n < y->name.n);
}

struct setting_said *setting_holders(const struct identity *who,
				     struct arena *a)
{
	struct setting_said *s = new_said(a, who->n_groups + 2);

	s->v[0] = (struct setting_holder){
		.level = LEVEL_USER, .id = who->user_id, .name = who->login,
	};
	for (size_t i = 0; i < who->n_groups; i++)
		s->v[i + 1] = team_of(who->tenant, who->groups[i]);
	qsort(s->v + 1, who->n_groups, sizeof(*s->v), by_name);
	s->v[s->n - 1] = tenant_of(who->tenant);
	return s;
}

struct setting_said *setting_holders_of_team(struct str tenant, struct str group,
					     struct arena *a)
{
	struct setting_said *s = new_said(a, 2);

	s->v[0] = team_of(tenant, group);
	s->v[1] = tenant_of(tenant);
	return s;
}

struct setting_said *setting_holders_of_tenant(struct str tenant,
					       struct arena *a)
{
	struct setting_said *s = new_said(a, 1);

	s->v[0] = tenant_of(tenant);
	return s;
}

struct uuid *setting_ids(const struct setting_said *s, struct arena *a)
{
	struct uuid *ids = arena_alloc(a, s->n * sizeof(*ids));

	ids[0] = s->v[0].id;
	if (s->n > 1)
		ids[1] = s->v[s->n - 1].id;
	for (size_t i = 2; i < s->n; i++)
		ids[i] = s->v[i - 1].id;
	return ids;
}

/* -- what they say --------------------------------------------------------------- */

static void take(struct setting_holder *h, const struct store_setting *row,
		 struct arena *a)
{
	struct err ignored = ERR_INIT;
	json_t *said = jx_keep(a, jx_load_lenient(row->said, &ignored));

	h->version = row->version;
	h->said = json_is_object(said) ? said : NULL;
}

void setting_take(struct setting_said *s, const struct store_setting *rows,
		  size_t n, struct arena *a)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < s->n; k++)
			if (uuid_eq(&rows[i].holder_id, &s->v[k].id))
				take(&s->v[k], &rows[i], a);
}

int setting_read(struct db *db, struct str tenant, struct setting_said *s,
		 struct arena *a, struct err *e)
{
	struct store_setting *rows = arena_zalloc(a, s->n, sizeof(*rows));
	size_t n;

	if (store_setting_read(db, tenant, setting_ids(s, a), s->n, a, rows, &n,
			       e) < 0)
		return -1;
	setting_take(s, rows, n, a);
	return 0;
}

int setting_read_for(struct caller *by, struct err *e)
{
	struct setting_said *s;

	if (by->said || !by->who)
		return 0;
	s = setting_holders(by->who, by->arena);
	if (setting_read(by->db, by->who->tenant, s, by->arena, e) < 0)
		return -1;
	by->said = s;
	return 0;
}

void setting_default(const struct caller *by, const struct workspace **w,
		     const struct agent **agent)
{
	const struct setting_scope in = { .conf = by->conf, .said = by->said };
	struct setting_value space = setting_get(SETTING_DEFAULT_WORKSPACE, &in);
	struct setting_value a = setting_get(SETTING_DEFAULT_AGENT, &in);
	size_t at = 0;

	*w = space.text ? catalog_find(by, str_of(space.text)) : NULL;
	if (!*w)
		*w = catalog_each(by, &at);
	*agent = *w && a.text ? workspace_agent(*w, str_of(a.text)) : NULL;
	if (*w && !*agent)
		*agent = workspace_default_agent(*w);
}

/* -- changes --------------------------------------------------------------------- */

struct change {
	const struct caller *by;
	const struct setting_said *s;	/* with what is said after it */
	struct setting_scope scope;
	enum setting_level level;
	struct arena *a;
};

static int unknown(const char *key, struct err *e)
{
	const char *keys[SETTING__MAX], *meant;
	size_t n = 0, len = strlen(key);

	for (int i = 0; i < SETTING__MAX; i++)
		if (setting_rows[i].type != SETTING_INTERNAL)
			keys[n++] = setting_rows[i].key;
	meant = len > LIM_SLUG_BYTES ? NULL
		: str_nearest(str_of(key), keys, n, sizeof(*keys),
			      (int)MAX(len / 2, 1));
	if (meant)
		return err_field(e, ERR_UNKNOWN_FIELD, key, "There is no setting "
				 "\"%.60s\"; did you mean \"%s\"?", key, meant);
	return err_field(e, ERR_UNKNOWN_FIELD, key,
			 "There is no setting \"%.60s\".", key);
}

static int not_here(const struct setting_row *row, struct err *e)
{
	char levels[64] = "";
	size_t n = 0;

	for (int l = LEVEL_USER; l <= LEVEL_TENANT; l++)
		if (row->levels & 1u << l)
			n += (size_t)snprintf(levels + n, sizeof(levels) - n,
				"%s%s", n ? " and " : "",
				setting_level_name((enum setting_level)l));
	return err_field(e, ERR_INVALID_FIELD, row->key,
			 "%s can only be set on the level %s.", row->key, levels);
}

/* Whether they decide for everyone, seeing what there is or not. */
static bool manages(const struct caller *by)
{
	return !by->who || policy_may(by->who, PERM_SETTINGS_MANAGE);
}

/* The workspace, if the caller sees it; the command sees all. */
static const struct workspace *workspace_of(const struct change *c,
					    struct str id)
{
	return c->by->who ? catalog_find(c->by, id)
		: catalog_workspace(c->by->conf, id);
}

/* Who manages settings may name for others what they do not see themselves. */
static bool is_workspace(const struct change *c, struct str id)
{
	return workspace_of(c, id) || (c->level != LEVEL_USER && manages(c->by) &&
				       catalog_workspace(c->by->conf, id));
}

static bool is_service(const struct caller *by, struct str id)
{
	return str_is(id, AUTO_SERVICE) || catalog_service(by->conf, id);
}

/* Whether there is this LLM service, and the caller may know that. */
static bool knows_service(const struct caller *by, const struct setting_said *s,
			  struct str id)
{
	/* What the tenant offers to everyone. */
	const struct setting_said offer = { .v = &s->v[s->n - 1], .n = 1 };
	const struct setting_scope in = { .conf = by->conf, .said = &offer };

	return is_service(by, id) &&
		(str_is(id, AUTO_SERVICE) || manages(by) ||
		 policy_may(by->who, PERM_SERVICES_READ) ||
		 setting_lists(SETTING_LLM_SERVICES, &in, id));
}

static int check_service(const struct change *c, struct str id, struct err *e)
{
	const char *key = setting_rows[SETTING_LLM_SERVICE].key;
	/* An admin may write it down; it counts once the lists have it. */
	bool chooses = c->level != LEVEL_TENANT && c->by->who;
	bool there = is_service(c->by, id);

	if (!chooses && !there)
		return err_field(e, ERR_INVALID_FIELD, key, "%s: there is no LLM "
				 "service \"%.64s\".", key, id.p);
	/* The same for what there is not: which ones there are is not told. */
	if (chooses && !(there && setting_lists(SETTING_LLM_SERVICES, &c->scope,
						id)))
		return err_field(e, ERR_INVALID_FIELD, key, "%s: \"%.64s\" is not "
				 "one of the LLM services to choose from "
				 "(llm_services).", key, id.p);
	return 0;
}

static int check_services(const struct change *c, const json_t *list,
			  struct err *e)
{
	const char *key = setting_rows[SETTING_LLM_SERVICES].key;
	const json_t *v;
	size_t i;

	json_array_foreach((json_t *)list, i, v)
		if (!knows_service(c->by, c->s, str_of(json_string_value(v))))
			return err_field(e, ERR_INVALID_FIELD, key, "%s: there "
					 "is no LLM service \"%.64s\".", key,
					 json_string_value(v));
	return 0;
}

/* The workspace that a new conversation has without naming one, if the caller sees
   it; or NULL. */
static const struct workspace *default_of(const struct change *c)
{
	struct setting_value v = setting_get(SETTING_DEFAULT_WORKSPACE,
					     &c->scope);
	size_t at = 0;

	return v.text ? workspace_of(c, str_of(v.text))
		: c->by->who ? catalog_each(c->by, &at) : NULL;
}

static int check_agent(const struct change *c, struct err *e)
{
	struct setting_value v = setting_get(SETTING_DEFAULT_AGENT, &c->scope);
	const char *key = setting_rows[SETTING_DEFAULT_AGENT].key;
	const struct workspace *w = default_of(c);

	if (v.level != c->level || !w || workspace_agent(w, str_of(v.text)))
		return 0;
	return err_field(e, ERR_INVALID_FIELD, key, "%s: the workspace %s has no "
			 "agent \"%.64s\".", key, w->id, v.text);
}

/* Whether ids in what is said now are of something. */
static int check_names(const struct change *c, const json_t *change,
		       struct err *e)
{
	const json_t *said = c->s->v[0].said, *v;
	const char *key = setting_rows[SETTING_DEFAULT_WORKSPACE].key;
	struct str id = jx_str(said, key);

	if (json_object_get(change, key) && id.p && !is_workspace(c, id))
		return err_field(e, ERR_INVALID_FIELD, key, "%s: there is no "
				 "workspace \"%.64s\".", key, id.p);
	if ((json_object_get(change, key) ||
	     json_object_get(change, setting_rows[SETTING_DEFAULT_AGENT].key)) &&
	    check_agent(c, e) < 0)
		return -1;
	v = json_object_get(change, setting_rows[SETTING_LLM_SERVICES].key);
	if (json_is_array(v) && check_services(c, v, e) < 0)
		return -1;
	id = jx_str(change, setting_rows[SETTING_LLM_SERVICE].key);
	return id.p ? check_service(c, id, e) : 0;
}

static int check_value(const char *key, const json_t *v,
		       enum setting_level level, struct err *e)
{
	const struct setting_row *row = setting_find(str_of(key));
	struct setting_value out;

	if (!row || row->type == SETTING_INTERNAL)
		return unknown(key, e);
	if (json_is_null(v))
		return 0;
	return row->levels & 1u << level ? setting_parse(row, v, &out, e)
		: not_here(row, e);
}

int setting_check(const json_t *change, enum setting_level level, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)change, key, v)
		if (check_value(key, v, level, e) < 0)
			return -1;
	return 0;
}

const json_t *setting_changed(const struct caller *by,
			      const struct setting_said *s,
			      const json_t *change, struct arena *a,
			      struct err *e)
{
	struct setting_said *after = new_said(a, s->n);
	struct change c = {
		.by = by, .s = after, .level = s->v[0].level, .a = a,
		.scope = { .conf = by->conf, .said = after },
	};
	json_t *said = jx_keep(a, s->v[0].said ? json_copy((json_t *)s->v[0].said)
			       : json_object());
	const char *key;
	json_t *v;

	if (setting_check(change, c.level, e) < 0)
		return NULL;
	json_object_foreach((json_t *)change, key, v)
		if (json_is_null(v))
			json_object_del(said, key);
		else
			json_object_set(said, key, v);
	memcpy(after->v, s->v, s->n * sizeof(*s->v));
	after->v[0].said = said;
	return check_names(&c, change, e) < 0 ? NULL : said;
}

int setting_store(struct db *db, struct str tenant, const struct setting_said *s,
		  const json_t *said, bool *stored, struct err *e)
{
	const struct setting_holder *h = &s->v[0];
	const struct setting_holder *all = &s->v[s->n - 1];	/* the tenant */
	const struct store_setting mark = {
		.holder_id = all->id, .level = all->level, .name = all->name,
	};
	struct arena a = ARENA_INIT;
	struct store_setting row = {
		.holder_id = h->id, .level = h->level, .name = h->name,
		.version = h->version, .said = str_of(jx_text(&a, said)),
	};
	int rc = 0;

	if (h->level == LEVEL_TEAM && !h->version)
		rc = store_setting_mark(db, &mark, e);
	if (!rc)
		rc = store_setting_put(db, tenant, &row, stored, e);
	arena_release(&a);
	return rc;
}

/* -- as JSON --------------------------------------------------------------------- */

static void put_list(struct jw *w, enum setting_id id,
		     const struct setting_scope *in, const json_t *list)
{
	const json_t *v;
	size_t i;

	jw_arr(w);
	json_array_foreach((json_t *)list, i, v)
		if (!in || setting_lists(id, in, str_of(json_string_value(v))))
			jw_str(w, str_of(json_string_value(v)));
	jw_end_arr(w);
}

void setting_write(struct jw *w, enum setting_id id,
		   const struct setting_scope *in,
		   const struct setting_value *v)
{
	const struct setting_row *row = &setting_rows[id];

	switch (row->type) {
	case SETTING_BOOL:
		jw_bool(w, v->number != 0);
		return;
	case SETTING_INT:
		jw_int(w, v->number);
		return;
	case SETTING_CHOICE:
		jw_str(w, setting_choice(row, v->number));
		return;
	case SETTING_NAMES:
		put_list(w, id, in, v->list);
		return;
	case SETTING_TEXT:
	case SETTING_NAME:
	case SETTING_INTERNAL:
		break;
	}
	if (v->text)
		jw_str(w, str_of(v->text));
	else
		jw_null(w);
}

/* What a holder says; null: nothing. */
static void put_said(struct jw *w, enum setting_id id,
		     const struct setting_holder *h)
{
	const json_t *v = h->said
		? json_object_get(h->said, setting_rows[id].key) : NULL;
	struct setting_value out = { .level = h->level };
	struct err ignored = ERR_INIT;

	if (v && setting_parse(&setting_rows[id], v, &out, &ignored) == 0)
		setting_write(w, id, NULL, &out);
	else
		jw_null(w);
}

static void put_says(struct jw *w, const struct setting_said *s,
		     enum setting_id id)
{
	const unsigned levels = setting_rows[id].levels;
	bool teams = levels & 1u << LEVEL_TEAM && s->v[0].level != LEVEL_TENANT;

	jw_key(w, "says");
	jw_obj(w);
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].level != LEVEL_TEAM && levels & 1u << s->v[i].level) {
			jw_key(w, setting_level_name(s->v[i].level));
			put_said(w, id, &s->v[i]);
		}
	if (teams) {
		jw_key(w, "team");
		jw_arr(w);
		for (size_t i = 0; i < s->n; i++) {
			if (s->v[i].level != LEVEL_TEAM || (i && (!s->v[i].said ||
			    !json_object_get(s->v[i].said, setting_rows[id].key))))
				continue;
			jw_obj(w);
			jw_kstr(w, "group", s->v[i].name);
			jw_key(w, "value");
			put_said(w, id, &s->v[i]);
			jw_end_obj(w);
		}
		jw_end_arr(w);
	}
	jw_end_obj(w);
}

static void put_workspaces(struct jw *w, const struct caller *by)
{
	const struct workspace *ws;
	size_t at = 0;

	while ((ws = catalog_each(by, &at)))
		jw_str(w, str_of(ws->id));
}

static void put_services(struct jw *w, const struct caller *by,
			 const struct setting_said *s, enum setting_id id)
{
	const struct catalog *all = catalog_of(by->conf);
	const struct setting_scope in = { .conf = by->conf, .said = s };
	bool any = id == SETTING_LLM_SERVICES || s->v[0].level == LEVEL_TENANT;

	for (size_t i = 0; i < all->n_services; i++) {
		struct str name = str_of(all->services[i].id);

		if (any ? knows_service(by, s, name)
		    : setting_lists(SETTING_LLM_SERVICES, &in, name))
			jw_str(w, name);
	}
	if (any || setting_lists(SETTING_LLM_SERVICES, &in, STR(AUTO_SERVICE)))
		jw_str(w, str_of(AUTO_SERVICE));
}

static void put_agents(struct jw *w, const struct caller *by,
		       const struct setting_said *s)
{
	const struct change c = {
		.by = by, .s = s, .level = s->v[0].level,
		.scope = { .conf = by->conf, .said = s },
	};
	const struct workspace *ws = default_of(&c);

	for (size_t i = 0; ws && i < ws->n_agents; i++)
		jw_str(w, str_of(ws->agents[i].id));
}

static void put_choices(struct jw *w, const struct caller *by,
			const struct setting_said *s, enum setting_id id)
{
	const struct setting_row *row = &setting_rows[id];
	struct str word;

	jw_key(w, "choices");
	jw_arr(w);
	for (int64_t i = 0; (word = setting_choice(row, i)).p; i++)
		jw_str(w, word);
	if (row->of == SETTING_OF_WORKSPACES)
		put_workspaces(w, by);
	else if (row->of == SETTING_OF_AGENTS)
		put_agents(w, by, s);
	else if (row->of == SETTING_OF_SERVICES)
		put_services(w, by, s, id);
	jw_end_arr(w);
}

static void put_type(struct jw *w, const struct caller *by,
		     const struct setting_said *s, enum setting_id id)
{
	static const char *const types[] = {
		[SETTING_BOOL] = "boolean", [SETTING_INT] = "integer",
		[SETTING_TEXT] = "text", [SETTING_CHOICE] = "choice",
		[SETTING_NAME] = "choice", [SETTING_NAMES] = "choices",
	};
	const struct setting_row *row = &setting_rows[id];

	jw_kstrz(w, "type", types[row->type]);
	if (row->type == SETTING_INT) {
		jw_kint(w, "minimum", row->min);
		jw_kint(w, "maximum", row->max);
	} else if (row->type == SETTING_TEXT) {
		jw_kint(w, "maxLength", row->max);
		jw_kbool(w, "multiline", !row->line);
	} else if (row->type == SETTING_NAMES) {
		jw_kint(w, "maxItems", row->max);
	}
	if (row->choices || row->of)
		put_choices(w, by, s, id);
}

void setting_describe(struct jw *w, const struct caller *by,
		      const struct setting_said *s, enum setting_id id)
{
	static const char *const merges[] = {
		[MERGE_FIRST] = "nearest", [MERGE_MOST] = "strictest",
		[MERGE_LEAST] = "smallest", [MERGE_COMMON] = "common",
	};
	const struct setting_row *row = &setting_rows[id];
	const struct setting_scope in = { .conf = by->conf, .said = s };
	struct setting_value v = setting_get(id, &in);

	jw_obj(w);
	jw_kstrz(w, "key", row->key);
	jw_kstrz(w, "label", row->label);
	jw_kstrz(w, "help", row->what);
	put_type(w, by, s, id);
	jw_kstrz(w, "merge", merges[row->merge]);
	jw_key(w, "levels");
	jw_arr(w);
	for (int l = LEVEL_USER; l <= LEVEL_TENANT; l++)
		if (row->levels & 1u << l)
			jw_str(w, str_of(setting_level_name((enum setting_level)l)));
	jw_end_arr(w);
	jw_kbool(w, "editable", row->levels & 1u << s->v[0].level);
	jw_key(w, "value");
	setting_write(w, id, &in, &v);
	jw_kstrz(w, "from", setting_level_name(v.level));
	put_says(w, s, id);
	jw_end_obj(w);
}
