/* SPDX-License-Identifier: MIT */
/*
 * Stored LLM services: those of the tenant (/llm-services) and provider instances
 * of users (/provider-instances). Their keys are received, sealed
 * (api_resource_seal) and never sent.
 */
#include "api/service.h"

#include <stdlib.h>
#include <string.h>

#include "agent/catalog.h"
#include "agent/keep.h"
#include "agent/stored_service.h"
#include "agent/target.h"
#include "api/api.h"
#include "api/page.h"
#include "app.h"
#include "fields.h"
#include "conf/option.h"
#include "llm/provider.h"

#include "base/banned.h"

static const struct resource *const services = &resources[RESOURCE_LLM_SERVICE];
static const struct resource *const instances =
	&resources[RESOURCE_PROVIDER_INSTANCE];

static struct str text_of(const struct resource *r, struct resource_row *row,
			  const char *column)
{
	const struct db_val *v = resource_value(r, row, column);

	return v->null ? (struct str){ NULL, 0 } : v->s;
}

/* -- what a row must be --------------------------------------------------------- */

static int check_service(struct request *rq, struct resource_row *row,
			 struct err *e)
{
	return keep_service_check(&rq->by, services, !route_has_arg(rq, "id"),
				  row, e);
}

static int make_service(struct request *rq, struct resource_row *row,
			struct str *secret, struct err *e)
{
	(void)secret;
	return keep_service_new(&rq->by, row, e);
}

bool api_provider_may_store(const struct request *rq)
{
	return rq->conf->byok.mode == BYOK_ALLOW_USER &&
		stored_service_may_own(&rq->by) &&
		policy_may_store_keys(rq->by.who);
}

/* Users can always read and delete the rows of their keys. */
static int check_own(struct request *rq, struct err *e)
{
	if (rq->conf->byok.mode != BYOK_ALLOW_USER)
		return err_public(e, ERR_FORBIDDEN, "This installation does not "
				  "let users store keys of their own.");
	if (!stored_service_may_own(&rq->by))
		return err_public(e, ERR_FORBIDDEN, "Sign in to store a key of "
				  "your own.");
	return 0;
}

static int check_instance(struct request *rq, struct resource_row *row,
			  struct err *e)
{
	if (check_own(rq, e) < 0)
		return -1;
	return keep_service_check(&rq->by, instances, !route_has_arg(rq, "id"),
				  row, e);
}

/*
 * Validates an instance to store: the active one serves all turns of its user, on
 * the page too.
 */
static int check_stored_instance(struct request *rq, struct resource_row *row,
				 struct err *e)
{
	if (!policy_may_store_keys(rq->by.who))
		return err_public(e, ERR_FORBIDDEN, "An API token can store "
				  "and change provider instances only where a "
				  "role has %s by name.",
				  permission_rows[PERM_PROVIDERS_WRITE].name);
	return check_instance(rq, row, e);
}

/* A new instance is active unless the body says otherwise. */
static int make_instance(struct request *rq, struct resource_row *row,
			 struct str *secret, struct err *e)
{
	struct db_val *active = resource_value(instances, row, "active");

	(void)rq;
	(void)secret;
	(void)e;
	if (active->null)
		*active = DB_I(1);
	return 0;
}

/* Deactivates the others: at most one is active. */
static int end_others(struct request *rq, struct db *tx,
		      const struct resource_at *at,
		      const struct resource_row *row, struct err *e)
{
	struct resource_row now = *row;

	(void)rq;
	if (resource_value(instances, &now, "active")->i != 1)
		return 0;
	return db_exec(tx, RSTMT_PROVIDER_INSTANCE_REST,
		       DB_ARGS(DB_I(row->updated_us), DB_S(at->by.tenant_id),
			       DB_U(&at->by.user_id), DB_U(&row->id)), NULL, e);
}

/* B50: a service that is in use cannot be deleted. */
static int free_service(struct request *rq, struct db *tx,
			const struct resource_at *at,
			const struct resource_row *row, struct err *e)
{
	(void)at;
	return stored_service_unused(&rq->by, tx, &row->id, e);
}

static int keep_service(struct request *rq, struct db *tx,
			const struct resource_at *at,
			const struct resource_row *row, struct err *e)
{
	(void)at;
	return row->version ? stored_service_still(&rq->by, tx, row, e) : 0;
}

/* -- services of the configuration ----------------------------------------------- */

static void put(struct resource_row *row, const char *column, const char *text)
{
	if (text && *text)
		*resource_value(services, row, column) = DB_S(str_of(text));
}

/* In the format of llm_capabilities. */
static const char *names_of(unsigned capabilities, struct arena *a)
{
	const struct conf_option *o = option_find(SEC_LLM, "capabilities");
	json_t *names = jx_keep(a, json_array());

	for (const struct opt_name *v = o->names; v->name; v++)
		if (capabilities & v->value)
			json_array_append_new(names, json_string(v->name));
	return jx_text(a, names);
}

/* As JSON; "": none. */
static const char *texts_of(const struct conf_list *l, struct arena *a)
{
	json_t *names = jx_keep(a, json_array());

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(names, json_string(l->v[i]));
	return l->n ? jx_text(a, names) : "";
}

/*
 * Without addresses, which are for admins only, and without quirks, which may
 * contain some.
 */
static void row_of(struct request *rq, const struct llm_service *s,
		   struct resource_row *row)
{
	const struct {
		const char *column;
		int value;
	} numbers[] = {
		{ "context_tokens", s->context_tokens },
		{ "max_output_tokens", s->max_output_tokens },
		{ "connect_timeout_ms", s->connect_timeout_ms },
		{ "first_byte_timeout_ms", s->first_byte_timeout_ms },
		{ "idle_timeout_ms", s->idle_timeout_ms },
		{ "total_timeout_ms", s->total_timeout_ms },
		{ "retries", s->retries },
	};

	resource_new(services, row);
	row->id = uuid_of_name(STR("llm_services"), str_of(s->id));
	row->created_us = row->updated_us = 0;
	row->config = true;
	put(row, "service_id", s->id);
	put(row, "name", s->id);
	put(row, "provider", s->provider);
	put(row, "model", s->model);
	put(row, "capabilities", names_of(s->capabilities, rq->arena));
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		*resource_value(services, row, numbers[i].column) =
			DB_I(numbers[i].value);
	put(row, "fallbacks", texts_of(&s->fallbacks, rq->arena));
	resource_value(services, row, "api_key")->null = !s->set.api_key;
	resource_sort(services, rq->arena, row);
}

static size_t files(struct request *rq, struct resource_row **rows)
{
	const struct catalog *c = catalog_of(rq->conf);
	struct resource_row *v = arena_zalloc(rq->arena, c->n_services + 1,
					      sizeof(*v));

	for (size_t i = 0; i < c->n_services; i++)
		row_of(rq, &c->services[i], &v[i]);
	qsort(v, c->n_services, sizeof(*v), resource_compare);
	*rows = v;
	return c->n_services;
}

/* -- records ------------------------------------------------------------------------ */

static void write_service(struct jw *w, struct request *rq,
			  const struct resource_row *row)
{
	struct arena_mark mark = arena_mark(rq->arena);
	struct llm_service s = stored_service_of(rq->conf, services, row,
						 rq->arena);
	struct resource_row copy = *row;
	const struct llm_service *of_file = row->config
		? catalog_service(rq->conf,
				  text_of(services, &copy, "service_id"))
		: NULL;
	const struct target t = { .service = of_file ? of_file : &s };
	struct err e = ERR_INIT;

	jw_kstrz(w, "source", row->config ? "config" : "api");
	jw_kbool(w, "usable", target_can_chat(&t, &e) == 0);
	arena_rewind(rq->arena, mark);
}

const struct resource_odd api_service_odd = {
	.made = make_service, .check = check_service, .also = keep_service,
	.gone = free_service,
	.write = write_service, .files = files,
};
const struct resource_odd api_provider_odd = {
	.made = make_instance, .check = check_stored_instance, .also = end_others,
};

/* -- asking the provider --------------------------------------------------------- */

/* The service of the row in the path, or of a body that is not stored. */
static int service_of_request(struct request *rq, const struct resource *r,
			      struct llm_service *s, struct err *e)
{
	struct resource_at at = api_resource_for(rq);
	struct resource_row row;
	const struct db_val *key;

	if (route_has_arg(rq, "id")) {
		if ((r == instances && check_own(rq, e) < 0) ||
		    api_resource_visible(rq, r, &at, route_arg_uuid(rq, "id"),
					 &row, e) < 0)
			return -1;
		*s = stored_service_of(rq->conf, r, &row, rq->arena);
		return stored_service_open(rq->conf, rq->by.owner.tenant_id, r,
					   &row, rq->arena, s, e);
	}
	resource_new(r, &row);
	if (api_resource_body(rq, r, true, &row, e) < 0)
		return -1;
	if ((r == services ? check_service(rq, &row, e)
			   : check_instance(rq, &row, e)) < 0)
		return -1;
	*s = stored_service_of(rq->conf, r, &row, rq->arena);
	key = resource_value(r, &row, "api_key");
	if (!key->null)
		s->api_key = key->s.p;
	return 0;
}

static int answer_models(struct request *rq, struct response *rs,
			 const struct resource *r, struct err *e)
{
	struct llm_service s;

	if (service_of_request(rq, r, &s, e) < 0)
		return -1;
	return api_service_answer_models(rq, rs, &s, e);
}

static int answer_test(struct request *rq, struct response *rs,
		       const struct resource *r, struct err *e)
{
	const char *model = NULL;
	struct llm_service s;

	if ((route_has_arg(rq, "id") &&
	     api_service_other_model(rq, &model, e) < 0) ||
	    service_of_request(rq, r, &s, e) < 0)
		return -1;
	if (model)
		s.model = model;
	api_service_answer_test(rq, rs, &s, "");
	return 0;
}

/*
 * POST /llm-services/models, POST /llm-services/test: like those below a workspace,
 * for a service that is not stored: the body is that of POST /llm-services. 422
 * names a field that could not be stored.
 */
int api_service_row_models(struct request *rq, struct response *rs,
			   struct err *e)
{
	return answer_models(rq, rs, services, e);
}

int api_service_row_test(struct request *rq, struct response *rs, struct err *e)
{
	return answer_test(rq, rs, services, e);
}

/*
 * POST /provider-instances/models, …/test: the same for an instance that is not
 * stored; GET /provider-instances/{id}/models, POST …/{id}/test {model?} for one
 * that is.
 */
int api_provider_models(struct request *rq, struct response *rs, struct err *e)
{
	return answer_models(rq, rs, instances, e);
}

int api_provider_test(struct request *rq, struct response *rs, struct err *e)
{
	return answer_test(rq, rs, instances, e);
}

/* -- providers ------------------------------------------------------------------------ */

static void write_provider(struct jw *w, const struct provider *p)
{
	jw_obj(w);
	jw_kstrz(w, "providerId", p->name);
	jw_kstrz(w, "name", p->title);
	jw_kstrz(w, "url", p->url[0] ? p->url : NULL);
	jw_kbool(w, "keyRequired", p->quirks.key_required);
	jw_end_obj(w);
}

/*
 * GET /providers: 200 {mode, items: [Provider], …}: byok.mode, and the providers
 * that a stored service can use.
 */
int api_provider_list(struct request *rq, struct response *rs, struct err *e)
{
	static const char *const modes[] = {
		[BYOK_OFF] = "off", [BYOK_PLATFORM_ONLY] = "platform_only",
		[BYOK_ALLOW_USER] = "allow_user",
	};
	size_t n, shown = 0;
	const struct provider *rows = provider_rows(&n);
	struct jw w = api_page_items(rs);

	(void)e;
	for (size_t i = 0; i < n; i++)
		if (rows[i].dialect->build) {
			write_provider(&w, &rows[i]);
			shown++;
		}
	jw_end_arr(&w);
	jw_kint(&w, "totalCount", (int64_t)shown);
	jw_kstrz(&w, "nextCursor", NULL);
	jw_kstrz(&w, "mode", modes[rq->conf->byok.mode]);
	jw_end_obj(&w);
	return 0;
}
