/*
 * The journal: what running turns tell, a row per process and round for all of
 * them, so that a round of a thousand turns is one insert. The row names its
 * turns; the turn's row says in whose journal its events are, and from where
 * on. Nobody else writes under a process's id, so that nodes of a Galera
 * cluster have nothing to disagree about.
 *
 * Each turn's part is encrypted with a key of its own, which stands in the
 * turn's row: who may read that may read the part, and with the row the text
 * is gone, wherever the part still lies. Rows go an hour after they were
 * written, or with the end of the turns that ran then.
 */
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H

#include "store/turn.h"

#define JOURNAL_KEY_BYTES 32
#define JOURNAL_KEEP_US INT64_C(3600000000)

/* One thread at a time. */
struct journal {
	struct uuid process;	/* whose rows they are: uuid_new */
	int64_t number;		/* of the row tried last; 0 = none */
};

/* What one turn has told since its last part. */
struct journal_part {
	struct uuid turn_id;
	const unsigned char *key;	/* JOURNAL_KEY_BYTES; the turn's */
	bool first;		/* of this run of the turn in this journal */
	int64_t resumes;	/* turn.resumes, of this run */
	int64_t seq, last;	/* numbers of the first and the last event,
				   below 65536 apart */
	struct str data;	/* packed by the caller; at most 1 MiB */
};

/*
 * Writes the next row, with at most one part for each turn: 1 round trip, 3
 * where there are several first parts. A failed one may have been written after all:
 * then the next one takes its place, and must begin with the same events.
 * Parts of runs that are over are found by nobody. Not
 * within db_tx.
 */
int journal_write(struct db *db, struct journal *j,
		  const struct journal_part *parts, size_t n,
		  struct err *e) MUST_CHECK;

/*
 * Calls fn for each turn in the rows of a process behind *number, with the
 * number of its last event there, and sets *number to the newest. *number < 0:
 * only that. 1 round trip per 64 rows.
 */
typedef void journal_news_fn(void *ctx, const struct uuid *turn, int64_t last);
int journal_news(struct db *db, const struct uuid *process, int64_t *number,
		 journal_news_fn *fn, void *ctx, struct err *e) MUST_CHECK;

/*
 * Deletes rows that are past their time, of every process, up to those that a
 * turn needs that still runs; dead ones are closed first, with their text
 * (store_turn_recover). It closes no turn after until_ms (monotonic), and begins no
 * other 256 rows. Any number of processes may do it at once. 1 round trip when there
 * is nothing to do.
 */
int journal_prune(struct db *db, turn_text_fn *text_of_events,
		  int64_t until_ms, struct err *e) MUST_CHECK;

#endif
