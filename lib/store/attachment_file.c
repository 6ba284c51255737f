/* SPDX-License-Identifier: MIT */
#include "store/attachment_file.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/attachment.h"
#include "store/blob_mark.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	PIECES = 16,		/* rows of a batch: 4 MiB */
	DAY_S = 86400,		/* between two sweeps of the directory */
	LOOK_S = 600,		/* between two looks of this process */
	AGE_S = 86400,		/* younger files without a row stay */
};

/* -- the place ---------------------------------------------------------- */

static int take_place(void *ctx, const struct db_val *row, struct err *e)
{
	(void)e;
	*(struct str *)ctx = row[0].null ? (struct str){ NULL, 0 } : row[0].s;
	return 0;
}

int attachment_place(struct db *db, const struct uuid *file_id, struct arena *a,
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

int attachment_file_delete(struct db *db, const struct uuid *id,
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

bool attachment_file_sweep_due(void)
{
	static atomic_int_fast64_t looked_ms;
	int64_t now_ms = clock_mono_ms(), was = atomic_load(&looked_ms);
	struct err e = ERR_INIT;
	int part;

	if (!blob_dir() || (was && now_ms - was < LOOK_S * INT64_C(1000)))
		return false;
	atomic_store(&looked_ms, now_ms);
	if (blob_sweep_next(DAY_S, &part, &e) == 0)
		return part < BLOB_PARTS;
	log_err("the directory of files", &e);
	return false;
}

int attachment_file_sweep(struct db *db, int64_t until_ms, struct err *e)
{
	int part, rc;

	if (!blob_dir())
		return 1;
	/* What has no row may be another installation's. */
	rc = blob_mark_read(db, e);
	if (rc <= 0)
		return rc < 0 ? -1 : 1;
	if (blob_sweep_next(DAY_S, &part, e) < 0)
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
