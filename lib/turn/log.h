/* SPDX-License-Identifier: MIT */
/*
 * The events of one running turn in the memory of its process: those not stored
 * yet, and some stored ones for followers in this process. The turn appends
 * (waiting for no more than a copy), the flusher takes batches, followers read.
 * The log is freed with its last reference.
 */
#ifndef TURN_LOG_H
#define TURN_LOG_H

#include "base/arena.h"
#include "store/journal.h"
#include "store/turn.h"
#include "turn/event.h"

struct turn_log;

/* Returns one reference. */
struct turn_log *turn_log_new(const struct uuid *turn);
struct turn_log *turn_log_ref(struct turn_log *log);
void turn_log_unref(struct turn_log *log);	/* accepts NULL */

/*
 * Events up to number seq are stored already: for a resumed turn, in run number
 * `resumes`.
 */
void turn_log_start(struct turn_log *log, uint32_t seq, int64_t resumes);

/* Appends an event of a stored type; ignores others. True: flush now. */
bool turn_log_add(struct turn_log *log, const struct turn_event *ev);

/* Whether turn_log_add has asked for a flush since the last turn_log_pending. */
bool turn_log_urged(struct turn_log *log);

/* No more events; followers read the rest from the store. */
void turn_log_end(struct turn_log *log);

/*
 * Copies what is not known to be stored into a, as rows for store_turn_end. *n
 * == 0 if there is nothing.
 */
void turn_log_pending(struct turn_log *log, struct arena *a,
		      struct turn_events **rows, size_t *n);

/*
 * The same as a part for the journal, limited to about 1 MiB; key is the log's.
 * False if there is nothing.
 */
bool turn_log_part(struct turn_log *log, struct arena *a,
		   struct journal_part *part);

/* Events up to this number are in the journal. */
void turn_log_stored(struct turn_log *log, uint32_t seq);

/* -- followers --------------------------------------------------------------- */

/* While followed, the log keeps stored events, too. */
void turn_log_follow(struct turn_log *log);
void turn_log_unfollow(struct turn_log *log);

enum turn_log_news {
	TURN_LOG_NEWS,		/* *out has records */
	TURN_LOG_QUIET,		/* nothing came in wait_ms */
	TURN_LOG_BEHIND,	/* what follows `after` is only in the store */
	TURN_LOG_ENDED,		/* no more events here */
};

/*
 * Waits for events after number `after` and copies their records to *out
 * (emptied first), to be read with a pack_reader that starts at *first.
 */
enum turn_log_news turn_log_read(struct turn_log *log, uint32_t after,
				 int wait_ms, struct buf *out,
				 uint32_t *first);

#endif
