#include "turn/live.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "store/turn.h"

#include "base/banned.h"

enum {
	ROUND_MS = 1000,
	TOUCH_ROUNDS = 5,		/* leases are extended every so often */
	TIDY_ROUNDS = 60,		/* housekeeping; also at once: CGI has few */
	PENDING_BYTES = 524288,		/* per turn and round */
};

struct turn_live {
	struct db *db;
	pthread_mutex_t lock;
	pthread_cond_t wake;		/* a turn came, or the end */
	struct turn_live_entry *turns;
	int n;
	bool stop;
	bool cancelling;		/* whoever comes is stopped */
	pthread_t thread;
};

/* -- the loop's side -------------------------------------------------------- */

void turn_live_add(struct turn_live *l, struct turn_live_entry *t,
		   const struct uuid *turn, struct http_abort *abort,
		   bool ended)
{
	if (!l)
		return;
	*t = (struct turn_live_entry){
		.turn = *turn, .abort = abort, .ended = ended, .added = true,
		.pending = BUF_INIT(PENDING_BYTES),
	};
	pthread_mutex_init(&t->lock, NULL);
	pthread_mutex_lock(&l->lock);
	t->next = l->turns;
	t->prev = &l->turns;
	if (t->next)
		t->next->prev = &t->next;
	l->turns = t;
	if (l->cancelling)
		http_abort_now(abort);
	if (l->n++ == 0)
		pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
}

void turn_live_remove(struct turn_live *l, struct turn_live_entry *t)
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
	pthread_mutex_destroy(&t->lock);
	buf_release(&t->pending);
}

void turn_live_text(struct turn_live *l, struct turn_live_entry *t,
		    struct str text)
{
	if (!l)
		return;
	pthread_mutex_lock(&t->lock);
	buf_addstr(&t->pending, text);
	pthread_mutex_unlock(&t->lock);
}

void turn_live_reset(struct turn_live *l, struct turn_live_entry *t)
{
	if (!l)
		return;
	pthread_mutex_lock(&t->lock);
	buf_reset(&t->pending);
	t->reset = t->seq > 0;
	pthread_mutex_unlock(&t->lock);
}

bool turn_live_cancel(struct turn_live *l, const struct uuid *turn)
{
	bool found = false;

	pthread_mutex_lock(&l->lock);
	for (struct turn_live_entry *t = l->turns; t; t = t->next)
		if (uuid_eq(&t->turn, turn)) {
			http_abort_now(t->abort);
			found = true;
		}
	pthread_mutex_unlock(&l->lock);
	return found;
}

void turn_live_cancel_all(struct turn_live *l)
{
	pthread_mutex_lock(&l->lock);
	l->cancelling = true;
	for (struct turn_live_entry *t = l->turns; t; t = t->next)
		http_abort_now(t->abort);
	pthread_mutex_unlock(&l->lock);
}

int turn_live_count(struct turn_live *l)
{
	int n;

	pthread_mutex_lock(&l->lock);
	n = l->n;
	pthread_mutex_unlock(&l->lock);
	return n;
}

/* -- batches ---------------------------------------------------------------- */

/* What came since the last round, as lines. False when nothing did. */
static bool pack(struct turn_live_entry *t, struct arena *a,
		 struct turn_events *out)
{
	struct buf b = BUF_INIT(2 * PENDING_BYTES);
	struct buf text;
	struct jw w;
	bool reset;

	/* Taken, not read: the thread of lib/net may wait for this lock. */
	pthread_mutex_lock(&t->lock);
	*out = (struct turn_events){ .turn_id = t->turn, .seq = t->seq + 1 };
	text = t->pending;
	t->pending = (struct buf)BUF_INIT(PENDING_BYTES);
	reset = t->reset;
	t->reset = false;
	out->n = (text.n > 0) + reset;
	t->seq += out->n;
	pthread_mutex_unlock(&t->lock);
	if (reset)
		buf_adds(&b, "{\"reset\":true}\n");
	if (text.n) {
		w = jw_on(&b);
		jw_obj(&w);
		jw_kstr(&w, "token", buf_str(&text));
		jw_end_obj(&w);
		buf_addc(&b, '\n');
	}
	buf_release(&text);
	out->data = arena_str(a, buf_str(&b));
	buf_release(&b);
	return out->n > 0;
}

static void apply_line(struct buf *text, struct str line)
{
	struct err e = ERR_INIT;
	json_auto_t *j = line.n ? jx_load_lenient(line, &e) : NULL;

	if (!j)
		return;
	if (jx_bool(j, "reset", false))
		buf_reset(text);
	buf_addstr(text, jx_str(j, "token"));
}

void turn_text_of_events(struct buf *text, struct str data)
{
	while (data.p && data.n)
		apply_line(text, str_cut(&data, '\n'));
}

/* -- the thread ------------------------------------------------------------- */

struct round {
	struct arena *arena;
	struct uuid *ids;
	size_t n;
	struct turn_events *batches;
	size_t n_batches;
};

/* Copies what the round needs; false when there is nothing to look after. */
static bool collect(struct turn_live *l, struct round *r)
{
	pthread_mutex_lock(&l->lock);
	r->ids = arena_alloc(r->arena, (size_t)(l->n + 1) * sizeof(*r->ids));
	r->batches = arena_alloc(r->arena,
				 (size_t)(l->n + 1) * sizeof(*r->batches));
	for (struct turn_live_entry *t = l->turns; t; t = t->next) {
		if (t->ended)
			continue;
		r->ids[r->n++] = t->turn;
		if (pack(t, r->arena, &r->batches[r->n_batches]))
			r->n_batches++;
	}
	pthread_mutex_unlock(&l->lock);
	return r->n > 0;
}

/* Stops those that were asked to, and those that are not ours any more. */
static void look(struct turn_live *l, struct round *r)
{
	struct turn_state *states = arena_zalloc(r->arena, r->n,
						 sizeof(*states));
	struct err e = ERR_INIT;

	if (turn_poll(l->db, r->ids, r->n, states, &e) < 0) {
		log_err("state of running turns", &e);
		return;
	}
	for (size_t i = 0; i < r->n; i++)
		if (states[i].cancel_requested ||
		    states[i].status != TURN_RUNNING)
			turn_live_cancel(l, &r->ids[i]);
}

static void round_run(struct turn_live *l, struct arena *a, int number)
{
	struct round r = { .arena = a };
	struct err e = ERR_INIT;

	if (!collect(l, &r))
		return;
	if (r.n_batches && turn_flush(l->db, r.batches, r.n_batches, &e) < 0) {
		log_err("text of running turns", &e);
		err_clear(&e);
	}
	if (number % TOUCH_ROUNDS == 0 &&
	    turn_touch(l->db, r.ids, r.n, &e) < 0)
		log_err("leases of running turns", &e);
	look(l, &r);
	err_clear(&e);
	if (number % TIDY_ROUNDS == 1 && store_tidy(l->db, &e) < 0)
		log_err("housekeeping", &e);
}

/* Until the next round; for ever while no turn runs. Returns false at the end. */
static bool wait_round(struct turn_live *l)
{
	struct timespec at;
	int64_t until;
	bool stop;

	pthread_mutex_lock(&l->lock);
	while (!l->stop && l->n == 0)
		pthread_cond_wait(&l->wake, &l->lock);
	until = clock_mono_ms() + ROUND_MS;
	at.tv_sec = until / 1000;
	at.tv_nsec = until % 1000 * 1000000;
	while (!l->stop &&
	       pthread_cond_timedwait(&l->wake, &l->lock, &at) == 0)
		continue;
	stop = l->stop;
	pthread_mutex_unlock(&l->lock);
	return !stop;
}

static void *live_main(void *p)
{
	struct arena a = ARENA_INIT;
	struct turn_live *l = p;

	for (int number = 1; wait_round(l); number++) {
		round_run(l, &a, number);
		arena_reset(&a);
	}
	arena_release(&a);
	return NULL;
}

struct turn_live *turn_live_new(struct db *db, struct err *e)
{
	struct turn_live *l = xcalloc(1, sizeof(*l));
	pthread_condattr_t attr;
	char text[64];
	int rc;

	l->db = db;
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&l->wake, &attr);
	pthread_condattr_destroy(&attr);
	rc = pthread_create(&l->thread, NULL, live_main, l);
	if (rc == 0)
		return l;
	err_set(e, ERR_INTERNAL, "no thread for running turns: %s",
		err_errno(rc, text, sizeof(text)));
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->lock);
	free(l);
	return NULL;
}

void turn_live_free(struct turn_live *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->lock);
	free(l);
}
