/* SPDX-License-Identifier: MIT */
/*
 * Uploads: bytes are passed on as they arrive and stored in pieces of
 * LIM_FILE_PIECE_BYTES. Only one piece is kept in memory.
 */
#ifndef FILE_UPLOAD_H
#define FILE_UPLOAD_H

#include "base/buf.h"
#include "store/attachment.h"

struct file_upload;

/*
 * The file name as stored: the last component of given, valid UTF-8, one line without
 * invisible characters, at most LIM_ATTACHMENT_NAME_CHARS; "file" if nothing is left.
 * For display only. In a.
 */
struct str file_name(struct str given, struct arena *a);

/*
 * Untrusted text as one line for display: valid UTF-8 without invisible characters, at
 * most max characters; may be empty. In a.
 */
struct str file_line(struct str given, size_t max, struct arena *a);

/* The limits of an owner of files. */
struct file_caps {
	int64_t file_bytes;	/* of one file */
	int64_t all_mb;		/* MiB of all files together */
	int64_t most;		/* number of files; 0: limited elsewhere */
	const char *whose;	/* "Your attachments": begins messages */
	const char *what;	/* "an attachment" */
	const char *or_else;	/* ", or old conversations,": what else to delete */
};

/*
 * Checks if the owner may store `more` further bytes (-1: unknown) and, if is_new, one
 * more file. ERR_TOO_BIG and ERR_CONFLICT, public.
 */
int file_room(struct db *db, const struct owner *o, const struct file_caps *caps,
	      int64_t more, bool is_new, struct err *e) MUST_CHECK;

/*
 * Begins to append bytes to t. In a; borrows its arguments. file_upload_release must
 * follow.
 */
struct file_upload *file_upload_new(struct db *db, const struct owner *o,
				    const struct file_caps *caps,
				    const struct attachment *t, struct arena *a);

/* Adds n bytes. ERR_TOO_BIG, ERR_CONFLICT (attachment_add), database errors. */
int file_upload_add(struct file_upload *u, const char *p, size_t n,
		    struct err *e) MUST_CHECK;

/*
 * Stores the remaining bytes and, if complete, makes the file ready (file_finish, with
 * its errors). *out: the updated attachment, in a.
 */
int file_upload_end(struct file_upload *u, bool complete, struct arena *a,
		    struct attachment *out, struct err *e) MUST_CHECK;

/* Drops bytes that are not stored; what is stored stays, to be continued. */
void file_upload_release(struct file_upload *u);

#endif
