/* SPDX-License-Identifier: MIT */
/*
 * A loop behind http_do: one thread with one libcurl multi handle and one epoll
 * for many transfers of a pool (http.c). The callers block, one thread per request,
 * and all wait for this loop.
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
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "net/http_abort.h"
#include "net/transfer.h"

#include "base/banned.h"

/* -- due times ------------------------------------------------------------------ */

/*
 * A binary heap. Received bytes only postpone a due time, so an entry that is too early
 * stays where it is and is checked when its time comes: no work per token.
 */
struct due {			/* zero-initialised */
	struct transfer **heap;	/* indexed from 1 */
	size_t n, size;
};

/* When the first one is due, monotonic ms; -1 = none. */
static inline int64_t due_first(const struct due *d)
{
	return d->n ? d->heap[1]->due : -1;
}

static void heap_set(struct due *d, size_t i, struct transfer *t)
{
	d->heap[i] = t;
	t->heap_at = i;
}

static void heap_up(struct due *d, size_t i, struct transfer *t)
{
	for (; i > 1 && d->heap[i / 2]->due > t->due; i /= 2)
		heap_set(d, i, d->heap[i / 2]);
	heap_set(d, i, t);
}

static void heap_down(struct due *d, size_t i, struct transfer *t)
{
	for (;;) {
		size_t k = 2 * i;

		if (k < d->n && d->heap[k + 1]->due < d->heap[k]->due)
			k++;
		if (k > d->n || d->heap[k]->due >= t->due)
			break;
		heap_set(d, i, d->heap[k]);
		i = k;
	}
	heap_set(d, i, t);
}

/* Removes t, if it has an entry. */
static void due_off(struct due *d, struct transfer *t)
{
	size_t i = t->heap_at;
	struct transfer *last;

	if (!i)
		return;
	t->heap_at = 0;
	last = d->heap[d->n--];
	if (last == t)
		return;
	if (i > 1 && d->heap[i / 2]->due > last->due)
		heap_up(d, i, last);
	else
		heap_down(d, i, last);
}

/* Adds t with the time of transfer_due, unless it has an earlier entry. */
static void due_set(struct due *d, struct transfer *t)
{
	int64_t due = transfer_due(t);

	if (due < 0 || (t->heap_at && t->due <= due))
		return;
	due_off(d, t);
	t->due = due;
	if (d->n + 2 > d->size) {
		d->size = MAX(d->size * 2, 64);
		d->heap = xrealloc(d->heap, d->size * sizeof(*d->heap));
	}
	heap_up(d, ++d->n, t);
}

/* Removes and returns a transfer that is due, or NULL. */
static struct transfer *due_take(struct due *d, int64_t now)
{
	struct transfer *t = d->n && d->heap[1]->due <= now ? d->heap[1] : NULL;

	if (t)
		due_off(d, t);
	return t;
}

/* -- the loop ------------------------------------------------------------------ */

#define EVENTS 256		/* read from epoll at once */
#define LASTS_S 1		/* a wait so long is a stream's */
#define WATCHED (UINT64_C(1) << 63)	/* in an event: a transfer's watch_fd, not a socket */

struct http_loop {
	pthread_mutex_t lock;		/* protects the following members */
	struct transfer *queue;		/* submitted or resumed, newest first */
	bool started, stop, look;	/* look: an abort was set */

	atomic_int n_busy;		/* transfers, from http_loop_run to their end */
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
	struct http_loop *l = ctx;
	struct epoll_event ev = { .data.u64 = (uint64_t)s };

	(void)c;
	if (what == CURL_POLL_REMOVE) {
		(void)epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, s, &ev);
		return 0;
	}
	if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
		ev.events |= EPOLLIN;
	if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
		ev.events |= EPOLLOUT;
	if (known && epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, s, &ev) == 0)
		return 0;
	/* Any pointer: it says that the socket is in the epoll set (known). */
	curl_multi_assign(l->multi, s, l);
	if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, s, &ev) < 0)
		(void)epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, s, &ev);
	return 0;
}

static int on_timer(CURLM *m, long ms, void *ctx)
{
	struct http_loop *l = ctx;

	(void)m;
	l->curl_at = ms < 0 ? -1 : ms == 0 ? 0 : clock_mono_ms() + ms;
	return 0;
}

/* -- the life of a transfer ------------------------------------------------ */

static void watch_on(struct http_loop *l, struct transfer *t)
{
	struct epoll_event ev = {
		.events = EPOLLIN, .data.u64 = (uint64_t)(uintptr_t)t | WATCHED,
	};

	if (t->r->watch_fd < 0)
		return;
	/* A duplicate, because others may watch the same file. */
	t->watch_fd = fcntl(t->r->watch_fd, F_DUPFD_CLOEXEC, 0);
	if (t->watch_fd >= 0)
		(void)epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, t->watch_fd, &ev);
}

/* Closing is not enough: the file is still open elsewhere. */
static void watch_off(struct http_loop *l, struct transfer *t)
{
	struct epoll_event ev = { .events = 0 };

	if (t->watch_fd < 0)
		return;
	(void)epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, t->watch_fd, &ev);
	close(t->watch_fd);
	t->watch_fd = -1;
}

/* Keeps connections that are in use, and max_idle others. */
static void count(struct http_loop *l, int by)
{
	l->n_transfers += by;
	curl_multi_setopt(l->multi, CURLMOPT_MAXCONNECTS,
			  (long)(l->max_idle + l->n_transfers));
}

/* After this, t belongs to the caller and may be freed at any time. */
static void over(struct http_loop *l, struct transfer *t)
{
	long n_connects = 1;

	curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &n_connects);
	t->res->reused = t->res->sent && n_connects == 0;
	/* Closes the connection unless the answer is complete. */
	if (t->added)
		curl_multi_remove_handle(l->multi, t->easy);
	due_off(&l->due, t);
	watch_off(l, t);
	*t->prev = t->next;
	if (t->next)
		t->next->prev = t->prev;
	count(l, -1);
	atomic_fetch_sub(&l->n_busy, 1);
	transfer_begun(t);
	t->over = true;
	log_borrow(NULL);
	sem_post(&t->wake);
}

/*
 * Pauses t until the caller has done what would block here. libcurl forgets a pause that
 * comes before the request is sent (8.14), so callbacks look at t->stalled, too.
 */
static void stall(struct http_loop *l, struct transfer *t)
{
	due_off(&l->due, t);
	t->stalled = true;
	curl_easy_pause(t->easy, CURLPAUSE_RECV);
	transfer_begun(t);
	sem_post(&t->wake);
}

static void begin(struct http_loop *l, struct transfer *t)
{
	t->next = l->all;
	t->prev = &l->all;
	if (t->next)
		t->next->prev = &t->next;
	l->all = t;
	count(l, 1);
	t->dirty = &l->dirty;
	t->now = &l->now;
	if (abort_pulled(t->r->abort)) {
		err_set(&t->e, ERR_CANCELLED, "aborted");
		over(l, t);
		return;
	}
	t->added = true;
	watch_on(l, t);
	due_set(&l->due, t);
	curl_multi_add_handle(l->multi, t->easy);
	/* on_batch runs once after the request was sent. */
	t->batch = true;
	transfer_dirty(t);
}

static void go_on(struct http_loop *l, struct transfer *t)
{
	t->stalled = false;
	if (abort_pulled(t->r->abort)) {
		err_set(&t->e, ERR_CANCELLED, "aborted");
		over(l, t);
		return;
	}
	/* The silence was our own. */
	if (t->last_byte >= 0)
		t->last_byte = l->now;
	due_set(&l->due, t);
	if (t->missed)
		transfer_dirty(t);
	t->missed = false;
	curl_easy_pause(t->easy, CURLPAUSE_CONT);
}

/* -- a round --------------------------------------------------------------- */

static void outside(struct http_loop *l, struct transfer *t, bool readable)
{
	int rc;

	log_borrow(t->log);
	rc = transfer_outside(t, l->now, readable);
	if (rc < 0)
		over(l, t);
	else if (rc == HTTP_STALL && t->r->on_stall)
		stall(l, t);
	else
		due_set(&l->due, t);
}

static void take_queue(struct http_loop *l)
{
	struct transfer *q, *in_order = NULL, *t;

	pthread_mutex_lock(&l->lock);
	q = l->queue;
	l->queue = NULL;
	pthread_mutex_unlock(&l->lock);
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
			go_on(l, t);
		else
			begin(l, t);
	}
}

/* Checks the abort switches. Nothing is dirty now, so transfers may end. */
static void look_at_all(struct http_loop *l)
{
	struct transfer *t, *next;
	bool look;

	pthread_mutex_lock(&l->lock);
	look = l->look;
	l->look = false;
	pthread_mutex_unlock(&l->lock);
	for (t = look ? l->all : NULL; t; t = next) {
		next = t->next;
		if (!t->stalled && abort_pulled(t->r->abort))
			outside(l, t, false);
	}
}

/* Marks transfers that libcurl has finished; each ends after its last batch. */
static void mark_finished(struct http_loop *l)
{
	struct transfer *t;
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(l->multi, &left)) != NULL) {
		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &t);
		t->finished = true;
		t->code = m->data.result;
		transfer_dirty(t);
	}
}

/* Handles a transfer that libcurl ran in this round. */
static void look_at(struct http_loop *l, struct transfer *t)
{
	bool block;
	int rc;

	log_borrow(t->log);
	transfer_begun(t);
	rc = t->batch && t->r->on_batch ? t->r->on_batch(t->r->ctx) : 0;
	block = rc == HTTP_STALL && t->r->on_stall;
	t->batch = false;
	t->batch_at = rc == HTTP_LATER ? l->now + 1 : -1;
	if (t->finished || t->e.code != ERR_NONE) {
		t->stalled = block;	/* on_stall runs a last time */
		over(l, t);
	} else if (block) {
		stall(l, t);
	} else if (t->readable) {
		t->readable = false;
		outside(l, t, true);
	} else {
		due_set(&l->due, t);
	}
}

static void look_at_dirty(struct http_loop *l)
{
	while (l->dirty) {
		struct transfer *t = l->dirty;

		l->dirty = t->next_dirty;
		t->queued_dirty = false;
		look_at(l, t);
	}
}

static void run_timers(struct http_loop *l)
{
	struct transfer *t;

	while ((t = due_take(&l->due, l->now)) != NULL) {
		if (transfer_late(t, l->now)) {
			over(l, t);
		} else if (t->batch_at >= 0 && l->now >= t->batch_at) {
			t->batch = true;
			look_at(l, t);
		} else {
			outside(l, t, false);
		}
	}
}

static int wait_ms(const struct http_loop *l)
{
	int64_t at = l->curl_at, due = due_first(&l->due), now;

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

static void take_event(struct http_loop *l, const struct epoll_event *ev)
{
	uint64_t who = ev->data.u64, ignored;
	struct transfer *t;

	if (who == (uint64_t)l->wake_fd) {
		(void)!read(l->wake_fd, &ignored, sizeof(ignored));
	} else if (who & WATCHED) {
		t = (struct transfer *)(uintptr_t)(who & ~WATCHED);
		watch_off(l, t);
		t->readable = true;
		transfer_dirty(t);
	} else {
		curl_multi_socket_action(l->multi, (int)who,
					 curl_mask(ev->events), &l->running);
	}
}

/* Transfers end after all events, never between them. */
static void round_run(struct http_loop *l, struct epoll_event *ev)
{
	int n;

	n = epoll_wait(l->epoll_fd, ev, EVENTS, wait_ms(l));
	l->now = clock_mono_ms();
	for (int i = 0; i < n; i++)
		take_event(l, &ev[i]);
	take_queue(l);
	if (l->curl_at >= 0 && l->now >= l->curl_at) {
		l->curl_at = -1;
		curl_multi_socket_action(l->multi, CURL_SOCKET_TIMEOUT, 0,
					 &l->running);
	}
	mark_finished(l);
	look_at_dirty(l);
	look_at_all(l);
	run_timers(l);
	log_borrow(NULL);
}

static bool stopping(struct http_loop *l)
{
	bool stop;

	pthread_mutex_lock(&l->lock);
	stop = l->stop;
	pthread_mutex_unlock(&l->lock);
	return stop;
}

static void *loop_main(void *arg)
{
	struct epoll_event ev[EVENTS];
	struct http_loop *l = arg;

	while (!stopping(l))
		round_run(l, ev);
	return NULL;
}

/* -- for the pool ---------------------------------------------------------- */

struct http_loop *http_loop_new(int max_idle)
{
	struct http_loop *l = xcalloc(1, sizeof(*l));

	pthread_mutex_init(&l->lock, NULL);
	l->max_idle = max_idle;
	l->curl_at = l->wake_fd = l->epoll_fd = -1;
	return l;
}

static int start_thread(struct http_loop *l)
{
	sigset_t all, old;
	int rc;

	/* libfcgi treats an interrupted write as a lost peer. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&l->thread, NULL, loop_main, l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

/* With the lock held. */
static int start(struct http_loop *l)
{
	struct epoll_event ev = { .events = EPOLLIN };

	if (l->started)
		return 0;
	if (l->wake_fd < 0)
		l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->epoll_fd < 0)
		l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (!l->multi)
		l->multi = curl_multi_init();
	ev.data.u64 = (uint64_t)l->wake_fd;
	if (!l->multi || l->wake_fd < 0 || l->epoll_fd < 0 ||
	    (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, l->wake_fd, &ev) < 0 &&
	     errno != EEXIST))
		return -1;
	curl_multi_setopt(l->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(l->multi, CURLMOPT_SOCKETDATA, l);
	curl_multi_setopt(l->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(l->multi, CURLMOPT_TIMERDATA, l);
	if (start_thread(l) != 0)
		return -1;
	l->started = true;
	return 0;
}

void http_loop_free(struct http_loop *l)
{
	if (!l)
		return;
	if (l->started) {
		uint64_t one = 1;

		pthread_mutex_lock(&l->lock);
		l->stop = true;
		pthread_mutex_unlock(&l->lock);
		(void)!write(l->wake_fd, &one, sizeof(one));
		pthread_join(l->thread, NULL);
	}
	if (l->multi)
		curl_multi_cleanup(l->multi);
	if (l->epoll_fd >= 0)
		close(l->epoll_fd);
	if (l->wake_fd >= 0)
		close(l->wake_fd);
	pthread_mutex_destroy(&l->lock);
	free(l->due.heap);
	free(l);
}

static void wake(struct http_loop *l)
{
	uint64_t one = 1;

	if (write(l->wake_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		BUG("cannot write to an eventfd");
}

static void submit(struct http_loop *l, struct transfer *t)
{
	bool first;

	pthread_mutex_lock(&l->lock);
	first = !l->queue;
	t->next_queued = l->queue;
	l->queue = t;
	pthread_mutex_unlock(&l->lock);
	if (first)
		wake(l);
}

/*
 * Gives back the pages below this frame, which a caller's earlier, deeper calls have
 * used: of a thousand streams that last it is a fifth of the memory. The main thread's
 * stack, where plain CGI runs, is of another kind.
 */
static void trim_stack(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), end;
	pthread_attr_t attr;
	size_t size_bytes;
	void *low;

	if (gettid() == getpid() || pthread_getattr_np(pthread_self(), &attr) != 0)
		return;
	if (!pthread_attr_getstack(&attr, &low, &size_bytes)) {
		/* A page is left to what is called from here. */
		end = ((uintptr_t)__builtin_frame_address(0) - page) & ~(page - 1);
		if (end > (uintptr_t)low)
			(void)madvise(low, end - (uintptr_t)low, MADV_DONTNEED);
	}
	pthread_attr_destroy(&attr);
}

static void sleep_until_woken(struct transfer *t)
{
	struct timespec soon;
	int rc;

	/* The clock that sem_timedwait takes; a step of it moves no more than the trim. */
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec += LASTS_S;
	while ((rc = sem_timedwait(&t->wake, &soon)) < 0 && errno == EINTR)
		continue;
	if (!rc)
		return;
	trim_stack();
	while (sem_wait(&t->wake) < 0 && errno == EINTR)
		continue;
}

int http_loop_run(struct http_loop *l, struct transfer *t)
{
	int rc;

	pthread_mutex_lock(&l->lock);
	rc = start(l);
	pthread_mutex_unlock(&l->lock);
	if (rc < 0)
		return err_set(&t->e, ERR_OVERLOADED, "no thread or file for transfers");
	atomic_fetch_add(&l->n_busy, 1);
	submit(l, t);
	/* transfer_begun wakes it, once the request is sent. */
	if (t->r->meanwhile && t->r->sends_first)
		sleep_until_woken(t);
	if (t->r->meanwhile)
		t->r->meanwhile(t->r->ctx);
	sleep_until_woken(t);
	return 0;
}

void http_loop_resume(struct http_loop *l, struct transfer *t)
{
	submit(l, t);
	sleep_until_woken(t);
}

void http_loop_look(struct http_loop *l)
{
	bool started;

	pthread_mutex_lock(&l->lock);
	l->look = true;
	started = l->started;
	pthread_mutex_unlock(&l->lock);
	if (started)
		wake(l);
}

int http_loop_busy(struct http_loop *l)
{
	return atomic_load_explicit(&l->n_busy, memory_order_relaxed);
}
