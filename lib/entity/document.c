/* SPDX-License-Identifier: MIT */
/* Documents of projects: the length of their content, room for it, and their tree. */
#include "base/utf8.h"
#include "entity/tree.h"
#include "hold/stored.h"
#include "resource/call.h"

#include "base/banned.h"

/* Refuses what the user has no room for. */
static int check_room(const struct caller *by, size_t bytes, struct err *e)
{
	struct share_part part = { 0 };
	int rc = hold_take(by->db, by->conf, &by->owner, (int64_t)bytes, &part, e);

	if (rc == 0)
		share_give(&part);
	return rc;
}

static int measure(const struct caller *by, const struct resource *r,
		   struct resource_change *k, struct err *e)
{
	const size_t length = COLUMN(PROJECT_DOCUMENT, content_length);
	const size_t bytes = COLUMN(PROJECT_DOCUMENT, content_bytes);
	struct str content = resource_text(&k->row,
					   COLUMN(PROJECT_DOCUMENT, entity_content));

	(void)r;
	if (k->now && !k->row.given[COLUMN(PROJECT_DOCUMENT, entity_content)])
		return 0;
	k->row.v[length] = DB_I((int64_t)utf8_chars(content));
	k->row.v[bytes] = DB_I((int64_t)content.n);
	k->row.given[length] = k->row.given[bytes] = true;
	return content.n && !by->has_room ? check_room(by, content.n, e) : 0;
}

/* -- the tree ------------------------------------------------------------------------ */

/* The document that the row is under; NULL: at the top. */
static const struct uuid *under(const struct resource_row *row)
{
	const struct db_val *v = &row->v[COLUMN(PROJECT_DOCUMENT, under_id)];

	return v->null ? NULL : (const struct uuid *)v->s.p;
}

static int check(const struct caller *by, const struct resource *r,
		 struct resource_change *k, struct err *e)
{
	if (!k->now && under(&k->row) &&
	    tree_check(by, &k->at.holder, under(&k->row), e) < 0)
		return -1;
	return measure(by, r, k, e);
}

static int grow(const struct caller *by, const struct resource *r,
		struct resource_change *k, struct err *e)
{
	(void)r;
	return k->now ? 0 : tree_grew(by, &k->row.holder, e);
}

static int cut(const struct caller *by, const struct resource *r,
	       struct resource_change *k, struct err *e)
{
	(void)r;
	if (tree_note(by, &k->now->holder, &k->now->id, &k->with, e) < 0)
		return -1;
	return tree_cut(by, &k->now->holder, &k->now->id, under(k->now), e);
}

static int grow_again(const struct caller *by, const struct resource_again *k,
		      struct err *e)
{
	return tree_restore(by, k->top, k->id, k->with, e);
}

const struct resource_hooks project_document_hooks = {
	.check = check, .store = grow, .gone = cut, .made_again = grow_again,
};
