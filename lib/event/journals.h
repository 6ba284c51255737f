/* SPDX-License-Identifier: MIT */
/*
 * Read positions in the journals of other processes. A journal is followed
 * while its process runs a watched turn. One thread.
 */
#ifndef EVENT_JOURNALS_H
#define EVENT_JOURNALS_H

#include "store/journal.h"

struct journal_head;

struct journals {		/* initialize to zero */
	struct journal_head *heads;
	size_t n, size;
};

void journals_release(struct journals *j);

/*
 * Calls fn for the rows added since the last call to the journals of the
 * running turns. For a journal seen for the first time only its end is noted:
 * whoever watches a turn in it must read the earlier events afterwards.
 * Failures are logged and retried with the next call.
 */
void journals_look(struct journals *j, struct db *db,
		   const struct turn_state *watched, size_t n,
		   journal_news_fn *fn, void *ctx);

#endif
