/* SPDX-License-Identifier: MIT */
/*
 * Resources that people create (lib/resource/resource.def): list, create, read,
 * change and delete, for the users that a row's OWNER defines. The special handling
 * of a resource is in functions of its own file, which are named here.
 */
#include "api/resource.h"

#include "agent/author.h"
#include "agent/catalog.h"
#include "api/agent.h"
#include "api/api.h"
#include "api/etag.h"
#include "api/idempotent.h"
#include "api/knowledge.h"
#include "api/page.h"
#include "api/prompt.h"
#include "api/service.h"
#include "api/shared.h"
#include "api/token.h"
#include "app.h"
#include "base/limits.h"
#include "token_cache.h"

#include <string.h>

#include "base/banned.h"

/* For resources without special handling. */
static const struct resource_odd nothing;
static const struct resource_odd token_odd = { .made = api_token_made };
static const struct resource_odd *const odds[RESOURCE__MAX] = {
	[RESOURCE_API_TOKEN] = &token_odd,
	[RESOURCE_LLM_SERVICE] = &api_service_odd,
	[RESOURCE_PROVIDER_INSTANCE] = &api_provider_odd,
	[RESOURCE_AGENT] = &api_agent_odd,
	[RESOURCE_WORKSPACE] = &api_workspace_odd,
	[RESOURCE_KNOWLEDGE_BASE] = &api_knowledge_odd,
	[RESOURCE_KNOWLEDGE_BASE_SHARE] = &api_knowledge_share_odd,
	[RESOURCE_PROMPT] = &api_prompt_odd,
	[RESOURCE_PROMPT_CATEGORY] = &api_prompt_category_odd,
	[RESOURCE_PROMPT_SHARE] = &api_prompt_share_odd,
};

static const struct resource_odd *odd(const struct resource *r)
{
	const struct resource_odd *o = odds[r - resources];

	return o ? o : &nothing;
}

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

/* -- access ------------------------------------------------------------------- */

struct resource_at api_resource_for(const struct request *rq)
{
	const struct catalog *c = catalog_of(rq->conf);
	const struct owner owner = rq->by.owner;
	struct resource_at at = resource_reading(&owner, rq->by.who->groups,
						 rq->by.who->n_groups,
						 rq->arena);

	at.in_files = c->category_ids;
	at.n_in_files = c->n_categories;
	return at;
}

bool api_resource_may_hold(const struct request *rq, const struct resource_at *at,
			   const struct resource *r, const struct uuid *holder)
{
	if (r->owner != OWNER_SHARED || uuid_eq(holder, &at->readers[0]))
		return true;
	if (uuid_eq(holder, &at->readers[1]))
		return policy_may(rq->by.who, odd(r)->of_tenant);
	for (size_t i = 2; i < at->n_readers; i++)
		if (uuid_eq(holder, &at->readers[i]))
			return policy_may(rq->by.who, odd(r)->of_group);
	return false;
}

size_t api_resource_files(struct request *rq, const struct resource *r,
			  struct resource_row **rows)
{
	return odd(r)->files ? odd(r)->files(rq, rows) : 0;
}

/* Finds a row of the configuration. */
static int get_file(struct request *rq, const struct resource *r,
		    const struct uuid *id, struct resource_row *row,
		    struct err *e)
{
	struct resource_row *rows = NULL;
	size_t n = api_resource_files(rq, r, &rows);

	for (size_t i = 0; i < n; i++)
		if (uuid_eq(&rows[i].id, id)) {
			*row = rows[i];
			return 0;
		}
	return err_set(e, ERR_NOT_FOUND, "no such row of %s", r->path);
}

int api_resource_visible(struct request *rq, const struct resource *r,
			 const struct resource_at *at, const struct uuid *id,
			 struct resource_row *row, struct err *e)
{
	if (resource_get(rq->app->db, r, at, id, rq->arena, row, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND || !odd(r)->files)
		return -1;
	err_clear(e);
	return get_file(rq, r, id, row, e);
}

/* Like api_resource_visible; sets at for a change of the row. */
static int get_changeable(struct request *rq, const struct resource *r,
			  struct resource_at *at, const struct uuid *id,
			  struct resource_row *row, struct err *e)
{
	if (api_resource_visible(rq, r, at, id, row, e) < 0)
		return -1;
	if (row->config)
		return err_set(e, ERR_MANAGED_BY_CONFIG, "%s", r->path);
	if (!api_resource_may_hold(rq, at, r, &row->holder))
		return err_public(e, ERR_FORBIDDEN, "You can use this %s, but "
				  "you cannot change it.", r->what);
	if (r->owner == OWNER_SHARED)
		at->holder = row->holder;
	return 0;
}

/* Finds the row in the path, for a change. */
static int find_changeable(struct request *rq, const struct resource *r,
			   struct resource_at *at, struct resource_row *row,
			   struct err *e)
{
	return r->named ? odd(r)->find(rq, at, row, e)
		: get_changeable(rq, r, at, route_arg_uuid(rq, "id"), row, e);
}

/* The same for deleting: if only its holder sees the row, its id is enough. */
static int find_deletable(struct request *rq, const struct resource *r,
			  struct resource_at *at, struct resource_row *row,
			  struct err *e)
{
	if (r->named || r->owner == OWNER_SHARED || odd(r)->files)
		return find_changeable(rq, r, at, row, e);
	row->id = *route_arg_uuid(rq, "id");
	return 0;
}

/* For the rows of the route's resource; with PARENT, those of the parent in the path. */
static int at_of(struct request *rq, const struct resource *r,
		 struct resource_at *at, struct err *e)
{
	struct resource_at above = api_resource_for(rq);
	struct resource_row parent;

	*at = above;
	if (r->named)
		return odd(r)->place(rq, at, e);
	if (r->owner != OWNER_PARENT)
		return 0;
	if (get_changeable(rq, resource_of_root(r->of), &above,
			   route_arg_uuid(rq, "parent"), &parent, e) < 0)
		return -1;
	at->holder = parent.id;
	at->above = parent.holder;
	return 0;
}

/* -- answers ----------------------------------------------------------------- */

static void write_members(struct jw *w, struct request *rq,
			  const struct resource_at *at,
			  const struct resource *r,
			  const struct resource_row *row)
{
	if (odd(r)->record) {
		odd(r)->record(w, rq, row);
		return;
	}
	resource_write(w, r, row);
	if (r->owner == OWNER_SHARED) {
		jw_kint(w, "version", row->version + 1);
		jw_kstrz(w, "source", row->config ? "config" : "api");
		jw_kbool(w, "canEdit", !row->config &&
			 policy_may(rq->by.who, odd(r)->of_own) &&
			 api_resource_may_hold(rq, at, r, &row->holder));
	}
	if (odd(r)->write)
		odd(r)->write(w, rq, row);
}

static void answer(struct request *rq, struct response *rs, int status,
		   const struct resource_at *at, const struct resource *r,
		   const struct resource_row *row, struct str secret)
{
	char tag[ETAG_BYTES];
	struct jw w = resp_json(rs, status);

	resp_header(rs, "ETag", etag_row(row->version, tag));
	jw_obj(&w);
	write_members(&w, rq, at, r, row);
	if (secret.p)
		jw_kstr(&w, "secret", secret);
	jw_end_obj(&w);
}

static const struct str no_secret = { NULL, 0 };

/* -- lists ------------------------------------------------------------------- */

/*
 * GET /RESOURCE?cursor=&pageSize=
 * 200 {items, totalCount, nextCursor}, newest first, or by name; then also q=:
 * names that begin with it; category=: rows in that category. totalCount is null
 * beyond LIM_COUNTED.
 */
int api_resource_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource *r = of_route(rq);
	struct resource_page p;
	struct resource_at at;
	int64_t total;
	struct jw w;

	if (at_of(rq, r, &at, e) < 0 || api_resource_page(rq, r, &at, &p, e) < 0)
		return -1;
	/* A first page that is not full has all of them. */
	total = (int64_t)p.n;
	if (!p.first || p.more) {
		if (resource_total(rq->app->db, r, &at, p.prefix, p.under,
				   &total, e) < 0)
			return -1;
		total += (int64_t)p.n_files;
	}
	w = api_page_items(rs);
	for (size_t i = 0; i < p.n; i++) {
		jw_obj(&w);
		write_members(&w, rq, &at, r, &p.rows[i]);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_key(&w, "totalCount");
	if (total > LIM_COUNTED)
		jw_null(&w);
	else
		jw_int(&w, total);
	api_resource_page_end(&w, r, &p);
	jw_end_obj(&w);
	return 0;
}

/* -- one --------------------------------------------------------------------- */

/* GET /RESOURCE/{id}: 200 the record, ETag; 304; 404. */
int api_resource_get(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource *r = of_route(rq);
	struct resource_at at;
	struct resource_row row;
	char tag[ETAG_BYTES];

	if (at_of(rq, r, &at, e) < 0 ||
	    api_resource_visible(rq, r, &at, route_arg_uuid(rq, "id"), &row, e) < 0)
		return -1;
	/* Rows of the configuration change without a version. */
	if (row.config || !etag_answer(rq, rs, etag_row(row.version, tag)))
		answer(rq, rs, 200, &at, r, &row, no_secret);
	return 0;
}

/* Location: the URL of the row below the API's root. */
static void put_location(struct request *rq, struct response *rs,
			 const struct resource *r,
			 const struct resource_row *row)
{
	char text[UUID_TEXT_BYTES];
	struct str path = { rq->path.p + 1, rq->path.n - 1 };

	if (odd(r)->address) {
		resp_header(rs, "Location", odd(r)->address(rq, row));
		return;
	}
	resp_header(rs, "Location", r->owner == OWNER_PARENT
		    ? arena_printf(rq->arena, "%.*s/%s", STR_ARG(path),
				   uuid_format(&row->id, text))
		    : arena_printf(rq->arena, "%s/%s", r->path,
				   uuid_format(&row->id, text)));
}

int api_resource_show(struct request *rq, struct response *rs, int status,
		      const struct resource *r, const struct uuid *id,
		      struct err *e)
{
	struct resource_at at = api_resource_for(rq);
	struct resource_row row;

	if (api_resource_visible(rq, r, &at, id, &row, e) < 0)
		return -1;
	answer(rq, rs, status, &at, r, &row, no_secret);
	if (status == 201)
		put_location(rq, rs, r, &row);
	return 0;
}

/*
 * A row with this id exists. If this call created it before its connection was
 * lost, it has all our values. Otherwise the same request with the same key created
 * it; its secret is not available any more.
 */
static int made_before(struct request *rq, const struct resource *r,
		       const struct resource_at *at, bool keyed,
		       struct resource_row *row, struct str *secret,
		       struct err *e)
{
	struct resource_row found;
	struct err inner = ERR_INIT;

	if (resource_get(rq->app->db, r, at, &row->id, rq->arena, &found,
			 &inner) < 0) {
		if (inner.code == ERR_NOT_FOUND)
			return resource_taken(r, e);
		*e = inner;
		return -1;
	}
	err_clear(e);
	for (size_t i = 0; i < r->n_fields; i++) {
		enum resource_mode mode = r->fields[i].mode;

		if (api_resource_same(rq, r, at, i, row, &found))
			continue;
		if ((mode == MODE_EDIT || mode == MODE_ONCE) && keyed &&
		    !found.version)
			return turn_key_differs(e);
		*secret = no_secret;
	}
	*row = found;
	return 0;
}

/* Checks the limit of the holder's rows; a repeated key needs no room. */
static int check_room(struct request *rq, const struct resource *r,
		      const struct resource_at *at,
		      const struct resource_row *row, struct err *e)
{
	struct resource_at held = *at;
	struct resource_row made;
	int most = odd(r)->most ? odd(r)->most(row) : r->most;
	int64_t n;

	held.holder = row->holder;
	if (resource_count(rq->app->db, r, &held, &n, e) < 0)
		return -1;
	if (n < most ||
	    resource_get(rq->app->db, r, at, &row->id, rq->arena, &made, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return err_public(e, ERR_CONFLICT, "There are already %d; there is no "
			  "room for another %s. Delete one first.", most,
			  r->what);
}

/* The special handling of a stored row, in its transaction. */
struct also {
	struct request *rq;
	const struct resource *r;
	const struct resource_at *at;
};

static int run_also(struct db *tx, const struct resource_row *row, void *ctx,
		    struct err *e)
{
	const struct also *k = ctx;

	return odd(k->r)->also ? odd(k->r)->also(k->rq, tx, k->at, row, e) : 0;
}

static int run_gone(struct db *tx, const struct resource_row *row, void *ctx,
		    struct err *e)
{
	const struct also *k = ctx;

	return odd(k->r)->gone ? odd(k->r)->gone(k->rq, tx, k->at, row, e) : 0;
}

static int store(struct request *rq, const struct resource *r,
		   const struct resource_at *at, bool keyed,
		   struct resource_row *row, struct str *secret, struct err *e)
{
	struct also k = { rq, r, at };

	if (check_room(rq, r, at, row, e) < 0)
		return -1;
	if (resource_create(rq->app->db, r, at, row,
			    &(struct resource_also){ run_also, &k }, e) < 0 &&
	    (e->code != ERR_DB_DUPLICATE ||
	     made_before(rq, r, at, keyed, row, secret, e) < 0))
		return -1;
	return 0;
}

static int key_of(struct request *rq, const struct resource *r, struct uuid *key,
		  struct err *e)
{
	/* Below another parent, the same key is a different one. */
	return idempotent_id(rq, r->owner == OWNER_PARENT ||
			     r->owner == OWNER_MIXED
			     ? arena_strdup(rq->arena, rq->path.p) : r->path,
			     key, e);
}

int api_resource_repeated(struct request *rq, const struct resource *r,
			  const struct resource_at *at, struct resource_row *row,
			  struct err *e)
{
	struct uuid key;
	int keyed = key_of(rq, r, &key, e);

	if (keyed <= 0)
		return keyed;
	if (resource_get(rq->app->db, r, at, &key, rq->arena, row, e) == 0)
		return 1;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

void api_resource_answer_made(struct request *rq, struct response *rs,
			      const struct resource *r,
			      const struct resource_at *at,
			      const struct resource_row *row)
{
	answer(rq, rs, 201, at, r, row, no_secret);
	put_location(rq, rs, r, row);
}

int api_resource_created(struct request *rq, struct response *rs,
			 const struct resource *r, const struct resource_at *at,
			 struct resource_row *row, struct err *e)
{
	struct str secret = no_secret;
	struct uuid key;
	int keyed = key_of(rq, r, &key, e);

	if (keyed > 0)
		row->id = key;
	author_stamp(rq->by.who, r, NULL, row, rq->arena);
	if (keyed < 0 ||
	    (odd(r)->made && odd(r)->made(rq, row, &secret, e) < 0) ||
	    (odd(r)->check && odd(r)->check(rq, row, e) < 0) ||
	    api_resource_seal(rq, r, at, row, e) < 0 ||
	    store(rq, r, at, keyed > 0, row, &secret, e) < 0)
		return -1;
	answer(rq, rs, 201, at, r, row, secret);
	put_location(rq, rs, r, row);
	return 0;
}

/*
 * POST /RESOURCE: 201 the record, Location, ETag; with "secret", if it has one,
 * only this once. A repeated Idempotency-Key: the same row in its current state.
 * 409 for a field whose value is used by another row, or if the limit is reached.
 */
int api_resource_create(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource *r = of_route(rq);
	struct resource_at at;
	struct resource_row row;

	resource_new(r, &row);
	if (api_resource_body(rq, r, true, &row, e) < 0 || at_of(rq, r, &at, e) < 0)
		return -1;
	row.holder = at.holder;
	return api_resource_created(rq, rs, r, &at, &row, e);
}

/*
 * PATCH /RESOURCE/{id}: absent members are unchanged, null removes a value. 200 the
 * new record, ETag. If-Match as for conversations; even without it, a concurrent
 * change is 412.
 */
int api_resource_patch(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource *r = of_route(rq);
	struct resource_at at;
	struct resource_row row, wish;
	struct also k = { rq, r, &at };
	char tag[ETAG_BYTES];

	resource_new(r, &wish);
	if (api_resource_body(rq, r, false, &wish, e) < 0 || at_of(rq, r, &at, e) < 0 ||
	    find_changeable(rq, r, &at, &row, e) < 0 ||
	    etag_wanted(rq, etag_row(row.version, tag), e) < 0)
		return -1;
	author_stamp(rq->by.who, r, &row, &wish, rq->arena);
	row.sort_key = wish.sort_key;
	for (size_t i = 0; i < r->n_fields; i++) {
		row.given[i] = wish.given[i];
		if (wish.given[i])
			row.v[i] = wish.v[i];
	}
	if ((odd(r)->check && odd(r)->check(rq, &row, e) < 0) ||
	    api_resource_seal(rq, r, &at, &row, e) < 0 ||
	    resource_update(rq->app->db, r, &at, &row,
			    &(struct resource_also){ run_also, &k }, e) < 0)
		return -1;
	answer(rq, rs, 200, &at, r, &row, no_secret);
	return 0;
}

/* DELETE /RESOURCE/{id}: 204, also deletes what belongs to it; 404. */
int api_resource_delete(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource *r = of_route(rq);
	struct resource_at at;
	struct resource_row row;
	struct also k = { rq, r, &at };

	if (at_of(rq, r, &at, e) < 0 ||
	    find_deletable(rq, r, &at, &row, e) < 0 ||
	    resource_delete(rq->app->db, r, &at, &row.id,
			    &(struct resource_also){ run_gone, &k }, e) < 0)
		return -1;
	if (r == &resources[RESOURCE_API_TOKEN])
		app_token_cache_forget(rq->app->tokens);
	resp_empty(rs, 204);
	return 0;
}
