/*
 * Contents of uploaded files below a directory (file_store: directory), beside those
 * that are in file_piece. stored_file.place says where each is:
 *
 *   tmp/ID         while it arrives
 *   ab/HASH-ID     complete; ab: the first two digits of HASH
 *
 * ID is the file's id, HASH the hash of its content, both hexadecimal: nothing that
 * a user says becomes part of a path. A file whose row is complete already and that
 * is still in tmp, because its process died, is found there and moved by the sweep.
 * The directory is opened for each access, so that it may be mounted late.
 *
 * Errors: ERR_FILE_STORE (it cannot be read or written; the text has the reason).
 * Any thread, except blob_use.
 */
#ifndef STORE_BLOB_H
#define STORE_BLOB_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/util.h"
#include "base/uuid.h"

#define BLOB_HASH_BYTES  32
#define BLOB_PLACE_BYTES 101	/* with its NUL */

/*
 * The directory ("" or NULL: there is none), and whether new files go there. Copied.
 * main, before threads.
 */
void blob_use(const char *dir, bool for_new);

/* What was said with it; NULL: there is none. */
const char *blob_dir(void);
bool blob_for_new(void);

/* The places of a file, into out. Returns out. */
const char *blob_arriving(const struct uuid *id, char out[BLOB_PLACE_BYTES]);
const char *blob_complete(const unsigned char hash[BLOB_HASH_BYTES],
			  const struct uuid *id, char out[BLOB_PLACE_BYTES]);

/*
 * Writes data behind the first `start` bytes of a file that arrives; it is on the
 * disk then.
 */
int blob_write(const char *place, int64_t start, struct str data,
	       struct err *e) MUST_CHECK;

/* Cuts it to size bytes (it must have them), and waits until it is on the disk. */
int blob_sync(const char *place, int64_t size_bytes, struct err *e) MUST_CHECK;

/* Gives it its other name, which it may have already. */
int blob_move(const char *from, const char *to, struct err *e) MUST_CHECK;

/*
 * Up to max bytes from byte `from` on, in a; empty behind the end. id: whose place it
 * must be; also looked for where it arrived. p == NULL: the file is not there.
 */
int blob_read(struct str place, const struct uuid *id, int64_t from, size_t max,
	      struct arena *a, struct str *out, struct err *e) MUST_CHECK;

/* Deletes it at its place and where it arrived. Not there is no error. */
int blob_remove(struct str place, const struct uuid *id,
		struct err *e) MUST_CHECK;

/* Deletes what blob_each gave. */
int blob_unlink(const char *place, struct err *e) MUST_CHECK;

/* Gives one that has arrived the name that its row has, unless that is there. */
int blob_adopt(const char *from, const char *place, const struct uuid *id,
	       struct err *e) MUST_CHECK;

/* 1: it is at this place; 0: it is not; -1. */
int blob_is_there(const char *place, struct err *e) MUST_CHECK;

/*
 * The sweep of what no row has, part after part. blob_each calls fn for each file of
 * a part whose name is of this room and that was not changed for age_s seconds; fn
 * returns 0, or -1, which ends it.
 */
enum { BLOB_PARTS = 257 };	/* 256 of complete files, and tmp */

int blob_each(int part, int64_t age_s,
	      int (*fn)(void *ctx, const char *place, const struct uuid *id,
			struct err *e),
	      void *ctx, struct err *e) MUST_CHECK;

/*
 * Which part the sweep comes to; BLOB_PARTS: all were done less than every_s
 * seconds ago. Kept in the directory, so that processes share it.
 */
int blob_sweep_next(int64_t every_s, int *part, struct err *e) MUST_CHECK;
int blob_sweep_done(int part, struct err *e) MUST_CHECK;

/* Whether a file can be made, synced, renamed and deleted there, for doctor. */
int blob_try(struct err *e) MUST_CHECK;

#endif
