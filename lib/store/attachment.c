#include "store/attachment.h"

#include "base/clock.h"
#include "base/limits.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	SWEEP_IDS = 50,
	SWEEP_PIECES = 16,	/* rows of a batch: 4 MiB */
};

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct attachment, m, t)
	ATTACHMENT_COLUMNS(F, COMMA)
#undef F
};

/* -- making -------------------------------------------------------- */

struct making {
	const struct owner *o;
	const struct uuid *id;
	struct str name;
	int64_t now_us, expires_us;
};

static int create_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct making *m = ctx;

	if (db_tx_unknown(tx)) {
		struct attachment seen;
		struct arena a = ARENA_INIT;
		int rc = attachment_get(tx, m->o, m->id, &a, &seen, e);

		arena_release(&a);
		if (!rc)
			return 0;
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
	}
	return db_exec(tx, STMT_FILE_INSERT,
		       DB_ARGS(DB_U(m->id), DB_S(m->o->tenant_id),
			       DB_U(&m->o->user_id), DB_I(m->now_us)), NULL, e) ||
	       db_exec(tx, STMT_ATTACHMENT_NEW,
		       DB_ARGS(DB_U(m->id), DB_S(m->o->tenant_id),
			       DB_U(&m->o->user_id), DB_I(m->now_us),
			       DB_I(m->now_us), DB_S(m->name), DB_U(m->id),
			       DB_I(m->expires_us)), NULL, e) ? -1 : 0;
}

int attachment_create(struct db *db, const struct owner *o,
		      const struct uuid *id, struct str name,
		      int64_t expires_us, struct err *e)
{
	struct making m = { o, id, name, clock_now_us(), expires_us };

	return db_tx(db, create_tx, &m, e);
}

int attachment_get(struct db *db, const struct owner *o,
		   const struct uuid *id, struct arena *a,
		   struct attachment *out, struct err *e)
{
	int n = db_get(db, STMT_ATTACHMENT_READ,
		       DB_ARGS(DB_U(id), DB_S(o->tenant_id), DB_U(&o->user_id)),
		       a, fields, out, e);

	if (n < 0)
		return -1;
	return n ? 0 : err_set(e, ERR_NOT_FOUND, "no such attachment");
}

int attachment_named(struct db *db, const struct owner *o,
		     const struct uuid *conversation_id, struct str name,
		     struct arena *a, struct attachment *out, struct err *e)
{
	int n = db_get(db, STMT_ATTACHMENT_NAMED,
		       DB_ARGS(DB_U(conversation_id), DB_S(o->tenant_id),
			       DB_U(&o->user_id), DB_S(name)), a, fields, out, e);

	if (n < 0)
		return -1;
	return n ? 0 : err_set(e, ERR_NOT_FOUND, "no attachment of that name");
}

static int take_text(void *ctx, const struct db_val *row, struct err *e)
{
	(void)e;
	*(struct str *)ctx = row[0].null ? (struct str){ NULL, 0 } : row[0].s;
	return 0;
}

int attachment_text(struct db *db, const struct owner *o,
		    const struct uuid *id, struct arena *a, struct str *out,
		    struct err *e)
{
	*out = (struct str){ NULL, 0 };
	return db_each(db, STMT_ATTACHMENT_TEXT,
		       DB_ARGS(DB_U(id), DB_S(o->tenant_id), DB_U(&o->user_id)),
		       a, take_text, out, e);
}

struct taken {
	int64_t *bytes, *n;
};

static int take_taken(void *ctx, const struct db_val *row, struct err *e)
{
	const struct taken *t = ctx;

	(void)e;
	*t->bytes = row[0].null ? 0 : row[0].i;
	*t->n = row[1].null ? 0 : row[1].i;
	return 0;
}

int attachment_taken(struct db *db, const struct owner *o, int64_t *bytes,
		     int64_t *n, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct taken t = { bytes, n };
	int rc;

	*bytes = *n = 0;
	rc = db_each(db, STMT_ATTACHMENT_TAKEN,
		     DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
			     DB_S(o->tenant_id), DB_U(&o->user_id),
			     DB_I(LIM_ATTACHMENTS)), &a, take_taken, &t, e);
	arena_release(&a);
	return rc;
}

/* -- its content -------------------------------------------------------- */

struct adding {
	const struct owner *o;
	const struct attachment *t;
	int64_t start;
	struct str data;
};

/* A commit whose outcome is unknown has stored the piece, or nothing. */
static bool is_added(struct db *tx, const struct adding *k, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct attachment now;
	bool is = attachment_get(tx, k->o, &k->t->id, &a, &now, e) == 0 &&
		now.size >= k->start + (int64_t)k->data.n;

	arena_release(&a);
	return is;
}

static int add_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct adding *k = ctx;
	int64_t n = (int64_t)k->data.n;
	struct db_result r;

	if (db_tx_unknown(tx) && is_added(tx, k, e))
		return 0;
	if (e->code)
		return -1;
	if (db_exec(tx, STMT_FILE_GROW,
		    DB_ARGS(DB_I(n), DB_U(&k->t->id), DB_U(&k->t->file_id),
			    DB_S(k->o->tenant_id), DB_U(&k->o->user_id),
			    DB_I(k->start)), &r, e))
		return -1;
	if (!r.affected)
		return err_public(e, ERR_CONFLICT, "The upload is not at this "
				  "offset. Get the attachment: its size says "
				  "where to go on.");
	return db_exec(tx, STMT_ATTACHMENT_GROW,
		       DB_ARGS(DB_I(k->start + n), DB_I(clock_now_us()),
			       DB_U(&k->t->id)), NULL, e) ||
	       db_exec(tx, STMT_FILE_PIECE_INSERT,
		       DB_ARGS(DB_U(&k->t->file_id), DB_I(k->start),
			       DB_B(k->data)), NULL, e) ? -1 : 0;
}

int attachment_add(struct db *db, const struct owner *o,
		   const struct attachment *t, int64_t start, struct str data,
		   struct err *e)
{
	struct adding k = { o, t, start, data };

	return db_tx(db, add_tx, &k, e);
}

struct piece {
	int64_t from;
	struct str data;
};

static int take_piece(void *ctx, const struct db_val *row, struct err *e)
{
	struct piece *p = ctx;
	int64_t skip = p->from - row[0].i;

	(void)e;
	if (skip < (int64_t)row[1].s.n)
		p->data = (struct str){ row[1].s.p + skip,
					row[1].s.n - (size_t)skip };
	return 0;
}

int attachment_piece(struct db *db, const struct uuid *file_id, int64_t from,
		     struct arena *a, struct str *out, struct err *e)
{
	struct piece p = { .from = from };

	if (db_each(db, STMT_FILE_PIECE_GET, DB_ARGS(DB_U(file_id), DB_I(from)),
		    a, take_piece, &p, e))
		return -1;
	*out = p.data;
	return 0;
}

/* -- ready -------------------------------------------------------- */

struct readying {
	const struct owner *o;
	const struct attachment *t;
	const struct attachment_facts *f;
	const unsigned char *hash;
	bool adopted;
};

static struct db_val hash_val(const unsigned char *hash)
{
	return DB_B(((struct str){ (const char *)hash, ATTACHMENT_HASH_BYTES }));
}

static int take_id(void *ctx, const struct db_val *row, struct err *e)
{
	(void)e;
	memcpy(((struct uuid *)ctx)->b, row[0].s.p, sizeof(struct uuid));
	return 0;
}

/* The first id of a statement; nil: there is none. */
static int find_id(struct db *db, enum stmt stmt, const struct db_val *args,
		   struct uuid *id, struct err *e)
{
	struct arena a = ARENA_INIT;
	int rc;

	*id = (struct uuid){ .b = { 0 } };
	rc = db_each(db, stmt, args, &a, take_id, id, e);
	arena_release(&a);
	return rc;
}

static int put_ready(struct db *tx, const struct readying *k,
		     const struct uuid *file, struct err *e)
{
	return db_exec(tx, STMT_ATTACHMENT_READY,
		       DB_ARGS(DB_U(file), DB_I(clock_now_us()),
			       DB_U(&k->t->id), DB_S(k->o->tenant_id),
			       DB_U(&k->o->user_id)), NULL, e);
}

/* Marks a file that no attachment has, for the sweep. */
static int drop_file(struct db *tx, const struct uuid *file, struct err *e)
{
	return db_exec(tx, STMT_FILE_DROP,
		       DB_ARGS(DB_I(clock_now_us()), DB_U(file), DB_U(file)),
		       NULL, e);
}

static int adopt_tx(struct db *tx, void *ctx, struct err *e)
{
	struct readying *k = ctx;
	struct uuid same;

	k->adopted = false;
	if (find_id(tx, STMT_FILE_BY_HASH,
		    DB_ARGS(DB_S(k->o->tenant_id), DB_U(&k->o->user_id),
			    hash_val(k->hash)), &same, e))
		return -1;
	if (uuid_is_nil(&same))
		return 0;
	k->adopted = true;
	if (uuid_eq(&same, &k->t->file_id))
		return put_ready(tx, k, &same, e);
	return db_exec(tx, STMT_FILE_TOUCH, DB_ARGS(DB_U(&same)), NULL, e) ||
		db_exec(tx, STMT_FILE_TOUCH, DB_ARGS(DB_U(&k->t->file_id)), NULL,
			e) ||
		put_ready(tx, k, &same, e) ||
		drop_file(tx, &k->t->file_id, e) ? -1 : 0;
}

int attachment_adopt(struct db *db, const struct owner *o,
		     const struct attachment *t,
		     const unsigned char hash[ATTACHMENT_HASH_BYTES],
		     struct err *e)
{
	struct readying k = { .o = o, .t = t, .hash = hash };

	return db_tx(db, adopt_tx, &k, e) ? -1 : k.adopted;
}

static int ready_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct readying *k = ctx;
	const struct attachment_facts *f = k->f;
	struct attachment now;
	struct arena a = ARENA_INIT;
	struct db_result r;

	if (db_tx_unknown(tx)) {
		int rc = attachment_get(tx, k->o, &k->t->id, &a, &now, e);

		arena_release(&a);
		if (rc || now.ready)
			return rc;
	}
	if (db_exec(tx, STMT_FILE_READY,
		    DB_ARGS(hash_val(f->hash), DB_S(f->media_type),
			    DB_I_IF(f->pages, f->pages), DB_S_IF(f->problem),
			    DB_S_IF(f->text),
			    DB_I_IF(f->text.p, f->text_chars),
			    DB_U(&k->t->file_id), DB_I(k->t->size)), &r, e))
		return -1;
	if (!r.affected)
		return err_set(e, ERR_CONFLICT, "it has grown, or is deleted");
	return put_ready(tx, k, &k->t->file_id, e);
}

int attachment_ready(struct db *db, const struct owner *o,
		     const struct attachment *t,
		     const struct attachment_facts *f, struct err *e)
{
	struct readying k = { .o = o, .t = t, .f = f };

	return db_tx(db, ready_tx, &k, e);
}

/* -- whose messages have it -------------------------------------------------------- */

int attachment_use(struct db *db, const struct owner *o,
		   const struct uuid *conversation_id, const struct uuid *id,
		   struct err *e)
{
	struct uuid use = uuid_new();
	struct db_result r;

	if (db_exec(db, STMT_ATTACHMENT_USE,
		    DB_ARGS(DB_U(&use), DB_U(id), DB_U(conversation_id),
			    DB_S(o->tenant_id), DB_U(&o->user_id)), &r, e))
		return -1;
	return db_exec(db, STMT_ATTACHMENT_KEEP,
		       DB_ARGS(DB_U(id), DB_S(o->tenant_id),
			       DB_U(&o->user_id)), NULL, e);
}

int attachment_fork(struct db *tx, const struct uuid *from,
		    const struct uuid *to, struct err *e)
{
	return db_exec(tx, STMT_ATTACHMENT_FORK,
		       DB_ARGS(DB_U(to), DB_U(to), DB_U(from)), NULL, e);
}

/* -- deleting -------------------------------------------------------- */

struct removing {
	const struct uuid *id;
	bool unused_only;
};

/* Another conversation has it, or it was sent after it was found to have expired. */
static int is_needed(struct db *tx, const struct uuid *id, struct err *e)
{
	struct uuid found;

	if (find_id(tx, STMT_ATTACHMENT_USED, DB_ARGS(DB_U(id)), &found, e))
		return -1;
	return !uuid_is_nil(&found);
}

static int remove_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct removing *k = ctx;
	struct uuid file;
	int needed = 0;

	if (find_id(tx, STMT_ATTACHMENT_FILE, DB_ARGS(DB_U(k->id)), &file, e))
		return -1;
	/* So that two who free the same file do not overlook each other. */
	if (!uuid_is_nil(&file) &&
	    db_exec(tx, STMT_FILE_TOUCH, DB_ARGS(DB_U(&file)), NULL, e))
		return -1;
	if (k->unused_only)
		needed = is_needed(tx, k->id, e);
	if (needed)
		return needed < 0 ||
			db_exec(tx, STMT_ATTACHMENT_USES_LEFT,
				DB_ARGS(DB_U(k->id)), NULL, e) ||
			db_exec(tx, STMT_ATTACHMENT_STAYS,
				DB_ARGS(DB_U(k->id)), NULL, e) ? -1 : 0;
	return db_exec(tx, STMT_ATTACHMENT_REMOVE, DB_ARGS(DB_U(k->id)), NULL,
		       e) ||
		db_exec(tx, STMT_ATTACHMENT_USES_DELETE, DB_ARGS(DB_U(k->id)),
			NULL, e) ||
		db_exec(tx, STMT_TURN_SOURCE_DETACH, DB_ARGS(DB_U(k->id)), NULL,
			e) ||
		(!uuid_is_nil(&file) && drop_file(tx, &file, e)) ? -1 : 0;
}

int attachment_delete(struct db *db, const struct owner *o,
		      const struct uuid *id, struct err *e)
{
	struct removing k = { .id = id };
	struct arena a = ARENA_INIT;
	struct attachment t;
	int rc = attachment_get(db, o, id, &a, &t, e);

	arena_release(&a);
	return rc ? -1 : db_tx(db, remove_tx, &k, e);
}

/* -- the sweep -------------------------------------------------------- */

struct sweep_ids {
	struct uuid v[SWEEP_IDS];
	size_t n;
};

static int take_ids(void *ctx, const struct db_val *row, struct err *e)
{
	struct sweep_ids *ids = ctx;

	if (ids->n == SWEEP_IDS)
		return 1;
	return take_id(&ids->v[ids->n++], row, e);
}

static int find_left(struct db *db, struct sweep_ids *ids, struct err *e)
{
	struct arena a = ARENA_INIT;
	int rc = db_each(db, STMT_ATTACHMENT_LEFT,
			 DB_ARGS(DB_I(SWEEP_IDS / 2), DB_I(clock_now_us()),
				 DB_I(SWEEP_IDS / 2)), &a, take_ids, ids, e);

	arena_release(&a);
	return rc;
}

static int find_dropped(struct db *db, struct sweep_ids *ids, struct err *e)
{
	struct arena a = ARENA_INIT;
	int rc = db_each(db, STMT_FILE_DROPPED,
			 DB_ARGS(DB_I(clock_now_us()), DB_I(SWEEP_IDS)), &a,
			 take_ids, ids, e);

	arena_release(&a);
	return rc;
}

int attachment_sweep_due(struct db *db, struct arena *a, struct err *e)
{
	struct sweep_ids ids = { .n = 0 };

	(void)a;
	if (find_left(db, &ids, e) || (!ids.n && find_dropped(db, &ids, e)))
		return -1;
	return ids.n > 0;
}

/* 1: it is gone; 0: the time is over; -1. */
static int delete_file(struct db *db, const struct uuid *id, int64_t until_ms,
		       struct err *e)
{
	struct db_result r;

	do {
		if (clock_mono_ms() >= until_ms)
			return 0;
		if (db_exec(db, STMT_FILE_PIECES_DELETE,
			    DB_ARGS(DB_U(id), DB_I(SWEEP_PIECES)), &r, e))
			return -1;
	} while (r.affected);
	return db_exec(db, STMT_FILE_DELETE, DB_ARGS(DB_U(id)), NULL, e) ? -1 : 1;
}

int attachment_sweep(struct db *db, int64_t until_ms, struct err *e)
{
	struct sweep_ids left, dropped;

	do {
		left.n = dropped.n = 0;
		if (find_left(db, &left, e))
			return -1;
		for (size_t i = 0; i < left.n; i++) {
			struct removing k = { &left.v[i], true };

			if (clock_mono_ms() >= until_ms)
				return 0;
			if (db_tx(db, remove_tx, &k, e))
				return -1;
		}
		if (find_dropped(db, &dropped, e))
			return -1;
		for (size_t i = 0; i < dropped.n; i++) {
			int rc = delete_file(db, &dropped.v[i], until_ms, e);

			if (rc <= 0)
				return rc;
		}
	} while (left.n || dropped.n);
	return 1;
}
