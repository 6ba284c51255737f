/* SPDX-License-Identifier: MIT */
/*
 * Contents of uploaded files in a directory (file_store: directory), beside
 * those in file_piece. stored_file.place says where each one is:
 *
 *   tmp/ID         while it is uploaded
 *   ab/HASH-ID     complete; ab: the first two digits of HASH
 *
 * ID is the file's id, HASH the hash of its content, both hexadecimal: nothing
 * that a user sends becomes part of a path. A file whose row is complete but
 * that is still in tmp, because its process died, is read from there and moved
 * by the sweep. The directory is opened for each access, so it may be mounted
 * late.
 *
 * All functions return ERR_FILE_STORE if the directory cannot be read or
 * written; the text has the reason. Any thread, except blob_use.
 */
#ifndef STORE_BLOB_H
#define STORE_BLOB_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/util.h"
#include "base/uuid.h"

#define BLOB_HASH_BYTES  32
#define BLOB_PLACE_BYTES 101	/* including the NUL */

/*
 * Sets the directory ("" or NULL: none) and whether new files go there. Copied.
 * Called by main, before threads start.
 */
void blob_use(const char *dir, bool for_new);

/* The directory of blob_use; NULL: none. */
const char *blob_dir(void);
bool blob_for_new(void);

/* Write the places of a file to out. Return out. */
const char *blob_arriving(const struct uuid *id, char out[BLOB_PLACE_BYTES]);
const char *blob_complete(const unsigned char hash[BLOB_HASH_BYTES],
			  const struct uuid *id, char out[BLOB_PLACE_BYTES]);

/* Writes data after the first `start` bytes of an incoming file, durably. */
int blob_write(const char *place, int64_t start, struct str data,
	       struct err *e) MUST_CHECK;

/* Truncates the file to size_bytes, which it must have, durably. */
int blob_sync(const char *place, int64_t size_bytes, struct err *e) MUST_CHECK;

/* Renames a file; succeeds if it has the new name already. */
int blob_move(const char *from, const char *to, struct err *e) MUST_CHECK;

/*
 * Reads up to max bytes from byte `from` on, in a; empty after the end. place
 * must be one of file id, which is also searched among incoming files. p ==
 * NULL: there is no such file.
 */
int blob_read(struct str place, const struct uuid *id, int64_t from, size_t max,
	      struct arena *a, struct str *out, struct err *e) MUST_CHECK;

/*
 * Deletes a file at its place and among incoming files. A missing file is no
 * error.
 */
int blob_remove(struct str place, const struct uuid *id,
		struct err *e) MUST_CHECK;

/* Deletes a file that blob_each has found. */
int blob_unlink(const char *place, struct err *e) MUST_CHECK;

/* Renames an incoming file to the place in its row, unless that exists. */
int blob_adopt(const char *from, const char *place, const struct uuid *id,
	       struct err *e) MUST_CHECK;

/* Whether there is a file at this place: 1, 0, -1. */
int blob_is_there(const char *place, struct err *e) MUST_CHECK;

/*
 * The sweep of files without a row, in parts. blob_each calls fn for each file
 * of a part that has a name as above and was not changed for age_s seconds. fn
 * returns 0, or -1 to stop.
 */
enum { BLOB_PARTS = 257 };	/* 256 of complete files, and tmp */

int blob_each(int part, int64_t age_s,
	      int (*fn)(void *ctx, const char *place, const struct uuid *id,
			struct err *e),
	      void *ctx, struct err *e) MUST_CHECK;

/*
 * The next part to sweep; BLOB_PARTS if all were swept less than a day ago. Stored in
 * the directory, so that processes share it.
 */
int blob_sweep_next(int *part, struct err *e) MUST_CHECK;
int blob_sweep_done(int part, struct err *e) MUST_CHECK;

/* Checks for doctor that a file can be created, synced, renamed and deleted. */
int blob_try(struct err *e) MUST_CHECK;

#endif
