/* SPDX-License-Identifier: MIT */
/*
 * http_do, http_wait, the pool and the switch. loop.c (one thread for many transfers) and
 * transfer.c (libcurl's callbacks) do the work; the loops also own the connections.
 */
#include "net/transfer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/trace.h"
#include "base/util.h"
#include "net/http_abort.h"

#include "base/banned.h"

/* -- the pool ------------------------------------------------------------- */

/*
 * A pool has loops that share the work, and the easy handles without a transfer.
 *
 * One loop serves a few transfers best: it is woken once for all that have bytes, and
 * they share its warm connections. But it is one thread: where many threads want the
 * processors, which the kernel shares out evenly, a loop of a thousand streams gets
 * less than it needs, and all of them are late. So the transfers beyond SPREAD are
 * shared out, too.
 */
enum {
	EASY_KEPT = 16,		/* handles without a transfer */
	SPREAD = 256,		/* transfers that a loop has before the next one gets any */
	LOOPS = 8,		/* at most */
};

struct http_pool {
	pthread_mutex_t lock;		/* protects the following members */
	CURL *easies[EASY_KEPT];
	int n_easies;

	int n_loops;			/* one per processor, and at least two */
	struct http_loop *loops[LOOPS];
};

struct http_pool *http_pool_new(int max_idle)
{
	struct http_pool *p = xcalloc(1, sizeof(*p));

	pthread_mutex_init(&p->lock, NULL);
	p->n_loops = (int)MIN(MAX(sysconf(_SC_NPROCESSORS_ONLN), 2), LOOPS);
	for (int i = 0; i < p->n_loops; i++)
		p->loops[i] = http_loop_new(MAX(max_idle, 1));
	return p;
}

void http_pool_free(struct http_pool *p)
{
	if (!p)
		return;
	for (int i = 0; i < p->n_loops; i++)
		http_loop_free(p->loops[i]);
	for (int i = 0; i < p->n_easies; i++)
		curl_easy_cleanup(p->easies[i]);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* The loop for the next transfer. Any thread. */
static struct http_loop *http_pool_loop(struct http_pool *p)
{
	struct http_loop *best = p->loops[0];

	for (int i = 1; i < p->n_loops; i++)
		if (http_loop_busy(p->loops[i]) / SPREAD < http_loop_busy(best) / SPREAD)
			best = p->loops[i];
	return best;
}

static void http_pool_look(struct http_pool *p)
{
	for (int i = 0; i < p->n_loops; i++)
		http_loop_look(p->loops[i]);
}

/* Get and return an easy handle, which is reset. Any thread. */
static CURL *http_pool_easy_get(struct http_pool *p)
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

static void http_pool_easy_put(struct http_pool *p, CURL *easy)
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

/* -- one request ----------------------------------------------------------- */

/* Returns 0 if the answer was received completely. */
static int run_transfer(struct http_pool *p, struct transfer *t)
{
	struct http_loop *l = http_pool_loop(p);

	if (t->r->abort)
		atomic_store(&t->r->abort->pool, p);
	if (transfer_set_up(t) < 0 || http_loop_run(l, t) < 0)
		return -1;
	for (;;) {
		if (t->stalled)
			t->r->on_stall(t->r->ctx);
		if (t->over)
			break;
		http_loop_resume(l, t);
	}
	if (t->e.code != ERR_NONE)
		return -1;
	if (t->finished && t->code != CURLE_OK && t->linger_until < 0)
		return transfer_fail(t, t->code);
	return 0;
}

/* One try. fresh: open a new connection. */
static int try(struct http_pool *p, struct transfer *t, bool fresh)
{
	int rc;

	sem_init(&t->wake, 0, 0);
	t->easy = http_pool_easy_get(p);
	if (fresh)
		curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 1L);
	rc = run_transfer(p, t);
	http_pool_easy_put(p, t->easy);
	curl_slist_free_all(t->headers);
	sem_destroy(&t->wake);
	return rc;
}

/*
 * Whether the server had closed the warm connection before our request arrived:
 * libcurl retries in most such cases, but not in all.
 */
static bool was_stale(const struct transfer *t)
{
	return t->e.code == ERR_UPSTREAM_EARLY_END && t->res->reused &&
		t->res->first_byte_us < 0;
}

int http_do(struct http_pool *p, const struct http_request *r,
	    struct http_result *res, struct err *e)
{
	int64_t start_us = clock_mono_us();
	TRACE_SPAN(TRACE_HTTP, r->method);

	if (http_load(e) < 0)
		return -1;
	for (int n = 0; ; n++) {
		struct transfer t = {
			.r = r, .res = res, .e = ERR_INIT, .log = log_bound(),
			.linger_until = -1, .batch_at = -1, .connected = -1, .last_byte = -1,
			.watch_fd = -1, .start_us = start_us,
			.start = start_us / 1000, .last_tick = start_us / 1000,
		};

		*res = (struct http_result){ .first_byte_us = -1 };
		if (abort_pulled(r->abort))
			return err_set(e, ERR_CANCELLED, "aborted");
		if (try(p, &t, n > 0 || r->once) == 0)
			return 0;
		/* Once, and with a new connection: other warm ones may be as old. */
		if (n == 0 && !r->once && was_stale(&t))
			continue;
		if (e->code == ERR_NONE)
			*e = t.e;
		return -1;
	}
}

/* -- waiting --------------------------------------------------------------- */

int http_wait(const struct http_request *r, int ms, struct err *e)
{
	struct transfer t = { .r = r, .e = ERR_INIT, .last_byte = -1 };
	int64_t now = clock_mono_ms(), until = now + ms;
	bool watch_reported = false;

	t.start = t.last_tick = now;
	while (now < until) {
		int64_t at = until;
		struct pollfd p[2] = {
			{ .fd = r->abort ? r->abort->fd : -1,
			  .events = POLLIN },
			{ .fd = watch_reported ? -1 : r->watch_fd,
			  .events = POLLIN },
		};
		int rc;

		if (r->tick_ms)
			at = MIN(at, t.last_tick + r->tick_ms);
		if (poll(p, 2, (int)MAX(at - now, 0)) < 0)
			p[0].revents = p[1].revents = 0;
		now = clock_mono_ms();
		rc = transfer_outside(&t, now, p[1].revents != 0);
		watch_reported |= p[1].revents != 0;
		if (rc == HTTP_STALL && r->on_stall)
			r->on_stall(r->ctx);
		if (rc < 0) {
			if (e->code == ERR_NONE)
				*e = t.e;
			return -1;
		}
	}
	return 0;
}

/* -- the switch --------------------------------------------------------------- */

struct http_abort *http_abort_new(struct err *e)
{
	struct http_abort *a = xcalloc(1, sizeof(*a));
	char why[80];

	a->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (a->fd < 0) {
		err_set(e, ERR_OVERLOADED, "eventfd: %s",
			err_errno(errno, why, sizeof(why)));
		free(a);
		return NULL;
	}
	pthread_mutex_init(&a->lock, NULL);
	return a;
}

void http_abort_now(struct http_abort *a)
{
	struct http_pool *p;
	uint64_t one = 1;

	/* In this order, because a transfer sets its pool before it reads the flag. */
	atomic_store(&a->pulled, true);
	p = atomic_load(&a->pool);
	if (p)
		http_pool_look(p);
	pthread_mutex_lock(&a->lock);
	while (a->hooks) {
		struct http_abort_hook *h = a->hooks;

		a->hooks = h->next;
		h->fn(h->ctx);
	}
	pthread_mutex_unlock(&a->lock);
	/* If the counter is full, it is readable, which is all that is needed. */
	if (write(a->fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		BUG("cannot write to an eventfd");
}

void http_abort_on(struct http_abort *a, struct http_abort_hook *h)
{
	pthread_mutex_lock(&a->lock);
	if (atomic_load(&a->pulled)) {
		h->fn(h->ctx);
	} else {
		h->next = a->hooks;
		a->hooks = h;
	}
	pthread_mutex_unlock(&a->lock);
}

void http_abort_off(struct http_abort *a, struct http_abort_hook *h)
{
	pthread_mutex_lock(&a->lock);
	for (struct http_abort_hook **at = &a->hooks; *at; at = &(*at)->next)
		if (*at == h) {
			*at = h->next;
			break;
		}
	pthread_mutex_unlock(&a->lock);
}

bool http_aborted(const struct http_abort *a)
{
	return abort_pulled(a);
}

int http_abort_fd(const struct http_abort *a)
{
	return a->fd;
}

void http_abort_free(struct http_abort *a)
{
	if (!a)
		return;
	close(a->fd);
	pthread_mutex_destroy(&a->lock);
	free(a);
}
