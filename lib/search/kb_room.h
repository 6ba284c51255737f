/* Inside lib/search: the room that the documents of a base take. */
#ifndef SEARCH_KB_ROOM_H
#define SEARCH_KB_ROOM_H

#include "db/db.h"

struct kb_room {
	int64_t documents, bytes;	/* what comes; below 0: what goes */
	int64_t most_documents, most_mb;
};

/*
 * Takes it; what makes something smaller is always let in. Within a transaction that
 * has locked the base. ERR_NOT_FOUND; ERR_CONFLICT and ERR_TOO_BIG, public.
 */
int kb_room_take(struct db *tx, const struct uuid *base, const struct kb_room *r,
		 struct err *e) MUST_CHECK;

#endif
