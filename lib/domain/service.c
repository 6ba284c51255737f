/* SPDX-License-Identifier: MIT */
/*
 * Stored LLM services as resources: those of the tenant, those of workspaces, and
 * provider instances of users, which have an owner each. Their keys are received,
 * sealed and never sent.
 */
#include <stdlib.h>
#include <string.h>

#include "domain/auto.h"
#include "domain/catalog.h"
#include "domain/filled.h"
#include "domain/stored.h"
#include "domain/stored_service.h"
#include "domain/target.h"
#include "auth/policy.h"
#include "base/json.h"
#include "base/limits.h"
#include "conf/option.h"
#include "conf/rules.h"
#include "llm/llm.h"
#include "llm/provider.h"
#include "net/guard.h"
#include "net/url.h"
#include "resource/call.h"

#include "base/banned.h"

static int check_provider(const struct caller *by, struct str name, const char *field,
			  struct err *e)
{
	const char *s = arena_str(by->arena, name).p;
	const struct provider *p = provider_find(s);
	struct err why = ERR_INIT;

	if (p && p->dialect->build)
		return 0;
	(void)provider_unknown(s, &why);
	return err_field(e, ERR_INVALID_FIELD, field, "%s", err_message(&why));
}

/* Checks the address as written; what a name resolves to is checked on each use. */
static int check_reach(const char *url, const struct conf_list *private,
		       struct err *e)
{
	static const char *const classes[] = {
		[GUARD_PRIVATE] = "a private network",
		[GUARD_LOOPBACK] = "this server itself",
		[GUARD_METADATA] = "the network next to this server",
		[GUARD_RESERVED] = "a range that is not public",
	};
	const struct net_guard guard = guard_for_secret(private, url);
	char host[URL_HOST_BYTES];
	enum guard_class class;

	/* Placeholders are filled in later; the whole is checked on each use. */
	if (*url && !strchr(url, '{') && !url_host(url, host))
		return err_field(e, ERR_INVALID_FIELD, "url", "url names no host that "
				 "can be looked up.");
	if (guard_allows_url(&guard, url, &class))
		return 0;
	if (class == GUARD_PUBLIC)
		return err_field(e, ERR_INVALID_FIELD, "url", "url must start "
				 "with https://.");
	return err_field(e, ERR_INVALID_FIELD, "url", "url is an address of %s, "
			 "which this installation does not allow.",
			 classes[class]);
}

/*
 * Keys must not cross the open network without TLS, except to addresses that
 * the list names. Unset means the provider's own address, which may be this
 * server (Ollama).
 */
static int check_address(const struct caller *by, const struct resource *r,
			 bool is_new, struct resource_row *row,
			 const struct conf_list *private, struct err *e)
{
	const struct db_val *url = &row->v[SERVICE_COLUMN(r, url)];
	const struct db_val *provider = &row->v[SERVICE_COLUMN(r, provider)];
	const char *s = arena_str(by->arena, url->null ? provider->s
						       : url->s).p;
	const char *wrong = url->null ? NULL : check_url(s);

	/* An unchanged address is checked when it is used. */
	if (!is_new && !row->given[url - row->v] &&
	    !row->given[provider - row->v])
		return 0;
	if (url->null)
		return check_reach(provider_find(s)->url, private, e);
	if (wrong)
		return err_field(e, ERR_INVALID_FIELD, "url", "url %s.", wrong);
	if (!private->n && !str_starts(url->s, STR("https://")))
		return err_field(e, ERR_INVALID_FIELD, "url", "url must start "
				 "with https://.");
	return check_reach(s, private, e);
}

static int check_capabilities(const struct caller *by, struct str names,
			      struct err *e)
{
	json_t *j = names.p ? jx_keep(by->arena, jx_load(names, e)) : NULL;
	const char *wrong;

	if (names.p && !j)
		return -1;
	(void)stored_capabilities(j, &wrong);
	if (!wrong)
		return 0;
	if (*wrong)
		return err_field(e, ERR_INVALID_FIELD, "capabilities",
				 "There is no capability \"%.40s\".", wrong);
	return err_field(e, ERR_INVALID_FIELD, "capabilities",
			 "capabilities must have at least one of chat, tools, "
			 "vision, embed, rerank, summarize, transcribe.");
}

/*
 * A stored key belongs to the address that it was entered for: somebody who may
 * only change the row must not be able to send it elsewhere.
 */
static int check_moved(const struct resource *r, const struct resource_row *now,
		       struct resource_row *row, struct err *e)
{
	const size_t where[] = {
		SERVICE_COLUMN(r, provider), SERVICE_COLUMN(r, url),
	};
	const size_t key = SERVICE_COLUMN(r, api_key);

	if (!now || row->given[key] || row->v[key].null)
		return 0;
	/* A change in between has another version, so this one is refused. */
	for (size_t i = 0; i < ARRAY_LEN(where); i++)
		if (!resource_same(&row->v[where[i]], &now->v[where[i]]))
			return err_field(e, ERR_INVALID_FIELD, "apiKey",
					 "Enter the key again: it was stored "
					 "for another address.");
	return 0;
}

/* Quirks may redirect the key as well: of a row, only url may set the address. */
static int check_quirks(const struct caller *by, const struct resource *r,
			const struct resource_row *row, struct err *e)
{
	static const char *const of_files[] = { "url_template", "auth_header" };
	const char *provider = arena_str(by->arena,
					 resource_text(row, SERVICE_COLUMN(r, provider))).p;
	struct str text = resource_text(row, COLUMN(LLM_SERVICE, quirks));
	json_t *j = text.p ? jx_keep(by->arena, jx_try(text)) : NULL;
	struct err why = ERR_INIT;

	if (!text.p)
		return 0;
	if (!json_is_object(j) || text.n > LIM_QUIRKS_BYTES)
		return err_field(e, ERR_INVALID_FIELD, "quirks", "quirks must be "
				 "an object of at most %d bytes.",
				 LIM_QUIRKS_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(of_files); i++)
		if (json_object_get(j, of_files[i]))
			return err_field(e, ERR_INVALID_FIELD, "quirks", "Only a "
					 "service of the configuration files "
					 "may have the quirk %s.", of_files[i]);
	return llm_quirks_check(provider, j, &why) == 0 ? 0
		: err_field(e, ERR_INVALID_FIELD, "quirks", "%s", why.text);
}

/* Fallbacks must exist when they are named; a deleted one is skipped later. */
static int check_fallbacks(const struct caller *by,
			   const struct resource_row *row, struct err *e)
{
	struct str text = resource_text(row, COLUMN(LLM_SERVICE, fallbacks));
	struct str own = resource_text(row, COLUMN(LLM_SERVICE, service_id));
	const struct conf_list l = filled_list(by->arena, text);
	const struct llm_service *other;

	for (size_t i = 0; i < l.n; i++) {
		struct str id = str_of(l.v[i]);

		if (str_eq(id, own))
			return err_field(e, ERR_INVALID_FIELD, "fallbacks", "A "
					 "service cannot take over from "
					 "itself.");
		if (stored_service_look(by, (struct str){ NULL, 0 }, id, &other,
					e) < 0)
			return -1;
		if (!other)
			return err_field(e, ERR_INVALID_FIELD, "fallbacks",
					 "There is no LLM service \"%.64s\".",
					 id.p);
		if (stored_service_suits(other, LLM_CAN_CHAT, "fallbacks", e) < 0)
			return -1;
	}
	return 0;
}

/*
 * Agents that the user sees, as "workspace/agent"; one that is gone later is
 * nobody's.
 */
static int check_agents(const struct caller *by, const struct resource_row *row,
			struct err *e)
{
	struct str text = resource_text(row, COLUMN(PROVIDER_INSTANCE, agents));
	const struct conf_list l = filled_list(by->arena, text);
	const struct workspace *w;
	const struct agent *a;

	for (size_t i = 0; i < l.n; i++) {
		struct str rest = str_of(l.v[i]), name = rest;
		struct str workspace = str_cut(&rest, '/');

		if (workspace.n && rest.n &&
		    target_scope(by, workspace, rest, &w, &a, e) == 0)
			continue;
		if (e->code != ERR_NONE && e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return err_field(e, ERR_INVALID_FIELD, "agents", "There is no "
				 "agent \"%.*s\" that you can use. Name it as "
				 "workspace/agent.", (int)MIN(name.n, 130),
				 name.p);
	}
	return 0;
}

/* What an instance serves: chats of the user. */
static int check_active(const struct caller *by, const struct resource *r,
			struct resource_row *row, struct err *e)
{
	const struct db_val *active = &row->v[COLUMN(PROVIDER_INSTANCE, active)];
	const struct llm_service s = stored_service_of(by->conf, r, row,
						       by->arena);

	if (!active->null && active->i)
		return stored_service_suits(&s, LLM_CAN_CHAT, "active", e);
	return resource_text(row, COLUMN(PROVIDER_INSTANCE, agents)).p
		? stored_service_suits(&s, LLM_CAN_CHAT, "agents", e) : 0;
}

/*
 * When an existing row is changed, its address is checked only if it is given; if
 * the key is not given, the address must stay the one that the key was stored for.
 */
static int check_both(const struct caller *by, const struct resource *r,
		      struct resource_change *k, const struct conf_list *private,
		      struct err *e)
{
	const bool is_new = !k->now;

	if (check_provider(by, resource_text(&k->row, SERVICE_COLUMN(r, provider)),
			   r->fields[SERVICE_COLUMN(r, provider)].key, e) ||
	    check_address(by, r, is_new, &k->row, private, e) ||
	    check_moved(r, k->now, &k->row, e))
		return -1;
	return check_capabilities(by, resource_text(&k->row, SERVICE_COLUMN(r, capabilities)), e);
}

/* -- services of the tenant --------------------------------------------------- */

static const struct resource *const services = &resources[RESOURCE_LLM_SERVICE];

static int check_service(const struct caller *by, const struct resource *r,
			 struct resource_change *k, struct err *e)
{
	struct resource_row *row = &k->row;

	if (check_both(by, r, k, &by->conf->api_services_private, e) ||
	    ((row->given[COLUMN(LLM_SERVICE, quirks)] ||
	      row->given[COLUMN(LLM_SERVICE, provider)]) &&
	     check_quirks(by, r, row, e)) ||
	    (row->given[COLUMN(LLM_SERVICE, fallbacks)] && check_fallbacks(by, row, e)))
		return -1;
	return 0;
}

/* Completes the llmServiceId and checks that no file has it. */
static int prepare_service(const struct caller *by, const struct resource *r,
			   struct resource_change *k, struct err *e)
{
	struct db_val *id = &k->row.v[COLUMN(LLM_SERVICE, service_id)];
	char *text = arena_zalloc(by->arena, 1, UUID_TEXT_BYTES);

	(void)r;
	if (id->null)
		*id = DB_S(str_of(uuid_format(&k->row.id, text)));
	if (check_slug(arena_str(by->arena, id->s).p) ||
	    str_is(id->s, AUTO_SERVICE))
		return err_field(e, ERR_INVALID_FIELD, "llmServiceId",
				 "llmServiceId must be lower case letters, digits, - "
				 "and _, and not %s.", AUTO_SERVICE);
	if (catalog_service(by->conf, id->s))
		return err_field(e, ERR_CONFLICT, "llmServiceId", "Another LLM "
				 "service has this llmServiceId.");
	return 0;
}

static int store_service(const struct caller *by, const struct resource *r,
			 struct resource_change *k, struct err *e)
{
	return k->row.version ? stored_service_still(by, by->db, r, &k->row, e)
		: 0;
}

/* B50: a service that is in use cannot be deleted. */
static int free_service(const struct caller *by, const struct resource *r,
			struct resource_change *k, struct err *e)
{
	return stored_service_unused(by, by->db, r, &k->at, &k->row.id, e);
}

/*
 * Without addresses, which are for admins only, and without quirks, which may
 * contain some.
 */
static void row_of(const struct caller *by, const struct llm_service *s,
		   struct resource_row *row)
{
	static const size_t hidden[] = {
		COLUMN(LLM_SERVICE, url), COLUMN(LLM_SERVICE, api_version),
		COLUMN(LLM_SERVICE, deployment), COLUMN(LLM_SERVICE, quirks),
	};

	filled_file_row(services, uuid_of_name(STR("llm_services"), str_of(s->id)), row);
	filled_to_row(services, s, by->arena, row);
	for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
		row->v[hidden[i]].null = true;
	row->v[COLUMN(LLM_SERVICE, service_id)] = DB_S(str_of(s->id));
	row->v[COLUMN(LLM_SERVICE, name)] = DB_S(str_of(s->id));
	resource_sort(services, by->arena, row);
}

static size_t files(const struct caller *by, const struct resource_row **rows)
{
	const struct catalog *c = catalog_of(by->conf);
	struct resource_row *v = arena_zalloc(by->arena, c->n_services + 1,
					      sizeof(*v));

	for (size_t i = 0; i < c->n_services; i++)
		row_of(by, &c->services[i], &v[i]);
	qsort(v, c->n_services, sizeof(*v), resource_compare);
	*rows = v;
	return c->n_services;
}

static void write_service(struct jw *w, const struct caller *by,
			  const struct resource_change *k,
			  const struct resource_item *item)
{
	struct arena_mark mark = arena_mark(by->arena);
	struct llm_service s = stored_service_of(by->conf, services, item->row,
						 by->arena);
	const struct llm_service *of_file = item->row->config
		? catalog_service(by->conf, resource_text(
			item->row, COLUMN(LLM_SERVICE, service_id)))
		: NULL;
	const struct target t = { .service = of_file ? of_file : &s };
	struct err e = ERR_INIT;

	(void)k;
	jw_kstrz(w, "source", item->row->config ? "config" : "api");
	jw_kbool(w, "usable", target_can_chat(&t, &e) == 0);
	arena_rewind(by->arena, mark);
}

const struct resource_hooks llm_service_hooks = {
	.files = files, .prepare = prepare_service, .check = check_service,
	.store = store_service, .gone = free_service, .write = write_service,
};

/* -- services of workspaces ------------------------------------------------------ */

/* Who manages the workspace is checked with the row above it (OWNER PARENT). */
static bool may_store_in(const struct caller *by)
{
	return stored_service_may_own(by) &&
		policy_may_store_workspace_keys(by->who);
}

/* The id is nobody's choice, so that it tells nothing of other workspaces. */
static int prepare_in(const struct caller *by, const struct resource *r,
		      struct resource_change *k, struct err *e)
{
	char *text = arena_zalloc(by->arena, 1, UUID_TEXT_BYTES);

	(void)e;
	(void)r;
	k->row.v[COLUMN(WORKSPACE_SERVICE, service_id)] =
		DB_S(str_of(uuid_format(&k->row.id, text)));
	return 0;
}

static int check_in(const struct caller *by, const struct resource *r,
		    struct resource_change *k, struct err *e)
{
	if (!stored_service_may_own(by))
		return err_public(e, ERR_FORBIDDEN, "Sign in to store a key of "
				  "a workspace.");
	if (!k->trial && !policy_may_store_workspace_keys(by->who))
		return err_public(e, ERR_FORBIDDEN, "An API token can store "
				  "and change the LLM services of a workspace "
				  "only where a role has %s by name.",
				  permission_rows[PERM_WORKSPACES_WRITE].name);
	return check_both(by, r, k, &by->conf->byok.allow_private, e);
}

static void write_in(struct jw *w, const struct caller *by,
		     const struct resource_change *k,
		     const struct resource_item *item)
{
	struct arena_mark mark = arena_mark(by->arena);
	const struct llm_service s = stored_service_of(
		by->conf, &resources[RESOURCE_WORKSPACE_SERVICE], item->row,
		by->arena);
	const struct target t = { .service = &s };
	struct err e = ERR_INIT;

	(void)k;
	jw_kbool(w, "usable", target_can_chat(&t, &e) == 0);
	arena_rewind(by->arena, mark);
}

const struct resource_hooks workspace_service_hooks = {
	.may_store = may_store_in, .prepare = prepare_in, .check = check_in,
	.store = store_service, .gone = free_service, .write = write_in,
};

/* -- provider instances ---------------------------------------------------------- */

int stored_instance_check(const struct caller *by, struct err *e)
{
	if (by->conf->byok.mode != BYOK_ALLOW_USER)
		return err_public(e, ERR_FORBIDDEN, "This installation does not "
				  "let users store keys of their own.");
	if (!stored_service_may_own(by))
		return err_public(e, ERR_FORBIDDEN, "Sign in to store a key of "
				  "your own.");
	return 0;
}

static bool may_store(const struct caller *by)
{
	struct err ignored = ERR_INIT;

	return stored_instance_check(by, &ignored) == 0 &&
		policy_may_store_keys(by->who);
}

/* The active one serves all turns of its user, on the page too. */
static int check_instance(const struct caller *by, const struct resource *r,
			  struct resource_change *k, struct err *e)
{
	if (!k->trial && !policy_may_store_keys(by->who))
		return err_public(e, ERR_FORBIDDEN, "An API token can store "
				  "and change provider instances only where a "
				  "role has %s by name.",
				  permission_rows[PERM_PROVIDERS_WRITE].name);
	if (stored_instance_check(by, e) < 0 ||
	    check_both(by, r, k, &by->conf->byok.allow_private, e) ||
	    (k->row.given[COLUMN(PROVIDER_INSTANCE, agents)] && check_agents(by, &k->row, e)))
		return -1;
	return check_active(by, r, &k->row, e);
}

/*
 * A new instance is active unless the body says otherwise, or binds it to agents: then
 * it is for them, and the chats of all others stay where they are.
 */
static int prepare_instance(const struct caller *by, const struct resource *r,
			    struct resource_change *k, struct err *e)
{
	struct db_val *active = &k->row.v[COLUMN(PROVIDER_INSTANCE, active)];
	const struct conf_list agents = filled_list(by->arena,
		resource_text(&k->row, COLUMN(PROVIDER_INSTANCE, agents)));

	(void)r;
	(void)e;
	if (active->null)
		*active = DB_I(agents.n == 0);
	return 0;
}

/* Deactivates the others: at most one is active. */
static int end_others(const struct caller *by, const struct resource *r,
		      struct resource_change *k, struct err *e)
{
	(void)r;
	if (k->row.v[COLUMN(PROVIDER_INSTANCE, active)].i != 1)
		return 0;
	return db_exec(by->db, RSTMT_PROVIDER_INSTANCE_REST,
		       DB_ARGS(DB_I(k->row.updated_us),
			       DB_S(by->owner.tenant_id),
			       DB_U(&by->owner.user_id), DB_U(&k->row.id)),
		       NULL, e);
}

const struct resource_hooks provider_instance_hooks = {
	.may_store = may_store, .prepare = prepare_instance,
	.check = check_instance, .store = end_others,
};
