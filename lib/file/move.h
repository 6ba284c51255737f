/* Contents of files from the database to the directory, and back. */
#ifndef FILE_MOVE_H
#define FILE_MOVE_H

#include "base/buf.h"
#include "store/store.h"

struct file_moved {
	size_t moved;
	size_t damaged;		/* their content is not what their row says */
};

/*
 * Moves all complete files to where new ones go (blob_for_new). Each is readable all
 * the time, and each is compared with its hash on the way: a damaged one stays, and
 * its id is a line of `out`. May be broken off and begun again; what a run that was
 * killed left twice is deleted. One run at a time: ERR_CONFLICT, public, while another
 * one lives, and a minute after it was killed. For the command.
 */
int file_move_all(struct db *db, struct file_moved *n, struct buf *out,
		  struct err *e) MUST_CHECK;

/*
 * Compares all complete files with their hashes; those that are damaged or missing
 * are lines of out: id and store. n->moved: how many there are.
 */
int file_check_all(struct db *db, struct file_moved *n, struct buf *out,
		   struct err *e) MUST_CHECK;

#endif
