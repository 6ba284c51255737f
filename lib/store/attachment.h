/* SPDX-License-Identifier: MIT */
/*
 * Files that users have uploaded (docs/files.md). An attachment is a name for a
 * stored file, whose content is in pieces or in a directory; each content is
 * stored once per user, however many attachments name it. A conversation uses
 * the attachments of its messages. attachment_sweep deletes what no
 * conversation uses any more. Every change that may free a file increments
 * stored_file.uses, so that two concurrent ones conflict on any node.
 */
#ifndef STORE_ATTACHMENT_H
#define STORE_ATTACHMENT_H

#include "store/blob.h"
#include "store/store.h"

struct attachment {
	struct uuid id, file_id;
	struct str name;	/* for show; one line */
	struct str media_type;	/* p == NULL: not ready */
	struct str problem;	/* a sentence; p == NULL: none */
	int64_t size;		/* bytes that have arrived */
	int64_t pages, text_chars;	/* 0: none */
	int64_t unread;		/* page, from 1, whose image was not read; 0: none */
	int64_t ready;		/* all of it has arrived */
};

/*
 * Creates an attachment without content, which expires at expires_us unless it
 * is used. ERR_DB_DUPLICATE if the id exists, perhaps from an earlier attempt
 * of this call.
 */
int attachment_create(struct db *db, const struct owner *o,
		      const struct uuid *id, struct str name,
		      int64_t expires_us, struct err *e) MUST_CHECK;

/* ERR_NOT_FOUND, also for another user's. Text in a. */
int attachment_get(struct db *db, const struct owner *o,
		   const struct uuid *id, struct arena *a,
		   struct attachment *out, struct err *e) MUST_CHECK;

/*
 * The newest attachment of this name that the conversation's messages have.
 * ERR_NOT_FOUND. Text in a.
 */
int attachment_named(struct db *db, const struct owner *o,
		     const struct uuid *conversation_id, struct str name,
		     struct arena *a, struct attachment *out,
		     struct err *e) MUST_CHECK;

/* The text read from it (p == NULL: none), in a. ERR_NOT_FOUND. */
int attachment_text(struct db *db, const struct owner *o,
		    const struct uuid *id, struct arena *a, struct str *out,
		    struct err *e) MUST_CHECK;

/*
 * The user's usage: bytes of all files, and attachments, counted up to
 * LIM_ATTACHMENTS.
 */
int attachment_taken(struct db *db, const struct owner *o, int64_t *bytes,
		     int64_t *n, struct err *e) MUST_CHECK;

/*
 * Appends a piece of 1 to LIM_FILE_PIECE_BYTES bytes after the first `start`
 * bytes. ERR_CONFLICT if the file has another size, or is complete.
 */
int attachment_add(struct db *db, const struct owner *o,
		   const struct attachment *t, int64_t start, struct str data,
		   struct err *e) MUST_CHECK;

/*
 * Reads the piece of a file that contains byte `from`, from that byte on; empty
 * after the end. In a. The caller has checked the owner.
 */
int attachment_piece(struct db *db, const struct uuid *file_id, int64_t from,
		     struct arena *a, struct str *out, struct err *e) MUST_CHECK;

#define ATTACHMENT_HASH_BYTES 32

/* Properties of a complete file. */
struct attachment_facts {
	unsigned char hash[ATTACHMENT_HASH_BYTES];
	struct str media_type;
	struct str problem;	/* p == NULL: none */
	struct str text;	/* p == NULL: none */
	int64_t pages, text_chars;	/* 0: none */
	int64_t unread;		/* as struct attachment has it */
};

/* If the user has this content already, makes t name it: 1; 0 if not; -1. */
int attachment_adopt(struct db *db, const struct owner *o,
		     const struct attachment *t,
		     const unsigned char hash[ATTACHMENT_HASH_BYTES],
		     struct err *e) MUST_CHECK;

/*
 * Completes t, with t->size bytes. ERR_CONFLICT if it has grown since;
 * ERR_DB_DUPLICATE if the same content was stored meanwhile: use
 * attachment_adopt.
 */
int attachment_ready(struct db *db, const struct owner *o,
		     const struct attachment *t,
		     const struct attachment_facts *f,
		     struct err *e) MUST_CHECK;

/*
 * The lease of the images of t's file: one process at a time reads them, on any node.
 * attachment_scan_take returns 1 and the lease, for ms; 0 if another process has it, or
 * has read images since t was read; -1. attachment_scan_keep prolongs the lease, from
 * now on, or ends it (ms: 0): 1; 0 if another process has taken it over; -1.
 * attachment_scanned ends it, too.
 */
int attachment_scan_take(struct db *db, const struct attachment *t, int ms,
			 int64_t *lease, struct err *e) MUST_CHECK;
int attachment_scan_keep(struct db *db, const struct attachment *t, int ms,
			 int64_t *lease, struct err *e) MUST_CHECK;

/*
 * Notes what images of t's file say, for all who have it: f's text, problem and
 * unread; unless others have done so since t was read.
 */
int attachment_scanned(struct db *db, const struct attachment *t,
		       const struct attachment_facts *f,
		       struct err *e) MUST_CHECK;

/* Notes that messages of the conversation have it. Once more is no error. */
int attachment_use(struct db *db, const struct owner *o,
		   const struct uuid *conversation_id, const struct uuid *id,
		   struct err *e) MUST_CHECK;

/*
 * Makes a fork use its source's attachments, within the transaction that
 * creates it.
 */
int attachment_fork(struct db *tx, const struct uuid *from,
		    const struct uuid *to, struct err *e) MUST_CHECK;

/*
 * Makes the attachments that only this conversation has unreadable, within the
 * transaction that deletes it; attachment_sweep deletes them.
 */
int attachment_hide(struct db *tx, const struct owner *o,
		    const struct uuid *conversation_id, struct err *e) MUST_CHECK;

/* Deletes it, even if messages have it. ERR_NOT_FOUND. */
int attachment_delete(struct db *db, const struct owner *o,
		      const struct uuid *id, struct err *e) MUST_CHECK;

/* Whether attachment_sweep has work: 1, 0, -1. Two short reads. */
int attachment_sweep_due(struct db *db, struct arena *a,
			 struct err *e) MUST_CHECK;

/*
 * Deletes attachments that expired or lost their last conversation, and
 * contents that nothing uses, until until_ms (monotonic). Returns 1 if nothing
 * is left; 0 if there is more; -1.
 */
int attachment_sweep(struct db *db, int64_t until_ms, struct err *e) MUST_CHECK;

/* -- where the content is, for lib/file: in pieces (file_piece), or in a directory (blob.h) -- */

/* A complete file. */
struct stored_file {
	struct uuid id;
	int64_t size;
	struct str hash;
	struct str place;	/* p == NULL: in pieces */
};

enum attachment_where {
	ATTACHMENT_IN_PIECES, ATTACHMENT_IN_DIRECTORY,
	ATTACHMENT_IN_BOTH,	/* in the directory, with leftover pieces */
};

/* Lists complete files after `after` by id, a page of them; *n is 0 at the end. In a. */
int attachment_file_list(struct db *db, enum attachment_where where,
			 const struct uuid *after, struct arena *a,
			 struct stored_file **out, size_t *n,
			 struct err *e) MUST_CHECK;

/* Writes a piece; replaces an existing one. */
int attachment_file_put(struct db *db, const struct uuid *id, int64_t start,
			struct str data, struct err *e) MUST_CHECK;

/*
 * Makes `to` (p == NULL: pieces) the place of f if its whole content is there.
 * Returns 1; 0 if it is not, or f was deleted or moved meanwhile; -1.
 */
int attachment_file_moved(struct db *db, const struct stored_file *f,
			  struct str to, struct err *e) MUST_CHECK;

/*
 * Deletes the content of f outside `to` if `to` is its place now, or all of it
 * if f was deleted; otherwise nothing. Checks under the lock of f's row.
 */
int attachment_file_leave(struct db *db, const struct stored_file *f,
			  struct str to, struct err *e) MUST_CHECK;

#endif
