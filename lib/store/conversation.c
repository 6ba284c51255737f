/* SPDX-License-Identifier: MIT */
#include "store/conversation.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/recent.h"
#include "base/utf8.h"
#include "store/known.h"
#include "store/stmt.h"

#include "base/banned.h"

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct conversation, m, t)
	CONVERSATION_FIELDS(F, COMMA)
#undef F
};

static const struct db_field locked_fields[] = {
#define F(m, t, sql) FIELD_OF(struct locked, m, t)
	LOCKED_FIELDS(F, COMMA)
#undef F
};

static int not_found(struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "no such conversation");
}

int conversation_get(struct db *db, const struct owner *o,
		     const struct uuid *id, struct arena *a,
		     struct conversation *out, struct err *e)
{
	int n = db_get(db, STMT_CONVERSATION_GET,
		       DB_ARGS(DB_U(id), DB_S(o->tenant_id),
			       DB_U(&o->user_id)), a, fields, out, e);
	struct str *set = &out->knowledge;

	return n > 0 ? store_known_bases(db, o->tenant_id, &set, 1, a, e)
		: n < 0 ? -1 : not_found(e);
}

int conversation_lock(struct db *tx, const struct owner *o,
		      const struct uuid *id, struct arena *a,
		      struct locked *out, struct err *e)
{
	int n = db_get(tx, STMT_CONVERSATION_LOCK,
		       DB_ARGS(DB_U(id), DB_S(o->tenant_id),
			       DB_U(&o->user_id)), a, locked_fields, out, e);

	return n > 0 ? 0 : n < 0 ? -1 : not_found(e);
}

static int take_reach(void *ctx, const struct db_val *row, struct err *e)
{
	struct conversation_key *reach = ctx;

	(void)e;
	reach->updated_us = row[0].i;
	memcpy(reach->id.b, row[1].s.p, sizeof(reach->id.b));
	return 0;
}

struct taking_ids {
	struct uuid *out;
	size_t n;
};

static int take_id(void *ctx, const struct db_val *row, struct err *e)
{
	struct taking_ids *k = ctx;

	(void)e;
	memcpy(k->out[k->n++].b, row[0].s.p, sizeof(k->out->b));
	return 0;
}

int conversation_ids(struct db *db, const struct owner *o,
		     const struct uuid *after, struct uuid *out, size_t max,
		     size_t *n, struct err *e)
{
	struct taking_ids k = { .out = out };
	int rc = db_each(db, STMT_CONVERSATION_IDS,
			 DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
				 DB_U(after), DB_I((int64_t)max)), NULL, take_id,
			 &k, e);

	*n = k.n;
	return rc;
}

/* The last conversation that a page after k examines; all zero: no limit. */
static int reach_of(struct db *db, const struct owner *o,
		    const struct conversation_filter *f,
		    const struct conversation_key *k, struct arena *a,
		    struct conversation_key *reach, struct err *e)
{
	if (f->by_creation)
		return db_each(db, STMT_CONVERSATION_REACH_OF_AGENT,
			       DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
				       DB_S(f->workspace_id),
				       DB_S(f->agent_id), DB_I(k->updated_us),
				       DB_I(k->updated_us), DB_U(&k->id),
				       DB_I(LIM_LOOKED_AT - 1)),
			       a, take_reach, reach, e);
	return db_each(db, STMT_CONVERSATION_REACH,
		       DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
			       DB_I(f->shelf), DB_I(k->updated_us),
			       DB_I(k->updated_us), DB_U(&k->id),
			       DB_I(LIM_LOOKED_AT - 1)),
		       a, take_reach, reach, e);
}

/* A pattern for the tag as it is in the column. In a. */
static struct str tag_like(struct str tag, struct arena *a)
{
	struct buf b = BUF_INIT(4 * LIM_TAG_CHARS + 8);
	struct str out = { NULL, 0 };

	if (tag.p) {
		buf_addc(&b, '\n');
		buf_addstr(&b, tag);
		buf_addc(&b, '\n');
		out = store_like(buf_str(&b), true, a);
	}
	buf_release(&b);
	return out;
}

static int known_bases(struct db *db, const struct owner *o,
		       struct conversation_page *p, struct arena *a, struct err *e)
{
	struct str **sets = arena_zalloc(a, p->n + 1, sizeof(*sets));

	for (size_t i = 0; i < p->n; i++)
		sets[i] = &p->items[i].knowledge;
	return store_known_bases(db, o->tenant_id, sets, p->n, a, e);
}

static bool is_filter(const struct conversation_filter *f)
{
	return f->workspace_id.p || f->agent_id.p || f->title.p ||
		f->tag.p || !uuid_is_nil(&f->folder);
}

int conversation_list(struct db *db, const struct owner *o,
		      const struct conversation_filter *f,
		      const struct conversation_key *after, size_t size,
		      struct arena *a, struct conversation_page *out,
		      struct err *e)
{
	struct conversation_key k = { .updated_us = INT64_MAX };
	struct conversation_key reach = { .updated_us = 0 };
	int64_t limit = (int64_t)size + 1;
	struct str like;
	int rc;

	if (!size || size > LIM_PAGE_MAX)
		BUG("a page of no or of too many conversations");
	if (after)
		k = *after;
	*out = (struct conversation_page){ .n = 0 };
	if (f && f->by_creation) {
		like = store_like(f->title, true, a);
		rc = like.p ? reach_of(db, o, f, &k, a, &reach, e) : 0;
		if (!rc)
			rc = db_list(db, STMT_CONVERSATION_OF_AGENT,
			     DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
				     DB_S(f->workspace_id), DB_S(f->agent_id),
				     DB_I(k.updated_us), DB_I(k.updated_us),
				     DB_U(&k.id), DB_I(reach.updated_us),
				     DB_I(reach.updated_us), DB_U(&reach.id),
				     DB_S_IF(like), DB_S_IF(like),
				     DB_I(limit)),
			     a, fields, sizeof(*out->items), 0, &out->items,
			     &out->n, e);
	} else if (f && f->pinned) {
		rc = db_list(db, STMT_CONVERSATION_PINNED,
			     DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
				     DB_S_IF(f->workspace_id),
				     DB_S_IF(f->workspace_id),
				     DB_I((int64_t)size)),
			     a, fields, sizeof(*out->items), 0, &out->items,
			     &out->n, e);
	} else if (f && is_filter(f)) {
		struct str tag = tag_like(f->tag, a);

		like = store_like(f->title, true, a);
		rc = reach_of(db, o, f, &k, a, &reach, e);
		if (!rc)
			rc = db_list(db, STMT_CONVERSATION_FIND,
			     DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
				     DB_I(f->shelf), DB_I(k.updated_us),
				     DB_I(k.updated_us),
				     DB_U(&k.id), DB_I(reach.updated_us),
				     DB_I(reach.updated_us), DB_U(&reach.id),
				     DB_S_IF(f->workspace_id),
				     DB_S_IF(f->workspace_id),
				     DB_S_IF(f->agent_id),
				     DB_S_IF(f->agent_id),
				     DB_U_IF(&f->folder), DB_U_IF(&f->folder),
				     DB_S_IF(tag), DB_S_IF(tag),
				     DB_S_IF(like), DB_S_IF(like),
				     DB_I(limit)),
			     a, fields, sizeof(*out->items), 0, &out->items,
			     &out->n, e);
	} else {
		rc = db_list(db, STMT_CONVERSATION_LIST,
			     DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
				     DB_I(f ? f->shelf : SHELF_OWN), DB_I(k.updated_us),
				     DB_I(k.updated_us), DB_U(&k.id),
				     DB_I(limit)),
			     a, fields, sizeof(*out->items), 0, &out->items,
			     &out->n, e);
	}
	if (rc || known_bases(db, o, out, a, e))
		return -1;
	if (out->n > size) {
		out->n = size;
		out->more = true;
		out->next.updated_us = f && f->by_creation
			? out->items[size - 1].created_us
			: out->items[size - 1].updated_us;
		out->next.id = out->items[size - 1].id;
	/* No match is left within what one page may examine: the next one begins behind it. */
	} else if (reach.updated_us) {
		out->more = true;
		out->next = reach;
	}
	return 0;
}

#define MANY_MS 60000

/*
 * Users who were counted with more than LIM_COUNTED: counting reads as many index entries
 * again for the same answer, most of what a page of the list costs.
 */
static struct recent many = RECENT_INIT;

static int take_count(void *ctx, const struct db_val *row, struct err *e)
{
	(void)e;
	*(int64_t *)ctx = row[0].i > LIM_COUNTED ? -1 : row[1].i;
	return 0;
}

int conversation_count(struct db *db, const struct owner *o,
		       const struct conversation_filter *f, int64_t *out,
		       struct err *e)
{
	struct arena a = ARENA_INIT;
	int64_t age_ms = recent_age_ms(&many, &o->user_id, NULL);
	const enum conversation_shelf shelf = f ? f->shelf : SHELF_OWN;
	struct str like, tag;
	int rc;

	*out = -1;
	if (shelf == SHELF_OWN && age_ms >= 0 && age_ms < MANY_MS)
		return 0;
	if (f && is_filter(f)) {
		like = store_like(f->title, true, &a);
		tag = tag_like(f->tag, &a);
		rc = db_each(db, STMT_CONVERSATION_COUNT,
			     DB_ARGS(DB_S_IF(f->workspace_id),
				     DB_S_IF(f->workspace_id),
				     DB_S_IF(f->agent_id), DB_S_IF(f->agent_id),
				     DB_U_IF(&f->folder), DB_U_IF(&f->folder),
				     DB_S_IF(tag), DB_S_IF(tag),
				     DB_S_IF(like), DB_S_IF(like),
				     DB_S(o->tenant_id), DB_U(&o->user_id),
				     DB_I(f->shelf), DB_I(LIM_COUNTED + 1)),
			     &a, take_count, out, e);
	} else {
		rc = db_each(db, STMT_CONVERSATION_ALL,
			     DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
				     DB_I(shelf),
				     DB_I(LIM_COUNTED + 1)),
			     &a, take_count, out, e);
	}
	arena_release(&a);
	if (!rc && *out < 0 && shelf == SHELF_OWN)
		recent_note(&many, &o->user_id, 0);
	return rc;
}

static struct str title_head(struct str title)
{
	title.n = title.p ? utf8_head(title, LIM_TITLE_CHARS).n : 0;
	return title;
}

/* Why a change matched no row: it does not exist, or has another version. */
static int changed_one(struct db *db, const struct owner *o,
		       const struct uuid *id, const struct db_result *r,
		       struct err *e)
{
	struct conversation c;
	struct arena a = ARENA_INIT;
	int rc;

	if (r->affected)
		return 0;
	rc = conversation_get(db, o, id, &a, &c, e);
	arena_release(&a);
	return rc ? -1 : err_set(e, ERR_PRECONDITION, "it is at version %lld",
				 (long long)c.version);
}

int conversation_limit_at(struct db *db, const struct owner *o,
			  const struct uuid *id, struct str knowledge,
			  int64_t version, struct err *e)
{
	struct db_result r;

	if (db_exec(db, STMT_CONVERSATION_LIMIT,
		    DB_ARGS(DB_S_IF(knowledge), DB_I(clock_now_us()), DB_U(id),
			    DB_S(o->tenant_id), DB_U(&o->user_id),
			    DB_I(version), DB_I(version)), &r, e))
		return -1;
	return changed_one(db, o, id, &r, e);
}

int conversation_context_at(struct db *db, const struct owner *o,
			    const struct uuid *id,
			    const struct conversation_context *c, int64_t version,
			    struct err *e)
{
	struct db_result r;

	if (db_exec(db, STMT_CONVERSATION_CONTEXT,
		    DB_ARGS(DB_I(clock_now_us()) PLACE_VALUES(c), DB_U(id),
			    DB_S(o->tenant_id), DB_U(&o->user_id),
			    DB_I(version), DB_I(version)), &r, e))
		return -1;
	return changed_one(db, o, id, &r, e);
}

int conversation_arrange_at(struct db *db, const struct owner *o,
			    const struct uuid *id,
			    const struct conversation_place *p, int64_t version,
			    struct err *e)
{
	static const struct uuid none;
	const struct uuid *folder = p->has_folder ? &p->folder : &none;
	struct db_result r;

	if (db_exec(db, STMT_CONVERSATION_ARRANGE,
		    DB_ARGS(DB_I(p->has_archived), DB_I(p->archived),
			    DB_I(p->has_pinned), DB_I(p->pinned),
			    DB_I(clock_now_us()), DB_I(p->has_folder),
			    DB_U_IF(folder), DB_I(p->has_tags), DB_S_IF(p->tags),
			    DB_U(id), DB_S(o->tenant_id), DB_U(&o->user_id),
			    DB_I(version), DB_I(version), DB_U_IF(folder),
			    DB_U(folder), DB_S(o->tenant_id),
			    DB_U(&o->user_id)), &r, e))
		return -1;
	return changed_one(db, o, id, &r, e);
}

int conversation_rename_at(struct db *db, const struct owner *o,
			   const struct uuid *id, struct str title,
			   int64_t version, struct err *e)
{
	struct db_result r;

	title = title_head(title);
	if (db_exec(db, STMT_CONVERSATION_RENAME,
		    DB_ARGS(DB_S_IF(title),
			    DB_I(title.p ? TITLE_USER : TITLE_NONE),
			    DB_I(clock_now_us()), DB_U(id),
			    DB_S(o->tenant_id), DB_U(&o->user_id),
			    DB_I(version), DB_I(version)), &r, e))
		return -1;
	return changed_one(db, o, id, &r, e);
}

int conversation_rename(struct db *db, const struct owner *o,
			const struct uuid *id, struct str title,
			enum title_by by, bool *changed, struct err *e)
{
	struct conversation c;
	struct arena a = ARENA_INIT;
	struct db_result r = { .affected = 1 };
	int rc;

	if (by == TITLE_MODEL)
		rc = db_exec(db, STMT_CONVERSATION_TITLE,
			     DB_ARGS(DB_S_IF(title_head(title)), DB_U(id),
				     DB_S(o->tenant_id), DB_U(&o->user_id)),
			     &r, e);
	else
		rc = conversation_rename_at(db, o, id, title, -1, e);
	if (rc)
		return -1;
	if (changed)
		*changed = r.affected > 0;
	if (!r.affected)	/* a user's title, or no such conversation? */
		rc = conversation_get(db, o, id, &a, &c, e);
	arena_release(&a);
	return rc;
}
