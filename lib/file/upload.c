/* SPDX-License-Identifier: MIT */
#include "file/upload.h"

#include <sodium.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "file/facts.h"
#include "prompt/untrusted.h"

#include "base/banned.h"

enum { ROOM_BYTES = 1 << 20 };	/* between two checks of the quota */

struct file_upload {
	struct db *db;
	const struct owner *o;
	const struct file_caps *caps;
	struct attachment t;
	struct buf piece;
	crypto_generichash_state hash;
	bool whole;		/* hash covers all bytes of the file */
	size_t unchecked;	/* bytes since the last check of the quota */
};

/* -- limits ----------------------------------------------------------------- */

static struct str last_component(struct str s)
{
	for (size_t i = s.n; i-- > 0;)
		if (s.p[i] == '/' || s.p[i] == '\\')
			return (struct str){ s.p + i + 1, s.n - i - 1 };
	return s;
}

struct str file_line(struct str given, size_t max, struct arena *a)
{
	struct buf clean = BUF_INIT(4 * given.n + 16), line = BUF_INIT(clean.cap);
	struct str s;

	/* Removes the same invisible characters as from input of models. */
	untrusted_clean(NULL, given, &clean);
	for (size_t i = 0; i < clean.n; i++)
		buf_addc(&line, (unsigned char)clean.p[i] < ' ' ? ' ' : clean.p[i]);
	s = arena_str(a, str_trim(utf8_head(buf_str(&line), max)));
	buf_release(&clean);
	buf_release(&line);
	return s;
}

struct str file_name(struct str given, struct arena *a)
{
	struct str s = file_line(last_component(given), LIM_ATTACHMENT_NAME_CHARS, a);

	return s.n ? s : STR("file");
}

static int too_large(const struct file_caps *caps, struct err *e)
{
	int64_t most = caps->file_bytes;
	bool whole = most % 1048576 == 0;

	return err_public(e, ERR_TOO_BIG, "The file is too large: %s may have at "
			  "most %lld %s.", caps->what,
			  (long long)(whole ? most / 1048576 : most),
			  whole ? "MiB" : "bytes");
}

int file_room(struct db *db, const struct owner *o, const struct file_caps *caps,
	      int64_t more, bool is_new, struct err *e)
{
	int64_t bytes, n;

	if (more > caps->file_bytes)
		return too_large(caps, e);
	if (attachment_taken(db, o, &bytes, &n, e) < 0)
		return -1;
	if (is_new && caps->most && n >= caps->most)
		return err_public(e, ERR_CONFLICT, "You have %lld attachments "
				  "already. Delete some of them%s first.",
				  (long long)caps->most, caps->or_else);
	if (bytes + MAX(more, 0) > caps->all_mb * INT64_C(1048576))
		return err_public(e, ERR_TOO_BIG, "%s would have more than %lld "
				  "MiB. Delete some of them%s first.",
				  caps->whose, (long long)caps->all_mb,
				  caps->or_else);
	return 0;
}

/* -- bytes -------------------------------------------------------- */

/* libsodium's hash state needs a larger alignment than arenas provide. */
static struct file_upload *aligned_new(struct arena *a)
{
	enum { ALIGNMENT = _Alignof(struct file_upload) };
	uintptr_t at = (uintptr_t)arena_zalloc(a, sizeof(struct file_upload)
						  + ALIGNMENT, 1);

	return (struct file_upload *)((at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

struct file_upload *file_upload_new(struct db *db, const struct owner *o,
				    const struct file_caps *caps,
				    const struct attachment *t, struct arena *a)
{
	struct file_upload *u = aligned_new(a);

	*u = (struct file_upload){
		.db = db, .o = o, .caps = caps, .t = *t,
		.piece = BUF_INIT(LIM_FILE_PIECE_BYTES), .whole = t->size == 0,
	};
	crypto_generichash_init(&u->hash, NULL, 0, ATTACHMENT_HASH_BYTES);
	return u;
}

void file_upload_release(struct file_upload *u)
{
	buf_release(&u->piece);
}

static int store_piece(struct file_upload *u, struct err *e)
{
	struct str s = buf_str(&u->piece);

	if (!s.n)
		return 0;
	if (attachment_add(u->db, u->o, &u->t, u->t.size, s, e) < 0)
		return -1;
	crypto_generichash_update(&u->hash, (const unsigned char *)s.p, s.n);
	u->t.size += (int64_t)s.n;
	u->unchecked += s.n;
	buf_reset(&u->piece);
	/* The user's other uploads grow meanwhile, and not all have a known length. */
	if (u->unchecked < ROOM_BYTES)
		return 0;
	u->unchecked = 0;
	return file_room(u->db, u->o, u->caps, 0, false, e);
}

int file_upload_add(struct file_upload *u, const char *p, size_t n,
		    struct err *e)
{
	if (u->t.size + (int64_t)(u->piece.n + n) > u->caps->file_bytes)
		return too_large(u->caps, e);
	while (n) {
		size_t part = MIN(n, LIM_FILE_PIECE_BYTES - u->piece.n);

		buf_add(&u->piece, p, part);
		p += part;
		n -= part;
		if (u->piece.n == LIM_FILE_PIECE_BYTES &&
		    store_piece(u, e) < 0)
			return -1;
	}
	return 0;
}

int file_upload_end(struct file_upload *u, bool complete, struct arena *a,
		    struct attachment *out, struct err *e)
{
	unsigned char hash[ATTACHMENT_HASH_BYTES];

	if (store_piece(u, e) < 0 ||
	    file_room(u->db, u->o, u->caps, 0, false, e) < 0)
		return -1;
	*out = u->t;
	if (!complete)
		return 0;
	crypto_generichash_final(&u->hash, hash, sizeof(hash));
	return file_finish(u->db, u->o, &u->o->user_id, out, u->whole ? hash : NULL, a, e);
}
