/* SPDX-License-Identifier: MIT */
/*
 * Deleting first removes the owner from the row (no tenant, no user), so that
 * from then on no query that checks the owner finds it. Then it deletes the
 * dependent rows in batches, and the row itself last. After a crash, the
 * remains are recognised by the missing owner.
 */
#include "store/conversation.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/recent.h"
#include "base/utf8.h"
#include "resource/purge.h"
#include "store/attachment.h"
#include "store/job.h"
#include "store/known.h"
#include "store/stmt.h"
#include "store/thread.h"

#include "base/banned.h"

#define ROOM_MS 3000	/* limit for purging a conversation whose id is wanted */

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

static const struct uuid nobody;

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

struct creating {
	const struct owner *o;
	const struct conversation *c;
};

static int create_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct creating *k = ctx;
	const struct conversation *c = k->c;

	if (db_tx_unknown(tx)) {
		struct conversation seen;
		struct arena a = ARENA_INIT;
		int rc = conversation_get(tx, k->o, &c->id, &a, &seen, e);

		arena_release(&a);
		if (!rc && seen.created_us == c->created_us)
			return 0;
		if (e->code != ERR_NONE && e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
	}
	if (db_exec(tx, STMT_CONVERSATION_INSERT,
		    DB_ARGS(DB_U(&c->id), DB_S(k->o->tenant_id),
			    DB_U(&k->o->user_id), DB_S(c->workspace_id),
			    DB_S(c->agent_id), DB_S_IF(c->title),
			    DB_I(c->title_by), DB_I(0), DB_I(0),
			    DB_U_IF(&nobody), DB_I(c->created_us),
			    DB_I(c->updated_us), DB_S_IF(c->client)
			    PLACE_VALUES(&c->context)), NULL, e))
		return -1;
	return !c->knowledge.p ? 0
		: db_exec(tx, STMT_CONVERSATION_LIMIT,
			  DB_ARGS(DB_S(c->knowledge), DB_I(c->updated_us),
				  DB_U(&c->id), DB_S(k->o->tenant_id),
				  DB_U(&k->o->user_id), DB_I(-1), DB_I(-1)), NULL,
			  e);
}

int conversation_create(struct db *db, const struct owner *o,
			const struct conversation_new *n,
			struct conversation *out, struct err *e)
{
	int64_t now_us = clock_now_us();
	struct creating k = { .o = o, .c = out };

	*out = (struct conversation){
		.id = n->id ? *n->id : uuid_new(),
		.workspace_id = n->workspace_id,
		.agent_id = n->agent_id,
		.title = n->title.p ? utf8_head(n->title, LIM_TITLE_CHARS)
				    : n->title,
		.knowledge = n->knowledge,
		.context = n->context,
		.title_by = n->title.p ? TITLE_USER : TITLE_NONE,
		.user_id = o->user_id,
		.created_us = now_us,
		.updated_us = now_us,
	};
	if (!db_tx(db, create_tx, &k, e))
		return 0;
	if (e->code == ERR_DB_DUPLICATE &&
	    conversation_made_room(db, &out->id)) {
		err_clear(e);
		if (!db_tx(db, create_tx, &k, e))
			return 0;
	}
	if (e->code == ERR_DB_DUPLICATE) {
		err_clear(e);
		err_set(e, ERR_CONFLICT, "the conversation id is taken");
	}
	return -1;
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

/* -- deleting ---------------------------------------------------------------- */

struct dooming {
	const struct owner *o;
	const struct uuid *by;	/* who asked */
	const struct uuid *id;
};

static int doom_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct dooming *d = ctx;
	struct arena a = ARENA_INIT;
	struct event_told told = { .text = BUF_INIT(1) };
	struct locked l;
	int rc = conversation_lock(tx, d->o, d->id, &a, &l, e);

	arena_release(&a);
	if (rc && e->code == ERR_NOT_FOUND && db_tx_unknown(tx)) {
		err_clear(e);	/* an earlier try has cancelled it */
		return 0;
	}
	if (rc)
		return -1;
	/* If its process is alive, it replaces this record by the actual usage. */
	if (!uuid_is_nil(&l.turn_id) && l.status == TURN_RUNNING &&
	    store_turn_estimate(tx, d->o, d->id, &l, NULL, &told, e))
		return -1;
	if (!uuid_is_nil(&l.turn_id) &&
	    db_exec(tx, STMT_TURN_STOP, DB_ARGS(DB_I(clock_now_us()),
						DB_U(&l.turn_id)), NULL, e))
		return -1;
	if (db_exec(tx, STMT_CONVERSATION_DOOM,
		    DB_ARGS(DB_U(&nobody), DB_U(d->id), DB_S(d->o->tenant_id),
			    DB_U(&d->o->user_id)), NULL, e) ||
	    attachment_doom(tx, d->o, d->id, e) ||
	    resource_doom(tx, ROOT_CONVERSATION, d->id, e) ||
	    db_exec(tx, STMT_NOTICE_FORGET,
		    DB_ARGS(DB_U(&d->o->user_id), DB_U(d->id)), NULL, e) ||
	    db_exec(tx, STMT_FORK_UNLINK, DB_ARGS(DB_U(d->id)), NULL,
		    e))
		return -1;
	return store_job_ask_for(tx, STR(CONVERSATION_PURGE_JOB),
				 &(struct owner){ d->o->tenant_id, *d->by },
				 d->id, e);
}

/*
 * Locks the conversation and returns whether it is deleted. Its id may be used
 * again as soon as a concurrent purge has finished.
 */
static int doomed(struct db *tx, const struct uuid *id, struct err *e)
{
	struct uuid found;

	return db_id(tx, STMT_CONVERSATION_DOOMED,
		     DB_ARGS(DB_U(id), DB_U(&nobody)), &found, e);
}

int conversation_delete_by(struct db *db, const struct uuid *by,
			   const struct owner *o, const struct uuid *id,
			   struct err *e)
{
	struct dooming d = { .o = o, .by = by, .id = id };

	return db_tx(db, doom_tx, &d, e);
}

int conversation_delete(struct db *db, const struct owner *o,
			const struct uuid *id, struct err *e)
{
	return conversation_delete_by(db, &o->user_id, o, id, e);
}

int conversation_adopt(struct db *db, struct err *e)
{
	int64_t now_us = clock_now_us();

	return db_exec(db, STMT_CONVERSATION_ADOPT,
		       DB_ARGS(DB_I(now_us), DB_I(now_us), DB_U(&nobody)),
		       NULL, e);
}

int conversation_purge(struct db *db, const struct uuid *id, int64_t until_ms,
		       struct err *e)
{
	int rc = thread_copy_forks(db, id, until_ms, e);

	if (rc > 0)
		rc = resource_purge(db, ROOT_CONVERSATION, id, doomed,
				    until_ms, e);

	if (rc > 0 && db_exec(db, STMT_CONVERSATION_DELETE,
			      DB_ARGS(DB_U(id), DB_U(&nobody)), NULL, e))
		rc = -1;
	return rc;
}

/* Returns 1 if a conversation with the id exists, deleted or not; 0; -1. */
static int is_there(struct db *db, const struct uuid *id, struct err *e)
{
	struct uuid found;

	return db_id(db, STMT_CONVERSATION_THERE, DB_ARGS(DB_U(id)), &found, e);
}

/* Returns 1 if the deleted conversation is purged; 0 if it was not deleted; -1. */
static int purge_if_doomed(struct db *db, const struct uuid *id,
			   int64_t until_ms, struct err *e)
{
	int rc = doomed(db, id, e);

	if (rc > 0)
		return conversation_purge(db, id, until_ms, e);
	if (rc == 0) {	/* another process may just have finished the purge */
		rc = is_there(db, id, e);
		rc = rc < 0 ? -1 : !rc;
	}
	return rc;
}

bool conversation_made_room(struct db *db, const struct uuid *id)
{
	int64_t until_ms = clock_mono_ms() + ROOM_MS;
	struct err e = ERR_INIT;
	int rc;

	do {	/* a concurrent purge on another node is a conflict */
		err_clear(&e);
		rc = purge_if_doomed(db, id, until_ms, &e);
	} while (rc < 0 && e.code == ERR_DB_RETRY && clock_mono_ms() < until_ms);
	if (rc < 0)
		log_err("purge of a deleted conversation failed", &e);
	return rc > 0;
}
