/* SPDX-License-Identifier: MIT */
#include "worker.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"
#include "cgi.h"
#include "fcgi.h"
#include "hold/stored.h"
#include "route.h"
#include "event/live.h"
#include "event/notify.h"

#include "base/banned.h"

/*
 * How long accept waits before the worker checks whether it should leave. A socket on
 * which other processes accept as well cannot be shut down, and any socket may be
 * handed over.
 */
#define ACCEPT_MS        500
#define BACK_OFF_MS      20	/* after accept failed for lack of resources */

#define FRESH_MS         2	/* a request that takes longer waits for something */
#define MANY             64	/* requests at once whose memory is given back afterwards */
#define SPARE            2	/* accept at once; more would alternate, with cold caches */
#define LOOK_MS          1	/* the watcher's interval while no worker accepts */

/*
 * Only as many workers as keep the processors busy take short requests: another
 * worker would find no free processor, only cause a context switch. Workers whose
 * request has run for FRESH_MS wait for a model, a client or a lock, and are not
 * counted. So at most `hands` workers accept or have a fresh request; the others are
 * parked. While none accepts, the watcher checks every LOOK_MS if the fresh ones
 * still are.
 */
struct workers {
	struct app *app;
	int fd;
	atomic_bool owned;
	int max, hands, idle_ms;
	size_t stack_bytes;
	atomic_bool stopping;
	pthread_t watcher;
	bool watched;		/* the watcher is there */

	pthread_mutex_t lock;	/* protects the following members */
	pthread_cond_t gone;	/* a worker has left */
	pthread_cond_t called;	/* a parked worker should accept */
	pthread_cond_t look;	/* the watcher should check */
	TAILQ_HEAD(fresh, worker) fresh;	/* workers with a fresh request, oldest first */
	int n;			/* workers */
	int idle;		/* workers that accept, or are about to */
	int n_fresh;
	int n_parked, n_calls;
	int n_most;		/* requests at once, since memory was given back */
	int n_left;		/* workers, likewise */
	bool asleep;		/* the watcher */
	pthread_t left;		/* the last worker that has left, if any has */
	bool any_left;
};

struct worker {
	TAILQ_ENTRY(worker) entry;
	int64_t since_ms;
	bool fresh;		/* in the list */
};

static void *worker_run(void *arg);

/* Starts a worker, which has been counted already. Returns -1 on failure. */
static int spawn(struct workers *p)
{
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, p->stack_bytes);
	rc = pthread_create(&thread, &attr, worker_run, p);
	pthread_attr_destroy(&attr);
	if (!rc)
		return 0;
	pthread_mutex_lock(&p->lock);
	p->n--;
	p->idle--;
	pthread_cond_signal(&p->look);	/* it tries again */
	pthread_mutex_unlock(&p->lock);
	return -1;
}

static void not_fresh(struct workers *p, struct worker *w)
{
	if (!w->fresh)
		return;
	TAILQ_REMOVE(&p->fresh, w, entry);
	p->n_fresh--;
	w->fresh = false;
}

/* Whether enough workers accept or have a fresh request. Under the lock. */
static bool hands_full(struct workers *p)
{
	int64_t old_ms = clock_mono_ms() - FRESH_MS;
	struct worker *w;

	while ((w = TAILQ_FIRST(&p->fresh)) && w->since_ms <= old_ms)
		not_fresh(p, w);
	return p->idle + p->n_fresh >= p->hands;
}

/*
 * Under the lock: wakes a parked worker if none accepts and one may. Returns true if
 * one must be started instead, which is counted already.
 */
static bool call_one(struct workers *p)
{
	if (p->idle || hands_full(p) || atomic_load(&p->stopping))
		return false;
	if (p->n_parked > p->n_calls) {
		p->n_calls++;
		p->idle++;
		pthread_cond_signal(&p->called);
		return false;
	}
	if (p->n >= p->max)
		return false;
	p->n++;
	p->idle++;
	return true;
}

static void wake_watcher(struct workers *p)
{
	if (!p->idle && p->asleep)
		pthread_cond_signal(&p->look);
}

/* Requests that are being served. Under the lock. */
static int n_serving(const struct workers *p)
{
	return p->n - p->n_parked - p->idle;
}

/* The worker has accepted a connection. */
static void take_slot(struct workers *p, struct worker *w)
{
	bool more = false;

	w->since_ms = clock_mono_ms();
	pthread_mutex_lock(&p->lock);
	TAILQ_INSERT_TAIL(&p->fresh, w, entry);
	w->fresh = true;
	p->n_fresh++;
	p->idle--;
	p->n_most = MAX(p->n_most, n_serving(p));
	more = call_one(p);
	wake_watcher(p);
	pthread_mutex_unlock(&p->lock);
	if (more && spawn(p) < 0)
		log_warn("no further worker can be started");
}

/*
 * After a request: returns to accept again, at once or when woken. Returns false if
 * the worker should leave; it is then not counted as idle. One of many that are parked
 * keeps nothing of its arena.
 */
static bool next_turn(struct workers *p, struct worker *w, struct arena *a)
{
	struct timespec end;
	bool stay = true;

	pthread_mutex_lock(&p->lock);
	not_fresh(p, w);
	if (p->idle < SPARE && !hands_full(p)) {
		p->idle++;
	} else {
		wake_watcher(p);
		if (p->n_parked >= p->hands)
			arena_release(a);
		clock_gettime(CLOCK_MONOTONIC, &end);
		end.tv_sec += p->idle_ms / 1000 + 1;
		p->n_parked++;
		while (!p->n_calls && stay && !atomic_load(&p->stopping))
			stay = pthread_cond_timedwait(&p->called, &p->lock,
						      &end) == 0;
		p->n_parked--;
		/*
		 * A call may come with the timeout: whoever takes it is counted as idle
		 * already.
		 */
		stay = p->n_calls > 0;
		p->n_calls -= stay;
	}
	pthread_mutex_unlock(&p->lock);
	return stay;
}

static void nap(int ms)
{
	struct timespec ts = { .tv_nsec = (long)ms * 1000000 };

	nanosleep(&ts, NULL);
}

static void *watcher_run(void *arg)
{
	struct workers *p = arg;

	pthread_mutex_lock(&p->lock);
	while (!atomic_load(&p->stopping)) {
		bool more;

		if (p->idle || p->n - p->n_parked >= p->max) {
			p->asleep = true;
			pthread_cond_wait(&p->look, &p->lock);
			p->asleep = false;
			continue;
		}
		pthread_mutex_unlock(&p->lock);
		nap(LOOK_MS);
		pthread_mutex_lock(&p->lock);
		more = call_one(p);
		pthread_mutex_unlock(&p->lock);
		if (more && spawn(p) < 0)
			nap(BACK_OFF_MS);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Serves one request after its parameters were read. */
struct serving {
	struct arena arena;
	struct response rs;
	struct request rq;
	const struct conf *conf;
};

static void serve_init(struct serving *s)
{
	s->arena = (struct arena)ARENA_INIT;
	resp_init(&s->rs);
}

static void serve(struct serving *s, struct app *app, struct conn *conn)
{
	struct err e = ERR_INIT;
	int rc;

	s->conf = app_conf(app);
	conn->pace = (struct pace){
		.whole_ms = s->conf->limits.body_s * INT64_C(1000),
		.rate_bytes = s->conf->limits.body_rate_bytes,
	};
	rc = req_read(&s->rq, app, s->conf, conn, &s->arena, &e);
	log_bind(s->rq.id, NULL);
	resp_begin(&s->rs, conn, s->rq.id, s->rq.method == METHOD_HEAD);
	if (rc < 0)
		route_refuse(&s->rq, &s->rs, &e);
	else
		route_dispatch(&s->rq, &s->rs);
}

/* The work after the answer was sent; then resets the worker. */
static void serve_end(struct serving *s, struct app *app)
{
	if (s->rq.after)
		s->rq.after(&s->rq);
	if (s->rq.holds_turn)
		hold_refresh(app->db, s->conf, &s->rq.by.owner);
	/* Requested within a transaction, it might be looked for before the commit. */
	if (s->rq.jobs_asked)
		atomic_store(&app->jobs_asked, true);
	route_release(&s->rq);
	arena_reset(&s->arena);
	conf_put(s->conf);
	log_bind(NULL, NULL);
	app_work(app);
}

static void serve_release(struct serving *s)
{
	resp_release(&s->rs);
	arena_release(&s->arena);
}

void serve_cgi(struct app *app)
{
	struct conn *conn = cgi_conn();
	struct serving s;

	serve_init(&s);
	serve(&s, app, conn);
	if (s.rq.adopt) {
		conn->fits = NULL;	/* waiting delays only itself */
		s.rq.adopt(s.rq.adopt_ctx, conn);
		notify_wait(app->notify);
	} else {
		conn->end(conn);
	}
	serve_end(&s, app);
	serve_release(&s);
}

/* Does pending work while there are no requests. It may wait for the store. */
static void work_idle(struct workers *p)
{
	bool more;

	if (!app_work_due(p->app))
		return;
	pthread_mutex_lock(&p->lock);
	p->idle--;	/* it does not accept meanwhile */
	more = call_one(p);
	wake_watcher(p);
	pthread_mutex_unlock(&p->lock);
	if (more && spawn(p) < 0)
		log_warn("no further worker can be started");
	app_work(p->app);
	pthread_mutex_lock(&p->lock);
	p->idle++;
	pthread_mutex_unlock(&p->lock);
}

/*
 * When there are few requests after many at once, or many workers have left: the C
 * library keeps what was freed, since it is in pieces between those that are used.
 */
static void give_back_memory(struct workers *p)
{
#ifdef __GLIBC__
	bool due;

	pthread_mutex_lock(&p->lock);
	due = (p->n_most >= MANY || p->n_left >= MANY) && n_serving(p) < p->hands;
	if (due)
		p->n_most = p->n_left = 0;
	pthread_mutex_unlock(&p->lock);
	if (due)
		(void)malloc_trim(0);
#else
	(void)p;
#endif
}

/*
 * A connection, or -1 if this worker should leave: because the pool stops, or because
 * there was nothing to do for idle_ms and other workers are waiting, too. A worker
 * that leaves is no longer counted as idle.
 */
static int next_connection(struct workers *p)
{
	int64_t idle_since = clock_mono_ms();
	bool last;

	/*
	 * What waits in an owned socket's queue is served before shutdown() ends
	 * accept; another process takes over the queue of a shared one.
	 */
	while (atomic_load(&p->owned) || !atomic_load(&p->stopping)) {
		int fd = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC);

		if (fd >= 0)
			return fd;
		if (errno == EINVAL || errno == EBADF)
			break;	/* shut down */
		if (errno != EAGAIN && errno != EINTR &&
		    errno != ECONNABORTED) {
			nap(BACK_OFF_MS);	/* no descriptors or no memory */
			continue;
		}
		work_idle(p);
		give_back_memory(p);
		if (clock_mono_ms() - idle_since < p->idle_ms)
			continue;
		/* Leave, but never as the last one. */
		pthread_mutex_lock(&p->lock);
		last = p->idle <= 1;
		p->idle -= !last;
		pthread_mutex_unlock(&p->lock);
		if (!last)
			return -1;
		idle_since = clock_mono_ms();
	}
	pthread_mutex_lock(&p->lock);
	p->idle--;
	pthread_mutex_unlock(&p->lock);
	return -1;
}

/*
 * The end of a worker. Each joins the one that ended before it, and workers_stop
 * joins the last, so that no thread, with the data that libraries keep for it, is
 * still ending when the process does.
 */
static void leave(struct workers *p)
{
	pthread_t before;
	bool any;

	pthread_mutex_lock(&p->lock);
	before = p->left;
	any = p->any_left;
	p->left = pthread_self();
	p->any_left = true;
	p->n--;
	p->n_left++;
	pthread_cond_signal(&p->gone);
	pthread_mutex_unlock(&p->lock);
	if (any)
		pthread_join(before, NULL);
}

static void *worker_run(void *arg)
{
	struct workers *p = arg;
	struct serving *s = xmalloc(sizeof(*s));
	struct fcgi *fcgi = fcgi_new();
	struct worker w = { .fresh = false };
	bool stay = true;
	int fd;

	serve_init(s);
	while (stay && (fd = next_connection(p)) >= 0) {
		struct conn *conn;

		/*
		 * Before anything is read: a client that sends its parameters slowly
		 * must not keep others waiting.
		 */
		take_slot(p, &w);
		conn = fcgi_begin(fcgi, fd);
		if (conn) {
			serve(s, p->app, conn);
			if (s->rq.adopt) {
				s->rq.adopt(s->rq.adopt_ctx, conn);
				/*
				 * The connection is the new owner's, which frees it
				 * with its fcgi.
				 */
				fcgi = fcgi_new();
			} else {
				fcgi_end(fcgi);
			}
			serve_end(s, p->app);
		}
		stay = next_turn(p, &w, &s->arena);
	}
	serve_release(s);
	free(s);
	fcgi_free(fcgi);
	leave(p);
	return NULL;
}

static void stop_watching(struct workers *p)
{
	pthread_mutex_lock(&p->lock);
	atomic_store(&p->stopping, true);
	pthread_cond_broadcast(&p->called);
	pthread_cond_signal(&p->look);
	pthread_mutex_unlock(&p->lock);
	if (p->watched)
		pthread_join(p->watcher, NULL);
	p->watched = false;
}

static void workers_free(struct workers *p)
{
	pthread_cond_destroy(&p->gone);
	pthread_cond_destroy(&p->called);
	pthread_cond_destroy(&p->look);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

struct workers *workers_start(struct app *app, int fd, bool owned, struct err *e)
{
	const struct conf *conf = conf_live_get(app->conf);
	struct workers *p = xcalloc(1, sizeof(*p));
	const struct timeval tv = { .tv_usec = ACCEPT_MS * 1000 };

	*p = (struct workers){
		.app = app, .fd = fd, .owned = owned,
		.max = conf->threads.max,
		.hands = MAX(4, 2 * (int)sysconf(_SC_NPROCESSORS_ONLN)),
		.idle_ms = conf->threads.idle_s * 1000,
		.stack_bytes = (size_t)conf->threads.stack_kb * 1024,
	};
	conf_put(conf);
	TAILQ_INIT(&p->fresh);
	pthread_mutex_init(&p->lock, NULL);
	clock_cond_init(&p->gone);
	clock_cond_init(&p->called);
	clock_cond_init(&p->look);

	/* As spawn expects: a worker is counted before it exists. */
	p->n = p->idle = 1;
	p->watched = pthread_create(&p->watcher, NULL, watcher_run, p) == 0;
	if (!p->watched ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) < 0 ||
	    spawn(p) < 0) {
		err_set(e, ERR_INTERNAL, "cannot serve the socket");
		stop_watching(p);
		workers_free(p);
		return NULL;
	}
	return p;
}

int workers_size(struct workers *p)
{
	int n;

	pthread_mutex_lock(&p->lock);
	n = p->n;
	pthread_mutex_unlock(&p->lock);
	return n;
}

/* Waits until all workers have left, up to this time. Returns how many are left. */
static int wait_gone(struct workers *p, int ms)
{
	struct timespec end = clock_mono_at(clock_mono_ms() + ms);
	int n, rc = 0;

	pthread_mutex_lock(&p->lock);
	while (p->n && rc == 0)
		rc = pthread_cond_timedwait(&p->gone, &p->lock, &end);
	n = p->n;
	pthread_mutex_unlock(&p->lock);
	return n;
}

void workers_share(struct workers *p)
{
	atomic_store(&p->owned, false);
}

int workers_drain(struct workers *p, int ms)
{
	int64_t end_ms = clock_mono_ms() + ms;

	if (!atomic_load(&p->stopping)) {
		stop_watching(p);
		atomic_store(&p->app->stopping, true);
		notify_stop(p->app->notify);
		if (atomic_load(&p->owned))
			/* Wakes every accept, once the queue is empty. */
			shutdown(p->fd, SHUT_RD);
	}
	return wait_gone(p, (int)MAX(end_ms - clock_mono_ms(), 0));
}

int workers_stop(struct workers *p, int grace_ms, int abort_ms)
{
	int left = workers_drain(p, grace_ms);

	if (left) {
		char text[16];

		snprintf(text, sizeof(text), "%d", left);
		log_warn("stopping the turns that still run", "workers", text);
		event_live_interrupt(p->app->live);
		left = wait_gone(p, abort_ms);
	}
	if (left)
		return left;
	if (p->any_left)
		pthread_join(p->left, NULL);
	workers_free(p);
	return 0;
}
