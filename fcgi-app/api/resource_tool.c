/* SPDX-License-Identifier: MIT */
/*
 * Resources for tools (TOOL of lib/resource/resource.def): the route's own handler
 * answers a request with the caller of the turn and the arguments of the call.
 */
#include "api/resource.h"

#include "app.h"
#include "route.h"

#include "base/banned.h"

static const struct {
	enum method method;
	bool one;	/* the path ends with an id */
	bool body;	/* the arguments are the body, else the query */
} verbs[] = {
	[VERB_LIST] = { METHOD_GET, false, false },
	[VERB_GET] = { METHOD_GET, true, false },
	[VERB_CREATE] = { METHOD_POST, false, true },
	[VERB_PATCH] = { METHOD_PATCH, true, true },
	[VERB_DELETE] = { METHOD_DELETE, true, false },
};

static const struct route *route_of(const struct resource *r,
				    enum resource_verb verb, struct str id,
				    struct arena *a, struct path_arg *args,
				    struct str *path, struct err *e)
{
	*path = str_of(verbs[verb].one
		       ? arena_printf(a, "/%s/%.*s", r->path, STR_ARG(id))
		       : arena_printf(a, "/%s", r->path));
	return route_find(MOUNT_API, verbs[verb].method, *path, args, NULL, e);
}

static bool may(void *ctx, const struct caller *by, const struct resource *r,
		enum resource_verb verb)
{
	const struct str any = STR("00000000-0000-0000-0000-000000000000");
	struct path_arg args[REQ_PATH_ARGS];
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	const struct route *row;
	struct str path;

	(void)ctx;
	row = route_of(r, verb, any, &a, args, &path, &e);
	arena_release(&a);
	return row && route_permits(row, by->who);
}

/* Converts the arguments to the query of a list. */
static void put_query(struct request *rq, json_t *args)
{
	struct param *v = arena_zalloc(rq->arena, json_object_size(args) + 1,
				       sizeof(*v));
	const char *key;
	json_t *value;

	json_object_foreach(args, key, value)
		v[rq->n_query++] = (struct param){
			str_of(key),
			json_is_string(value)
			? arena_str(rq->arena, jx_str(args, key))
			: str_of(jx_text(rq->arena, value)),
		};
	rq->query = v;
	rq->query_read = true;
}

static int answer(struct request *rq, struct buf *out, struct err *e)
{
	struct response rs = { .conn = NULL };
	int rc;

	resp_init(&rs);
	resp_begin(&rs, NULL, rq->id, false);
	rc = rq->route->handler(rq, &rs, e);
	if (rc == 0 && rs.body.n)
		buf_add(out, rs.body.p, rs.body.n);
	else if (rc == 0)
		buf_adds(out, "{\"deleted\":true}");
	resp_release(&rs);
	return rc;
}

static int run(void *ctx, const struct tool_ctx *call, const struct resource *r,
	       enum resource_verb verb, const json_t *args, struct buf *out,
	       struct err *e)
{
	json_auto_t *rest = json_copy((json_t *)args);
	struct request rq = {
		.app = ctx, .conf = call->turn.by.conf, .arena = call->arena,
		.method = verbs[verb].method, .mount = MOUNT_API,
		.by = call->turn.by, .body = rest,
	};
	struct uuid id;

	rq.by.arena = call->arena;
	/* An id with a slash would lead to another route. */
	if (verbs[verb].one && !uuid_parse(jx_str(args, "id"), &id))
		return err_set(e, ERR_NOT_FOUND, "no id of %s", r->path);
	rq.route = route_of(r, verb, jx_str(args, "id"), rq.arena, rq.args,
			    &rq.path, e);
	if (!rq.route)
		return -1;
	if (!route_permits(rq.route, rq.by.who))
		return err_set(e, ERR_FORBIDDEN, "%s", r->path);
	if (verbs[verb].one)
		json_object_del(rest, "id");
	if (!verbs[verb].body)
		put_query(&rq, rest);
	return answer(&rq, out, e);
}

void api_resource_serve_tools(struct app *app, struct tool_api *api)
{
	*api = (struct tool_api){ .may = may, .run = run, .ctx = app };
	tool_env_set_api(app->tools, api);
}
