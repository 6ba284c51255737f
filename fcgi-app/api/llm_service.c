/* SPDX-License-Identifier: MIT */
/* LLM services: the list, their providers' models, and tests. */
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "api/page.h"
#include "api/scope.h"
#include "app.h"
#include "auth/policy.h"
#include "base/cursor.h"
#include "base/fields.h"
#include "base/limits.h"
#include "domain/stored.h"
#include "domain/stored_service.h"
#include "llm/llm.h"
#include "llm/probe.h"
#include "llm/provider.h"
#include "llm/service.h"
#include "request.h"
#include "resource/call.h"
#include "response.h"
#include "route.h"
#include "turn/trial.h"

#include "base/banned.h"

/* Reads pageSize and cursor. ERR_INVALID_FIELD, ERR_INVALID_CURSOR. */
static int api_page_walk_begin(struct request *rq, struct page_walk *p, struct err *e)
{
	json_t *cursor;

	*p = (struct page_walk){ .size = 0 };
	if (api_page_size(rq, &p->size, e) < 0 || api_page_cursor(rq, &cursor, e) < 0)
		return -1;
	if (cursor) {
		p->after = jx_str(cursor, "id");
		if (!slug_valid(p->after))
			return err_set(e, ERR_INVALID_CURSOR, "no id in it");
	}
	return 0;
}

/* Called for each item in order: returns whether it is on the page. */
static bool api_page_walk_takes(struct page_walk *p, struct str id)
{
	p->n_seen++;
	if (p->after.p) {
		if (str_eq(p->after, id))
			p->after.p = NULL;
		return false;
	}
	if (p->n_taken == p->size) {
		p->more = true;
		return false;
	}
	p->n_taken++;
	p->last = id;
	return true;
}

static void write_next(struct jw *w, const struct page_walk *p)
{
	char cursor[LIM_SLUG_BYTES + 16];
	int n = snprintf(cursor, sizeof(cursor), "{\"id\":\"%.*s\"}",
			 STR_ARG(p->last));

	cursor_write(w, (struct str){ cursor, (size_t)n });
}

/* Writes the end of the list: "]", totalCount, nextCursor, "}". */
static void api_page_walk_end(struct jw *w, const struct page_walk *p)
{
	jw_end_arr(w);
	jw_kint(w, "totalCount", (int64_t)p->n_seen);
	if (p->more)
		write_next(w, p);
	else
		cursor_write(w, (struct str){ NULL, 0 });
	jw_end_obj(w);
}

/*
 * The record. Of the configuration it has what users need for a choice: no address,
 * headers or key. usable: a turn with it would start (B17, B18).
 */
static void write_service(struct jw *w, const struct workspace *ws,
			  const struct llm_service *s)
{
	json_auto_t *caps = llm_capabilities(s);
	const struct target t = { .service = s };
	struct err e = ERR_INIT;

	jw_obj(w);
	jw_kstrz(w, "workspaceId", ws->id);
	jw_kstrz(w, "llmServiceId", s->id);
	jw_kstrz(w, "name", s->name);
	jw_kstrz(w, "provider", s->provider);
	jw_kstrz(w, "model", s->model);
	jw_kstrz(w, "source", domain_source_name(s->source));
	jw_kint(w, "contextTokens", s->context_tokens);
	jw_kint(w, "maxOutputTokens", s->max_output_tokens);
	jw_key(w, "capabilities");
	jw_json(w, caps);
	jw_kbool(w, "hasCredential", s->set.api_key);
	jw_kbool(w, "usable", target_can_chat(&t, &e) == 0);
	jw_end_obj(w);
}

/* The services in the tenant's rows; at most LIM_LLM_SERVICES. */
static int read_rows(struct request *rq, struct resource_row **rows, size_t *n,
		     struct err *e)
{
	const struct resource *r = &resources[RESOURCE_LLM_SERVICE];
	const struct resource_at at = resource_own(&rq->by.owner);
	const struct resource_want want = { .size = LIM_LLM_SERVICES };
	bool more;

	return resource_list(rq->app->db, r, &at, &want, rq->arena, rows, n,
			     &more, e);
}

/* can=: a capability that the listed services have; 0: any. */
static int read_can(struct request *rq, unsigned *can, struct err *e)
{
	const char *wrong = NULL;
	json_t *names;
	struct str s;

	*can = 0;
	if (req_query(rq, "can", &s, e) < 0)
		return -1;
	if (!s.n)
		return 0;
	names = jx_keep(rq->arena, json_array());
	json_array_append_new(names, jx_string(s));
	*can = stored_capabilities(names, &wrong);
	return *can ? 0 : err_field(e, ERR_INVALID_FIELD, "can",
				    "There is no capability \"%.40s\".", wrong);
}

static bool listed(const struct llm_service *s, unsigned can)
{
	struct err ignored = ERR_INIT;

	return llm_check_can(s, can, &ignored) == 0;
}

/*
 * Without AI.Services.Read, who manages a workspace sees its own services. *all: the
 * others, too. ERR_FORBIDDEN.
 */
static int check_sees(struct request *rq, const struct workspace *ws, bool *all,
		      struct err *e)
{
	*all = policy_may(rq->by.who, PERM_SERVICES_READ);
	if (*all || (ws->row && policy_may(rq->by.who, PERM_WORKSPACES_WRITE) &&
		     stored_manages(&rq->by, ws)))
		return 0;
	return err_public(e, ERR_FORBIDDEN, "This needs the permission %s.",
			  permission_rows[PERM_SERVICES_READ].name);
}

/* Where the services of a list come from, and which of them it has. */
struct listing {
	struct request *rq;
	const struct workspace *ws;
	unsigned can;
	struct page_walk p;
	struct jw w;
};

static void list_one(struct listing *l, const struct llm_service *s)
{
	if (listed(s, l->can) && api_page_walk_takes(&l->p, str_of(s->id)))
		write_service(&l->w, l->ws, s);
}

static void list_rows(struct listing *l, enum resource_id id,
		      const struct resource_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct llm_service s = stored_service_of(
			l->rq->conf, &resources[id], &rows[i], l->rq->arena);

		list_one(l, &s);
	}
}

/*
 * GET /workspaces/{w}/llm-services?can=: 200 {items: [LlmService], …}: those of the
 * workspace, those of the configuration, then those of the tenant; with can, a
 * capability, those that can be bound for it. Whoever manages the workspace without
 * AI.Services.Read gets its own only. 403, 422.
 */
int api_service_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct catalog *c = catalog_of(rq->conf);
	struct resource_row *rows = NULL, *own = NULL;
	size_t n = 0, n_own;
	struct listing l = {
		.rq = rq, .ws = scope_workspace(rq, route_arg(rq, "workspace"), e),
	};
	bool all;

	if (!l.ws || check_sees(rq, l.ws, &all, e) < 0 ||
	    read_can(rq, &l.can, e) < 0 || api_page_walk_begin(rq, &l.p, e) < 0 ||
	    stored_services_of(&rq->by, l.ws, &own, &n_own, e) < 0 ||
	    (all && read_rows(rq, &rows, &n, e) < 0))
		return -1;
	l.w = api_page_items(rs);
	list_rows(&l, RESOURCE_WORKSPACE_SERVICE, own, n_own);
	for (size_t i = 0; all && i < c->n_services; i++)
		list_one(&l, &c->services[i]);
	list_rows(&l, RESOURCE_LLM_SERVICE, rows, n);
	api_page_walk_end(&l.w, &l.p);
	return 0;
}

/* The service in the path, within ws, with its key; NULL with e set. */
static const struct llm_service *service_in(struct request *rq,
					    const struct workspace *ws,
					    struct err *e)
{
	const struct llm_service *s;

	if (service_find(&rq->by, stored_service_within(ws),
			 route_arg(rq, "service"), rq->arena, &s, e) < 0)
		return NULL;
	if (!s)
		err_set(e, ERR_NOT_FOUND, "no such LLM service");
	return s;
}

/* The same; *ws: the workspace in the path. */
static const struct llm_service *service_of_path(struct request *rq,
						 const struct workspace **ws,
						 struct err *e)
{
	*ws = scope_workspace(rq, route_arg(rq, "workspace"), e);
	return *ws ? service_in(rq, *ws, e) : NULL;
}

/* GET /workspaces/{w}/llm-services/{s}: 200 LlmService; 403 as the list, 404. */
int api_service_get(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws =
		scope_workspace(rq, route_arg(rq, "workspace"), e);
	const struct llm_service *s;
	bool all;
	struct jw w;

	if (!ws || check_sees(rq, ws, &all, e) < 0)
		return -1;
	s = service_in(rq, ws, e);
	if (!s)
		return -1;
	if (!all && s->payer != PAYER_WORKSPACE)
		return err_set(e, ERR_NOT_FOUND, "no such LLM service");
	w = resp_json(rs, 200);
	write_service(&w, ws, s);
	return 0;
}

/* true, false, or null: the provider does not say. */
static void write_can(struct jw *w, const char *key, enum llm_can can)
{
	if (can == LLM_CAN_UNKNOWN)
		jw_kstrz(w, key, NULL);
	else
		jw_kbool(w, key, can == LLM_CAN_SURELY);
}

static void write_known(struct jw *w, int64_t v, bool known)
{
	if (known)
		jw_int(w, v);
	else
		jw_null(w);
}

static void write_model(struct jw *w, const struct llm_model *m)
{
	jw_obj(w);
	jw_kstrz(w, "model", m->id);
	jw_kstrz(w, "name", m->name);
	jw_key(w, "contextTokens");
	write_known(w, m->context_tokens, m->context_tokens > 0);
	write_can(w, "tools", m->tools);
	write_can(w, "vision", m->vision);
	jw_end_obj(w);
}

/* Answers with the models of the service's provider. Errors as for a turn. */
static int api_service_answer_models(struct request *rq, struct response *rs,
				     const struct llm_service *s, struct err *e)
{
	struct llm_probe p;
	struct jw w;

	if (llm_check_service(s, e) < 0 ||
	    llm_probe(rq->app->deps.http, s, rq->arena, &p, e) < 0)
		return -1;
	if (p.status == 401 || p.status == 403)
		return err_set(e, ERR_UPSTREAM_AUTH, "%s: %d", p.url, p.status);
	if (p.status != 404 && p.status != 405 && p.status != 200)
		return err_set(e, ERR_UPSTREAM, "%s: %d", p.url, p.status);
	if (!p.has_list)
		return err_public(e, ERR_NOT_FOUND, "The provider has no list "
				  "of models.");
	w = api_page_items(rs);
	for (size_t i = 0; i < p.models.n; i++)
		if (p.models.rows[i].tools != LLM_CAN_NOT)
			write_model(&w, &p.models.rows[i]);
	jw_end_arr(&w);
	jw_kbool(&w, "complete", !p.models.cut);
	jw_end_obj(&w);
	return 0;
}

/*
 * GET /workspaces/{w}/llm-services/{s}/models: 200 {items: [ProviderModel],
 * complete}, the provider's current models. Models that cannot call tools are left
 * out if the provider reports that (B21). 404 for a provider without a list, 502
 * and 504 as for a turn.
 */
int api_service_models(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws;
	const struct llm_service *s = service_of_path(rq, &ws, e);

	return s ? api_service_answer_models(rq, rs, s, e) : -1;
}

struct service_trial {
	struct llm_trial t;
	const char *workspace;
};

/* After the answer: records the usage of the test. */
static void record_trial(struct request *rq)
{
	struct service_trial *k = rq->after_ctx;

	trial_record(rq->app->db, &rq->by.owner, k->workspace, &k->t);
}

/*
 * Answers with the result of testing the service; workspace: for which its usage is
 * recorded, or "".
 */
static void api_service_answer_test(struct request *rq, struct response *rs,
				    const struct llm_service *s, const char *workspace)
{
	struct service_trial *k = arena_new(rq->arena, struct service_trial);
	const struct llm_trial *t = &k->t;
	struct jw w;

	trial_run(&rq->app->deps, s, rq->arena, &k->t);
	k->workspace = workspace;
	rq->after = record_trial;
	rq->after_ctx = k;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kbool(&w, "works", t->code == ERR_NONE);
	jw_kstrz(&w, "code", t->code ? err_rows[t->code].code : NULL);
	jw_kstrz(&w, "message", t->text);
	jw_kstrz(&w, "model", t->code ? NULL : t->model);
	jw_key(&w, "firstTokenMs");
	write_known(&w, t->ttft_ms, t->ttft_ms >= 0);
	jw_end_obj(&w);
}

struct test_body {
	struct str model;
};

/*
 * The model in the body of a test, if it is not the service's own; else NULL. In
 * rq's arena.
 */
static int api_service_other_model(struct request *rq, const char **model,
				   struct err *e)
{
	static const struct field fields[] = {
		{ .key = "model", .type = FIELD_TEXT,
		  .flags = FIELD_NULLABLE | FIELD_FILLED | FIELD_LINE,
		  .max_chars = LIM_MODEL_BYTES,
		  .offset = offsetof(struct test_body, model) },
	};
	struct test_body b;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b),
			e) < 0)
		return -1;
	*model = b.model.p ? arena_str(rq->arena, b.model).p : NULL;
	return 0;
}

/*
 * POST /workspaces/{w}/llm-services/{s}/test {model?}: 200 {works, code, message,
 * model, firstTokenMs}, of all that its capabilities say. model: another model of its
 * provider. A fault of the service is the answer, not an error.
 */
int api_service_test(struct request *rq, struct response *rs, struct err *e)
{
	const struct workspace *ws;
	const struct llm_service *s = service_of_path(rq, &ws, e);
	struct llm_service tried;
	const char *model;

	if (!s || api_service_other_model(rq, &model, e) < 0)
		return -1;
	tried = *s;
	if (model)
		tried.model = model;
	api_service_answer_test(rq, rs, &tried, ws->id);
	return 0;
}

/* -- of rows, and what is not stored yet ---------------------------------------- */

/*
 * Stored LLM services and provider instances: the models of their providers, and
 * tests, also of what is not stored yet.
 */
static const struct resource *const services = &resources[RESOURCE_LLM_SERVICE];
static const struct resource *const instances =
	&resources[RESOURCE_PROVIDER_INSTANCE];
static const struct resource *const of_workspace =
	&resources[RESOURCE_WORKSPACE_SERVICE];

/* The stored row in the path. */
static int row_of_request(struct request *rq, const struct resource *r,
			  struct resource_row *row, struct err *e)
{
	struct resource_call c = {
		.r = r, .verb = VERB_GET, .id = route_arg(rq, "id"),
	};
	struct resource_answer *out;

	if (r->owner != OWNER_PARENT)
		return resource_visible(&rq->by, r, route_arg_uuid(rq, "id"), row,
					e);
	c.parent = route_arg(rq, "parent");
	out = arena_new(rq->arena, struct resource_answer);
	if (resource_call(&rq->by, &c, out, e) < 0)
		return -1;
	*row = out->done.row;
	return 0;
}

/* The service of the row in the path, or of a body that is not stored. */
static int service_of_request(struct request *rq, const struct resource *r,
			      struct llm_service *s, struct err *e)
{
	const struct resource_call c = {
		.r = r, .verb = VERB_CREATE, .body = rq->body, .trial = true,
		.parent = r->owner == OWNER_PARENT ? route_arg(rq, "parent")
			: (struct str){ NULL, 0 },
	};
	struct resource_answer *out;
	struct resource_row row;
	const struct db_val *key;

	if (route_has_arg(rq, "id")) {
		if ((r->owner == OWNER_USER &&
		     stored_instance_check(&rq->by, e) < 0) ||
		    row_of_request(rq, r, &row, e) < 0)
			return -1;
		*s = stored_service_of(rq->conf, r, &row, rq->arena);
		return stored_service_open(rq->conf, rq->by.owner.tenant_id, r,
					   &row, rq->arena, s, e);
	}
	out = arena_new(rq->arena, struct resource_answer);
	if (resource_call(&rq->by, &c, out, e) < 0)
		return -1;
	*s = stored_service_of(rq->conf, r, &out->done.row, rq->arena);
	key = &out->done.row.v[SERVICE_COLUMN(r, api_key)];
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
 * POST /workspaces/{w}/services/models, …/test: the same for a service of a workspace
 * that is not stored; GET …/services/{id}/models, POST …/services/{id}/test {model?}
 * for one that is. For those who manage the workspace; 403, 404.
 */
int api_workspace_service_models(struct request *rq, struct response *rs,
				 struct err *e)
{
	return answer_models(rq, rs, of_workspace, e);
}

int api_workspace_service_test(struct request *rq, struct response *rs,
			       struct err *e)
{
	return answer_test(rq, rs, of_workspace, e);
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
