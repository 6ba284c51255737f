/* SPDX-License-Identifier: MIT */
#include "store/attachment.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/attachment_file.h"
#include "store/blob_mark.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	SWEEP_IDS = 50,
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
	struct str place;	/* p == NULL: in pieces */
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
			       DB_U(&m->o->user_id), DB_I(m->now_us),
			       DB_S_IF(m->place)), NULL, e) ||
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
	char place[BLOB_PLACE_BYTES];
	struct making m = {
		.o = o, .id = id, .name = name, .now_us = clock_now_us(),
		.expires_us = expires_us,
	};

	if (blob_for_new()) {
		if (blob_mark_write(db, e) < 0)
			return -1;
		m.place = str_of(blob_arriving(id, place));
	}
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

int attachment_text(struct db *db, const struct owner *o,
		    const struct uuid *id, struct arena *a, struct str *out,
		    struct err *e)
{
	*out = (struct str){ NULL, 0 };
	return db_text(db, STMT_ATTACHMENT_TEXT,
		       DB_ARGS(DB_U(id), DB_S(o->tenant_id), DB_U(&o->user_id)),
		       a, out, e) < 0 ? -1 : 0;
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
	struct taken t = { bytes, n };

	*bytes = *n = 0;
	return db_each(db, STMT_ATTACHMENT_TAKEN,
		     DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
			     DB_S(o->tenant_id), DB_U(&o->user_id),
			     DB_I(LIM_ATTACHMENTS)), NULL, take_taken, &t, e);
}

/* -- completing --------------------------------------------------- */

struct readying {
	const struct owner *o;
	const struct attachment *t;
	const struct attachment_facts *f;
	const unsigned char *hash;
	struct str place;	/* its final place; p == NULL: in pieces */
	bool adopted;
};

static struct db_val hash_val(const unsigned char *hash)
{
	return DB_B(((struct str){ (const char *)hash, ATTACHMENT_HASH_BYTES }));
}

static int put_ready(struct db *tx, const struct readying *k,
		     const struct uuid *file, struct err *e)
{
	return db_exec(tx, STMT_ATTACHMENT_READY,
		       DB_ARGS(DB_U(file), DB_I(clock_now_us()),
			       DB_U(&k->t->id), DB_S(k->o->tenant_id),
			       DB_U(&k->o->user_id)), NULL, e);
}

/* Marks a file that no attachment has for the sweep. */
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
	int rc;

	k->adopted = false;
	rc = db_id(tx, STMT_FILE_BY_HASH,
		   DB_ARGS(DB_S(k->o->tenant_id), DB_U(&k->o->user_id),
			   hash_val(k->hash)), &same, e);
	if (rc <= 0)
		return rc;
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
			    DB_I_IF(f->unread, f->unread), DB_S_IF(k->place),
			    DB_U(&k->t->file_id),
			    DB_I(k->t->size)), &r, e))
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
	char from[BLOB_PLACE_BYTES], to[BLOB_PLACE_BYTES];
	struct arena a = ARENA_INIT;
	struct str place;
	int rc = attachment_place(db, &t->file_id, &a, &place, e);

	if (rc > 0 && place.p) {
		blob_arriving(&t->file_id, from);
		k.place = str_of(blob_complete(f->hash, &t->file_id, to));
		rc = blob_dir() && blob_mark_write(db, e) < 0 ? -1
			: blob_sync(from, t->size, e);
	}
	arena_release(&a);
	if (rc < 0 || db_tx(db, ready_tx, &k, e))
		return -1;
	if (k.place.p) {
		struct err why = ERR_INIT;

		/*
		 * Readers find it at its old place as well, and the sweep tries
		 * again.
		 */
		if (blob_move(from, to, &why) < 0)
			log_err("a file keeps the name with which it arrived",
				&why);
	}
	return 0;
}

/* -- the text of images --------------------------------------------------- */

/* A lease that ends later is none: a clock has been set back since. */
#define SCAN_LEASE_US INT64_C(600000000)

struct scan_lease {
	int64_t scan_until_us;
};

int attachment_scan_take(struct db *db, const struct attachment *t, int ms,
			 int64_t *lease, struct err *e)
{
	static const struct db_field fields_of_lease[] = {
		FIELD_OF(struct scan_lease, scan_until_us, I),
	};
	int64_t now = clock_now_us();
	struct scan_lease l;
	int rc = db_get(db, STMT_FILE_SCAN_LEASE,
			DB_ARGS(DB_U(&t->file_id), DB_I(t->unread)), NULL,
			fields_of_lease, &l, e);

	if (rc <= 0)
		return rc;
	if (l.scan_until_us > now && l.scan_until_us < now + SCAN_LEASE_US)
		return 0;
	*lease = l.scan_until_us;
	return attachment_scan_keep(db, t, ms, lease, e);
}

int attachment_scan_keep(struct db *db, const struct attachment *t, int ms,
			 int64_t *lease, struct err *e)
{
	int64_t until_us = ms ? clock_now_us() + ms * INT64_C(1000) : 0;
	struct db_result r;

	if (db_exec(db, STMT_FILE_SCAN_LEASE_SET,
		    DB_ARGS(DB_I_IF(until_us, until_us), DB_U(&t->file_id),
			    DB_I(t->unread), DB_I_IF(*lease, *lease)), &r, e))
		return -1;
	*lease = until_us;
	return r.affected > 0;
}

struct scanned {
	const struct attachment *t;
	const struct attachment_facts *f;
};

static int scanned_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct scanned *k = ctx;
	const struct attachment_facts *f = k->f;
	struct db_result r;

	if (db_exec(tx, STMT_FILE_SCANNED,
		    DB_ARGS(DB_S_IF(f->problem), DB_S_IF(f->text),
			    DB_I_IF(f->text.p, f->text_chars),
			    DB_I_IF(f->unread, f->unread), DB_U(&k->t->file_id),
			    DB_I(k->t->unread)), &r, e))
		return -1;
	return !r.affected ? 0
		: db_exec(tx, STMT_ATTACHMENT_SCANNED,
			  DB_ARGS(DB_U(&k->t->file_id), DB_I(clock_now_us())),
			  NULL, e);
}

int attachment_scanned(struct db *db, const struct attachment *t,
		       const struct attachment_facts *f, struct err *e)
{
	struct scanned k = { t, f };

	return db_tx(db, scanned_tx, &k, e);
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

int attachment_doom(struct db *tx, const struct owner *o,
		    const struct uuid *conversation_id, struct err *e)
{
	static const struct uuid nobody;

	return db_exec(tx, STMT_ATTACHMENT_DOOM,
		       DB_ARGS(DB_U(&nobody), DB_U(conversation_id),
			       DB_S(o->tenant_id), DB_U(&o->user_id)), NULL, e) ||
		db_exec(tx, STMT_ATTACHMENT_UNUSE, DB_ARGS(DB_U(conversation_id)),
			NULL, e) ? -1 : 0;
}

struct removing {
	const struct uuid *id;
	bool unused_only;
};

/*
 * Whether another conversation has it, or it was sent after it was found
 * expired.
 */
static int is_needed(struct db *tx, const struct uuid *id, struct err *e)
{
	struct uuid found;

	return db_id(tx, STMT_ATTACHMENT_USED, DB_ARGS(DB_U(id)), &found, e);
}

static int remove_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct removing *k = ctx;
	struct uuid file = { .b = { 0 } };
	int needed = 0;

	if (db_id(tx, STMT_ATTACHMENT_FILE, DB_ARGS(DB_U(k->id)), &file, e) < 0)
		return -1;
	/* So that two transactions that free the same file conflict. */
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

	(void)e;
	if (ids->n == SWEEP_IDS)
		return 1;
	memcpy(ids->v[ids->n++].b, row[0].s.p, sizeof(ids->v->b));
	return 0;
}

static int find_left(struct db *db, struct sweep_ids *ids, struct err *e)
{
	return db_each(db, STMT_ATTACHMENT_LEFT,
		       DB_ARGS(DB_I(SWEEP_IDS / 2), DB_I(clock_now_us()),
			       DB_I(SWEEP_IDS / 2)), NULL, take_ids, ids, e);
}

static int find_dropped(struct db *db, struct sweep_ids *ids, struct err *e)
{
	return db_each(db, STMT_FILE_DROPPED,
		       DB_ARGS(DB_I(clock_now_us()), DB_I(SWEEP_IDS)), NULL,
		       take_ids, ids, e);
}

int attachment_sweep_due(struct db *db, struct arena *a, struct err *e)
{
	struct sweep_ids ids = { .n = 0 };

	(void)a;
	if (find_left(db, &ids, e) || (!ids.n && find_dropped(db, &ids, e)))
		return -1;
	return ids.n > 0 || attachment_file_sweep_due();
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
			int rc = attachment_file_delete(
				db, &dropped.v[i], until_ms, e);

			if (rc <= 0)
				return rc;
		}
	} while (left.n || dropped.n);
	return attachment_file_sweep(db, until_ms, e);
}
