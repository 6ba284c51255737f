/* SPDX-License-Identifier: MIT */
/*
 * The places of file contents: in pieces (file_piece), or in a directory
 * (store/blob.h). For attachment.c and lib/file; others use attachment.h.
 */
#ifndef STORE_ATTACHMENT_FILE_H
#define STORE_ATTACHMENT_FILE_H

#include "store/blob.h"
#include "store/store.h"

/*
 * Sets *place to the file's place, in a (p == NULL: in pieces). Returns 1; 0 if
 * there is no such file; -1.
 */
int attachment_place(struct db *db, const struct uuid *file_id, struct arena *a,
		     struct str *place, struct err *e) MUST_CHECK;

/*
 * Deletes a dropped file and its content until until_ms (monotonic). Returns 1 when
 * that is done; 0 if there is more to delete; -1.
 */
int attachment_file_delete(struct db *db, const struct uuid *id,
			   int64_t until_ms, struct err *e) MUST_CHECK;

/*
 * The daily sweep of the directory: deletes files older than a day that no row
 * has, and renames complete files that kept their temporary name. due: whether
 * to call sweep; looks every ten minutes at most. sweep returns 1 when it is
 * complete; 0; -1.
 */
bool attachment_file_sweep_due(void);
int attachment_file_sweep(struct db *db, int64_t until_ms,
			  struct err *e) MUST_CHECK;

enum { ATTACHMENT_FILE_ROWS = 200 };

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

/* Lists complete files after `after` by id, at most ATTACHMENT_FILE_ROWS. In a. */
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
