#include "file/move.h"

#include <sodium.h>

#include "base/limits.h"
#include "store/attachment.h"
#include "store/attachment_file.h"

#include "base/banned.h"

/* What becomes of the pieces of a file, in order. NULL: nothing. */
typedef int on_piece(void *ctx, int64_t start, struct str data, struct err *e);

/* Reads all of it; 1 when it is what its row says, 0, -1. */
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

struct move {
	struct db *db;
	const struct stored_file *f;
	char arriving[BLOB_PLACE_BYTES];
};

static int to_file(void *ctx, int64_t start, struct str data, struct err *e)
{
	const struct move *m = ctx;

	return blob_write(m->arriving, start, data, e);
}

static int to_piece(void *ctx, int64_t start, struct str data, struct err *e)
{
	const struct move *m = ctx;

	return attachment_file_put(m->db, &m->f->id, start, data, e);
}

/* What was written for nothing. */
static int give_up(struct move *m, int rc, struct err *e)
{
	if (m->f->place.p)
		return attachment_file_pieces(m->db, &m->f->id, INT64_MAX, e) < 0
			? -1 : rc;
	return blob_unlink(m->arriving, e) < 0 ? -1 : rc;
}

/* 1; 0: it is damaged, or was deleted meanwhile; -1. */
static int to_directory(struct move *m, struct err *e)
{
	char place[BLOB_PLACE_BYTES];
	int rc = read_all(m->db, m->f, to_file, m, e);

	if (rc < 0)
		return -1;
	if (!rc)
		return give_up(m, 0, e);
	blob_complete((const unsigned char *)m->f->hash.p, &m->f->id, place);
	if (blob_sync(m->arriving, m->f->size, e) < 0)
		return -1;
	rc = attachment_file_moved(m->db, m->f, str_of(place), e);
	if (rc <= 0)
		return rc < 0 ? -1 : give_up(m, 1, e);
	return blob_move(m->arriving, place, e) < 0 ||
		attachment_file_pieces(m->db, &m->f->id, INT64_MAX, e) < 0
		? -1 : 1;
}

static int to_database(struct move *m, struct err *e)
{
	int rc = read_all(m->db, m->f, to_piece, m, e);

	if (rc <= 0)
		return rc < 0 ? -1 : give_up(m, 0, e);
	rc = attachment_file_moved(m->db, m->f, (struct str){ NULL, 0 }, e);
	if (rc <= 0)
		return rc < 0 ? -1 : give_up(m, 1, e);
	return blob_remove(m->f->place, &m->f->id, e) < 0 ? -1 : 1;
}

static int move_one(struct db *db, const struct stored_file *f, struct err *e)
{
	struct move m = { .db = db, .f = f };

	blob_arriving(&f->id, m.arriving);
	return f->place.p ? to_database(&m, e) : to_directory(&m, e);
}

static int check_one(struct db *db, const struct stored_file *f, struct err *e)
{
	return read_all(db, f, NULL, NULL, e);
}

static int each(struct db *db, bool in_directory,
		int (*fn)(struct db *db, const struct stored_file *f,
			  struct err *e),
		struct file_moved *n, struct buf *out, struct err *e)
{
	struct uuid after = { .b = { 0 } };
	struct arena a = ARENA_INIT;
	struct stored_file *files;
	size_t found;
	int rc;

	do {
		arena_reset(&a);
		rc = attachment_file_list(db, in_directory, &after, &a, &files,
					  &found, e);
		for (size_t i = 0; i < found && rc == 0; i++) {
			char id[UUID_TEXT_BYTES];
			int fine = fn(db, &files[i], e);

			after = files[i].id;
			n->moved += fine > 0;
			n->damaged += fine == 0;
			if (fine == 0)
				buf_addf(out, "%s\t%s\n",
					 uuid_format(&after, id),
					 in_directory ? "directory" : "database");
			rc = fine < 0 ? -1 : 0;
		}
	} while (rc == 0 && found);
	arena_release(&a);
	return rc;
}

int file_move_all(struct db *db, struct file_moved *n, struct buf *out,
		  struct err *e)
{
	*n = (struct file_moved){ .moved = 0 };
	return each(db, !blob_for_new(), move_one, n, out, e);
}

int file_check_all(struct db *db, struct file_moved *n, struct buf *out,
		   struct err *e)
{
	*n = (struct file_moved){ .moved = 0 };
	return each(db, false, check_one, n, out, e) < 0 ||
		each(db, true, check_one, n, out, e) < 0 ? -1 : 0;
}
