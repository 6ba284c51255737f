/* SPDX-License-Identifier: MIT */
/* The facts about a complete attachment: its hash, its type by content, its text. */
#ifndef FILE_FACTS_H
#define FILE_FACTS_H

#include "store/attachment.h"

/*
 * Makes a complete upload of o ready, for the user who asked for it. hash: that of its
 * content; NULL: it is computed from the stored bytes. If o has a file with the same
 * content, its facts are used; otherwise a child process determines the type and the
 * text. Updates t; text in a. Can take a minute. ERR_CONFLICT if the upload has grown
 * since t was read; ERR_OVERLOADED if it could not be read now: it stays an upload that
 * can be finished later.
 */
int file_finish(struct db *db, const struct owner *o, const struct uuid *user,
		struct attachment *t, const unsigned char *hash, struct arena *a,
		struct err *e) MUST_CHECK;

/* Reads a file piece by piece, in order; for file_source.ctx and .more. */
struct file_reader {
	struct db *db;
	const struct uuid *file_id;
	int64_t at, upto;
	struct arena piece;	/* the current piece; the owner releases it */
	struct err *e;		/* set if file_next_piece returned -1 */
};

/*
 * The next piece, of a struct file_reader, valid until the following call; *next empty: the
 * end. 0, or -1 with reader->e set: ERR_INTERNAL if one is missing; database errors.
 */
int file_next_piece(void *reader, struct str *next);

#endif
