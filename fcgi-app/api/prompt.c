/* SPDX-License-Identifier: MIT */
/* The prompt catalogue: choosing, checking and copying prompts. */
#include <string.h>

#include "api/api.h"
#include "api/page.h"
#include "api/resource.h"
#include "app.h"
#include "base/blank.h"
#include "base/cursor.h"
#include "base/fields.h"
#include "base/limits.h"
#include "domain/catalog.h"
#include "resource/author.h"
#include "route.h"
#include "store/prompt.h"

#include "base/banned.h"

static const struct resource *const prompts = &resources[RESOURCE_PROMPT];

/*
 * GET /prompt-picker?q=&category=&cursor=&pageSize=
 * 200 {items, nextCursor}, by name, or those that fit q best first: prompts in the
 * category. Has what a list for choosing needs; GET /prompts/{id} has
 * the body.
 */
int api_prompt_pick(struct request *rq, struct response *rs, struct err *e)
{
	static const size_t columns[] = {
		COLUMN(PROMPT, name), COLUMN(PROMPT, description),
		COLUMN(PROMPT, icon), COLUMN(PROMPT, colour),
		COLUMN(PROMPT, tier),
	};
	struct resource_call c = {
		.r = prompts, .verb = VERB_LIST, .query = { .uncounted = true },
	};
	struct resource_answer *out = arena_new(rq->arena, struct resource_answer);
	struct jw w;

	if (api_resource_query(rq, prompts, &c.query, e) < 0 ||
	    resource_call(&rq->by, &c, out, e) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < out->n; i++) {
		jw_obj(&w);
		jw_kuuid(&w, "id", &out->items[i].row->id);
		for (size_t k = 0; k < ARRAY_LEN(columns); k++)
			jw_kstr(&w, prompts->fields[columns[k]].key,
				resource_text(out->items[i].row, columns[k]));
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	cursor_write(&w, out->next);
	jw_end_obj(&w);
	return 0;
}

/*
 * GET /prompt-users: 200 {items: [{promptId, users}], …}: of each prompt that the caller
 * sees, how many people have sent a message made from it, if any. Nobody is named.
 */
int api_prompt_users(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource_at at = resource_for(&rq->by);
	struct prompt_users *v;
	int64_t n_items = 0;
	struct jw w;
	size_t n;

	if (store_prompt_users(rq->app->db, rq->by.owner.tenant_id, resource_ids_json(
		    at.readers, at.n_readers, rq->arena), rq->arena, &v, &n, e) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < n; i++) {
		if (!v[i].seen && !catalog_shipped(rq->conf, &v[i].prompt))
			continue;
		jw_obj(&w);
		jw_kuuid(&w, "promptId", &v[i].prompt);
		jw_kint(&w, "users", v[i].users);
		jw_end_obj(&w);
		n_items++;
	}
	api_page_items_end(&w, n_items);
	return 0;
}

struct check_body {
	struct str body;
};

static const struct field check_fields[] = {
	{ .key = "body", .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
	  .max_chars = LIM_PROMPT_CHARS,
	  .offset = offsetof(struct check_body, body) },
};

/*
 * POST /prompts/check {body}
 * 200 {blanks}: what the user of this text would fill in; 422 for body: the first
 * invalid blank. Stores nothing.
 */
int api_prompt_check(struct request *rq, struct response *rs, struct err *e)
{
	struct check_body in;
	struct blank *blanks;
	struct jw w;
	size_t n;

	if (fields_read(check_fields, ARRAY_LEN(check_fields), rq->body, &in,
			sizeof(in), e) < 0 ||
	    blank_parse(in.body, rq->arena, &blanks, &n, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_key(&w, "blanks");
	blank_write(&w, blanks, n);
	jw_end_obj(&w);
	return 0;
}

struct copy_body {
	struct str name;
};

static const struct field copy_fields[] = {
	{ .key = "name", .type = FIELD_TEXT,
	  .flags = FIELD_FILLED | FIELD_LINE, .max_chars = 100,
	  .offset = offsetof(struct copy_body, name) },
};

/*
 * The key has created this row. It belongs to this request if it is a copy of the
 * same prompt with the requested name: the original may have been changed or
 * deleted since.
 */
static int copied_before(struct request *rq, struct response *rs,
			 struct resource_row *row, struct str name,
			 struct err *e)
{
	const struct db_val *from = &row->v[COLUMN(PROMPT, copied_from)];
	const struct uuid *asked = route_arg_uuid(rq, "id");

	if (from->null || from->s.n != sizeof(asked->b) ||
	    memcmp(from->s.p, asked->b, sizeof(asked->b)) != 0 ||
	    (name.p && !row->version &&
	     !str_eq(name, resource_text(row, COLUMN(PROMPT, name)))))
		return err_key_differs(e);
	return api_resource_show(rq, rs, 201, prompts, &row->id, e);
}

/* The values of the copy. */
static void copy_values(const struct resource_row *from, struct str name,
			struct arena *a, struct resource_row *row)
{
	resource_new(prompts, row);
	for (size_t i = 0; i < prompts->n_fields; i++)
		if (prompts->fields[i].mode == MODE_EDIT) {
			row->v[i] = from->v[i];
			row->given[i] = true;
		}
	author_copy(prompts, from->config ? NULL : from, row);
	if (name.p)
		row->v[COLUMN(PROMPT, name)] = DB_S(name);
	row->v[COLUMN(PROMPT, copied_from)] = DB_U(&from->id);
	row->v[COLUMN(PROMPT, copied_version)] =
		DB_I(from->version + 1);
	resource_sort(prompts, a, row);
}

/*
 * POST /prompts/{id}/copy {name}
 * 201: a private copy of a prompt that the caller sees and can then change;
 * otherwise like POST /prompts. The original is unchanged. A repeated
 * Idempotency-Key: the same copy, even if the original was changed or deleted.
 */
int api_prompt_copy(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_row from, row;
	struct resource_call c = {
		.r = prompts, .verb = VERB_CREATE, .draft = &row,
	};
	struct copy_body in;
	struct uuid key;
	int keyed;

	if (fields_read(copy_fields, ARRAY_LEN(copy_fields), rq->body, &in,
			sizeof(in), e) < 0)
		return -1;
	keyed = api_resource_key(rq, prompts, &key, e);
	if (keyed < 0)
		return -1;
	if (keyed && resource_visible(&rq->by, prompts, &key, &row, e) == 0)
		return copied_before(rq, rs, &row, in.name, e);
	if (e->code && e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	if (resource_visible(&rq->by, prompts, route_arg_uuid(rq, "id"), &from,
			     e) < 0)
		return -1;
	copy_values(&from, in.name, rq->arena, &row);
	return api_resource_answer(rq, rs, &c, e);
}
