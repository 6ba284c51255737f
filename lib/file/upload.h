/*
 * A file on its way in: bytes are handed over as they arrive, and stored in pieces
 * of LIM_FILE_PIECE_BYTES. Only one piece is in memory.
 */
#ifndef FILE_UPLOAD_H
#define FILE_UPLOAD_H

#include "base/buf.h"
#include "store/attachment.h"

struct file_upload;

/*
 * The name as it is stored: its last component, valid UTF-8, one line without
 * invisible characters, at most LIM_ATTACHMENT_NAME_CHARS; "file" when nothing is
 * left. For show only. In a.
 */
struct str file_name(struct str given, struct arena *a);

/*
 * Text of others as one line for show: valid UTF-8 without invisible characters, at
 * most max characters; empty when nothing is left. In a.
 */
struct str file_line(struct str given, size_t max, struct arena *a);

/* What an owner of files may have. */
struct file_caps {
	int64_t file_bytes;	/* of one */
	int64_t all_mb;		/* MiB of all together */
	int64_t most;		/* how many; 0: whoever names them counts */
	const char *whose;	/* "Your attachments": begins the sentences */
	const char *what;	/* "an attachment" */
	const char *or_else;	/* ", or old conversations,": besides deleting them */
};

/*
 * Whether the owner may have `more` further bytes (-1: unknown), and one more
 * file where it is a new one: ERR_TOO_BIG, ERR_CONFLICT with a sentence.
 */
int file_room(struct db *db, const struct owner *o, const struct file_caps *caps,
	      int64_t more, bool is_new, struct err *e) MUST_CHECK;

/*
 * Bytes for t, behind those that it has. In a; file_upload_release must follow.
 * Borrows what it is given.
 */
struct file_upload *file_upload_new(struct db *db, const struct owner *o,
				    const struct file_caps *caps,
				    const struct attachment *t, struct arena *a);

/* Takes n bytes. ERR_TOO_BIG, ERR_CONFLICT (attachment_add), of the database. */
int file_upload_add(struct file_upload *u, const char *p, size_t n,
		    struct err *e) MUST_CHECK;

/*
 * Stores what is left, and makes the file ready if it is complete (file_finish).
 * *out: as it is now, in a.
 */
int file_upload_end(struct file_upload *u, bool complete, struct arena *a,
		    struct attachment *out, struct err *e) MUST_CHECK;

void file_upload_release(struct file_upload *u);

#endif
