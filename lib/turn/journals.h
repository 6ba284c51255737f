/*
 * How far the journals of other processes have been read: only of processes that run
 * a watched turn, and only as long as they do. One thread.
 */
#ifndef TURN_JOURNALS_H
#define TURN_JOURNALS_H

#include "store/journal.h"

struct journal_head;

struct journals {		/* zero at first */
	struct journal_head *heads;
	size_t n, size;
};

void journals_release(struct journals *j);

/*
 * Calls fn for the rows that were added since the last call to the journals of those
 * turns that run. Of a new journal only the current end is noted: who watches a turn
 * in it must then read what came before. Failures are logged, and tried again with
 * the next call.
 */
void journals_look(struct journals *j, struct db *db,
		   const struct turn_state *watched, size_t n,
		   journal_news_fn *fn, void *ctx);

#endif
