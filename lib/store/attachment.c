/* SPDX-License-Identifier: MIT */
#include "store/attachment.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/blob_mark.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	ATTACHMENT_FILE_ROWS = 200,
	PIECES = 16,		/* rows of a batch: 4 MiB */
	LOOK_S = 600,		/* between two looks of this process */
	AGE_S = 86400,		/* younger files without a row stay */
};

/* -- where the content is -------------------------------------------------- */

/* In pieces (file_piece), or in a directory (store/blob.h). */

static int take_place(void *ctx, const struct db_val *row, struct err *e)
{
	(void)e;
	*(struct str *)ctx = row[0].null ? (struct str){ NULL, 0 } : row[0].s;
	return 0;
}

/*
 * Sets *place to the file's place, in a (p == NULL: in pieces). Returns 1; 0 if
 * there is no such file; -1.
 */
static int attachment_place(struct db *db, const struct uuid *file_id, struct arena *a,
			    struct str *place, struct err *e)
{
	static const char none[] = "";

	*place = (struct str){ none, 0 };
	if (db_each(db, STMT_FILE_PLACE, DB_ARGS(DB_U(file_id)), a, take_place,
		    place, e))
		return -1;
	return place->p != none;
}

/* -- bytes -------------------------------------------------------- */

struct adding {
	const struct owner *o;
	const struct attachment *t;
	int64_t start;
	struct str data;
};

/* Whether a commit with unknown outcome has stored the piece. */
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
	char at[BLOB_PLACE_BYTES];
	struct arena a = ARENA_INIT;
	struct str place;
	struct db_result r;
	int rc;

	if (db_tx_unknown(tx) && is_added(tx, k, e))
		return 0;
	if (e->code)
		return -1;
	/* First of all: its condition on the size locks the row, so one of two pieces wins. */
	if (db_exec(tx, STMT_FILE_GROW,
		    DB_ARGS(DB_I(n), DB_U(&k->t->id), DB_U(&k->t->file_id),
			    DB_S(k->o->tenant_id), DB_U(&k->o->user_id),
			    DB_I(k->start)), &r, e))
		return -1;
	if (!r.affected)
		return err_public(e, ERR_CONFLICT, "The upload is not at this "
				  "offset. Get the attachment: continue at its "
				  "size.");
	if (db_exec(tx, STMT_ATTACHMENT_GROW,
		    DB_ARGS(DB_I(k->start + n), DB_I(clock_now_us()),
			    DB_U(&k->t->id)), NULL, e) ||
	    attachment_place(tx, &k->t->file_id, &a, &place, e) < 0)
		rc = -1;
	else if (place.p)
		/* The row is locked: nobody else writes there now. */
		rc = blob_mark_write(tx, e) < 0 ? -1
			: blob_write(blob_arriving(&k->t->file_id, at), k->start,
				     k->data, e);
	else
		rc = db_exec(tx, STMT_FILE_PIECE_INSERT,
			     DB_ARGS(DB_U(&k->t->file_id), DB_I(k->start),
				     DB_B(k->data)), NULL, e);
	arena_release(&a);
	return rc;
}

int attachment_add(struct db *db, const struct owner *o,
		   const struct attachment *t, int64_t start, struct str data,
		   struct err *e)
{
	struct adding k = { o, t, start, data };

	return blob_mark_know(db, e) ? -1 : db_tx(db, add_tx, &k, e);
}

struct piece {
	int64_t from;
	struct str data, place;
};

static int take_piece(void *ctx, const struct db_val *row, struct err *e)
{
	struct piece *p = ctx;
	int64_t skip;

	(void)e;
	if (!row[1].null)
		p->place = row[1].s;
	if (row[0].null)
		return 0;
	skip = p->from - row[0].i;
	if (skip < (int64_t)row[2].s.n)
		p->data = (struct str){ row[2].s.p + skip,
					row[2].s.n - (size_t)skip };
	return 0;
}

int attachment_piece(struct db *db, const struct uuid *file_id, int64_t from,
		     struct arena *a, struct str *out, struct err *e)
{
	struct piece p = { .from = from };

	if (db_each(db, STMT_FILE_PIECE_GET,
		    DB_ARGS(DB_U(file_id), DB_I(from), DB_U(file_id)), a,
		    take_piece, &p, e))
		return -1;
	*out = p.data;
	if (!p.place.p)
		return 0;
	if (blob_dir() && blob_mark_read(db, e) < 0)
		return -1;
	return blob_read(p.place, file_id, from, LIM_FILE_PIECE_BYTES, a, out, e);
}

/* -- deleting -------------------------------------------------------- */

/* 1; 0: more to do after until_ms; -1. */
static int delete_pieces(struct db *db, const struct uuid *id,
			 int64_t until_ms, struct err *e)
{
	struct db_result r;

	do {
		if (clock_mono_ms() >= until_ms)
			return 0;
		if (db_exec(db, STMT_FILE_PIECES_DELETE,
			    DB_ARGS(DB_U(id), DB_I(PIECES)), &r, e))
			return -1;
	} while (r.affected);
	return 1;
}

/*
 * Deletes a dropped file and its content until until_ms (monotonic). Returns 1 when
 * that is done; 0 if there is more to delete; -1.
 */
static int attachment_file_delete(struct db *db, const struct uuid *id,
				  int64_t until_ms, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct str place;
	int rc = attachment_place(db, id, &a, &place, e);

	if (rc > 0 && place.p && blob_dir() && blob_mark_read(db, e) < 0)
		rc = -1;
	else if (rc > 0 && place.p)
		rc = blob_remove(place, id, e) < 0 ? -1 : 1;
	arena_release(&a);
	if (rc < 0)
		return -1;
	rc = delete_pieces(db, id, until_ms, e);
	if (rc <= 0)
		return rc;
	return db_exec(db, STMT_FILE_DELETE, DB_ARGS(DB_U(id)), NULL, e) ? -1 : 1;
}

/* -- files of the directory without a row ----------------------------------- */

/* Handles a file that a crash or a restored dump has left behind. */
static int sweep_one(void *ctx, const char *place, const struct uuid *id,
		     struct err *e)
{
	char own[BLOB_PLACE_BYTES];
	struct arena a = ARENA_INIT;
	struct str has;
	int rc = attachment_place(ctx, id, &a, &has, e);

	if (rc > 0 && has.p && !str_is(has, place) &&
	    str_is(str_of(place), blob_arriving(id, own))) {
		/* Its process died before renaming it. */
		memcpy(own, has.p, MIN(has.n, sizeof(own) - 1));
		own[MIN(has.n, sizeof(own) - 1)] = '\0';
		rc = blob_adopt(place, own, id, e);
	} else if (rc == 0 || (rc > 0 && !(has.p && str_is(has, place)))) {
		rc = blob_unlink(place, e);
	}
	arena_release(&a);
	return rc < 0 ? -1 : 0;
}

/*
 * The daily sweep of the directory: deletes files older than a day that no row
 * has, and renames complete files that kept their temporary name. due: whether
 * to call sweep; looks every ten minutes at most. sweep returns 1 when it is
 * complete; 0; -1.
 */
static bool attachment_file_sweep_due(void)
{
	static atomic_int_fast64_t looked_ms;
	int64_t now_ms = clock_mono_ms(), was = atomic_load(&looked_ms);
	struct err e = ERR_INIT;
	int part;

	if (!blob_dir() || (was && now_ms - was < LOOK_S * INT64_C(1000)))
		return false;
	atomic_store(&looked_ms, now_ms);
	if (blob_sweep_next(&part, &e) == 0)
		return part < BLOB_PARTS;
	log_err("the directory of files", &e);
	return false;
}

static int attachment_file_sweep(struct db *db, int64_t until_ms, struct err *e)
{
	int part, rc;

	if (!blob_dir())
		return 1;
	/* What has no row may be another installation's. */
	rc = blob_mark_read(db, e);
	if (rc <= 0)
		return rc < 0 ? -1 : 1;
	if (blob_sweep_next(&part, e) < 0)
		return -1;
	for (; part < BLOB_PARTS; part++) {
		if (clock_mono_ms() >= until_ms)
			return blob_sweep_done(part, e) < 0 ? -1 : 0;
		if (blob_each(part, AGE_S, sweep_one, db, e) < 0 ||
		    (part + 1 == BLOB_PARTS && blob_sweep_done(part + 1, e) < 0))
			return -1;
	}
	return 1;
}

/* -- moving between the stores --------------------------------------------- */

int attachment_file_list(struct db *db, enum attachment_where where,
			 const struct uuid *after, struct arena *a,
			 struct stored_file **out, size_t *n, struct err *e)
{
	static const struct db_field fields[] = {
		FIELD_OF(struct stored_file, id, u),
		FIELD_OF(struct stored_file, size, i),
		FIELD_OF(struct stored_file, hash, B),
		FIELD_OF(struct stored_file, place, S),
	};

	if (where == ATTACHMENT_IN_BOTH)
		return db_list(db, STMT_FILE_TWICE,
			       DB_ARGS(DB_U(after), DB_I(ATTACHMENT_FILE_ROWS)),
			       a, fields, sizeof(**out), 0, out, n, e);
	return db_list(db, STMT_FILE_PLACED,
		       DB_ARGS(DB_U(after), DB_I(where == ATTACHMENT_IN_DIRECTORY),
			       DB_I(ATTACHMENT_FILE_ROWS)), a, fields,
		       sizeof(**out), 0, out, n, e);
}

int attachment_file_put(struct db *db, const struct uuid *id, int64_t start,
			struct str data, struct err *e)
{
	return db_exec(db, STMT_FILE_PIECE_PUT,
		       DB_ARGS(DB_U(id), DB_I(start), DB_B(data)), NULL, e);
}

struct moving {
	const struct stored_file *f;
	struct str to;
	bool yes;	/* out: it is there now; or there is more to delete */
};

static bool is_same(struct str a, struct str b)
{
	return a.p && b.p ? str_eq(a, b) : a.p == b.p;
}

/* Reads the place of a file that was not dropped, under its lock. 1, 0, -1. */
static int lock_place(struct db *tx, const struct uuid *id, struct arena *a,
		      struct str *place, struct err *e)
{
	static const char none[] = "";

	*place = (struct str){ none, 0 };
	if (db_each(tx, STMT_FILE_PLACE_LOCK, DB_ARGS(DB_U(id)), a, take_place,
		    place, e))
		return -1;
	return place->p != none;
}

/*
 * Whether the content is complete; deleting it needs the row's lock, too. 1, 0,
 * -1.
 */
static int has_content(struct db *tx, const struct moving *k, struct arena *a,
		       struct err *e)
{
	int64_t size = 0;

	if (k->to.p)
		return blob_is_there(arena_printf(a, "%.*s", STR_ARG(k->to)), e);
	if (db_int(tx, STMT_FILE_PIECES_SIZE, DB_ARGS(DB_U(&k->f->id)), &size, e) < 0)
		return -1;
	return size == k->f->size;
}

static int moved_tx(struct db *tx, void *ctx, struct err *e)
{
	struct moving *k = ctx;
	struct arena a = ARENA_INIT;
	struct db_result r = { 0 };
	struct str place;
	int rc = lock_place(tx, &k->f->id, &a, &place, e);

	/* True as well when a commit with unknown outcome is tried again. */
	k->yes = rc > 0 && is_same(place, k->to);
	if (rc > 0 && !k->yes)
		rc = has_content(tx, k, &a, e);
	if (rc > 0 && !k->yes) {
		rc = db_exec(tx, STMT_FILE_PLACE_SET,
			     DB_ARGS(DB_S_IF(k->to), DB_U(&k->f->id),
				     DB_B(k->f->hash), DB_S_IF(k->f->place)), &r,
			     e);
		k->yes = !rc && r.affected > 0;
	}
	arena_release(&a);
	return rc < 0 ? -1 : 0;
}

int attachment_file_moved(struct db *db, const struct stored_file *f,
			  struct str to, struct err *e)
{
	struct moving k = { .f = f, .to = to };

	return db_tx(db, moved_tx, &k, e) ? -1 : k.yes;
}

static int leave_tx(struct db *tx, void *ctx, struct err *e)
{
	struct moving *k = ctx;
	struct arena a = ARENA_INIT;
	struct db_result r = { 0 };
	struct str place;
	int rc = lock_place(tx, &k->f->id, &a, &place, e);
	bool gone = rc == 0, there = rc > 0 && is_same(place, k->to);

	k->yes = false;
	if (gone && k->to.p && blob_remove(k->to, &k->f->id, e) < 0)
		rc = -1;
	if (rc >= 0 && (gone || there) && k->f->place.p &&
	    !is_same(k->f->place, k->to) &&
	    blob_remove(k->f->place, &k->f->id, e) < 0)
		rc = -1;
	if (rc >= 0 && (gone || (there && k->to.p))) {
		rc = db_exec(tx, STMT_FILE_PIECES_DELETE,
			     DB_ARGS(DB_U(&k->f->id), DB_I(PIECES)), &r, e);
		k->yes = r.affected > 0;
	}
	arena_release(&a);
	return rc < 0 ? -1 : 0;
}

int attachment_file_leave(struct db *db, const struct stored_file *f,
			  struct str to, struct err *e)
{
	struct moving k = { .f = f, .to = to };

	do {
		if (db_tx(db, leave_tx, &k, e))
			return -1;
	} while (k.yes);
	return 0;
}

/* -- rows ------------------------------------------------------------------ */

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
	/* An earlier try has made it ready. */
	if (uuid_eq(&same, &k->t->file_id))
		return put_ready(tx, k, &same, e);
	/* Both are written, so that a sweep that deletes either one conflicts with this. */
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

int attachment_hide(struct db *tx, const struct owner *o,
		    const struct uuid *conversation_id, struct err *e)
{
	static const struct uuid nobody;

	return db_exec(tx, STMT_ATTACHMENT_HIDE,
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
