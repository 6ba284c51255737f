/* SPDX-License-Identifier: MIT */
#include "caller.h"

#include "domain/stored_service.h"
#include "app.h"
#include "auth/identity.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/recent.h"
#include "store/token_cache.h"

#include "base/banned.h"

enum { USED_MS = 600000 };	/* how exactly the last use of a token is known */

static const char *param(void *ctx, const char *name)
{
	return req_param(ctx, name).p;
}

/* The texts of a JSON array (p == NULL: none), at most max; in a. */
static int read_list(struct str text, size_t max, struct arena *a, const struct str **out,
		     size_t *n, struct err *e)
{
	json_t *list, *v;
	struct str *to;
	size_t i;

	*out = NULL;
	*n = 0;
	if (!text.p)
		return 0;
	list = jx_keep(a, jx_load(text, e));
	if (!list)
		return -1;
	*out = to = arena_zalloc(a, MIN(json_array_size(list), max), sizeof(*to));
	json_array_foreach(list, i, v)
		if (json_is_string(v) && *n < max)
			to[(*n)++] = (struct str){ json_string_value(v),
						   json_string_length(v) };
	return 0;
}

/* Its last use, to about ten minutes; that it is not noted costs nobody the request. */
static void note_use(struct request *rq, const struct token *t)
{
	static struct recent used = RECENT_INIT;
	struct err e = ERR_INIT;

	if (clock_now_us() - t->used_us > USED_MS * 1000LL &&
	    recent_claim(&used, &t->id, USED_MS) &&
	    token_used(rq->app->db, &t->id, &e) < 0)
		log_err("use of a token", &e);
}

static int token_lookup(void *ctx, struct str text, struct arena *a,
			struct token_info *out, struct err *e)
{
	struct request *rq = ctx;
	struct token_info info = { .n_groups = 0 };
	struct token t;

	if (token_cache_find(rq->app->tokens, rq->app->db, text, a, &t, e) < 0)
		return -1;
	if (!str_is(t.tenant_id, rq->conf->tenant))
		return err_set(e, ERR_UNAUTHENTICATED, "another tenant's token");
	if (read_list(t.groups, LIM_GROUPS, a, &info.groups, &info.n_groups, e) ||
	    read_list(t.agents, LIM_TOKEN_LIST, a, &info.agents, &info.n_agents, e) ||
	    read_list(t.tools, LIM_TOKEN_LIST, a, &info.tools, &info.n_tools, e))
		return -1;
	info.login = t.login;
	info.token = t.name;
	info.read_only = t.read_only;
	info.approve = t.approve;
	*out = info;
	note_use(rq, &t);
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
	const struct lang *lang;

	if (identity_resolve(rq->conf, &ar, rq->arena, who, e) < 0)
		return -1;
	lang = rq->by.lang;
	rq->by = caller_of(rq->conf, who, rq->app->db, rq->arena);
	rq->by.lang = lang;
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
