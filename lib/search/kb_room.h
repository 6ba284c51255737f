/* Inside lib/search: the quota of a base's documents. */
#ifndef SEARCH_KB_ROOM_H
#define SEARCH_KB_ROOM_H

#include "db/db.h"

struct kb_room {
	int64_t documents, bytes;	/* added; negative: removed */
	int64_t most_documents, most_mb;
};

/*
 * Adds r to the totals of the base. A change that does not increase them is always
 * accepted. Inside a transaction that has locked the base. ERR_NOT_FOUND; ERR_CONFLICT
 * (documents) and ERR_TOO_BIG (bytes), public.
 */
int kb_room_take(struct db *tx, const struct uuid *base, const struct kb_room *r,
		 struct err *e) MUST_CHECK;

#endif
