/*
 * Where the contents of files are: in pieces (file_piece), or below a directory
 * (store/blob.h). For attachment.c and lib/file; others use attachment.h.
 */
#ifndef STORE_ATTACHMENT_FILE_H
#define STORE_ATTACHMENT_FILE_H

#include "store/blob.h"
#include "store/store.h"

/*
 * The place of a file (p == NULL: it is in pieces), in a. 1; 0 when there is no such
 * file; -1.
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
 * Once a day the directory is compared with the rows: what is older than a day and
 * has none is deleted, and a file that kept its temporary name gets the other one.
 * due looks every ten minutes at most. sweep: 1 when it is complete; 0, -1.
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
	ATTACHMENT_IN_BOTH,	/* in the directory, with pieces that are left over */
};

/* Those that are there behind `after`, at most ATTACHMENT_FILE_ROWS by id. In a. */
int attachment_file_list(struct db *db, enum attachment_where where,
			 const struct uuid *after, struct arena *a,
			 struct stored_file **out, size_t *n,
			 struct err *e) MUST_CHECK;

/* Writes a piece, also where there is one. */
int attachment_file_put(struct db *db, const struct uuid *id, int64_t start,
			struct str data, struct err *e) MUST_CHECK;

/*
 * Makes `to` (p == NULL: pieces) the place of f, if all of its content is there. 1; 0:
 * it is not, or f was deleted or moved meanwhile; -1.
 */
int attachment_file_moved(struct db *db, const struct stored_file *f,
			  struct str to, struct err *e) MUST_CHECK;

/*
 * Deletes what f has elsewhere if its place is `to` now, or all of it if f has been
 * deleted; else nothing. Looks under the lock of its row.
 */
int attachment_file_leave(struct db *db, const struct stored_file *f,
			  struct str to, struct err *e) MUST_CHECK;

#endif
