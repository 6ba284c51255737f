/* What a complete attachment is: its hash, its type by content, its text. */
#ifndef FILE_FACTS_H
#define FILE_FACTS_H

#include "store/attachment.h"

/*
 * Makes a complete upload ready: its content is hashed (hash NULL: it is read back
 * for that), taken from what the user has already where it is the same, else typed
 * and read in a child process. t is as it is now then; text in a. May take a
 * minute. ERR_CONFLICT when it has grown since t was read; ERR_OVERLOADED when it
 * could not be read now: it stays an upload that can be finished later.
 */
int file_finish(struct db *db, const struct owner *o, struct attachment *t,
		const unsigned char *hash, struct arena *a,
		struct err *e) MUST_CHECK;

/* The bytes of a file in order, a piece at a time: a file_source's more and ctx. */
struct file_reader {
	struct db *db;
	const struct uuid *file_id;
	int64_t at, upto;
	struct arena piece;	/* of it; released by whose reader it is */
	struct err *e;		/* why it ended with -1 */
};

int file_next_piece(void *reader, struct str *next);

#endif
