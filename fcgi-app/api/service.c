/* SPDX-License-Identifier: MIT */
/*
 * Stored LLM services and provider instances: the models of their providers, and
 * tests, also of what is not stored yet.
 */
#include "api/service.h"

#include "domain/stored_service.h"
#include "api/api.h"
#include "api/page.h"
#include "llm/provider.h"
#include "resource/call.h"
#include "route.h"

#include "base/banned.h"

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
