/* SPDX-License-Identifier: MIT */
/*
 * The journal: events of running turns, one row per process and round for all
 * of its turns, so that a round of a thousand turns is one insert. The row
 * lists its turns; the turn's row says in whose journal its events are, and
 * from which row on. Only one process writes under a process id, so nodes of a
 * Galera cluster never conflict.
 *
 * Each turn's part is encrypted with a key in the turn's row: whoever may read
 * that row may read the part, and without it the text is unreadable, wherever
 * copies of the part remain. Rows are deleted after an hour, or when all turns
 * that ran then have ended.
 */
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H

#include "store/turn.h"

#define JOURNAL_KEY_BYTES 32
#define JOURNAL_KEEP_US INT64_C(3600000000)

/* One thread at a time. */
struct journal {
	struct uuid process;	/* the writer: uuid_new */
	int64_t number;		/* of the last row tried; 0 = none */
};

/* The events of one turn since its last part. */
struct journal_part {
	struct uuid turn_id;
	const unsigned char *key;	/* JOURNAL_KEY_BYTES; the turn's */
	bool first;		/* first part of this run in this journal */
	int64_t resumes;	/* turn.resumes, of this run */
	int64_t seq, last;	/* numbers of the first and last event, less
				   than 65536 apart */
	struct str data;	/* packed by the caller; at most 1 MiB */
};

/*
 * Writes the next row, with at most one part per turn. 1 round trip; 3 with several
 * first parts. A failed row may have been written after all, so the next one must
 * begin with the same events, and takes its place. Parts of runs that have ended are
 * never read. Not within db_tx.
 */
int journal_write(struct db *db, struct journal *j,
		  const struct journal_part *parts, size_t n,
		  struct err *e) MUST_CHECK;

/*
 * Calls fn for each turn in the rows of a process after *number, with the
 * number of its last event there, and sets *number to the newest row. *number <
 * 0: only sets *number. 1 round trip per 64 rows.
 */
typedef void journal_news_fn(void *ctx, const struct uuid *turn, int64_t last);
int journal_news(struct db *db, const struct uuid *process, int64_t *number,
		 journal_news_fn *fn, void *ctx, struct err *e) MUST_CHECK;

/*
 * Deletes expired rows of every process, except those that a running turn still
 * needs; dead turns are closed first, with their text (store_turn_recover).
 * After until_ms (monotonic) it closes no more turns and starts no further
 * batch of 256 rows. May run in several processes at once. 1 round trip if
 * there is nothing to do.
 */
int journal_prune(struct db *db, turn_text_fn *text_of_events,
		  int64_t until_ms, struct err *e) MUST_CHECK;

#endif
