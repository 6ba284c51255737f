/* SPDX-License-Identifier: MIT */
/*
 * The loop behind http_do: one thread with one libcurl multi handle and one epoll
 * for all transfers of a pool. The callers block, one thread per request, and all
 * wait for this loop.
 *
 * Why: a thread that waits for its own stream is woken for every token, which costs
 * two context switches and cold caches, more than all other work on the token. Here
 * one wake-up serves every stream that has bytes, and a worker is not woken until
 * its transfer is over.
 *
 * A round: wait, let libcurl read all sockets that are ready, run the timers that
 * are due, then flush the streams that got bytes, one after the other, so that the
 * web server is also woken for many at once. Collecting tokens (rounds 1 to 4 ms
 * apart under load) was measured and gained nothing.
 *
 * Callbacks run here while the transfer's caller sleeps. What may block (a client
 * that does not read) is left to the caller: see HTTP_STALL.
 */
#include "net/due.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "net/http_abort.h"

#include "base/banned.h"

#define EVENTS 256		/* read from epoll at once */
#define EASY_KEPT 16		/* handles without a transfer */
#define WATCHED (UINT64_C(1) << 63)	/* in an event: a transfer's watch_fd, not a socket */

struct http_pool {
	pthread_mutex_t lock;		/* protects the following members */
	struct transfer *queue;		/* submitted or resumed, newest first */
	CURL *easies[EASY_KEPT];
	int n_easies;
	bool started, stop, look;	/* look: an abort was set */

	int max_idle;
	pthread_t thread;
	int wake_fd, epoll_fd;

	/* used by the loop only */
	CURLM *multi;
	struct transfer *all, *dirty;
	int n_transfers;
	int64_t now;			/* monotonic ms, updated once per round */
	int64_t curl_at;		/* when libcurl must be called; -1 = not */
	int running;			/* set by libcurl; not used */
	struct due due;
};

/* -- sockets and timers of libcurl ----------------------------------------- */

static int on_socket(CURL *c, curl_socket_t s, int what, void *ctx, void *known)
{
	struct http_pool *p = ctx;
	struct epoll_event ev = { .data.u64 = (uint64_t)s };

	(void)c;
	if (what == CURL_POLL_REMOVE) {
		(void)epoll_ctl(p->epoll_fd, EPOLL_CTL_DEL, s, &ev);
		return 0;
	}
	if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
		ev.events |= EPOLLIN;
	if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
		ev.events |= EPOLLOUT;
	if (known && epoll_ctl(p->epoll_fd, EPOLL_CTL_MOD, s, &ev) == 0)
		return 0;
	curl_multi_assign(p->multi, s, p);
	if (epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, s, &ev) < 0)
		(void)epoll_ctl(p->epoll_fd, EPOLL_CTL_MOD, s, &ev);
	return 0;
}

static int on_timer(CURLM *m, long ms, void *ctx)
{
	struct http_pool *p = ctx;

	(void)m;
	p->curl_at = ms < 0 ? -1 : ms == 0 ? 0 : clock_mono_ms() + ms;
	return 0;
}

/* -- the life of a transfer ------------------------------------------------ */

static void watch_on(struct http_pool *p, struct transfer *t)
{
	struct epoll_event ev = {
		.events = EPOLLIN, .data.u64 = (uint64_t)(uintptr_t)t | WATCHED,
	};

	if (t->r->watch_fd < 0)
		return;
	/* A duplicate, because others may watch the same file. */
	t->watch_fd = fcntl(t->r->watch_fd, F_DUPFD_CLOEXEC, 0);
	if (t->watch_fd >= 0)
		(void)epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, t->watch_fd, &ev);
}

/* Closing is not enough: the file is still open elsewhere. */
static void watch_off(struct http_pool *p, struct transfer *t)
{
	struct epoll_event ev = { .events = 0 };

	if (t->watch_fd < 0)
		return;
	(void)epoll_ctl(p->epoll_fd, EPOLL_CTL_DEL, t->watch_fd, &ev);
	close(t->watch_fd);
	t->watch_fd = -1;
}

/* Keeps connections that are in use, and max_idle others. */
static void count(struct http_pool *p, int by)
{
	p->n_transfers += by;
	curl_multi_setopt(p->multi, CURLMOPT_MAXCONNECTS,
			  (long)(p->max_idle + p->n_transfers));
}

void http_loop_begun(struct transfer *t)
{
	if (t->begun || !t->r->meanwhile || !t->r->sends_first)
		return;
	t->begun = true;
	sem_post(&t->wake);
}

/* After this, t belongs to the caller and may be freed at any time. */
static void over(struct http_pool *p, struct transfer *t)
{
	long n_connects = 1;

	curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &n_connects);
	t->res->reused = t->res->sent && n_connects == 0;
	/* Closes the connection unless the answer is complete. */
	if (t->added)
		curl_multi_remove_handle(p->multi, t->easy);
	due_off(&p->due, t);
	watch_off(p, t);
	*t->prev = t->next;
	if (t->next)
		t->next->prev = t->prev;
	count(p, -1);
	http_loop_begun(t);
	t->over = true;
	log_borrow(NULL);
	sem_post(&t->wake);
}

void http_loop_dirty(struct transfer *t)
{
	if (t->stalled)
		t->missed = true;	/* its caller is busy: go_on */
	if (t->stalled || t->queued_dirty)
		return;
	t->queued_dirty = true;
	t->next_dirty = *t->dirty;
	*t->dirty = t;
}

/*
 * Pauses t until the caller has done what would block here. libcurl forgets a pause that
 * comes before the request is sent (8.14), so callbacks look at t->stalled, too.
 */
static void stall(struct http_pool *p, struct transfer *t)
{
	due_off(&p->due, t);
	t->stalled = true;
	curl_easy_pause(t->easy, CURLPAUSE_RECV);
	http_loop_begun(t);
	sem_post(&t->wake);
}

static void begin(struct http_pool *p, struct transfer *t)
{
	t->next = p->all;
	t->prev = &p->all;
	if (t->next)
		t->next->prev = &t->next;
	p->all = t;
	count(p, 1);
	t->dirty = &p->dirty;
	t->now = &p->now;
	if (http_aborted(t->r->abort)) {
		err_set(&t->e, ERR_CANCELLED, "aborted");
		over(p, t);
		return;
	}
	t->added = true;
	watch_on(p, t);
	due_set(&p->due, t);
	curl_multi_add_handle(p->multi, t->easy);
	/* on_batch runs once after the request was sent. */
	t->batch = true;
	http_loop_dirty(t);
}

static void go_on(struct http_pool *p, struct transfer *t)
{
	t->stalled = false;
	if (http_aborted(t->r->abort)) {
		err_set(&t->e, ERR_CANCELLED, "aborted");
		over(p, t);
		return;
	}
	/* The silence was our own. */
	if (t->last_byte >= 0)
		t->last_byte = p->now;
	due_set(&p->due, t);
	if (t->missed)
		http_loop_dirty(t);
	t->missed = false;
	curl_easy_pause(t->easy, CURLPAUSE_CONT);
}

/* -- a round --------------------------------------------------------------- */

static void outside(struct http_pool *p, struct transfer *t, bool told)
{
	int rc;

	log_borrow(t->log);
	rc = transfer_outside(t, p->now, told);
	if (rc < 0)
		over(p, t);
	else if (rc == HTTP_STALL && t->r->on_stall)
		stall(p, t);
	else
		due_set(&p->due, t);
}

static void take_queue(struct http_pool *p)
{
	struct transfer *q, *in_order = NULL, *t;

	pthread_mutex_lock(&p->lock);
	q = p->queue;
	p->queue = NULL;
	pthread_mutex_unlock(&p->lock);
	while (q) {
		t = q;
		q = t->next_queued;
		t->next_queued = in_order;
		in_order = t;
	}
	while (in_order) {
		t = in_order;
		in_order = t->next_queued;
		if (t->stalled)
			go_on(p, t);
		else
			begin(p, t);
	}
}

/* Checks the abort switches. Nothing is dirty now, so transfers may end. */
static void look_at_all(struct http_pool *p)
{
	struct transfer *t, *next;
	bool look;

	pthread_mutex_lock(&p->lock);
	look = p->look;
	p->look = false;
	pthread_mutex_unlock(&p->lock);
	for (t = look ? p->all : NULL; t; t = next) {
		next = t->next;
		if (!t->stalled && http_aborted(t->r->abort))
			outside(p, t, false);
	}
}

/* Marks transfers that libcurl has finished; each ends after its last batch. */
static void mark_finished(struct http_pool *p)
{
	struct transfer *t;
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(p->multi, &left)) != NULL) {
		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &t);
		t->finished = true;
		t->code = m->data.result;
		http_loop_dirty(t);
	}
}

/* Handles a transfer that libcurl ran in this round. */
static void look_at(struct http_pool *p, struct transfer *t)
{
	bool block;
	int rc;

	log_borrow(t->log);
	http_loop_begun(t);
	rc = t->batch && t->r->on_batch ? t->r->on_batch(t->r->ctx) : 0;
	block = rc == HTTP_STALL && t->r->on_stall;
	t->batch = false;
	t->batch_at = rc == HTTP_LATER ? p->now + 1 : -1;
	if (t->finished || t->e.code != ERR_NONE) {
		t->stalled = block;	/* on_stall runs a last time */
		over(p, t);
	} else if (block) {
		stall(p, t);
	} else if (t->told) {
		t->told = false;
		outside(p, t, true);
	} else {
		due_set(&p->due, t);
	}
}

static void look_at_dirty(struct http_pool *p)
{
	while (p->dirty) {
		struct transfer *t = p->dirty;

		p->dirty = t->next_dirty;
		t->queued_dirty = false;
		look_at(p, t);
	}
}

static void run_timers(struct http_pool *p)
{
	struct transfer *t;

	while ((t = due_take(&p->due, p->now)) != NULL) {
		if (transfer_late(t, p->now)) {
			over(p, t);
		} else if (t->batch_at >= 0 && p->now >= t->batch_at) {
			t->batch = true;
			look_at(p, t);
		} else {
			outside(p, t, false);
		}
	}
}

static int wait_ms(const struct http_pool *p)
{
	int64_t at = p->curl_at, due = due_first(&p->due), now;

	if (due >= 0 && (at < 0 || due < at))
		at = due;
	if (at <= 0)
		return (int)at;
	now = clock_mono_ms();
	return (int)MIN(MAX(at - now, 0), 3600000);
}

static int curl_mask(uint32_t events)
{
	int mask = 0;

	if (events & EPOLLIN)
		mask |= CURL_CSELECT_IN;
	if (events & EPOLLOUT)
		mask |= CURL_CSELECT_OUT;
	if (events & (EPOLLERR | EPOLLHUP))
		mask |= CURL_CSELECT_ERR | CURL_CSELECT_IN;
	return mask;
}

static void take_event(struct http_pool *p, const struct epoll_event *ev)
{
	uint64_t who = ev->data.u64, ignored;
	struct transfer *t;

	if (who == (uint64_t)p->wake_fd) {
		(void)!read(p->wake_fd, &ignored, sizeof(ignored));
	} else if (who & WATCHED) {
		t = (struct transfer *)(uintptr_t)(who & ~WATCHED);
		watch_off(p, t);
		t->told = true;
		http_loop_dirty(t);
	} else {
		curl_multi_socket_action(p->multi, (int)who,
					 curl_mask(ev->events), &p->running);
	}
}

/* Transfers end after all events, never between them. */
static void round_run(struct http_pool *p, struct epoll_event *ev)
{
	int n;

	n = epoll_wait(p->epoll_fd, ev, EVENTS, wait_ms(p));
	p->now = clock_mono_ms();
	for (int i = 0; i < n; i++)
		take_event(p, &ev[i]);
	take_queue(p);
	if (p->curl_at >= 0 && p->now >= p->curl_at) {
		p->curl_at = -1;
		curl_multi_socket_action(p->multi, CURL_SOCKET_TIMEOUT, 0,
					 &p->running);
	}
	mark_finished(p);
	look_at_dirty(p);
	look_at_all(p);
	run_timers(p);
	log_borrow(NULL);
}

static bool stopping(struct http_pool *p)
{
	bool stop;

	pthread_mutex_lock(&p->lock);
	stop = p->stop;
	pthread_mutex_unlock(&p->lock);
	return stop;
}

static void *loop_main(void *arg)
{
	struct epoll_event ev[EVENTS];
	struct http_pool *p = arg;

	while (!stopping(p))
		round_run(p, ev);
	return NULL;
}

/* -- the pool -------------------------------------------------------------- */

struct http_pool *http_pool_new(int max_idle)
{
	struct http_pool *p = xcalloc(1, sizeof(*p));

	pthread_mutex_init(&p->lock, NULL);
	p->max_idle = MAX(max_idle, 1);
	p->curl_at = p->wake_fd = p->epoll_fd = -1;
	return p;
}

static int start_thread(struct http_pool *p)
{
	sigset_t all, old;
	int rc;

	/* libfcgi treats an interrupted write as a lost peer. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&p->thread, NULL, loop_main, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

/* With the lock held. */
static int start(struct http_pool *p)
{
	struct epoll_event ev = { .events = EPOLLIN };

	if (p->started)
		return 0;
	if (p->wake_fd < 0)
		p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->epoll_fd < 0)
		p->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (!p->multi)
		p->multi = curl_multi_init();
	ev.data.u64 = (uint64_t)p->wake_fd;
	if (!p->multi || p->wake_fd < 0 || p->epoll_fd < 0 ||
	    (epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, p->wake_fd, &ev) < 0 &&
	     errno != EEXIST))
		return -1;
	curl_multi_setopt(p->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(p->multi, CURLMOPT_SOCKETDATA, p);
	curl_multi_setopt(p->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(p->multi, CURLMOPT_TIMERDATA, p);
	if (start_thread(p) != 0)
		return -1;
	p->started = true;
	return 0;
}

void http_pool_free(struct http_pool *p)
{
	if (!p)
		return;
	if (p->started) {
		uint64_t one = 1;

		pthread_mutex_lock(&p->lock);
		p->stop = true;
		pthread_mutex_unlock(&p->lock);
		(void)!write(p->wake_fd, &one, sizeof(one));
		pthread_join(p->thread, NULL);
	}
	for (int i = 0; i < p->n_easies; i++)
		curl_easy_cleanup(p->easies[i]);
	if (p->multi)
		curl_multi_cleanup(p->multi);
	if (p->epoll_fd >= 0)
		close(p->epoll_fd);
	if (p->wake_fd >= 0)
		close(p->wake_fd);
	pthread_mutex_destroy(&p->lock);
	free(p->due.heap);
	free(p);
}

static void wake(struct http_pool *p)
{
	uint64_t one = 1;

	if (write(p->wake_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		BUG("cannot write to an eventfd");
}

static void submit(struct http_pool *p, struct transfer *t)
{
	bool first;

	pthread_mutex_lock(&p->lock);
	first = !p->queue;
	t->next_queued = p->queue;
	p->queue = t;
	pthread_mutex_unlock(&p->lock);
	if (first)
		wake(p);
}

static void sleep_until_told(struct transfer *t)
{
	while (sem_wait(&t->wake) < 0 && errno == EINTR)
		continue;
}

int http_loop_run(struct http_pool *p, struct transfer *t)
{
	int rc;

	pthread_mutex_lock(&p->lock);
	rc = start(p);
	pthread_mutex_unlock(&p->lock);
	if (rc < 0)
		return err_set(&t->e, ERR_OVERLOADED, "no thread or file for transfers");
	if (t->r->abort)
		atomic_store(&t->r->abort->pool, p);
	submit(p, t);
	if (t->r->meanwhile && t->r->sends_first)
		sleep_until_told(t);
	if (t->r->meanwhile)
		t->r->meanwhile(t->r->ctx);
	sleep_until_told(t);
	return 0;
}

void http_loop_resume(struct http_pool *p, struct transfer *t)
{
	submit(p, t);
	sleep_until_told(t);
}

void http_loop_look(struct http_pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->look = true;
	pthread_mutex_unlock(&p->lock);
	wake(p);
}

CURL *http_loop_easy_get(struct http_pool *p)
{
	CURL *c = NULL;

	pthread_mutex_lock(&p->lock);
	if (p->n_easies)
		c = p->easies[--p->n_easies];
	pthread_mutex_unlock(&p->lock);
	if (!c)
		c = curl_easy_init();
	if (!c)
		BUG("no memory for a libcurl handle");
	return c;
}

void http_loop_easy_put(struct http_pool *p, CURL *easy)
{
	curl_easy_reset(easy);
	pthread_mutex_lock(&p->lock);
	if (p->n_easies < EASY_KEPT) {
		p->easies[p->n_easies++] = easy;
		easy = NULL;
	}
	pthread_mutex_unlock(&p->lock);
	curl_easy_cleanup(easy);
}
