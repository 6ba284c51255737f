/* SPDX-License-Identifier: MIT */
/*
 * Pages of a thread. The statement joins the conversation, so that one round
 * trip checks the owner and reads the page. A second one is needed only for an
 * empty page (is the thread empty, or not the caller's?), and for a page that
 * spans a gap of the thread: the ranges after it are read separately.
 */
#include "store/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/util.h"
#include "store/message_row.h"
#include "store/stmt.h"
#include "store/thread.h"

#include "base/banned.h"

bool message_has_place(const struct message_options *o)
{
#define F(SEP, member) || o->member.p
	return false TURN_OPTIONS(PLACE_OPTION, F, );
#undef F
}

void message_place_take(struct message_options *o, const struct conversation_context *c)
{
#define F(SEP, member) o->member = c->member;
	TURN_OPTIONS(PLACE_OPTION, F, )
#undef F
}

struct scope {
	struct str workspace_id, agent_id;
	int64_t version, created_us, superseded, copy_seq;
};

struct row {
	struct scope scope;
	struct message m;
};

static const struct db_field scope_fields[] = {
#define F(m, t, sql) FIELD_OF(struct scope, m, t)
	SCOPE_FIELDS(F, COMMA)
#undef F
};

static const struct db_field fields[] = {
#define F(mem, t, sql) { .column = #mem, .type = T_##t, \
		.offset = offsetof(struct row, scope) + offsetof(struct scope, mem) }
	SCOPE_FIELDS(F, COMMA),
#undef F
#define F(mem, t, sql) { .column = #mem, .type = T_##t, \
		.offset = offsetof(struct row, m) + offsetof(struct message, mem) },
	MESSAGE_FIELDS(F, )
#undef F
};

/* Limit of retries if the thread is edited while a page is read. */
enum { TRIES = 5 };

struct filling {
	struct message_page *page;
	size_t size;		/* requested; one more is read */
	size_t max_bytes;	/* of the texts */
	struct scope scope;	/* of the last read */
	bool backwards;		/* fill from the end of items */
	bool dialogue;		/* without steps */
	const struct shared_reader *by;	/* who reads it by a share, NEWEST_FIRST; NULL:
					   the owner */
	const struct uuid *share;
};

static void set_scope(struct message_page *p, const struct scope *s)
{
	p->workspace_id = s->workspace_id;
	p->agent_id = s->agent_id;
	p->version = s->version;
	p->created_us = s->created_us;
}

static int take_row(void *ctx, const struct db_val *cells, struct err *e)
{
	struct filling *f = ctx;
	struct message_page *p = f->page;
	struct row r = { .m = { .seq = 0 } };
	size_t n_bytes;

	(void)e;
	db_map(fields, ARRAY_LEN(fields), cells, &r);
	f->scope = r.scope;
	if (p->n == f->size) {
		p->more = true;
		return 0;
	}
	n_bytes = r.m.content.n + r.m.meta.n;
	if (p->n && n_bytes > f->max_bytes) {
		p->more = p->cut = true;
		return 1;
	}
	f->max_bytes -= MIN(n_bytes, f->max_bytes);
	p->n++;
	p->items[f->backwards ? f->size - p->n : p->n - 1] = r.m;
	return 0;
}

static int each_row(struct db *db, enum stmt stmt, const struct db_val *args,
		    struct filling *f, struct arena *a, struct err *e)
{
	struct message_page *p = f->page;
	bool cut;

	if (db_each_within(db, stmt, args, MAX(f->max_bytes, 1), a, take_row,
			   f, &cut, e))
		return -1;
	p->cut |= cut;
	p->more |= cut;
	return 0;
}

/*
 * Reads the rows of one page up to the next gap. seq: the position; 0 = from
 * the newest, newest first.
 */
static int read_rows(struct db *db, enum store_order order,
		     const struct owner *o, const struct uuid *id, int64_t seq,
		     struct filling *f, struct arena *a, struct err *e)
{
	const int64_t limit = (int64_t)f->size + 1;

	if (f->by && !seq)
		return each_row(db, STMT_SHARED_PAGE_TOP,
				DB_ARGS(DB_U(id), DB_I(!f->dialogue), DB_U(id),
					DB_U(id), DB_S(o->tenant_id),
					DB_U(&o->user_id), DB_U(f->share),
					DB_I(clock_now_us()),
					DB_S(f->by->readers_json), DB_I(limit)),
				f, a, e);
	if (f->by)
		return each_row(db, STMT_SHARED_PAGE_NEWEST,
				DB_ARGS(DB_U(id), DB_I(!f->dialogue),
					NEXT_ARGS(id, seq),
					DB_U(id), DB_S(o->tenant_id),
					DB_U(&o->user_id), DB_U(f->share),
					DB_I(clock_now_us()),
					DB_S(f->by->readers_json), DB_I(limit)),
				f, a, e);
	if (order == NEWEST_FIRST && !seq)
		return each_row(db, STMT_MESSAGE_PAGE_TOP,
				DB_ARGS(DB_U(id), DB_I(!f->dialogue), DB_U(id),
					DB_U(id), DB_S(o->tenant_id),
					DB_U(&o->user_id), DB_I(limit)),
				f, a, e);
	return each_row(db, order == NEWEST_FIRST ? STMT_MESSAGE_PAGE_NEWEST
						  : STMT_MESSAGE_PAGE_OLDEST,
			DB_ARGS(DB_U(id), DB_I(!f->dialogue), NEXT_ARGS(id, seq),
				DB_U(id), DB_S(o->tenant_id),
				DB_U(&o->user_id), DB_I(limit)), f, a, e);
}

static int64_t last_seq(const struct filling *f)
{
	const struct message_page *p = f->page;

	return p->items[f->backwards ? f->size - p->n : p->n - 1].seq;
}

/* Completes the page from the ranges after seq. */
static int read_ranges(struct db *db, enum store_order order,
		       const struct owner *o, const struct uuid *id,
		       int64_t head_seq, int64_t seq, struct filling *f,
		       struct arena *a, struct err *e)
{
	struct ranges r;

	do {
		int64_t limit = (int64_t)(f->size - f->page->n) + 1;

		if (gap_ranges(db, id, head_seq, order, seq, &r, e) ||
		    (r.n && f->by && each_row(db, STMT_SHARED_RANGES_NEWEST,
				     DB_ARGS(DB_U(id), DB_I(!f->dialogue),
					     RANGE_ARGS(&r), DB_U(id),
					     DB_S(o->tenant_id),
					     DB_U(&o->user_id), DB_U(f->share),
					     DB_I(clock_now_us()),
					     DB_S(f->by->readers_json),
					     DB_I(limit)), f, a, e)) ||
		    (r.n && !f->by && each_row(db, order == NEWEST_FIRST
					? STMT_MESSAGE_RANGES_NEWEST
					: STMT_MESSAGE_RANGES_OLDEST,
				     DB_ARGS(DB_U(id), DB_I(!f->dialogue),
					     RANGE_ARGS(&r), DB_U(id),
					     DB_S(o->tenant_id),
					     DB_U(&o->user_id), DB_I(limit)),
				     f, a, e)))
			return -1;
		seq = r.next_seq;
	} while (r.more && !f->page->more);
	return 0;
}

static int read_scope(struct db *db, const struct owner *o,
		      const struct uuid *id, struct arena *a, struct scope *s,
		      struct err *e)
{
	int n = db_get(db, STMT_CONVERSATION_SCOPE,
		       DB_ARGS(DB_U(id), DB_S(o->tenant_id),
			       DB_U(&o->user_id)), a, scope_fields, s, e);

	return n > 0 ? 0 : n < 0 ? -1
		: err_set(e, ERR_NOT_FOUND, "no such conversation");
}

int message_head(struct db *db, const struct owner *o,
		 const struct uuid *conversation_id, struct arena *a,
		 struct message_page *out, struct err *e)
{
	struct scope s;

	*out = (struct message_page){ .n = 0 };
	if (read_scope(db, o, conversation_id, a, &s, e))
		return -1;
	set_scope(out, &s);
	return 0;
}

/* Returns 1 if the thread was edited or copied meanwhile and must be read again. */
static int try_fill(struct db *db, enum store_order order,
		    const struct owner *o, const struct uuid *id, int64_t seq,
		    struct filling *f, struct arena *a, struct err *e)
{
	struct message_page *p = f->page;
	int64_t version;

	*p = (struct message_page){
		.items = arena_zalloc(a, f->size, sizeof(*p->items)),
	};
	if (read_rows(db, order, o, id, seq, f, a, e) ||
	    (!p->n && read_scope(db, o, id, a, &f->scope, e)))
		return -1;
	set_scope(p, &f->scope);
	/* The page needs older messages that are still being copied. */
	if (f->scope.copy_seq && (order == NEWEST_FIRST ? !p->more
				  : seq < f->scope.copy_seq))
		return thread_whole(db, o, id, e) ? -1 : 1;
	/* Full, or a thread without gaps: nothing was passed over. */
	if (p->more || !f->scope.superseded)
		return 0;
	version = f->scope.version;
	if (p->n)
		seq = last_seq(f);
	else if (order == NEWEST_FIRST && !seq)
		seq = GAP_TOP;
	if (read_ranges(db, order, o, id, 0, seq, f, a, e) ||
	    read_scope(db, o, id, a, &f->scope, e))
		return -1;
	/* The ranges are read by other statements: an edit between them mixes two threads. */
	return f->scope.version != version;
}

static int fill_page(struct db *db, enum store_order order, const struct owner *o,
		     const struct uuid *conversation_id, int64_t seq,
		     struct filling *f, struct arena *a, struct err *e)
{
	const struct filling start = *f;
	int rc;

	for (int i = 0; i < TRIES; i++) {
		*f = start;
		rc = try_fill(db, order, o, conversation_id, seq, f, a, e);
		if (rc <= 0)
			return rc;
	}
	return err_set(e, ERR_DB_RETRY, "a thread that changes all the time");
}

static int list_messages(struct db *db, const struct owner *o,
			 const struct uuid *conversation_id, enum store_order order,
			 int64_t after_seq, size_t size, bool dialogue, struct arena *a,
			 struct message_page *out, struct err *e)
{
	struct filling f = { .page = out, .size = size, .dialogue = dialogue,
			     .max_bytes = LIM_PAGE_BYTES };

	if (!size || size > LIM_PAGE_MAX)
		BUG("a page of no or of too many messages");
	if (fill_page(db, order, o, conversation_id, after_seq, &f, a, e))
		return -1;
	out->next_seq = out->more ? out->items[out->n - 1].seq : 0;
	return 0;
}

int message_list(struct db *db, const struct owner *o,
		 const struct uuid *conversation_id, enum store_order order,
		 int64_t after_seq, size_t size, struct arena *a,
		 struct message_page *out, struct err *e)
{
	return list_messages(db, o, conversation_id, order, after_seq, size, false, a,
			     out, e);
}

int message_list_dialogue(struct db *db, const struct owner *o,
		      const struct uuid *conversation_id,
		      enum store_order order, int64_t after_seq, size_t size,
		      struct arena *a, struct message_page *out, struct err *e)
{
	return list_messages(db, o, conversation_id, order, after_seq, size, true, a,
			     out, e);
}

int shared_messages(struct db *db, const struct shared_reader *by, const struct shared *s,
		    int64_t before_seq, size_t size, struct arena *a,
		    struct message_page *out, struct err *e)
{
	struct filling f = { .page = out, .size = size, .dialogue = !s->tools,
			     .max_bytes = LIM_PAGE_BYTES, .by = by, .share = &s->id };
	const struct owner owner = { by->tenant_id, s->user_id };
	struct shared now;
	int64_t seq = before_seq ? before_seq : s->upto_seq ? s->upto_seq + 1 : 0;

	if (!size || size > LIM_PAGE_MAX)
		BUG("a page of no or of too many messages");
	if (fill_page(db, NEWEST_FIRST, &owner, &s->conversation_id, seq, &f, a, e))
		return -1;
	out->next_seq = out->more ? out->items[out->n - 1].seq : 0;
	/* Nothing: is the thread empty, or was it revoked? */
	return out->n ? 0 : shared_get(db, by, &s->id, a, &now, e);
}

int message_history(struct db *db, const struct owner *o,
		    const struct uuid *conversation_id, int64_t upto_seq,
		    size_t n_last, struct arena *a, struct message_page *out,
		    struct err *e)
{
	struct filling f = { .page = out, .size = n_last, .backwards = true,
			     .max_bytes = LIM_HISTORY_BYTES };

	if (!n_last)
		BUG("a history of no messages");
	if (fill_page(db, NEWEST_FIRST, o, conversation_id,
		      upto_seq ? upto_seq + 1 : 0, &f, a, e))
		return -1;
	out->items += n_last - out->n;
	out->next_seq = out->more ? out->items[0].seq : 0;
	return 0;
}

int message_get(struct db *db, const struct owner *o,
		const struct uuid *conversation_id, int64_t seq,
		struct arena *a, struct message *out, struct err *e)
{
	const struct uuid *id = conversation_id;
	struct scope s = { .copy_seq = 0 };
	struct row r;
	int n;

	for (;;) {
		n = db_get(db, STMT_MESSAGE_GET,
			   DB_ARGS(DB_U(id), DB_I(seq), DB_U(id),
				   DB_S(o->tenant_id), DB_U(&o->user_id)),
			   a, fields, &r, e);
		if (n || s.copy_seq)
			break;
		/* Perhaps it is not copied yet. */
		if (read_scope(db, o, id, a, &s, e))
			return -1;
		if (!s.copy_seq || seq > s.copy_seq)
			break;
		if (thread_whole(db, o, id, e))
			return -1;
	}
	if (n > 0)
		*out = r.m;
	return n > 0 ? 0 : n < 0 ? -1
		: err_set(e, ERR_NOT_FOUND, "no such message");
}

int message_list_variant(struct db *db, const struct owner *o,
			 const struct uuid *conversation_id, int64_t head_seq,
			 bool current, size_t size, size_t max_bytes,
			 struct arena *a, struct message_page *out,
			 struct err *e)
{
	struct filling f = { .page = out, .size = size, .max_bytes = max_bytes };

	*out = (struct message_page){
		.items = arena_zalloc(a, size, sizeof(*out->items)),
	};
	return read_ranges(db, OLDEST_FIRST, o, conversation_id,
			   current ? 0 : head_seq, head_seq - 1, &f, a, e);
}

/* Searches the newest LIM_LOOKED_AT messages of the thread. */
static int find_client_id(struct db *db, const struct uuid *id, struct str client_id,
			  int64_t *seq, struct err *e)
{
	int64_t left = LIM_LOOKED_AT, at;
	struct spot last;
	struct ranges r;

	if (thread_last(db, id, &last.seq, e))
		return -1;
	at = last.seq + 1;
	do {
		if (gap_ranges(db, id, 0, NEWEST_FIRST, at, &r, e))
			return -1;
		left -= gap_clip(&r, left);
		if (db_int(db, STMT_MESSAGE_OF_CLIENT,
			   DB_ARGS(DB_U(id), DB_S(client_id), RANGE_ARGS(&r)),
			   seq, e) < 0)
			return -1;
		at = r.next_seq;
	} while (!*seq && r.more && left > 0);
	return 0;
}

int message_keep_follow_ups(struct db *db, const struct owner *o,
			    const struct uuid *conversation_id, const struct uuid *turn_id,
			    json_t *list, struct arena *a, bool *kept, struct err *e)
{
	const struct db_val *last = DB_ARGS(DB_U(conversation_id), DB_S(o->tenant_id),
					    DB_U(&o->user_id), DB_U(turn_id));
	struct db_result r;
	struct str meta;
	json_t *j;
	int rc;

	*kept = false;
	rc = db_text(db, STMT_MESSAGE_LAST_META, last, a, &meta, e);
	if (rc <= 0)
		return rc;
	j = jx_keep(a, jx_load(meta, e));
	if (!j)
		return -1;
	json_object_set(j, "followUps", list);
	if (db_exec(db, STMT_MESSAGE_LAST_META_SET,
		    DB_ARGS(DB_S(str_of(jx_text(a, j))), last[0], last[1], last[2], last[3],
			    DB_S(meta)), &r, e))
		return -1;
	*kept = r.affected > 0;
	return 0;
}

int message_find(struct db *db, const struct owner *o,
		 const struct uuid *conversation_id, struct str client_id,
		 int64_t *seq, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct scope s;
	int rc;

	*seq = 0;
	rc = read_scope(db, o, conversation_id, &a, &s, e);
	if (rc && e->code == ERR_NOT_FOUND) {
		err_clear(e);
		rc = 0;
	} else if (!rc && (!s.copy_seq || !thread_whole(db, o, conversation_id, e))) {
		rc = find_client_id(db, conversation_id, client_id, seq, e);
	} else {
		rc = -1;
	}
	arena_release(&a);
	return rc;
}

/* -- writing -------------------------------------------------------------- */

struct db_val *message_args(struct db_val *v, const struct uuid *conversation_id,
			    const struct message *m)
{
	const struct db_val row[] = {
		DB_U(conversation_id), DB_I(m->seq), DB_I(m->role),
		DB_U_IF(&m->turn_id), DB_I(m->created_us),
		DB_S(content_of(m)), DB_S_IF(m->meta),
		DB_I_IF(m->variant_count > 1, m->variant_index),
		DB_I_IF(m->variant_count > 1, m->variant_count),
		COLUMN_ARGS(m),
	};

	memcpy(v, row, sizeof(row));
	return v + ARRAY_LEN(row);
}

int message_insert(struct db *tx, const struct uuid *conversation_id,
		   const struct message *m, struct err *e)
{
	struct db_val v[MESSAGE_PARAMS];

	message_args(v, conversation_id, m);
	return db_exec(tx, STMT_MESSAGE_INSERT, v, NULL, e);
}

int message_insert_all(struct db *tx, const struct uuid *conversation_id,
		       const struct message *rows, size_t n, struct err *e)
{
	struct db_val *v = xcalloc(n + 1, MESSAGE_PARAMS * sizeof(*v)), *at = v;
	int rc;

	for (size_t i = 0; i < n; i++)
		at = message_args(at, conversation_id, &rows[i]);
	rc = db_exec_rows(tx, STMT_MESSAGE_INSERT, v, n, NULL, e);
	free(v);
	return rc;
}
