/*
 * Pages of a thread. The query joins the conversation, so one round trip checks
 * the owner and reads the page. Only a page without messages needs a second one,
 * to tell an empty page from a conversation of somebody else.
 */
#include "store/message.h"

#include "base/limits.h"
#include "store/stmt.h"

#include "base/banned.h"

struct scope {
	struct str workspace_id, agent_id;
	int64_t version, created_us;
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

struct filling {
	struct message_page *page;
	size_t size;		/* wanted; one more is read */
	size_t max_bytes;	/* of their texts */
	bool backwards;		/* fill from the end of items */
	bool said;		/* without the steps of turns */
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

	(void)e;
	db_map(fields, ARRAY_LEN(fields), cells, &r);
	set_scope(p, &r.scope);
	if (p->n == f->size) {
		p->more = true;
		return 0;
	}
	p->n++;
	p->items[f->backwards ? f->size - p->n : p->n - 1] = r.m;
	return 0;
}

static int each_row(struct db *db, enum stmt stmt, const struct db_val *args,
		    struct filling *f, struct arena *a, struct err *e)
{
	struct message_page *p = f->page;

	if (db_each_within(db, stmt, args, f->max_bytes, a, take_row, f,
			   &p->cut, e))
		return -1;
	p->more |= p->cut;
	return 0;
}

/* The rows of one page. seq: the position; 0 = the newest ones, newest first. */
static int read_rows(struct db *db, enum store_order order,
		     const struct owner *o, const struct uuid *conversation_id,
		     int64_t seq, struct filling *f, struct arena *a,
		     struct err *e)
{
	const int64_t limit = (int64_t)f->size + 1;

	if (order == NEWEST_FIRST && !seq)
		return each_row(db, STMT_MESSAGE_PAGE_TOP,
				DB_ARGS(DB_U(conversation_id), DB_I(!f->said),
					DB_U(conversation_id),
					DB_S(o->tenant_id), DB_U(&o->user_id),
					DB_I(limit)), f, a, e);
	return each_row(db, order == NEWEST_FIRST ? STMT_MESSAGE_PAGE_NEWEST
						  : STMT_MESSAGE_PAGE_OLDEST,
			DB_ARGS(DB_U(conversation_id), DB_I(!f->said),
				DB_I(seq), DB_U(conversation_id),
				DB_S(o->tenant_id), DB_U(&o->user_id),
				DB_I(limit)), f, a, e);
}

int message_head(struct db *db, const struct owner *o,
		 const struct uuid *conversation_id, struct arena *a,
		 struct message_page *out, struct err *e)
{
	struct scope s;
	int n = db_get(db, STMT_CONVERSATION_SCOPE,
		       DB_ARGS(DB_U(conversation_id), DB_S(o->tenant_id),
			       DB_U(&o->user_id)), a, scope_fields, &s, e);

	*out = (struct message_page){ .n = 0 };
	if (n > 0)
		set_scope(out, &s);
	return n > 0 ? 0 : n < 0 ? -1
		: err_set(e, ERR_NOT_FOUND, "no such conversation");
}

static int fill(struct db *db, enum store_order order, const struct owner *o,
		const struct uuid *conversation_id, int64_t seq,
		struct filling *f, struct arena *a, struct err *e)
{
	struct message_page *p = f->page;

	*p = (struct message_page){
		.items = arena_zalloc(a, f->size, sizeof(*p->items)),
	};
	if (read_rows(db, order, o, conversation_id, seq, f, a, e))
		return -1;
	return p->n ? 0 : message_head(db, o, conversation_id, a, p, e);
}

static int list(struct db *db, const struct owner *o,
		const struct uuid *conversation_id, enum store_order order,
		int64_t after_seq, size_t size, bool said, struct arena *a,
		struct message_page *out, struct err *e)
{
	struct filling f = { .page = out, .size = size, .said = said,
			     .max_bytes = LIM_PAGE_BYTES };

	if (!size || size > LIM_PAGE_MAX)
		BUG("a page of no or of too many messages");
	if (fill(db, order, o, conversation_id, after_seq, &f, a, e))
		return -1;
	out->next_seq = out->more ? out->items[out->n - 1].seq : 0;
	return 0;
}

int message_list(struct db *db, const struct owner *o,
		 const struct uuid *conversation_id, enum store_order order,
		 int64_t after_seq, size_t size, struct arena *a,
		 struct message_page *out, struct err *e)
{
	return list(db, o, conversation_id, order, after_seq, size, false, a,
		    out, e);
}

int message_list_said(struct db *db, const struct owner *o,
		      const struct uuid *conversation_id,
		      enum store_order order, int64_t after_seq, size_t size,
		      struct arena *a, struct message_page *out, struct err *e)
{
	return list(db, o, conversation_id, order, after_seq, size, true, a,
		    out, e);
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
	if (fill(db, NEWEST_FIRST, o, conversation_id,
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
	struct row r;
	int n = db_get(db, STMT_MESSAGE_GET,
		       DB_ARGS(DB_U(conversation_id), DB_I(seq),
			       DB_U(conversation_id), DB_S(o->tenant_id),
			       DB_U(&o->user_id)), a, fields, &r, e);

	if (n > 0)
		*out = r.m;
	return n > 0 ? 0 : n < 0 ? -1
		: err_set(e, ERR_NOT_FOUND, "no such message");
}

static int take_seq(void *ctx, const struct db_val *row, struct err *e)
{
	(void)e;
	*(int64_t *)ctx = row[0].i;
	return 0;
}

int message_find(struct db *db, const struct owner *o,
		 const struct uuid *conversation_id, struct str client_id,
		 int64_t *seq, struct err *e)
{
	struct arena a = ARENA_INIT;
	int rc;

	*seq = 0;
	rc = db_each(db, STMT_MESSAGE_OF_CLIENT,
		     DB_ARGS(DB_U(conversation_id), DB_S(o->tenant_id),
			     DB_U(&o->user_id), DB_U(conversation_id),
			     DB_S(client_id)), &a, take_seq, seq, e);
	arena_release(&a);
	return rc;
}
