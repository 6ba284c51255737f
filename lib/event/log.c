/* SPDX-License-Identifier: MIT */
#include "event/log.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "event/pack.h"

#include "base/banned.h"

enum {
	LOG_BYTES = 33554432,	/* unstored; further events are dropped */
	URGENT_BYTES = 65536,	/* unstored; flush at once */
	KEEP_BYTES = 32768,	/* stored, kept for followers */
	BATCH_BYTES = 262144,	/* per row */
	BATCH_EVENTS = 60000,	/* turn_event.n has 16 bits */
	PART_BYTES = 1048576,	/* of a part of the journal, approximate */
};

struct event_log {
	struct uuid turn;
	int64_t resumes;	/* of this run */
	pthread_mutex_t lock;	/* of everything below */
	pthread_cond_t more;
	int refs, followers;
	struct buf data;	/* records of the events after base */
	uint32_t base, last;	/* numbers; 0 = none */
	size_t stored_bytes;	/* stored part of data */
	uint32_t stored;	/* number of the last stored event, or base */
	bool urged, ended;
	bool journaled;		/* a part of it is in the journal */
	unsigned char key[JOURNAL_KEY_BYTES];	/* of its parts there */
};

struct event_log *event_log_new(const struct uuid *turn)
{
	struct event_log *log = xcalloc(1, sizeof(*log));

	log->turn = *turn;
	log->refs = 1;
	randombytes_buf(log->key, sizeof(log->key));
	log->data = (struct buf)BUF_INIT(LOG_BYTES);
	pthread_mutex_init(&log->lock, NULL);
	clock_cond_init(&log->more);
	return log;
}

struct event_log *event_log_ref(struct event_log *log)
{
	pthread_mutex_lock(&log->lock);
	log->refs++;
	pthread_mutex_unlock(&log->lock);
	return log;
}

void event_log_unref(struct event_log *log)
{
	bool last;

	if (!log)
		return;
	pthread_mutex_lock(&log->lock);
	last = --log->refs == 0;
	pthread_mutex_unlock(&log->lock);
	if (!last)
		return;
	pthread_cond_destroy(&log->more);
	pthread_mutex_destroy(&log->lock);
	buf_release(&log->data);
	free(log);
}

void event_log_start(struct event_log *log, uint32_t seq, int64_t resumes)
{
	pthread_mutex_lock(&log->lock);
	log->resumes = resumes;
	log->base = log->last = log->stored = seq;
	pthread_mutex_unlock(&log->lock);
}

/* -- the turn ---------------------------------------------------------------- */

bool event_log_add(struct event_log *log, const struct turn_event *ev)
{
	bool urgent = false;

	pthread_mutex_lock(&log->lock);
	if (pack_add(&log->data, log->last, ev)) {
		log->last = ev->seq;
		urgent = !log->urged &&
			(event_table[ev->type].urgent ||
			 log->data.n - log->stored_bytes > URGENT_BYTES);
		log->urged |= urgent;
		if (log->followers)
			pthread_cond_broadcast(&log->more);
	}
	pthread_mutex_unlock(&log->lock);
	return urgent;
}

void event_log_end(struct event_log *log)
{
	pthread_mutex_lock(&log->lock);
	log->ended = true;
	pthread_cond_broadcast(&log->more);
	pthread_mutex_unlock(&log->lock);
}

bool event_log_urged(struct event_log *log)
{
	bool urged;

	pthread_mutex_lock(&log->lock);
	urged = log->urged;
	pthread_mutex_unlock(&log->lock);
	return urged;
}

/* -- the flusher -------------------------------------------------------------- */

/* The next row of the rest of r; false at the end. */
static bool next_row(const struct event_log *log, struct pack_reader *r,
		     struct arena *a, struct turn_events *row)
{
	const char *start = r->data.p;
	struct turn_event ev;

	*row = (struct turn_events){ .turn_id = log->turn };
	while ((size_t)(r->data.p - start) < BATCH_BYTES &&
	       row->n < BATCH_EVENTS && pack_next(r, &ev)) {
		if (!row->seq)
			row->seq = ev.seq;
		row->n = (int64_t)ev.seq - row->seq + 1;
	}
	row->data = arena_str(a, (struct str){
		start, (size_t)(r->data.p - start) });
	return row->seq > 0;
}

/* The unstored records. Under the lock. */
static struct pack_reader unstored(const struct event_log *log)
{
	return (struct pack_reader){
		.data = { log->data.p + log->stored_bytes,
			  log->data.n - log->stored_bytes },
		.seq = log->stored,
	};
}

void event_log_pending(struct event_log *log, struct arena *a,
		       struct turn_events **rows, size_t *n)
{
	struct pack_reader r;
	size_t size;

	*n = 0;
	pthread_mutex_lock(&log->lock);
	log->urged = false;
	r = unstored(log);
	size = r.data.n / BATCH_BYTES + (log->last - log->stored) / BATCH_EVENTS
		+ 2;
	*rows = arena_alloc(a, (r.data.n ? size : 1) * sizeof(**rows));
	while (r.data.n && *n < size)
		if (!next_row(log, &r, a, &(*rows)[(*n)++])) {
			--*n;
			break;
		}
	pthread_mutex_unlock(&log->lock);
}

bool event_log_part(struct event_log *log, struct arena *a,
		    struct journal_part *part)
{
	struct pack_reader r;
	struct turn_event ev;
	struct str data;

	pthread_mutex_lock(&log->lock);
	log->urged = false;
	r = unstored(log);
	data = r.data;
	*part = (struct journal_part){
		.turn_id = log->turn, .key = log->key,
		.resumes = log->resumes,
		.first = !log->journaled, .last = log->last,
	};
	if (pack_next(&r, &ev))
		part->seq = ev.seq;
	if (data.n > PART_BYTES || log->last - log->stored > BATCH_EVENTS) {
		while ((size_t)(r.data.p - data.p) < PART_BYTES &&
		       ev.seq - part->seq < BATCH_EVENTS &&
		       pack_next(&r, &ev))
			continue;
		data.n = (size_t)(r.data.p - data.p);
		part->last = ev.seq;
	}
	if (part->seq)
		part->data = arena_str(a, data);
	pthread_mutex_unlock(&log->lock);
	return part->seq > 0;
}

void event_log_stored(struct event_log *log, uint32_t seq)
{
	struct turn_event ev;
	struct pack_reader r;

	pthread_mutex_lock(&log->lock);
	log->journaled = true;
	r = unstored(log);
	if (seq >= log->last) {		/* usual case: everything is stored */
		log->stored_bytes = log->data.n;
		log->stored = log->last;
	}
	while (log->stored < seq && pack_next(&r, &ev)) {
		log->stored_bytes = log->data.n - r.data.n;
		log->stored = ev.seq;
	}
	/*
	 * Those who follow live read the same bytes; whoever is slower than KEEP_BYTES
	 * reads the store.
	 */
	if (!log->followers || log->stored_bytes > KEEP_BYTES) {
		buf_shift(&log->data, log->stored_bytes);
		log->stored_bytes = 0;
		log->base = log->stored;
	}
	pthread_mutex_unlock(&log->lock);
}

/* -- followers --------------------------------------------------------------- */

void event_log_follow(struct event_log *log)
{
	pthread_mutex_lock(&log->lock);
	log->followers++;
	pthread_mutex_unlock(&log->lock);
}

void event_log_unfollow(struct event_log *log)
{
	pthread_mutex_lock(&log->lock);
	log->followers--;
	pthread_mutex_unlock(&log->lock);
}

/* Copies the records behind number after. Under the lock. */
static void copy(const struct event_log *log, uint32_t after, struct buf *out,
		 uint32_t *first)
{
	struct pack_reader r = { .data = buf_str(&log->data), .seq = log->base };
	struct str rest = r.data;
	struct turn_event ev;

	/* Usually the reader lacks only what is not stored yet. */
	if (after >= log->stored) {
		rest.p += log->stored_bytes;
		rest.n -= log->stored_bytes;
		r = (struct pack_reader){ .data = rest, .seq = log->stored };
	}
	while (pack_next(&r, &ev)) {
		if (ev.seq > after) {
			*first = ev.seq;
			buf_addstr(out, rest);
			return;
		}
		rest = r.data;
	}
}

enum event_log_news event_log_read(struct event_log *log, uint32_t after,
				   int wait_ms, struct buf *out,
				   uint32_t *first)
{
	struct timespec at = clock_mono_at(clock_mono_ms() + wait_ms);
	enum event_log_news news = EVENT_LOG_NEWS;
	int rc = 0;

	buf_reset(out);
	*first = 0;
	pthread_mutex_lock(&log->lock);
	while (log->last <= after && !log->ended && rc == 0)
		rc = pthread_cond_timedwait(&log->more, &log->lock, &at);
	if (after < log->base)
		news = EVENT_LOG_BEHIND;
	else if (log->last > after)
		copy(log, after, out, first);
	else
		news = log->ended ? EVENT_LOG_ENDED : EVENT_LOG_QUIET;
	pthread_mutex_unlock(&log->lock);
	return news;
}
