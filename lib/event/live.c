/* SPDX-License-Identifier: MIT */
#include "event/live.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "event/texts.h"
#include "store/journal.h"
#include "store/turn.h"

#include "base/banned.h"

struct journals {		/* initialize to zero */
	struct journal_head *heads;
	size_t n, size;
};

/* -- journals of other processes ------------------------------------------- */

/*
 * Read positions in the journals of other processes. A journal is followed
 * while its process runs a watched turn. One thread.
 */

struct journal_head {
	struct uuid process;
	int64_t number;		/* of the last row seen; -1 = not read yet */
	bool watched;
};

static void journals_release(struct journals *j)
{
	free(j->heads);
	*j = (struct journals){ .n = 0 };
}

static struct journal_head *head_of(struct journals *j,
				    const struct uuid *process)
{
	struct journal_head *h;

	for (size_t i = 0; i < j->n; i++)
		if (uuid_eq(&j->heads[i].process, process))
			return &j->heads[i];
	if (j->n == j->size) {
		j->size = 2 * j->size + 4;
		j->heads = xrealloc(j->heads, j->size * sizeof(*j->heads));
	}
	h = &j->heads[j->n++];
	*h = (struct journal_head){ .process = *process, .number = -1 };
	return h;
}

/*
 * Calls fn for the rows added since the last call to the journals of the
 * running turns. For a journal seen for the first time only its end is noted:
 * whoever watches a turn in it must read the earlier events afterwards.
 * Failures are logged and retried with the next call.
 */
static void journals_look(struct journals *j, struct db *db,
			  const struct turn_state *watched, size_t n,
			  journal_news_fn *fn, void *ctx)
{
	struct err e = ERR_INIT;
	size_t kept = 0;

	for (size_t i = 0; i < j->n; i++)
		j->heads[i].watched = false;
	for (size_t i = 0; i < n; i++)
		if (watched[i].status == TURN_RUNNING &&
		    !uuid_is_nil(&watched[i].journal_id))
			head_of(j, &watched[i].journal_id)->watched = true;
	for (size_t i = 0; i < j->n; i++) {
		struct journal_head *h = &j->heads[i];

		if (!h->watched)
			continue;
		if (journal_news(db, &h->process, &h->number, fn, ctx, &e) < 0) {
			log_err("journal of another process", &e);
			err_clear(&e);
			/* Its end is unknown: read it from the beginning. */
			h->number = MAX(h->number, 0);
		}
		j->heads[kept++] = *h;
	}
	j->n = kept;
}

/* -- turns that run -------------------------------------------------------- */

enum {
	ROUND_MS = 250,
	/* Rounds between reads of the own turns */
	LOOK_ROUNDS = 2,
	/* Empty ones before the thread sleeps: waking it at the begin of each turn
	   would delay that turn */
	IDLE_ROUNDS = 4,
	TIDY_ROUNDS = 240,		/* housekeeping; also in the first
					   round: CGI processes end soon */
	PRUNE_MS = 200,			/* turns are waiting */
	URGENT_GAP_MS = 20,		/* between urgent flushes */
	TOUCH_TURNS = 64,		/* leases of more turns are spread over
					   rounds */
	ROW_BYTES = 4194304,		/* limit of a journal row, approximate */
};

struct event_watch {
	struct event_live *live;
	struct event_watch *next, **prev;	/* under live->lock */
	struct uuid turn;
	struct turn_state state;		/* under live->lock */
	int64_t seq;			/* last known event; under live->lock */
	bool look;			/* a read is due; under live->lock */
	int refs;				/* under live->lock */
	pthread_cond_t news;			/* with live->lock */
};

struct event_live {
	struct db *db;
	struct journal journal;		/* the thread's own */
	struct journals journals;	/* the thread's own */
	pthread_mutex_t lock;
	pthread_cond_t wake;		/* a turn or watch was added, or the
					   thread must end */
	struct event_live_entry *turns;
	struct event_watch *watches;
	int n, n_watches;
	bool stop;
	uint64_t round;			/* the one that runs, or ran last */
	int idle_rounds;		/* the last ones, without a turn or watch */
	bool asleep;			/* until it is woken */
	bool urgent;			/* an urgent flush is due */
	bool interrupting;		/* new turns are stopped, too */
	size_t touch_rounds;		/* between extensions of the leases */
	/* A turn may have a left_us or stop_us: else nobody goes through the lists. */
	atomic_bool any_left;
	pthread_t thread;
};

/* -- the loop's side -------------------------------------------------------- */

/* Under the lock. A turn that a user had stopped stays cancelled. */
static void interrupt(struct event_live_entry *t)
{
	if (http_aborted(t->abort))
		return;
	t->interrupted = true;
	http_abort_now(t->abort);
}

void event_live_add(struct event_live *l, struct event_live_entry *t,
		    const struct uuid *turn, struct http_abort *abort,
		    enum event_live_as as)
{
	bool ended = as == EVENT_LIVE_ENDED, asleep;

	if (!l)
		return;
	*t = (struct event_live_entry){
		.turn = *turn, .abort = abort, .ended = ended, .added = true,
		/*
		 * Until event_live_on: the row of a turn that is not committed yet has no
		 * state to be stopped by.
		 */
		.ending = !ended,
		.log = ended ? NULL : event_log_new(turn),
	};
	pthread_mutex_lock(&l->lock);
	t->next = l->turns;
	t->prev = &l->turns;
	if (t->next)
		t->next->prev = &t->next;
	l->turns = t;
	if (l->interrupting)
		interrupt(t);
	l->n++;
	asleep = l->asleep;
	pthread_mutex_unlock(&l->lock);
	/* Not under the lock, for which it would only wait. */
	if (asleep)
		pthread_cond_signal(&l->wake);
}

void event_live_remove(struct event_live *l, struct event_live_entry *t)
{
	if (!l || !t->added)
		return;
	t->added = false;
	pthread_mutex_lock(&l->lock);
	*t->prev = t->next;
	if (t->next)
		t->next->prev = t->prev;
	l->n--;
	pthread_mutex_unlock(&l->lock);
	if (t->log)
		event_log_end(t->log);
	event_log_unref(t->log);
	t->log = NULL;
}

void event_live_event(struct event_live *l, struct event_live_entry *t,
		      const struct turn_event *ev)
{
	if (!l || !t->log || !event_log_add(t->log, ev))
		return;
	pthread_mutex_lock(&l->lock);
	if (!l->urgent)
		pthread_cond_signal(&l->wake);
	l->urgent = true;
	pthread_mutex_unlock(&l->lock);
}

void event_live_ending(struct event_live *l, struct event_live_entry *t,
		       struct arena *a, struct turn_events **rows, size_t *n)
{
	*n = 0;
	if (!l || !t->log)
		return;
	pthread_mutex_lock(&l->lock);
	t->ending = true;
	pthread_mutex_unlock(&l->lock);
	event_log_pending(t->log, a, rows, n);
}

void event_live_on(struct event_live *l, struct event_live_entry *t)
{
	if (!l || !t->added)
		return;
	pthread_mutex_lock(&l->lock);
	t->ending = false;
	/* What this round has read of the store may be older than the commit (tell_own). */
	t->round = l->round;
	pthread_mutex_unlock(&l->lock);
}

bool event_live_cancel(struct event_live *l, const struct uuid *turn)
{
	bool found = false;

	pthread_mutex_lock(&l->lock);
	for (struct event_live_entry *t = l->turns; t; t = t->next)
		if (uuid_eq(&t->turn, turn)) {
			http_abort_now(t->abort);
			found = true;
		}
	pthread_mutex_unlock(&l->lock);
	return found;
}

void event_live_interrupt(struct event_live *l)
{
	pthread_mutex_lock(&l->lock);
	l->interrupting = true;
	for (struct event_live_entry *t = l->turns; t; t = t->next)
		interrupt(t);
	pthread_mutex_unlock(&l->lock);
}

void event_live_left(struct event_live *l, const struct uuid *turn, int after_s)
{
	pthread_mutex_lock(&l->lock);
	for (struct event_live_entry *t = l->turns; t; t = t->next)
		if (!t->ended && uuid_eq(&t->turn, turn))
			t->left_us = clock_now_us() + (int64_t)after_s * 1000000;
	atomic_store(&l->any_left, true);
	pthread_mutex_unlock(&l->lock);
}

bool event_live_is_left(struct event_live *l, const struct uuid *turn)
{
	bool left = false;

	if (!atomic_load(&l->any_left))
		return false;
	pthread_mutex_lock(&l->lock);
	for (struct event_live_entry *t = l->turns; t && !left; t = t->next)
		left = t->stop_us && uuid_eq(&t->turn, turn);
	for (struct event_watch *w = l->watches; w && !left; w = w->next)
		left = w->state.stop_us && uuid_eq(&w->turn, turn);
	pthread_mutex_unlock(&l->lock);
	return left;
}

int event_live_count(struct event_live *l)
{
	int n;

	pthread_mutex_lock(&l->lock);
	n = l->n;
	pthread_mutex_unlock(&l->lock);
	return n;
}

/* -- followers -------------------------------------------------------------- */

struct event_log *event_live_log(struct event_live *l, const struct uuid *turn)
{
	struct event_log *log = NULL;

	if (!l)
		return NULL;
	pthread_mutex_lock(&l->lock);
	for (struct event_live_entry *t = l->turns; t && !log; t = t->next)
		if (t->log && uuid_eq(&t->turn, turn))
			log = event_log_ref(t->log);
	pthread_mutex_unlock(&l->lock);
	return log;
}

struct event_watch *event_watch_open(struct event_live *l,
				     const struct uuid *turn)
{
	struct event_watch *w;

	if (!l)
		return NULL;
	w = xcalloc(1, sizeof(*w));
	w->live = l;
	w->turn = *turn;
	w->refs = 1;
	w->state = (struct turn_state){ .status = TURN_RUNNING,
					.lease_until_us = INT64_MAX };
	clock_cond_init(&w->news);
	pthread_mutex_lock(&l->lock);
	w->next = l->watches;
	w->prev = &l->watches;
	if (w->next)
		w->next->prev = &w->next;
	l->watches = w;
	l->n_watches++;
	if (l->asleep)
		pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
	return w;
}

/* Under the list's lock. */
static void watch_unref(struct event_watch *w)
{
	if (--w->refs)
		return;
	pthread_cond_destroy(&w->news);
	free(w);
}

void event_watch_close(struct event_watch *w)
{
	struct event_live *l = w ? w->live : NULL;

	if (!w)
		return;
	pthread_mutex_lock(&l->lock);
	*w->prev = w->next;
	if (w->next)
		w->next->prev = w->prev;
	l->n_watches--;
	watch_unref(w);
	pthread_mutex_unlock(&l->lock);
}

/* Under the list's lock. */
static bool has_news(const struct event_watch *w, int64_t after)
{
	const struct turn_state *s = &w->state;

	return w->look || w->seq > after || s->last_event_seq > after ||
		(s->status != TURN_RUNNING && s->status != TURN_WAITING) ||
		(s->status == TURN_RUNNING &&
		 s->lease_until_us < clock_now_us());
}

bool event_watch_wait(struct event_watch *w, int64_t after, int wait_ms)
{
	struct timespec at = clock_mono_at(clock_mono_ms() + wait_ms);
	bool news;

	if (!w) {
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		return true;
	}
	pthread_mutex_lock(&w->live->lock);
	while (!has_news(w, after) &&
	       pthread_cond_timedwait(&w->news, &w->live->lock, &at) == 0)
		continue;
	news = has_news(w, after);
	/* Reported once, until the thread has read the state again. */
	if (w->state.lease_until_us < clock_now_us())
		w->state.lease_until_us = INT64_MAX;
	w->look = false;
	pthread_mutex_unlock(&w->live->lock);
	return news;
}

/* -- the thread ------------------------------------------------------------- */

struct round {
	struct arena *arena;
	struct uuid *ids;		/* own turns, then watched ones */
	size_t n_own, n_ids;
	struct event_log **logs;		/* of the own turns; references */
	size_t n_logs;
	struct event_watch **watches;	/* references */
};

/*
 * Collects what the round needs, or only the logs that are urgent; false if
 * there is nothing to do.
 */
static bool collect(struct event_live *l, struct round *r, bool urgent)
{
	size_t size;

	pthread_mutex_lock(&l->lock);
	/* Before the logs are taken: what is added from here on asks for a flush again. */
	l->urgent = false;
	l->round++;
	size = (size_t)(l->n + l->n_watches) + 1;
	r->ids = arena_alloc(r->arena, size * sizeof(*r->ids));
	r->logs = arena_alloc(r->arena, size * sizeof(struct event_log *));
	r->watches = arena_alloc(r->arena, size * sizeof(struct event_watch *));
	for (struct event_live_entry *t = l->turns; t; t = t->next) {
		if (t->ended)
			continue;
		r->ids[r->n_own++] = t->turn;
		if (!t->ending && t->log &&
		    (!urgent || event_log_urged(t->log)))
			r->logs[r->n_logs++] = event_log_ref(t->log);
	}
	r->n_ids = r->n_own;
	for (struct event_watch *w = l->watches; w; w = w->next) {
		w->refs++;
		r->watches[r->n_ids - r->n_own] = w;
		r->ids[r->n_ids++] = w->turn;
	}
	pthread_mutex_unlock(&l->lock);
	return r->n_ids > 0;
}

static void let_go(struct event_live *l, struct round *r)
{
	for (size_t i = 0; i < r->n_logs; i++)
		event_log_unref(r->logs[i]);
	pthread_mutex_lock(&l->lock);
	for (size_t i = r->n_own; i < r->n_ids; i++)
		watch_unref(r->watches[i - r->n_own]);
	pthread_mutex_unlock(&l->lock);
}

/*
 * Writes the new events of logs first to *end - 1 as a row of the journal and
 * sets *end to where it stopped. Returns -1 if the database fails.
 */
static int flush_some(struct event_live *l, struct round *r, size_t first,
		      size_t *end)
{
	struct journal_part *parts = arena_alloc(r->arena, (*end - first) *
						 sizeof(*parts));
	size_t *logs = arena_alloc(r->arena, (*end - first) * sizeof(*logs));
	struct err e = ERR_INIT;
	size_t i = first, n = 0;

	for (size_t bytes = 0; i < *end && bytes < ROW_BYTES; i++)
		if (event_log_part(r->logs[i], r->arena, &parts[n])) {
			bytes += parts[n].data.n;
			logs[n++] = i;
		}
	*end = i;
	if (!n)
		return 0;
	if (journal_write(l->db, &l->journal, parts, n, &e) < 0) {
		log_err("events of running turns", &e);
		return -1;
	}
	/* The logs keep what is not stored: the next round writes it. */
	for (i = 0; i < n; i++)
		event_log_stored(r->logs[logs[i]], (uint32_t)parts[i].last);
	return 0;
}

static void flush(struct event_live *l, struct round *r)
{
	for (size_t i = 0, end; i < r->n_logs; i = end) {
		end = r->n_logs;
		if (flush_some(l, r, i, &end) < 0)
			return;
	}
}

/*
 * What is stored of an own turn: it is stopped, unless it is being stored, or was when
 * the round began, whose reads may be older than its begin. left: one of them may have
 * been left. Returns when it is to be stopped, if its client has left just now, else 0.
 */
static int64_t tell_own(struct event_live *l, const struct turn_state *state, bool left)
{
	bool stop = state->cancel_requested || state->status != TURN_RUNNING ||
		(state->stop_us && state->stop_us <= clock_now_us());
	int64_t left_us = 0;

	if (!stop && !left && !state->stop_us)
		return 0;
	pthread_mutex_lock(&l->lock);
	for (struct event_live_entry *t = l->turns; t; t = t->next) {
		if (t->ended || !uuid_eq(&t->turn, &state->id))
			continue;
		if (stop && !t->ending && t->round < l->round)
			http_abort_now(t->abort);
		t->stop_us = state->stop_us;
		left_us = t->left_us;
		t->left_us = 0;
		if (t->stop_us || left_us)
			atomic_store(&l->any_left, true);
	}
	pthread_mutex_unlock(&l->lock);
	return stop ? 0 : left_us;
}

/* -- watched turns ---------------------------------------------------------- */

static void tell_watches(struct event_live *l, struct round *r,
			 const struct turn_state *states)
{
	pthread_mutex_lock(&l->lock);
	for (size_t i = r->n_own; i < r->n_ids; i++) {
		struct event_watch *w = r->watches[i - r->n_own];

		/*
		 * Its journal is followed from now on: earlier events must be
		 * read.
		 */
		w->look |= !uuid_eq(&w->state.journal_id,
				    &states[i].journal_id);
		w->state = states[i];
		if (w->state.stop_us)
			atomic_store(&l->any_left, true);
		pthread_cond_broadcast(&w->news);
	}
	pthread_mutex_unlock(&l->lock);
}

struct news_telling {
	struct event_live *live;
	struct round *r;
};

/* The journal has events of a turn. */
static void tell_turn(void *ctx, const struct uuid *turn, int64_t last)
{
	struct news_telling *k = ctx;

	for (size_t i = k->r->n_own; i < k->r->n_ids; i++) {
		struct event_watch *w = k->r->watches[i - k->r->n_own];

		if (!uuid_eq(turn, &w->turn))
			continue;
		pthread_mutex_lock(&k->live->lock);
		w->seq = MAX(w->seq, last);
		pthread_cond_broadcast(&w->news);
		pthread_mutex_unlock(&k->live->lock);
	}
}

/*
 * Stops the turns that were asked to stop or belong to another process now, and
 * wakes the watchers.
 */
static void stop_asked(struct event_live *l, struct round *r)
{
	struct turn_state *states = arena_zalloc(r->arena, r->n_ids,
						 sizeof(*states));
	struct err e = ERR_INIT;
	bool left;

	if (store_turn_poll(l->db, r->ids, r->n_ids, states, &e) < 0) {
		log_err("state of running turns", &e);
		return;
	}
	/* Whoever finds one that is left says so again. */
	left = atomic_exchange(&l->any_left, false);
	for (size_t i = 0; i < r->n_own; i++) {
		int64_t left_us = tell_own(l, &states[i], left);

		if (left_us && store_turn_left(l->db, &r->ids[i], left_us, &e) < 0) {
			/* Not stored: the next look tries again. */
			event_live_left(l, &r->ids[i], (int)(MAX(
				left_us - clock_now_us(), 0) / 1000000));
			log_err("a turn that was left", &e);
			err_clear(&e);
		}
	}
	/* Journals first, so that a watcher that is woken finds the events. */
	journals_look(&l->journals, l->db, states + r->n_own,
		      r->n_ids - r->n_own, tell_turn,
		      &(struct news_telling){ l, r });
	tell_watches(l, r, states);
}

/*
 * Extends leases every touch_rounds; with many turns a part of them each round,
 * so that the database never has to write all of them at once.
 */
static void touch(struct event_live *l, struct round *r, int number)
{
	size_t parts = MIN(1 + r->n_own / TOUCH_TURNS, l->touch_rounds);
	struct uuid *ids = arena_alloc(r->arena, (r->n_own + 1) * sizeof(*ids));
	struct err e = ERR_INIT;
	size_t n = 0;

	for (size_t i = 0; i < r->n_own; i++)
		/* The last byte of an id is random, so it parts the turns evenly. */
		if (r->ids[i].b[15] % parts == (size_t)number % l->touch_rounds)
			ids[n++] = r->ids[i];
	if (n && store_turn_touch(l->db, ids, n, &e) < 0)
		log_err("leases of running turns", &e);
}

/* number 0: urgent work only. */
static void round_run(struct event_live *l, struct arena *a, int number)
{
	struct round r = { .arena = a };
	struct err e = ERR_INIT;

	/* Housekeeping is due by its round even if the last turn has just ended. */
	if (number % TIDY_ROUNDS == 1 &&
	    (store_tidy(l->db, &e) < 0 ||
	     journal_prune(l->db, event_texts,
			   clock_mono_ms() + PRUNE_MS, &e) < 0))
		log_err("housekeeping", &e);
	err_clear(&e);
	if (!collect(l, &r, number == 0))
		return;
	if (number)
		touch(l, &r, number);
	if (number && (number % LOOK_ROUNDS == 0 || r.n_ids > r.n_own))
		stop_asked(l, &r);
	flush(l, &r);
	let_go(l, &r);
}

enum wake { WAKE_END, WAKE_ROUND, WAKE_URGENT };

/* Under the lock. */
static bool is_idle(const struct event_live *l)
{
	return l->n == 0 && l->n_watches == 0;
}

/* Waits for the next round or an urgent flush; without limit when idle for long. */
static enum wake wait_round(struct event_live *l, int64_t *round_ms,
			    int64_t flushed_ms)
{
	enum wake why = WAKE_ROUND;

	pthread_mutex_lock(&l->lock);
	l->idle_rounds = is_idle(l) ? l->idle_rounds + 1 : 0;
	if (l->idle_rounds > IDLE_ROUNDS) {
		l->asleep = true;
		while (!l->stop && is_idle(l))
			pthread_cond_wait(&l->wake, &l->lock);
		l->asleep = false;
		*round_ms = clock_mono_ms() + ROUND_MS;
	}
	while (!l->stop) {
		int64_t now_ms = clock_mono_ms(), until_ms = *round_ms;
		struct timespec at;

		if (l->urgent)
			until_ms = MIN(until_ms, flushed_ms + URGENT_GAP_MS);
		if (now_ms >= until_ms)
			break;
		at = clock_mono_at(until_ms);
		pthread_cond_timedwait(&l->wake, &l->lock, &at);
	}
	if (l->stop)
		why = WAKE_END;
	else if (clock_mono_ms() < *round_ms)
		why = WAKE_URGENT;
	else
		*round_ms = clock_mono_ms() + ROUND_MS;
	pthread_mutex_unlock(&l->lock);
	return why;
}

static void *live_main(void *p)
{
	struct arena a = ARENA_INIT;
	struct event_live *l = p;
	int64_t round_ms = 0, flushed_ms = 0;
	int number = 0;

	for (;;) {
		enum wake why = wait_round(l, &round_ms, flushed_ms);

		if (why == WAKE_END)
			break;
		round_run(l, &a, why == WAKE_ROUND ? ++number : 0);
		arena_reset(&a);
		flushed_ms = clock_mono_ms();
	}
	arena_release(&a);
	return NULL;
}

struct event_live *event_live_new(struct db *db, struct err *e)
{
	struct event_live *l = xcalloc(1, sizeof(*l));
	char text[64];
	int rc;

	l->db = db;
	l->journal.process = uuid_new();
	/* Six times per lease: a few failures in a row do not end a turn that runs. */
	l->touch_rounds = (size_t)(store_turn_lease_us() / 6 / (ROUND_MS * 1000));
	pthread_mutex_init(&l->lock, NULL);
	clock_cond_init(&l->wake);
	rc = pthread_create(&l->thread, NULL, live_main, l);
	if (rc == 0)
		return l;
	err_set(e, ERR_OVERLOADED, "no thread for running turns: %s",
		err_errno(rc, text, sizeof(text)));
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->lock);
	free(l);
	return NULL;
}

void event_live_free(struct event_live *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	journals_release(&l->journals);
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->lock);
	free(l);
}
