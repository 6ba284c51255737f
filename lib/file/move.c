/* SPDX-License-Identifier: MIT */
#include "file/move.h"

#include <sodium.h>

#include "base/clock.h"
#include "base/limits.h"
#include "store/attachment.h"
#include "store/blob_mark.h"
#include "store/job.h"

#include "base/banned.h"

/* Called for the pieces of a file, in order; may be NULL. */
typedef int on_piece(void *ctx, int64_t start, struct str data, struct err *e);

/* Reads the file. Returns 1 if it matches its row, 0 if not, or -1. */
static int read_all(struct db *db, const struct stored_file *f, on_piece *fn,
		    void *ctx, struct err *e)
{
	unsigned char hash[ATTACHMENT_HASH_BYTES];
	crypto_generichash_state h;
	struct arena a = ARENA_INIT;
	struct str s = { NULL, 0 };
	int64_t at = 0;
	int rc = 0;

	crypto_generichash_init(&h, NULL, 0, sizeof(hash));
	while (rc == 0 && at < f->size) {
		arena_reset(&a);
		rc = attachment_piece(db, &f->id, at, &a, &s, e);
		if (rc < 0 || !s.n)
			break;
		s.n = MIN(s.n, (size_t)(f->size - at));
		crypto_generichash_update(&h, (const unsigned char *)s.p, s.n);
		if (fn)
			rc = fn(ctx, at, s, e);
		at += (int64_t)s.n;
	}
	arena_release(&a);
	crypto_generichash_final(&h, hash, sizeof(hash));
	if (rc < 0)
		return -1;
	return at == f->size && f->hash.n == sizeof(hash) &&
		!memcmp(hash, f->hash.p, sizeof(hash));
}

/* -- one run at a time --------------------------------------------------------- */

enum { LEASE_S = 60, RENEW_MS = 10000 };

/* The lock of the run: a row of job that no process executes. */
struct move_run {
	struct db *db;
	struct job lease;
	int64_t renewed_ms;	/* monotonic */
};

static int refuse(struct err *e)
{
	return err_public(e, ERR_CONFLICT, "Files are being moved already, or "
			  "were until a moment ago. Try again in a minute.");
}

static int renew(struct move_run *r, struct err *e)
{
	int rc;

	if (clock_mono_ms() - r->renewed_ms < RENEW_MS)
		return 0;
	r->renewed_ms = clock_mono_ms();
	rc = store_job_take(r->db, &r->lease, LEASE_S * INT64_C(1000000), e);
	return rc < 0 ? -1 : rc ? 0 : refuse(e);
}

static int begin(struct move_run *r, struct arena *a, struct err *e)
{
	const struct job asked = {
		.kind = STR("files-move"), .subject = STR("all"),
		.tenant_id = STR(""), .due_us = clock_now_us(),
	};
	struct job *due;
	size_t n;
	int rc;

	if (store_job_ask(r->db, &asked, e) ||
	    store_job_due(r->db, asked.kind, a, &due, &n, e))
		return -1;
	if (!n)
		return refuse(e);
	r->lease = due[0];
	r->renewed_ms = clock_mono_ms();
	rc = store_job_take(r->db, &r->lease, LEASE_S * INT64_C(1000000), e);
	return rc < 0 ? -1 : rc ? 0 : refuse(e);
}

/* -- one file ------------------------------------------------------------------ */

struct move {
	struct move_run *run;
	struct db *db;
	const struct stored_file *f;
	char arriving[BLOB_PLACE_BYTES];
};

static int to_nowhere(void *ctx, int64_t start, struct str data, struct err *e)
{
	const struct move *m = ctx;

	(void)start;
	(void)data;
	return m->run ? renew(m->run, e) : 0;
}

static int to_file(void *ctx, int64_t start, struct str data, struct err *e)
{
	const struct move *m = ctx;

	return renew(m->run, e) ? -1
		: blob_write(m->arriving, start, data, e);
}

static int to_piece(void *ctx, int64_t start, struct str data, struct err *e)
{
	const struct move *m = ctx;

	return renew(m->run, e) ? -1
		: attachment_file_put(m->db, &m->f->id, start, data, e);
}

/*
 * The new content is complete before the row refers to it, and the old one is deleted
 * after that, so one of them is intact whenever a run ends. An unfinished copy is deleted
 * by the sweep or the next run. Returns 1, 0 if the file is damaged, or -1.
 */
static int settle(struct move *m, struct str to, struct err *e)
{
	int rc = attachment_file_moved(m->db, m->f, to, e);

	/* rc is 0 if the file was deleted or moved by someone else meanwhile. */
	return rc < 0 || attachment_file_leave(m->db, m->f, to, e) ? -1 : 1;
}

static int to_directory(struct move *m, struct err *e)
{
	const struct uuid name = uuid_new();	/* unique to this run */
	char place[BLOB_PLACE_BYTES];
	int rc;

	blob_arriving(&name, m->arriving);
	rc = read_all(m->db, m->f, to_file, m, e);
	if (rc < 0)
		return -1;
	if (!rc)
		return blob_unlink(m->arriving, e) < 0 ? -1 : 0;
	blob_complete((const unsigned char *)m->f->hash.p, &m->f->id, place);
	if (blob_sync(m->arriving, m->f->size, e) < 0 ||
	    blob_move(m->arriving, place, e) < 0)
		return -1;
	return settle(m, str_of(place), e);
}

/* Reads twice: a damaged copy must not replace pieces that may be intact. */
static int to_database(struct move *m, struct err *e)
{
	int rc = read_all(m->db, m->f, to_nowhere, m, e);

	if (rc > 0)
		rc = read_all(m->db, m->f, to_piece, m, e);
	return rc <= 0 ? rc : settle(m, (struct str){ NULL, 0 }, e);
}

static int move_one(struct move *m, struct err *e)
{
	return m->f->place.p ? to_database(m, e) : to_directory(m, e);
}

/* Deletes the pieces that a killed run left. */
static int tidy_one(struct move *m, struct err *e)
{
	int rc = read_all(m->db, m->f, to_nowhere, m, e);

	return rc <= 0 ? rc
		: attachment_file_leave(m->db, m->f, m->f->place, e) ? -1 : 1;
}

static int check_one(struct move *m, struct err *e)
{
	return read_all(m->db, m->f, to_nowhere, m, e);
}

/* -- all of them ---------------------------------------------------------------- */

/* run: NULL if nothing is written. */
static int each(struct db *db, struct move_run *run,
		enum attachment_where where,
		int (*fn)(struct move *m, struct err *e),
		struct file_moved *n, struct buf *out, struct err *e)
{
	struct uuid after = { .b = { 0 } };
	struct arena a = ARENA_INIT;
	struct stored_file *files;
	size_t found;
	int rc;

	do {
		arena_reset(&a);
		rc = attachment_file_list(db, where, &after, &a, &files, &found,
					  e);
		for (size_t i = 0; i < found && rc == 0; i++) {
			struct move m = { .run = run, .db = db, .f = &files[i] };
			char id[UUID_TEXT_BYTES];
			int fine = run && renew(run, e) ? -1 : fn(&m, e);

			after = files[i].id;
			n->moved += fine > 0;
			n->damaged += fine == 0;
			if (fine == 0)
				buf_addf(out, "%s\t%s\n",
					 uuid_format(&after, id),
					 where == ATTACHMENT_IN_PIECES
					 ? "database" : "directory");
			rc = fine < 0 ? -1 : 0;
		}
	} while (rc == 0 && found);
	arena_release(&a);
	return rc;
}

/* Checks that the directory belongs to this installation. */
static int whose(struct db *db, struct err *e)
{
	if (!blob_dir())
		return 0;
	return (blob_for_new() ? blob_mark_write(db, e)
		: blob_mark_read(db, e)) < 0 ? -1 : 0;
}

int file_move_all(struct db *db, struct file_moved *n, struct buf *out,
		  struct err *e)
{
	struct move_run run = { .db = db };
	struct arena a = ARENA_INIT;
	struct file_moved tidied = { .moved = 0 };
	struct err why = ERR_INIT;
	int rc;

	*n = (struct file_moved){ .moved = 0 };
	if (whose(db, e))
		return -1;
	rc = begin(&run, &a, e);
	if (rc) {
		arena_release(&a);
		return -1;
	}
	if (blob_for_new())
		rc = each(db, &run, ATTACHMENT_IN_BOTH, tidy_one, &tidied, out, e);
	n->damaged = tidied.damaged;
	if (!rc)
		rc = each(db, &run, blob_for_new() ? ATTACHMENT_IN_PIECES
			  : ATTACHMENT_IN_DIRECTORY, move_one, n, out, e);
	if (store_job_end(db, &run.lease, &why) && !rc) {
		*e = why;
		rc = -1;
	}
	arena_release(&a);
	return rc;
}

int file_check_all(struct db *db, struct file_moved *n, struct buf *out,
		   struct err *e)
{
	*n = (struct file_moved){ .moved = 0 };
	return (blob_dir() && blob_mark_read(db, e) < 0) ||
		each(db, NULL, ATTACHMENT_IN_PIECES, check_one, n, out, e) < 0 ||
		each(db, NULL, ATTACHMENT_IN_DIRECTORY, check_one, n, out, e) < 0
		? -1 : 0;
}
