/* SPDX-License-Identifier: MIT */
/*
 * The prompt catalogue. A prompt belongs to the caller (private), a group (team),
 * the tenant, or the configuration (shipped). The readers of the first three depend
 * on their tier and are extended by shares. Earlier versions of a prompt are kept
 * for users who may change it.
 */
#include "api/prompt.h"

#include <string.h>

#include "agent/author.h"
#include "agent/catalog.h"
#include "agent/keep.h"
#include "api/api.h"
#include "api/page.h"
#include "api/shared.h"
#include "app.h"
#include "base/blank.h"
#include "base/limits.h"
#include "fields.h"
#include "route.h"
#include "turn/turn.h"
#include "store/prompt.h"

#include "base/banned.h"

static const struct resource *const prompts = &resources[RESOURCE_PROMPT];
static const struct resource *const categories =
	&resources[RESOURCE_PROMPT_CATEGORY];

static struct str text_of(const struct resource *r, struct resource_row *row,
			  const char *column)
{
	const struct db_val *v = resource_value(r, row, column);

	return v->null ? (struct str){ NULL, 0 } : v->s;
}

/* -- validation ------------------------------------------------------------- */

static int made(struct request *rq, struct resource_row *row,
		struct str *secret, struct err *e)
{
	(void)secret;
	return api_shared_made(rq, prompts, row, e);
}

static int check(struct request *rq, struct resource_row *row, struct err *e)
{
	return keep_prompt_check(&rq->by, row, e);
}

static int check_category(struct request *rq, struct resource_row *row,
			  struct err *e)
{
	return keep_category_check(&rq->by, row, e);
}

/* Increments the version of the category's prompts, because their records change. */
static int unfile(struct request *rq, struct db *tx,
		  const struct resource_at *at, const struct resource_row *row,
		  struct err *e)
{
	(void)rq;
	return store_prompt_unfile(tx, &at->by, &row->id, e);
}

/* -- versions ------------------------------------------------------------------ */

static int keep_version(struct request *rq, struct db *tx,
			const struct resource_at *at,
			const struct resource_row *row, struct err *e)
{
	(void)at;
	return keep_prompt_also(&rq->by, tx, row, e);
}

/* -- shipped prompts ------------------------------------------------------------- */

static void put(struct resource_row *row, const char *column, const char *text)
{
	if (text && *text)
		*resource_value(prompts, row, column) = DB_S(str_of(text));
}

static void new_of_file(const struct resource *r, const struct uuid *id,
			struct str sort_key, struct resource_row *row)
{
	resource_new(r, row);
	row->id = *id;
	row->created_us = row->updated_us = 0;
	row->sort_key = sort_key;
	row->config = true;
}

static size_t shipped(struct request *rq, struct resource_row **rows)
{
	const struct catalog *c = catalog_of(rq->conf);
	struct resource_row *v = arena_zalloc(rq->arena, c->n_shipped + 1,
					      sizeof(*v));

	for (size_t i = 0; i < c->n_shipped; i++) {
		const struct shipped_prompt *p = &c->shipped[i];

		new_of_file(prompts, &p->id, p->sort_key, &v[i]);
		v[i].version = p->version - 1;
		put(&v[i], "name", p->name);
		put(&v[i], "description", p->description);
		put(&v[i], "icon", p->icon);
		put(&v[i], "colour", p->colour);
		put(&v[i], "body", p->body);
		put(&v[i], "tier", "shipped");
		if (p->categories.n)
			*resource_value(prompts, &v[i], "prompt_in_category") =
				DB_B(p->categories);
	}
	*rows = v;
	return c->n_shipped;
}

static size_t shipped_categories(struct request *rq, struct resource_row **rows)
{
	const struct catalog *c = catalog_of(rq->conf);
	struct resource_row *v = arena_zalloc(rq->arena, c->n_categories + 1,
					      sizeof(*v));

	for (size_t i = 0; i < c->n_categories; i++) {
		const struct shipped_category *k = &c->categories[i];

		new_of_file(categories, &k->id, k->sort_key, &v[i]);
		*resource_value(categories, &v[i], "name") =
			DB_S(str_of(k->name));
	}
	*rows = v;
	return c->n_categories;
}

/* -- records --------------------------------------------------------------------- */

static void write_more(struct jw *w, struct request *rq,
		       const struct resource_row *row)
{
	struct arena_mark mark = arena_mark(rq->arena);
	struct resource_row copy = *row;
	struct err e = ERR_INIT;
	struct blank *blanks = NULL;
	struct author by;
	size_t n = 0;

	/* Stored by an older version with other rules: without blanks. */
	if (blank_parse(text_of(prompts, &copy, "body"), "body", rq->arena,
			&blanks, &n, &e) < 0)
		n = 0;
	jw_key(w, "blanks");
	blank_write(w, blanks, n);
	author_of_row(rq->conf, rq->by.who, prompts, row, rq->arena, &by);
	if (row->config)
		by = (struct author){ .trusted = true };
	author_write(w, &by);
	/* For a page of prompts, use this memory for one at a time. */
	arena_rewind(rq->arena, mark);
}

static void write_source(struct jw *w, struct request *rq,
			 const struct resource_row *row)
{
	(void)rq;
	jw_kstrz(w, "source", row->config ? "config" : "api");
}

const struct resource_odd api_prompt_odd = {
	.made = made, .check = check, .also = keep_version, .write = write_more,
	.files = shipped, .of_own = PERM_PROMPTS_WRITE,
	.of_group = PERM_PROMPTS_SHARE, .of_tenant = PERM_PROMPTS_MANAGE,
};
const struct resource_odd api_prompt_category_odd = {
	.check = check_category, .gone = unfile, .files = shipped_categories,
	.write = write_source,
};
/*
 * GET /prompt-picker?q=&category=&cursor=&pageSize=
 * 200 {items, nextCursor}, by name: prompts in the category whose name begins with
 * q, case-insensitive. Has what a list for choosing needs; GET /prompts/{id} has
 * the body.
 */
int api_prompt_pick(struct request *rq, struct response *rs, struct err *e)
{
	static const char *const columns[] = {
		"name", "description", "icon", "colour", "tier",
	};
	struct resource_at at = api_resource_for(rq);
	struct resource_page p;
	struct jw w;

	if (api_resource_page(rq, prompts, &at, &p, e) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < p.n; i++) {
		jw_obj(&w);
		jw_kuuid(&w, "id", &p.rows[i].id);
		for (size_t k = 0; k < ARRAY_LEN(columns); k++)
			jw_kstr(&w, columns[k],
				text_of(prompts, &p.rows[i], columns[k]));
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	api_resource_page_end(&w, prompts, &p);
	jw_end_obj(&w);
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
	    blank_parse(in.body, "body", rq->arena, &blanks, &n, e) < 0)
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
			 const struct resource_at *at, struct resource_row *row,
			 struct str name, struct err *e)
{
	const struct db_val *from = resource_value(prompts, row, "copied_from");
	const struct uuid *asked = route_arg_uuid(rq, "id");

	if (from->null || from->s.n != sizeof(asked->b) ||
	    memcmp(from->s.p, asked->b, sizeof(asked->b)) != 0 ||
	    (name.p && !row->version &&
	     !str_eq(name, text_of(prompts, row, "name"))))
		return turn_key_differs(e);
	api_resource_answer_made(rq, rs, prompts, at, row);
	return 0;
}

/*
 * POST /prompts/{id}/copy {name}
 * 201: a private copy of a prompt that the caller sees and can then change;
 * otherwise like POST /prompts. The original is unchanged. A repeated
 * Idempotency-Key: the same copy, even if the original was changed or deleted.
 */
int api_prompt_copy(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_at at = api_resource_for(rq);
	struct resource_row from, row;
	struct copy_body in;
	int made;

	if (fields_read(copy_fields, ARRAY_LEN(copy_fields), rq->body, &in,
			sizeof(in), e) < 0)
		return -1;
	made = api_resource_repeated(rq, prompts, &at, &row, e);
	if (made)
		return made < 0 ? -1 : copied_before(rq, rs, &at, &row, in.name,
						     e);
	if (api_resource_visible(rq, prompts, &at, route_arg_uuid(rq, "id"), &from,
				 e) < 0)
		return -1;
	resource_new(prompts, &row);
	for (size_t i = 0; i < prompts->n_fields; i++)
		if (prompts->fields[i].mode == MODE_EDIT) {
			row.v[i] = from.v[i];
			row.given[i] = true;
		}
	author_copy(prompts, from.config ? NULL : &from, &row);
	if (in.name.p)
		*resource_value(prompts, &row, "name") = DB_S(in.name);
	*resource_value(prompts, &row, "copied_from") = DB_U(&from.id);
	*resource_value(prompts, &row, "copied_version") =
		DB_I(from.version + 1);
	resource_sort(prompts, rq->arena, &row);
	return api_resource_created(rq, rs, prompts, &at, &row, e);
}
