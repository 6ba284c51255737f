/*
 * The journals of other processes, as far as they were looked at: of those
 * that a watched turn is in, and no longer than that. One thread.
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
 * Calls fn for what the journals of the running ones of these turns have had
 * since the last time. Of one that is new only the place is noted: who watches
 * a turn in it has to look for what was before, afterwards. What fails is
 * logged, and looked at again.
 */
void journals_look(struct journals *j, struct db *db,
		   const struct turn_state *watched, size_t n,
		   journal_news_fn *fn, void *ctx);

#endif
