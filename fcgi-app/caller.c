/* SPDX-License-Identifier: MIT */
#include "caller.h"

#include "agent/stored_service.h"
#include "app.h"
#include "auth/identity.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/token_cache.h"

#include "base/banned.h"

static const char *param(void *ctx, const char *name)
{
	return req_param(ctx, name).p;
}

static int token_lookup(void *ctx, struct str text, struct arena *a,
			struct token_info *out, struct err *e)
{
	const struct request *rq = ctx;
	struct token t;
	struct str *groups;
	size_t n = 0;
	json_t *list, *v;
	size_t i;

	if (token_cache_find(rq->app->tokens, rq->app->db, text, a, &t, e) < 0)
		return -1;
	if (!str_is(t.tenant_id, rq->conf->tenant))
		return err_set(e, ERR_UNAUTHENTICATED, "another tenant's token");
	list = jx_keep(a, jx_load(t.groups, e));
	if (!list)
		return -1;
	groups = arena_zalloc(a, LIM_GROUPS, sizeof(*groups));
	json_array_foreach(list, i, v)
		if (json_is_string(v) && n < LIM_GROUPS)
			groups[n++] = (struct str){ json_string_value(v),
						    json_string_length(v) };
	*out = (struct token_info){ .login = t.login, .groups = groups,
				    .n_groups = n, .token = t.name };
	return 0;
}

static struct auth_request as_auth(struct request *rq)
{
	return (struct auth_request){
		.param = param, .token_lookup = token_lookup, .ctx = rq,
	};
}

int req_identify(struct request *rq, struct err *e)
{
	struct auth_request ar = as_auth(rq);
	struct identity *who = arena_new(rq->arena, struct identity);

	if (identity_resolve(rq->conf, &ar, rq->arena, who, e) < 0)
		return -1;
	rq->by = caller_of(rq->conf, who, rq->app->db, rq->arena);
	rq->by.own = arena_new(rq->arena, struct own_instances);
	rq->by.tokens = rq->app->tokens;
	log_bind(rq->id, who->user_id_text);
	log_debug("signed in", "login", who->login.p);
	return 0;
}

int req_check_origin(struct request *rq, struct err *e)
{
	struct auth_request ar = as_auth(rq);

	return csrf_check(rq->conf, rq->by.who, &ar, e);
}

enum csrf_evidence req_origin(struct request *rq)
{
	struct auth_request ar = as_auth(rq);

	return csrf_evidence(&ar, rq->conf->server.origin);
}
