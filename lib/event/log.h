/* SPDX-License-Identifier: MIT */
/*
 * The events of one running turn in the memory of its process: those not stored
 * yet, and some stored ones for followers in this process. The turn appends
 * (waiting for no more than a copy), the flusher takes batches, followers read.
 * The log is freed with its last reference.
 */
#ifndef EVENT_LOG_H
#define EVENT_LOG_H

#include "base/arena.h"
#include "store/journal.h"
#include "store/turn.h"
#include "event/event.h"

struct event_log;

/* Returns one reference. */
struct event_log *event_log_new(const struct uuid *turn);
struct event_log *event_log_ref(struct event_log *log);
void event_log_unref(struct event_log *log);	/* accepts NULL */

/*
 * Events up to number seq are stored already: for a resumed turn, in run number
 * `resumes`.
 */
void event_log_start(struct event_log *log, uint32_t seq, int64_t resumes);

/* Appends an event of a stored type; ignores others. True: flush now. */
bool event_log_add(struct event_log *log, const struct turn_event *ev);

/* Whether event_log_add has asked for a flush since the last event_log_pending. */
bool event_log_urged(struct event_log *log);

/* No more events; followers read the rest from the store. */
void event_log_end(struct event_log *log);

/*
 * Copies what is not known to be stored into a, as rows for store_turn_end. *n
 * == 0 if there is nothing.
 */
void event_log_pending(struct event_log *log, struct arena *a,
		       struct turn_events **rows, size_t *n);

/*
 * The same as a part for the journal, limited to about 1 MiB; key is the log's.
 * False if there is nothing.
 */
bool event_log_part(struct event_log *log, struct arena *a,
		    struct journal_part *part);

/* Events up to this number are in the journal. */
void event_log_stored(struct event_log *log, uint32_t seq);

/* -- followers --------------------------------------------------------------- */

/* While followed, the log keeps stored events, too. */
void event_log_follow(struct event_log *log);
void event_log_unfollow(struct event_log *log);

enum event_log_news {
	EVENT_LOG_NEWS,		/* *out has records */
	EVENT_LOG_QUIET,		/* nothing came in wait_ms */
	EVENT_LOG_BEHIND,	/* what follows `after` is only in the store */
	EVENT_LOG_ENDED,		/* no more events here */
};

/*
 * Waits for events after number `after` and copies their records to *out
 * (emptied first), to be read with a pack_reader that starts at *first.
 */
enum event_log_news event_log_read(struct event_log *log, uint32_t after,
				   int wait_ms, struct buf *out,
				   uint32_t *first);

#endif
