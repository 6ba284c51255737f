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

#endif
