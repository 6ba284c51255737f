/* SPDX-License-Identifier: MIT */
#include "file/facts.h"

#include <sodium.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "file/extract.h"

#include "base/banned.h"

/* -- reading the stored bytes --------------------------------------------- */

int file_next_piece(void *ctx, struct str *next)
{
	struct file_reader *r = ctx;

	*next = (struct str){ NULL, 0 };
	arena_reset(&r->piece);
	if (r->at >= r->upto)
		return 0;
	if (attachment_piece(r->db, r->file_id, r->at, &r->piece, next, r->e) < 0)
		return -1;
	if (!next->n)
		return err_set(r->e, ERR_INTERNAL, "a piece of a file is missing");
	next->n = MIN(next->n, (size_t)(r->upto - r->at));
	r->at += (int64_t)next->n;
	return 1;
}

static int hash_all(struct file_reader *r, unsigned char *out)
{
	crypto_generichash_state h;
	struct str part;
	int rc;

	crypto_generichash_init(&h, NULL, 0, ATTACHMENT_HASH_BYTES);
	while ((rc = file_next_piece(r, &part)) > 0)
		crypto_generichash_update(&h, (const unsigned char *)part.p,
					  part.n);
	crypto_generichash_final(&h, out, ATTACHMENT_HASH_BYTES);
	r->at = 0;
	return rc;
}

/* -- type and text ---------------------------------------------------------- */

static bool is_image(struct str type)
{
	return str_starts(type, STR("image/"));
}

/* A file is stored whatever it contains; only overload prevents it. */
static int find_facts(struct file_reader *r, const struct uuid *user,
		      const struct attachment *t, struct arena *a,
		      struct attachment_facts *f)
{
	bool large = t->size > LIM_EXTRACT_FILE_BYTES;
	const struct file_source src = {
		.more = file_next_piece, .ctx = r, .head_only = large,
		.user = user,
	};
	struct file_found found = { .pages = 0 };
	struct err why = ERR_INIT;

	if (!r->e->code && large)
		r->upto = LIM_EXTRACT_HEAD_BYTES;
	if (file_extract_all(&src, a, &found, &why) < 0) {
		if (why.code == ERR_OVERLOADED && !r->e->code)
			*r->e = why;
		if (r->e->code)
			return -1;
		log_err("an uploaded file could not be read", &why);
		found.problem = STR("The file cannot be read: the program for it "
				    "cannot be started here.");
	}
	f->media_type = found.media_type.n ? found.media_type
		: STR("application/octet-stream");
	f->pages = found.pages;
	f->text = found.text;
	f->text_chars = (int64_t)utf8_chars(found.text);
	f->problem = found.problem;
	f->unread = found.unread;
	if (is_image(f->media_type))
		f->problem = (struct str){ NULL, 0 };
	else if (!f->text.p && !f->problem.p)
		f->problem = large ? STR("The file is too large for its text to "
					 "be read.")
			: STR("This type of file cannot be read. The model only sees "
			      "its name.");
	return r->e->code ? -1 : 0;
}

int file_finish(struct db *db, const struct owner *o, const struct uuid *user,
		struct attachment *t, const unsigned char *hash, struct arena *a,
		struct err *e)
{
	struct err broken = ERR_INIT;
	struct file_reader r = {
		.db = db, .file_id = &t->file_id, .upto = t->size,
		.piece = ARENA_INIT, .e = &broken,
	};
	struct attachment_facts f = { .pages = 0 };
	int rc = 0;

	if (hash)
		memcpy(f.hash, hash, sizeof(f.hash));
	else
		rc = hash_all(&r, f.hash);
	if (rc == 0)
		rc = attachment_adopt(db, o, t, f.hash, &broken);
	if (rc == 0) {
		rc = find_facts(&r, user, t, a, &f) < 0 ? -1
			: attachment_ready(db, o, t, &f, &broken);
		if (rc < 0 && broken.code == ERR_DB_DUPLICATE) {
			err_clear(&broken);
			rc = attachment_adopt(db, o, t, f.hash, &broken);
		}
	}
	arena_release(&r.piece);
	if (rc < 0) {
		*e = broken;
		return -1;
	}
	return attachment_get(db, o, &t->id, a, t, e);
}
