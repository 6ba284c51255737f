#include "worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "cgi.h"
#include "fcgi.h"
#include "route.h"
#include "turn/live.h"
#include "turn/notify.h"

#include "base/banned.h"

/*
 * How long accept waits before it looks whether it should leave. A socket that
 * others accept on too cannot be shut down, so there the look must be frequent.
 */
#define SHARED_ACCEPT_MS 500
#define BACK_OFF_MS      20	/* after accept failed for want of something */

struct pool {
	struct app *app;
	int fd;
	bool owned;
	int max, idle_ms;
	size_t stack_bytes;
	atomic_int idle;	/* workers that wait in accept, or soon will */
	atomic_bool stopping;

	pthread_mutex_t lock;	/* over what follows */
	pthread_cond_t gone;	/* a worker has left */
	int n;			/* workers */
};

static void *worker_run(void *arg);

/* One worker more, unless there are enough. Returns -1 when it cannot be. */
static int spawn(struct pool *p)
{
	pthread_attr_t attr;
	pthread_t thread;
	int rc = 0;

	pthread_mutex_lock(&p->lock);
	if (p->n >= p->max || atomic_load(&p->stopping)) {
		pthread_mutex_unlock(&p->lock);
		return 0;
	}
	p->n++;
	pthread_mutex_unlock(&p->lock);

	atomic_fetch_add(&p->idle, 1);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, p->stack_bytes);
	rc = pthread_create(&thread, &attr, worker_run, p);
	pthread_attr_destroy(&attr);
	if (!rc)
		return 0;
	atomic_fetch_sub(&p->idle, 1);
	pthread_mutex_lock(&p->lock);
	p->n--;
	pthread_mutex_unlock(&p->lock);
	return -1;
}

/* Everything that happens to one request once its parameters are there. */
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
	rc = req_read(&s->rq, app, s->conf, conn, &s->arena, &e);
	log_bind(s->rq.id, NULL);
	resp_begin(&s->rs, conn, s->rq.id, s->rq.method == METHOD_HEAD);
	if (rc < 0)
		route_refuse(&s->rq, &s->rs, &e);
	else
		route_dispatch(&s->rq, &s->rs);
}

/* What may happen once the client has its answer, then the clean table. */
static void serve_end(struct serving *s)
{
	if (s->rq.after)
		s->rq.after(&s->rq);
	route_release(&s->rq);
	arena_reset(&s->arena);
	conf_put(s->conf);
	log_bind(NULL, NULL);
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
		conn->fits = NULL;	/* it holds up nobody but itself */
		s.rq.adopt(s.rq.adopt_ctx, conn);
		notify_wait(app->notify);
	} else {
		conn->end(conn);
	}
	serve_end(&s);
	serve_release(&s);
}

static void nap(int ms)
{
	struct timespec ts = { .tv_nsec = (long)ms * 1000000 };

	nanosleep(&ts, NULL);
}

/*
 * A connection, or -1 when this worker should leave: the pool stops, or there
 * was nothing to do for idle_ms and others are waiting too. A worker that
 * leaves is not counted as idle any more.
 */
static int next_connection(struct pool *p)
{
	int64_t idle_since = clock_mono_ms();

	while (p->owned || !atomic_load(&p->stopping)) {
		int fd = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC);

		if (fd >= 0)
			return fd;
		if (errno == EINVAL || errno == EBADF)
			break;	/* shut down */
		if (errno != EAGAIN && errno != EINTR &&
		    errno != ECONNABORTED) {
			nap(BACK_OFF_MS);	/* no descriptors, no memory */
			continue;
		}
		if (clock_mono_ms() - idle_since < p->idle_ms)
			continue;
		/* Leave, but never as the last one: the count is the vote. */
		if (atomic_fetch_sub(&p->idle, 1) > 1)
			return -1;
		atomic_fetch_add(&p->idle, 1);
		idle_since = clock_mono_ms();
	}
	atomic_fetch_sub(&p->idle, 1);
	return -1;
}

static void *worker_run(void *arg)
{
	struct pool *p = arg;
	struct serving *s = xmalloc(sizeof(*s));
	struct fcgi *fcgi = fcgi_new();
	int fd;

	serve_init(s);
	while ((fd = next_connection(p)) >= 0) {
		struct conn *conn;

		if (atomic_fetch_sub(&p->idle, 1) == 1 && spawn(p) < 0)
			log_warn("no further worker can be started");
		conn = fcgi_begin(fcgi, fd);
		if (conn) {
			serve(s, p->app, conn);
			if (s->rq.adopt) {
				s->rq.adopt(s->rq.adopt_ctx, conn);
				fcgi = fcgi_new();
			} else {
				fcgi_end(fcgi);
			}
			serve_end(s);
		}
		atomic_fetch_add(&p->idle, 1);
	}
	serve_release(s);
	free(s);
	fcgi_free(fcgi);
	pthread_mutex_lock(&p->lock);
	p->n--;
	pthread_cond_signal(&p->gone);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct pool *pool_start(struct app *app, int fd, bool owned, struct err *e)
{
	const struct conf *conf = conf_live_get(app->conf);
	struct pool *p = xcalloc(1, sizeof(*p));
	pthread_condattr_t attr;
	struct timeval tv;
	int wait_ms;

	*p = (struct pool){
		.app = app, .fd = fd, .owned = owned,
		.max = conf->threads.max,
		.idle_ms = conf->threads.idle_s * 1000,
		.stack_bytes = (size_t)conf->threads.stack_kb * 1024,
	};
	conf_put(conf);
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->gone, &attr);
	pthread_condattr_destroy(&attr);

	/* accept gives up after this and looks around. */
	wait_ms = owned ? MAX(p->idle_ms, 1) : SHARED_ACCEPT_MS;
	tv = (struct timeval){ .tv_sec = wait_ms / 1000,
			       .tv_usec = wait_ms % 1000 * 1000 };
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) < 0 ||
	    spawn(p) < 0) {
		err_set(e, ERR_INTERNAL, "cannot serve the socket");
		pthread_cond_destroy(&p->gone);
		pthread_mutex_destroy(&p->lock);
		free(p);
		return NULL;
	}
	return p;
}

int pool_size(struct pool *p)
{
	int n;

	pthread_mutex_lock(&p->lock);
	n = p->n;
	pthread_mutex_unlock(&p->lock);
	return n;
}

/* Until all workers have left, at most so long. Returns how many are left. */
static int wait_gone(struct pool *p, int ms)
{
	struct timespec end;
	int n, rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += (long)(ms % 1000) * 1000000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_sec++;
		end.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&p->lock);
	while (p->n && rc == 0)
		rc = pthread_cond_timedwait(&p->gone, &p->lock, &end);
	n = p->n;
	pthread_mutex_unlock(&p->lock);
	return n;
}

int pool_stop(struct pool *p, int grace_ms, int abort_ms)
{
	int left;

	atomic_store(&p->stopping, true);
	atomic_store(&p->app->stopping, true);
	notify_stop(p->app->notify);
	if (p->owned)
		shutdown(p->fd, SHUT_RD);	/* wakes every accept */
	left = wait_gone(p, grace_ms);
	if (left) {
		char text[16];

		snprintf(text, sizeof(text), "%d", left);
		log_warn("stopping the turns that still run", "workers", text);
		turn_live_interrupt(p->app->live);
		left = wait_gone(p, abort_ms);
	}
	if (left)
		return left;
	pthread_cond_destroy(&p->gone);
	pthread_mutex_destroy(&p->lock);
	free(p);
	return 0;
}
