/* SPDX-License-Identifier: MIT */
#include "domain/stored_service.h"

#include <string.h>

#include "domain/auto.h"
#include "domain/catalog.h"
#include "domain/filled.h"
#include "domain/stored.h"
#include "auth/policy.h"
#include "base/json.h"
#include "base/limits.h"
#include "conf/option.h"
#include "llm/llm.h"
#include "secret/secret.h"

#include "base/banned.h"

/* -- a row as a service ------------------------------------------------------- */

static unsigned capability(const char *name, size_t n)
{
	const struct conf_option *o = option_find(SEC_LLM, "capabilities");

	for (const struct opt_name *v = o->names; v->name; v++)
		if (strlen(v->name) == n && !memcmp(v->name, name, n))
			return v->value;
	return 0;
}

unsigned stored_capabilities(const json_t *names, const char **wrong)
{
	unsigned out = 0;

	*wrong = NULL;
	if (!names)
		return LLM_CAN_CHAT | LLM_CAN_TOOLS;
	for (size_t i = 0; i < json_array_size(names); i++) {
		const json_t *j = json_array_get(names, i);
		const char *name = json_string_value(j);
		unsigned can = name ? capability(name, strlen(name)) : 0;

		if (!can) {
			*wrong = name ? name : "";
			return 0;
		}
		out |= can;
	}
	if (!out)
		*wrong = "";
	return out;
}

/* A column that all have. */
#define BOTH(column) (&row->v[SERVICE_COLUMN(r, column)])
_Static_assert(COLUMN(LLM_SERVICE, folded) ==
	       sizeof(struct columns_of_WORKSPACE_SERVICE) - 1,
	       "services of workspaces have the first columns of the tenant's");

static const char *text(const struct resource_row *row, size_t column, struct arena *a)
{
	return arena_str(a, row->v[column].s).p;
}

struct llm_service stored_service_of(const struct conf *c,
				     const struct resource *r,
				     const struct resource_row *row,
				     struct arena *a)
{
	struct llm_service s = { .source = SOURCE_API };
	const bool own = r->owner == OWNER_USER;

	filled_from_row(r, row, a, &s);
	s.version = (uint64_t)row->version;
	s.payer = own ? PAYER_USER : r->owner == OWNER_TENANT
		? PAYER_TENANT : PAYER_WORKSPACE;
	/* Whoever is no administrator reaches what users reach. */
	s.guard = r->owner == OWNER_TENANT ? &c->api_services_private
		: &c->byok.allow_private;
	s.file = "";
	s.id = own ? "own" : text(row, COLUMN(LLM_SERVICE, service_id), a);
	s.name = text(row, own ? COLUMN(PROVIDER_INSTANCE, display_name)
		      : COLUMN(LLM_SERVICE, name), a);
	return s;
}

int stored_service_open(const struct conf *c, struct str tenant_id,
			const struct resource *r,
			const struct resource_row *row, struct arena *a,
			struct llm_service *s, struct err *e)
{
	const struct secret_at at = { tenant_id, r->table, "api_key", row->id };
	const struct db_val *v = BOTH(api_key);
	struct str key;

	if (v->null)
		return 0;
	if (seal_open(c, &at, v->s, a, &key, e) < 0)
		return -1;
	s->api_key = key.p;
	return 0;
}

/* -- for a call ----------------------------------------------------------------- */

/* The service of a row, with its key. */
static int opened(const struct caller *by, const struct resource *r,
		  const struct resource_row *row, struct arena *a,
		  const struct llm_service **out, struct err *e)
{
	struct llm_service *s = arena_new(a, struct llm_service);

	*s = stored_service_of(by->conf, r, row, a);
	if (stored_service_open(by->conf, by->owner.tenant_id, r, row, a, s, e) < 0)
		return -1;
	*out = s;
	return 0;
}

/* The row with this id, and the resource that it is of; *r is NULL without one. */
static int find_row(const struct caller *by, struct db *db, struct str within,
		    struct str id, struct arena *a, const struct resource **r,
		    struct resource_row *row, struct err *e)
{
	const struct resource *all = &resources[RESOURCE_LLM_SERVICE];
	const struct resource *of_workspace = &resources[RESOURCE_WORKSPACE_SERVICE];
	const struct db_val tenant = DB_S(by->owner.tenant_id);
	const int rc = within.p
		? resource_get_by(db, all, RSTMT_LLM_SERVICE_WITHIN,
				  DB_ARGS(tenant, DB_S(id), tenant,
					  DB_S(within), tenant, DB_S(id)),
				  a, row, e)
		: resource_get_by(db, all, RSTMT_LLM_SERVICE_NAMED,
				  DB_ARGS(tenant, DB_S(id)), a, row, e);

	*r = NULL;
	if (rc < 0 && e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	if (rc == 0)
		*r = within.p && row->sort_key.n ? of_workspace : all;
	return 0;
}

struct str stored_service_within(const struct workspace *w)
{
	return w && w->source == SOURCE_API ? str_of(w->id)
		: (struct str){ NULL, 0 };
}

int service_find(const struct caller *by, struct str within, struct str id,
		 struct arena *a, const struct llm_service **out, struct err *e)
{
	const struct resource *r;
	struct resource_row row;

	*out = catalog_service(by->conf, id);
	if (*out || !by->db)
		return 0;
	if (find_row(by, by->db, within, id, a, &r, &row, e) < 0)
		return -1;
	return r ? opened(by, r, &row, a, out, e) : 0;
}

int stored_service_named(const struct caller *by, const char *key, const char *id,
			 struct err *e)
{
	const struct llm_service *s;
	const char *near;

	if (service_find(by, (struct str){ NULL, 0 }, str_of(id), by->arena, &s, e) < 0)
		return -1;
	if (s)
		return 0;
	near = catalog_service_near(by->conf, str_of(id));
	return err_public(e, ERR_CONFIG, "%s:%d: %s: there is no LLM service \"%s\"."
			  STR_MEANT, by->conf->file, conf_line(by->conf->file, key), key,
			  id, STR_MEANT_ARG(near));
}

int stored_services_of(const struct caller *by, const struct workspace *w,
		       struct resource_row **out, size_t *n, struct err *e)
{
	struct resource_at at = resource_own(&by->owner);
	const struct resource_want want = { .size = LIM_WORKSPACE_SERVICES };
	bool more;

	*n = 0;
	if (!w->row)
		return 0;
	at.holder = w->row->id;
	return resource_list(by->db, &resources[RESOURCE_WORKSPACE_SERVICE], &at,
			     &want, by->arena, out, n, &more, e);
}

bool stored_service_may_own(const struct caller *by)
{
	return by->who->kind != IDENTITY_ANONYMOUS || by->conf->byok.anonymous;
}

/* 2: it is for this agent ("workspace/agent"), 1: it is the default, 0: neither. */
static int serves(const struct resource_row *row, struct str agent,
		  struct arena *a)
{
	const struct db_val active = row->v[COLUMN(PROVIDER_INSTANCE, active)];
	const struct conf_list agents = filled_list(
		a, row->v[COLUMN(PROVIDER_INSTANCE, agents)].s);

	for (size_t i = 0; i < agents.n; i++)
		if (str_is(agent, agents.v[i]))
			return 2;
	return !active.null && active.i == 1;
}

int stored_instances(const struct caller *by, struct arena *a,
		     struct own_instances *out, struct err *e)
{
	const struct resource_at at = resource_own(&by->owner);
	const struct resource_want want = { .size = LIM_PROVIDER_INSTANCES };
	bool more;

	*out = (struct own_instances){ .known = true };
	if (!by->who || !stored_service_may_own(by))
		return 0;
	return resource_list(by->db, &resources[RESOURCE_PROVIDER_INSTANCE], &at,
			     &want, a, &out->v, &out->n, &more, e);
}

int stored_instance_of(const struct caller *by, const struct own_instances *own,
		       struct str workspace, struct str agent, struct arena *a,
		       const struct llm_service **out, struct err *e)
{
	const struct resource *r = &resources[RESOURCE_PROVIDER_INSTANCE];
	const struct str named = str_of(arena_printf(
		a, "%.*s/%.*s", STR_ARG(workspace), STR_ARG(agent)));
	const struct resource_row *best = NULL;
	int serving = 0;

	*out = NULL;
	for (size_t i = 0; i < own->n; i++) {
		const int s = serves(&own->v[i], named, a);

		if (s < serving || !s || (s == serving && own->v[i].updated_us <=
						best->updated_us))
			continue;
		serving = s;
		best = &own->v[i];
	}
	return best ? opened(by, r, best, a, out, e) : 0;
}

int stored_service_own(const struct caller *by, struct str workspace,
		       struct str agent, struct arena *a,
		       const struct llm_service **out, struct err *e)
{
	struct own_instances own;

	*out = NULL;
	return stored_instances(by, a, &own, e) < 0 ? -1
		: stored_instance_of(by, &own, workspace, agent, a, out, e);
}

/* -- references ------------------------------------------------------------------- */

/* A service of the files cannot be deleted. */
static bool of_files(const struct caller *by, struct str id)
{
	return str_is(id, AUTO_SERVICE) || catalog_service(by->conf, id);
}

static int find_service(const struct caller *by, struct db *db, struct str within,
			struct str id, const struct llm_service **out, struct err *e)
{
	const struct resource *r;
	struct llm_service *s;
	struct resource_row row;

	*out = catalog_service(by->conf, id);
	if (*out || !db)
		return 0;
	if (find_row(by, db, within, id, by->arena, &r, &row, e) < 0)
		return -1;
	if (r) {
		s = arena_new(by->arena, struct llm_service);
		*s = stored_service_of(by->conf, r, &row, by->arena);
		*out = s;
	}
	return 0;
}

int stored_service_look(const struct caller *by, struct str within,
			struct str id, const struct llm_service **out,
			struct err *e)
{
	return find_service(by, by->db, within, id, out, e);
}

int stored_service_suits(const struct llm_service *s, unsigned can,
			 const char *field, struct err *e)
{
	struct err why = ERR_INIT;

	return llm_check_can(s, can, &why) == 0 ? 0
		: err_field(e, ERR_INVALID_FIELD, field, "%s",
			    err_message(&why));
}

static const struct binding {
	enum resource_id of;
	size_t column, within;	/* the service, and the workspace of the row */
	unsigned can, bound;
} bindings[] = {
#define BINDS(id, of_, table, column_, can_) { \
		.of = RESOURCE_##of_, .column = COLUMN(of_, column_), \
		.within = COLUMN(of_, workspace_id), \
		.can = LLM_CAN_##can_, .bound = RSTMT_##id##_BOUND, \
	},
#include "resource/resource.def"
};

/* Number of the field that b binds, if a value is given and not null; or -1. */
static int named_by(const struct binding *b, const struct resource *r,
		    const struct resource_row *row)
{
	return &resources[b->of] == r && row->given[b->column] &&
		!row->v[b->column].null ? (int)b->column : -1;
}

/* For those who may not know of it, it does not exist. */
static bool may_know(const struct caller *by, const struct workspace *w,
		     const struct llm_service *s)
{
	return policy_may(by->who, PERM_SERVICES_READ) ||
		(s->payer == PAYER_WORKSPACE && w && stored_manages(by, w));
}

int stored_bindings_check(const struct caller *by, const struct workspace *w,
			  const struct resource *r,
			  const struct resource_row *row, struct err *e)
{
	for (size_t k = 0; k < ARRAY_LEN(bindings); k++) {
		const struct binding *b = &bindings[k];
		const struct llm_service *s = NULL;
		const int i = named_by(b, r, row);
		struct str id;

		if (i < 0)
			continue;
		id = row->v[i].s;
		if (str_is(id, AUTO_SERVICE) && b->can == LLM_CAN_CHAT &&
		    policy_may(by->who, PERM_SERVICES_READ) &&
		    auto_default(by->conf, w))
			continue;
		if (find_service(by, by->db, resource_text(row, b->within), id, &s, e) < 0)
			return -1;
		if (!s || !may_know(by, w, s))
			return err_field(e, ERR_INVALID_FIELD, r->fields[i].key,
					 "There is no LLM service \"%.*s\" that "
					 "you can use.", (int)MIN(id.n, 64), id.p);
		if (stored_service_suits(s, b->can, r->fields[i].key, e) < 0)
			return -1;
	}
	return 0;
}

/* Holds the row of a service that can be deleted or changed until the commit. */
static int hold(const struct caller *by, struct db *tx, struct str within,
		struct str id, unsigned can, const char *field, struct err *e)
{
	const struct db_val tenant = DB_S(by->owner.tenant_id);
	const struct llm_service *s;
	struct db_result res;

	if (of_files(by, id))
		return 0;
	if (db_exec(tx, RSTMT_LLM_SERVICE_BIND, DB_ARGS(tenant, DB_S(id)), &res,
		    e) ||
	    (!res.affected && within.p &&
	     db_exec(tx, RSTMT_WORKSPACE_SERVICE_BIND,
		     DB_ARGS(tenant, DB_S(id), tenant, DB_S(within)), NULL, e)) ||
	    find_service(by, tx, within, id, &s, e) < 0)
		return -1;
	return s ? stored_service_suits(s, can, field, e)
		: err_field(e, ERR_INVALID_FIELD, field, "There is no LLM "
			    "service \"%.*s\" any more.", (int)MIN(id.n, 64),
			    id.p);
}

int stored_bindings_keep(const struct caller *by, struct db *tx,
			 const struct resource *r,
			 const struct resource_row *row, struct err *e)
{
	for (size_t k = 0; k < ARRAY_LEN(bindings); k++) {
		const struct binding *b = &bindings[k];
		const int i = named_by(b, r, row);

		if (i >= 0 && hold(by, tx, resource_text(row, b->within), row->v[i].s,
				   b->can, r->fields[i].key, e) < 0)
			return -1;
	}
	return 0;
}

static int take_any(void *ctx, const struct db_val *v, struct err *e)
{
	(void)v;
	(void)e;
	*(bool *)ctx = true;
	return 0;
}

/* Sets *out if a row binds the service in this way. */
static int is_bound(const struct caller *by, struct db *tx, struct str id,
		    const struct binding *b, bool *out, struct err *e)
{
	return db_each(tx, b->bound, DB_ARGS(DB_S(by->owner.tenant_id), DB_S(id)),
		       by->arena, take_any, out, e);
}

int stored_service_unused(const struct caller *by, struct db *tx,
			  const struct resource *r, const struct resource_at *at,
			  const struct uuid *id, struct err *e)
{
	const unsigned claim = r->owner == OWNER_TENANT
		? RSTMT_LLM_SERVICE_CLAIM : RSTMT_WORKSPACE_SERVICE_CLAIM;
	struct resource_row row;
	bool used = false;

	/* Claim it first, so that nothing can be bound to it from here on. */
	if (db_exec(tx, claim, DB_ARGS(DB_U(id), DB_S(by->owner.tenant_id)), NULL,
		    e))
		return -1;
	if (resource_get(tx, r, at, id, by->arena, &row, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);	/* not found is reported by the deletion itself */
		return 0;
	}
	for (size_t k = 0; k < ARRAY_LEN(bindings); k++)
		if (is_bound(by, tx, resource_text(&row, COLUMN(LLM_SERVICE, service_id)),
			     &bindings[k], &used, e))
			return -1;
	return used ? err_public(e, ERR_CONFLICT, "Workspaces, agents or "
				 "knowledge bases use this LLM service. Choose "
				 "another one for them first.") : 0;
}

int stored_service_still(const struct caller *by, struct db *tx,
			 const struct resource *r,
			 const struct resource_row *row, struct err *e)
{
	const struct llm_service s = stored_service_of(by->conf, r, row,
						       by->arena);

	for (size_t k = 0; k < ARRAY_LEN(bindings); k++) {
		const struct binding *b = &bindings[k];
		struct err why = ERR_INIT;
		bool used = false;

		if (llm_check_can(&s, b->can, &why) == 0)
			continue;
		if (is_bound(by, tx, str_of(s.id), b, &used, e))
			return -1;
		if (used)
			return err_field(e, ERR_CONFLICT, "capabilities",
					 "%s Choose another one for the "
					 "workspaces, agents or knowledge bases "
					 "that use it first.",
					 err_message(&why));
	}
	return 0;
}
