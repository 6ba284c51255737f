/*
 * The records of lib/resource/resource.def: list, create, read, change and delete,
 * all of the caller only. Special rules of a resource are a function in its file,
 * which is named here.
 */
#include "api/api.h"

#include <stdio.h>
#include <string.h>

#include "api/etag.h"
#include "api/idempotent.h"
#include "api/page.h"
#include "api/scope.h"
#include "api/token.h"
#include "app.h"
#include "base/limits.h"
#include "fields.h"
#include "resource/resource.h"
#include "token_cache.h"

#include "base/banned.h"

/*
 * Called before a new row is stored: fills the fields that are not in the body
 * (GIVEN and HIDDEN). *secret (in rq's arena) is shown only once, as "secret".
 */
static int (*const made_by[RESOURCE__MAX])(struct request *rq,
					   struct resource_row *row,
					   struct str *secret,
					   struct err *e) = {
	[RESOURCE_API_TOKEN] = token_made,
};

/* What one field of a body is read into. */
union slot {
	struct str s;
	struct uuid u;
	int64_t i;
	int b;
	json_t *j;
};

static const struct resource *of_path(const struct request *rq)
{
	struct str rest = { rq->path.p + 1, rq->path.n - 1 };
	const struct resource *r = resource_find(str_cut(&rest, '/'));

	if (!r)
		BUG("a route of a resource without its row");
	return r;
}

/* -- bodies ------------------------------------------------------------------ */

static const enum field_type field_types[] = {
	[TYPE_TEXT] = FIELD_TEXT, [TYPE_INT] = FIELD_INT,
	[TYPE_BOOL] = FIELD_BOOL, [TYPE_TIME] = FIELD_TIME,
	[TYPE_UUID] = FIELD_UUID, [TYPE_JSON] = FIELD_JSON,
};

static struct field field_of(const struct resource_field *f, bool creating)
{
	struct field out = {
		.key = f->key, .type = field_types[f->type],
		.min = f->min, .max = f->max,
	};

	if (f->type == TYPE_TEXT)
		out.max_chars = (size_t)f->max;
	if (f->type == TYPE_TEXT && f->min)
		out.flags |= FIELD_FILLED;
	if (f->flags & RESOURCE_LINE)
		out.flags |= FIELD_LINE;
	if (f->flags & RESOURCE_NULLABLE)
		out.flags |= FIELD_NULLABLE;
	if (creating && f->flags & RESOURCE_REQUIRED)
		out.flags |= FIELD_REQUIRED;
	return out;
}

static struct db_val value_of(struct request *rq, enum resource_type type,
			      const union slot *s, char letter)
{
	switch (type) {
	case TYPE_TEXT:
		return DB_S(s->s);
	case TYPE_BOOL:
		return DB_I(s->b > 0);
	case TYPE_UUID:
		return (struct db_val){ .type = letter, .s = arena_str(
			rq->arena, (struct str){ (const char *)s->u.b, 16 }) };
	case TYPE_JSON:
		return DB_S(str_of(jx_text(rq->arena, s->j)));
	case TYPE_INT:
	case TYPE_TIME:
		return DB_I(s->i);
	case TYPE_BYTES:
		break;
	}
	BUG("bytes are in no body");
}

/* What a change may not touch is no unknown field. */
static int refuse_fixed(const struct resource *r, const json_t *body,
			struct err *e)
{
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];

		if ((f->mode == MODE_ONCE || f->mode == MODE_GIVEN) &&
		    json_object_get(body, f->key))
			return err_field(e, ERR_INVALID_FIELD, f->key,
					 "%s cannot be changed.", f->key);
	}
	return 0;
}

/* Copies the body's values into row, and marks those that were given. */
static int read_body(struct request *rq, const struct resource *r,
		     bool creating, struct resource_row *row, struct err *e)
{
	struct field fields[RESOURCE_FIELDS_MAX] = { { .key = NULL } };
	union slot slots[RESOURCE_FIELDS_MAX];
	size_t at[RESOURCE_FIELDS_MAX], n = 0;

	for (size_t i = 0; i < r->n_fields; i++) {
		enum resource_mode m = r->fields[i].mode;

		if (m != MODE_EDIT && !(creating && m == MODE_ONCE))
			continue;
		fields[n] = field_of(&r->fields[i], creating);
		fields[n].offset = n * sizeof(*slots);
		at[n++] = i;
	}
	if ((!creating && refuse_fixed(r, rq->body, e) < 0) ||
	    fields_read(fields, n, rq->body, slots, sizeof(slots), e) < 0)
		return -1;
	for (size_t k = 0; k < n; k++) {
		const json_t *j = json_object_get(rq->body, fields[k].key);
		struct db_val *v = &row->v[at[k]];

		row->given[at[k]] = j != NULL;
		if (json_is_null(j))
			*v = (struct db_val){ .type = v->type, .null = true };
		else if (j)
			*v = value_of(rq, r->fields[at[k]].type, &slots[k],
				      v->type);
	}
	return 0;
}

/* -- answers ----------------------------------------------------------------- */

static void write_record(struct response *rs, int status,
			 const struct resource *r,
			 const struct resource_row *row, struct str secret)
{
	char tag[ETAG_BYTES];
	struct jw w = resp_json(rs, status);

	resp_header(rs, "ETag", etag_row(row->version, tag));
	jw_obj(&w);
	resource_write(&w, r, row);
	if (secret.p)
		jw_kstr(&w, "secret", secret);
	jw_end_obj(&w);
}

static int get(struct request *rq, const struct resource *r,
	       struct resource_row *row, struct err *e)
{
	return resource_get(rq->app->db, r, &rq->by.owner,
			    route_arg_uuid(rq, "id"), rq->arena, row, e);
}

/*
 * GET /RESOURCE?cursor=&pageSize=
 * 200 {items, totalCount, nextCursor}, newest first. The position is
 * {"c":created_us,"id":"…"}.
 */
int api_resource_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource *r = of_path(rq);
	struct buf next = BUF_INIT(LIM_CURSOR_BYTES);
	struct resource_row after, *rows;
	int64_t total;
	size_t size, n;
	bool more;
	json_t *j;
	struct jw w;

	if (page_size(rq, &size, e) < 0 || page_cursor(rq, &j, e) < 0)
		return -1;
	after.created_us = jx_int(j, "c", -1);
	if (j && (after.created_us < 0 ||
		  !uuid_parse(jx_str(j, "id"), &after.id)))
		return err_set(e, ERR_INVALID_CURSOR, "not a resource's");
	if (resource_list(rq->app->db, r, &rq->by.owner, j ? &after : NULL,
			  size, rq->arena, &rows, &n, &more, e) < 0)
		return -1;
	/* A first page that is not full has counted them already. */
	total = (int64_t)n;
	if ((j || more) &&
	    resource_count(rq->app->db, r, &rq->by.owner, &total, e) < 0)
		return -1;
	w = page_items(rs);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		resource_write(&w, r, &rows[i]);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_kint(&w, "totalCount", total);
	if (more)
		buf_addf(&next, "{\"c\":%lld,\"id\":\"%s\"}",
			 (long long)rows[n - 1].created_us,
			 uuid_format(&rows[n - 1].id, (char[UUID_TEXT_BYTES]){ 0 }));
	page_write_next(&w, more ? buf_str(&next) : (struct str){ NULL, 0 });
	buf_release(&next);
	jw_end_obj(&w);
	return 0;
}

/* GET /RESOURCE/{id}: 200 the record, ETag; 304; 404. */
int api_resource_get(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource *r = of_path(rq);
	struct resource_row row;
	char tag[ETAG_BYTES];

	if (get(rq, r, &row, e) < 0)
		return -1;
	if (!etag_answer(rq, rs, etag_row(row.version, tag)))
		write_record(rs, 200, r, &row, (struct str){ NULL, 0 });
	return 0;
}

/*
 * The row with that id exists already. If this call made it and lost the connection,
 * it has all our values; else the same request with the same key made it, and its
 * secret cannot be shown again.
 */
static int made_before(struct request *rq, const struct resource *r, bool keyed,
		       struct resource_row *row, struct str *secret,
		       struct err *e)
{
	struct resource_row found;

	err_clear(e);
	if (resource_get(rq->app->db, r, &rq->by.owner, &row->id, rq->arena,
			 &found, e) < 0)
		return e->code != ERR_NOT_FOUND ? -1
			: (err_clear(e), err_set(e, ERR_CONFLICT, "taken"));
	for (size_t i = 0; i < r->n_fields; i++) {
		enum resource_mode mode = r->fields[i].mode;

		if (resource_same(&row->v[i], &found.v[i]))
			continue;
		if ((mode == MODE_EDIT || mode == MODE_ONCE) && keyed &&
		    !found.version)
			return turn_key_differs(e);
		*secret = (struct str){ NULL, 0 };
	}
	*row = found;
	return 0;
}

/*
 * POST /RESOURCE: 201 the record, Location, ETag; with "secret" where it has
 * one, this once. A repeated Idempotency-Key: the same row, as it is now.
 */
int api_resource_create(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource *r = of_path(rq);
	struct str secret = { NULL, 0 };
	struct resource_row row;
	char where[64], id[UUID_TEXT_BYTES];
	struct uuid key;
	int keyed = idempotent_id(rq, r->path, &key, e);

	resource_new(r, &row);
	if (keyed > 0)
		row.id = key;
	if (keyed < 0 || read_body(rq, r, true, &row, e) < 0 ||
	    (made_by[r - resources] &&
	     made_by[r - resources](rq, &row, &secret, e) < 0))
		return -1;
	if (resource_create(rq->app->db, r, &rq->by.owner, &row, e) < 0 &&
	    (e->code != ERR_DB_DUPLICATE ||
	     made_before(rq, r, keyed > 0, &row, &secret, e) < 0))
		return -1;
	write_record(rs, 201, r, &row, secret);
	snprintf(where, sizeof(where), "%s/%s", r->path,
		 uuid_format(&row.id, id));
	resp_header(rs, "Location", where);
	return 0;
}

/*
 * PATCH /RESOURCE/{id}: fields that are not in the body stay, null clears one. 200
 * the changed record, ETag. If-Match as for conversations; without it, a concurrent
 * change is 412 too.
 */
int api_resource_patch(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource *r = of_path(rq);
	struct resource_row row, wish;
	char tag[ETAG_BYTES];

	resource_new(r, &wish);
	if (read_body(rq, r, false, &wish, e) < 0 || get(rq, r, &row, e) < 0 ||
	    etag_wanted(rq, etag_row(row.version, tag), e) < 0)
		return -1;
	for (size_t i = 0; i < r->n_fields; i++) {
		row.given[i] = wish.given[i];
		if (wish.given[i])
			row.v[i] = wish.v[i];
	}
	if (resource_update(rq->app->db, r, &rq->by.owner, &row, e) < 0)
		return -1;
	write_record(rs, 200, r, &row, (struct str){ NULL, 0 });
	return 0;
}

/* DELETE /RESOURCE/{id}: 204; 404. */
int api_resource_delete(struct request *rq, struct response *rs, struct err *e)
{
	if (resource_delete(rq->app->db, of_path(rq), &rq->by.owner,
			    route_arg_uuid(rq, "id"), e) < 0)
		return -1;
	if (of_path(rq) == &resources[RESOURCE_API_TOKEN])
		token_cache_forget(rq->app->tokens);
	resp_empty(rs, 204);
	return 0;
}
