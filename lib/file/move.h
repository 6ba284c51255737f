/* SPDX-License-Identifier: MIT */
/* Moves the contents of files from the database to the directory, and back. */
#ifndef FILE_MOVE_H
#define FILE_MOVE_H

#include "base/buf.h"
#include "store/store.h"

struct file_moved {
	size_t moved;
	size_t damaged;		/* content does not match size or hash */
};

/*
 * Moves all complete files to the store of new files (blob_for_new). Files stay readable
 * meanwhile. Each is compared with its hash; a damaged file is not moved, and its id is
 * added to `out` as a line. Can be interrupted and repeated: the next run deletes
 * duplicates that a killed run left. One run at a time: ERR_CONFLICT, public, while
 * another one is running, and for a minute after it was killed. For the command.
 */
int file_move_all(struct db *db, struct file_moved *n, struct buf *out,
		  struct err *e) MUST_CHECK;

/*
 * Compares all complete files with their hashes. Adds a line with id and store to out
 * for each file that is damaged or missing. n->moved: the number of intact files.
 */
int file_check_all(struct db *db, struct file_moved *n, struct buf *out,
		   struct err *e) MUST_CHECK;

#endif
