/* SPDX-License-Identifier: MIT */
/*
 * Resources that people create (lib/resource/resource.def): list, create, read,
 * change and delete. What that means is in lib/resource/call.h; here are the routes
 * and headers of HTTP.
 */
#include "api/resource.h"

#include "api/api.h"
#include "api/etag.h"
#include "api/idempotent.h"
#include "api/page.h"
#include "app.h"
#include "base/limits.h"
#include "hold/stored.h"

#include <string.h>

#include "base/banned.h"

/* The resource whose path is the route's pattern, or its beginning: "/path/{id:uuid}". */
static const struct resource *of_route(const struct request *rq)
{
	struct str path = str_of(rq->route->pattern + 1);
	const struct resource *r = resource_find(path);

	if (!r) {
		path.n = (size_t)(strrchr(path.p, '/') - path.p);
		r = resource_find(path);
	}
	if (!r)
		BUG("a route of a resource without its row");
	return r;
}

/* What the route and the body say. */
static struct resource_call call_of(const struct request *rq,
				    enum resource_verb verb)
{
	const struct resource *r = of_route(rq);
	const struct resource *above = resource_of_root(r->of);
	struct resource_call c = { .r = r, .verb = verb, .body = rq->body };

	if (verb != VERB_LIST && verb != VERB_CREATE)
		c.id = route_arg(rq, r->named ? r->table : "id");
	if (resource_is_nested(r))
		c.parent = !route_has_arg(rq, "workspace") ? route_arg(rq, "parent")
			: str_of(arena_printf(rq->arena, "%.*s/%.*s",
				STR_ARG(route_arg(rq, "workspace")),
				STR_ARG(route_arg(rq, "parent"))));
	else if (r->owner == OWNER_MIXED)
		c.parent = route_arg(rq, above->table);
	return c;
}

static struct resource_answer *answer_new(const struct request *rq)
{
	return arena_new(rq->arena, struct resource_answer);
}

static int call(struct request *rq, const struct resource_call *c,
		struct resource_answer *out, struct err *e)
{
	if (resource_call(&rq->by, c, out, e) < 0)
		return -1;
	rq->jobs_asked |= out->done.job_due;
	return 0;
}

/* The name or id of a row in its address. */
static struct str name_of(const struct request *rq, const struct resource *r,
			  const struct resource_row *row)
{
	char *text = arena_alloc(rq->arena, UUID_TEXT_BYTES);

	return r->named ? resource_text(row, r->name_at)
		: str_of(uuid_format(&row->id, text));
}

/* Location: the path of r with the parent that the route has, and the row. */
static void put_location(struct request *rq, struct response *rs,
			 const struct resource *r, const struct resource_row *row)
{
	struct str rest = str_of(r->path), part, name = name_of(rq, r, row);
	struct buf b = BUF_INIT(LIM_URI_BYTES);

	while (rest.n) {
		part = str_cut(&rest, '/');
		buf_addstr(&b, *part.p == '{' ? rq->args[0].text : part);
		buf_addc(&b, '/');
	}
	buf_addstr(&b, name);
	resp_header(rs, "Location", arena_strdup(rq->arena, b.p));
	buf_release(&b);
}

static void write_answer(struct request *rq, struct response *rs, int status,
			 const struct resource *r,
			 const struct resource_answer *out)
{
	const struct resource_row *row = out->items->row;
	char tag[ETAG_BYTES];
	struct jw w = resp_json(rs, status);

	if (row)	/* what a file declares may have none */
		resp_header(rs, "ETag", etag_row(row->version, tag));
	resource_answer_write(&w, &rq->by, r, out);
	if (status == 201)
		put_location(rq, rs, r, row);
}

int api_resource_show(struct request *rq, struct response *rs, int status,
		      const struct resource *r, const struct uuid *id,
		      struct err *e)
{
	struct resource_row row;
	struct resource_item item = { .row = &row };
	const struct resource_answer out = {
		.done = { .verb = VERB_GET, .at = resource_for(&rq->by) },
		.items = &item, .n = 1,
	};

	if (resource_visible(&rq->by, r, id, &row, e) < 0)
		return -1;
	write_answer(rq, rs, status, r, &out);
	return 0;
}

int api_resource_query(struct request *rq, const struct resource *r,
		       struct resource_query *q, struct err *e)
{
	struct resource_param params[RESOURCE_PARAMS_MAX];
	const size_t n = resource_params(rq->by.conf, r, params);

	for (size_t i = 0; i < n; i++)
		if (req_query(rq, params[i].name, &q->params[i], e) < 0)
			return -1;
	if (api_page_size(rq, &q->size, e) < 0 ||
	    api_page_cursor_text(rq, &q->cursor, e) < 0 ||
	    (resource_is_filed(r) &&
	     req_query(rq, "category", &q->category, e) < 0))
		return -1;
	return resource_is_searched(r) ? req_query(rq, "q", &q->q, e) : 0;
}

/* The gate leaves it to this: the parameters are the resource's. */
static int refuse_unknown(struct request *rq, const struct resource *r,
			  struct err *e)
{
	struct resource_param params[RESOURCE_PARAMS_MAX];
	const size_t n = resource_params(rq->by.conf, r, params);
	struct buf known = BUF_INIT(LIM_URI_BYTES);
	int rc;

	if (resource_is_searched(r))
		buf_adds(&known, "q ");
	if (resource_is_filed(r))
		buf_adds(&known, "category ");
	for (size_t i = 0; i < n; i++)
		buf_addf(&known, "%s ", params[i].name);
	buf_adds(&known, "cursor pageSize");
	rc = req_query_names(rq, known.p, e);
	buf_release(&known);
	return rc;
}

/*
 * GET /RESOURCE?cursor=&pageSize=
 * 200 {items, totalCount, nextCursor}, newest first, or by name; category=: rows in that
 * category. totalCount is null beyond LIM_COUNTED. NAMED: those of files come first.
 * LISTED: filters and order=. SEARCHED: q=: those with all of its words, or parts of
 * words, what fits best first; then totalCount is exact.
 */
int api_resource_list(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_call c = call_of(rq, VERB_LIST);
	struct resource_answer *out = answer_new(rq);
	struct jw w;

	if (refuse_unknown(rq, c.r, e) < 0 ||
	    api_resource_query(rq, c.r, &c.query, e) < 0 ||
	    call(rq, &c, out, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	resource_answer_write(&w, &rq->by, c.r, out);
	return 0;
}

/*
 * GET /RESOURCE/{id}: 200 the record, ETag; 304; 404. Records with parts of the
 * configuration change without a version: never 304.
 */
int api_resource_get(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource_call c = call_of(rq, VERB_GET);
	struct resource_answer *out = answer_new(rq);
	char tag[ETAG_BYTES];

	if (call(rq, &c, out, e) < 0)
		return -1;
	if (c.r->named || out->items->row->config ||
	    !etag_answer(rq, rs, etag_row(out->items->row->version, tag)))
		write_answer(rq, rs, 200, c.r, out);
	return 0;
}

int api_resource_key(struct request *rq, const struct resource *r,
		     struct uuid *key, struct err *e)
{
	/* Below another parent, the same key is a different one. */
	return idempotent_id(rq, resource_is_nested(r) ||
			     r->owner == OWNER_MIXED
			     ? arena_strdup(rq->arena, rq->path.p) : r->path,
			     key, e);
}

int api_resource_answer(struct request *rq, struct response *rs,
			const struct resource_call *asked, struct err *e)
{
	struct resource_answer *out = answer_new(rq);
	const bool creating = asked->verb == VERB_CREATE;
	struct resource_call c = *asked;
	struct uuid key;
	int keyed = creating ? api_resource_key(rq, c.r, &key, e) : 0;

	c.key = keyed > 0 ? &key : NULL;
	if (keyed < 0 || hold_check(rq->app->db, rq->conf, &rq->by.owner, e) < 0 ||
	    call(rq, &c, out, e) < 0)
		return -1;
	hold_refresh(rq->app->db, rq->conf, &rq->by.owner);
	write_answer(rq, rs, creating ? 201 : 200, c.r, out);
	return 0;
}

/*
 * POST /RESOURCE: 201 the record, Location, ETag; with "secret", if it has one,
 * only this once. A repeated Idempotency-Key: the same row in its current state.
 * 409 for a field whose value is used by another row, or if the limit is reached.
 */
int api_resource_create(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource_call c = call_of(rq, VERB_CREATE);

	return api_resource_answer(rq, rs, &c, e);
}

static int expect(void *ctx, const struct resource_row *now, struct err *e)
{
	const struct request *rq = ctx;
	char tag[ETAG_BYTES];

	if (resource_is_guarded(of_route(rq)) && !req_header(rq, "If-Match").p)
		return err_set(e, ERR_UNCONDITIONAL, "%s", rq->route->pattern);
	return MIN(etag_wanted(ctx, etag_row(now->version, tag), e), 0);
}

/*
 * PATCH /RESOURCE/{id}: absent members are unchanged, null removes a value. 200 the
 * new record, ETag. If-Match as for conversations; even without it, a concurrent
 * change is 412. GUARDED: 428 without it; "*" is any version.
 */
int api_resource_patch(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_call c = call_of(rq, VERB_PATCH);

	c.expect = expect;
	c.ctx = rq;
	return api_resource_answer(rq, rs, &c, e);
}

/*
 * DELETE /RESOURCE/{id}: 204, also deletes what belongs to it; 404. GUARDED: If-Match,
 * as for PATCH.
 */
int api_resource_delete(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_call c = call_of(rq, VERB_DELETE);

	if (resource_is_guarded(c.r)) {
		c.expect = expect;
		c.ctx = rq;
	}
	if (call(rq, &c, answer_new(rq), e) < 0)
		return -1;
	resp_empty(rs, 204);
	return 0;
}

int api_unreadable(struct err *e)
{
	const struct err why = *e;

	err_clear(e);
	return err_field(e, ERR_INVALID_FIELD, "body", "%s", err_message(&why));
}
