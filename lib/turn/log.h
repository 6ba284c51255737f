/*
 * The events of one running turn in the memory of the process that runs it:
 * what is not stored yet, and for those who follow it here some of what is.
 * The turn appends (never waiting for anything but a copy), the flusher takes
 * batches, followers read. It lives until the last of them has let go.
 */
#ifndef TURN_LOG_H
#define TURN_LOG_H

#include "base/arena.h"
#include "store/journal.h"
#include "store/turn.h"
#include "turn/event.h"

struct turn_log;

/* One reference. */
struct turn_log *turn_log_new(const struct uuid *turn);
struct turn_log *turn_log_ref(struct turn_log *log);
void turn_log_unref(struct turn_log *log);	/* NULL is fine */

/*
 * Events up to number seq are stored already: for a turn that goes on, in run
 * number resumes.
 */
void turn_log_start(struct turn_log *log, uint32_t seq, int64_t resumes);

/* Whose it is; lives as long as the log. */
const struct uuid *turn_log_turn(const struct turn_log *log);

/* Appends an event that is stored; others are ignored. True: flush now. */
bool turn_log_add(struct turn_log *log, const struct turn_event *ev);

/* Whether turn_log_add has said so since turn_log_pending was last called. */
bool turn_log_urged(struct turn_log *log);

/* No more events; followers find the rest in the store. */
void turn_log_end(struct turn_log *log);

/*
 * What is not known to be stored, as rows for store_turn_end, copied into a. *n == 0:
 * nothing.
 */
void turn_log_pending(struct turn_log *log, struct arena *a,
		      struct turn_events **rows, size_t *n);

/*
 * The same as a part for the journal, or about a MiB of it, copied into a; the
 * key is the log's. False: nothing.
 */
bool turn_log_part(struct turn_log *log, struct arena *a,
		   struct journal_part *part);

/* Events up to this number are in the journal. */
void turn_log_stored(struct turn_log *log, uint32_t seq);

/* -- followers --------------------------------------------------------------- */

/* Between these the log keeps more than it must. */
void turn_log_follow(struct turn_log *log);
void turn_log_unfollow(struct turn_log *log);

enum turn_log_news {
	TURN_LOG_NEWS,		/* *out has records */
	TURN_LOG_QUIET,		/* nothing came in wait_ms */
	TURN_LOG_BEHIND,	/* what follows `after` is in the store only */
	TURN_LOG_ENDED,		/* nothing more comes here */
};

/*
 * Waits for events behind number after and copies their records to *out
 * (emptied first), to be read with a pack_reader that starts at *first.
 */
enum turn_log_news turn_log_read(struct turn_log *log, uint32_t after,
				 int wait_ms, struct buf *out,
				 uint32_t *first);

#endif
