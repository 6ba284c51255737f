/* SPDX-License-Identifier: MIT */
/*
 * A server that is a child process: one message per line on its stdin and stdout.
 * It has its own process group and environment, and is kept until it has had no
 * request for idle_s. One thread per child reads, writes and ends it; callers put
 * their request into a list, wake the thread and wait on an eventfd, so no caller
 * blocks on a pipe.
 *
 * Its stderr is logged (debug). If it ends by itself, it is started again for the
 * next request.
 */
#include "tool/mcp/mcp_peer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/spawn.h"
#include "net/http.h"
#include "net/sse.h"

#include "base/banned.h"

enum {
	STACK_BYTES = 262144,
	TICK_MS = 500,
	END_MS = 2000,		/* to end by itself, before it is killed */
	QUEUE_BYTES = 16777216,	/* not yet read by the child */
};

struct mcp_waiter {			/* on the caller's stack */
	struct mcp_waiter *next;
	struct mcp_call *call;
	int64_t id, life_ms;
	int fd;			/* eventfd: something came */
	bool answered, over;	/* over: the child is gone */
};

struct mcp_child {
	struct mcp_peer *peer;
	char *name;
	struct child child;
	int wake;
	pthread_t thread;
	int idle_ms;

	pthread_mutex_t lock;	/* over what follows */
	int users;
	bool stop, ended;
	int64_t used_ms;
	struct buf queue;	/* to its stdin */
	struct mcp_waiter *waiters;
};

/* -- starting -------------------------------------------------------------- */

/* What programs need, none of our own variables, and those of the admin. */
static const char **environment(const struct conf_mcp *s, struct arena *a)
{
	const char **v = arena_zalloc(a, s->env.n + 4, sizeof(*v));
	const char *zone = getenv("TZ");
	size_t n = 0;

	v[n++] = "PATH=/usr/local/bin:/usr/bin:/bin";
	v[n++] = "LANG=C.UTF-8";
	if (zone)
		v[n++] = arena_printf(a, "TZ=%s", zone);
	for (size_t i = 0; i < s->env.n; i++)
		v[n++] = s->env.v[i];
	return v;
}

static int spawn(struct mcp_child *k, const struct conf_mcp *s, struct err *e)
{
	struct arena a = ARENA_INIT;
	const char **argv = arena_zalloc(&a, s->command.n + 1, sizeof(*argv));
	struct spawn how = {
		.argv = argv, .env = environment(s, &a), .dir = s->dir,
		.limits = s->limits, .outlives_thread = true,
	};
	int rc;

	for (size_t i = 0; i < s->command.n; i++)
		argv[i] = s->command.v[i];
	rc = child_start(&how, &k->child, e);
	arena_release(&a);
	return rc;
}

static void *child_main(void *p);

static int start_thread(struct mcp_child *k)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&k->thread, &attr, child_main, k);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

static void child_free(struct mcp_child *k)
{
	child_end(&k->child);
	if (k->wake >= 0)
		close(k->wake);
	pthread_mutex_destroy(&k->lock);
	buf_release(&k->queue);
	free(k->name);
	free(k);
}

struct mcp_child *mcp_child_start(struct mcp_peer *p, const struct conf_mcp *s,
				  struct err *e)
{
	struct mcp_child *k = xcalloc(1, sizeof(*k));

	*k = (struct mcp_child){
		.peer = p, .name = xstrdup(s->id),
		.child = { .pid = -1, .pid_fd = -1, .in = -1, .out = -1,
			   .err = -1 },
		.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.idle_ms = s->idle_s * 1000, .users = 2,
		.used_ms = clock_mono_ms(), .queue = BUF_INIT(QUEUE_BYTES),
	};
	pthread_mutex_init(&k->lock, NULL);
	if (k->wake < 0)
		err_set(e, ERR_OVERLOADED, "no descriptor for an MCP server");
	else if (spawn(k, s, e) == 0 && start_thread(k) != 0)
		err_set(e, ERR_OVERLOADED, "no thread for an MCP server");
	if (e->code == ERR_NONE) {
		log_info("MCP server started", "server", s->id);
		return k;
	}
	child_free(k);
	return NULL;
}

/* -- its thread ------------------------------------------------------------ */

static void wake(int fd)
{
	uint64_t one = 1;

	(void)!write(fd, &one, sizeof(one));
}

/* Under the lock. */
static void send_line(struct mcp_child *k, const struct buf *text)
{
	if (!buf_reserve(&k->queue, text->n + 1))
		return;
	buf_addstr(&k->queue, buf_str(text));
	buf_addc(&k->queue, '\n');
	wake(k->wake);
}

static struct mcp_waiter *waiter_of(struct mcp_child *k, int64_t id)
{
	struct mcp_waiter *w = k->waiters;

	while (w && w->id != id)
		w = w->next;
	return w;
}

/* Progress names the request that it is of. */
static int64_t whose(const json_t *message)
{
	const json_t *params = jx_obj(message, "params");

	if (jx_str(message, "method").p)
		return jx_int(params, "progressToken", -1);
	return mcp_answer_id(message);
}

static void take_message(struct mcp_child *k, json_t *message)
{
	struct mcp_waiter *w;
	json_t *reply = NULL;
	bool life = false;

	pthread_mutex_lock(&k->lock);
	w = waiter_of(k, whose(message));
	switch (mcp_hear(k->peer, w && !w->answered ? w->call : NULL,
			 w ? w->id : -1, message, &reply, &life)) {
	case MCP_ANSWER:
		w->answered = true;
		wake(w->fd);
		break;
	case MCP_ASKED: {
		struct buf b = BUF_INIT(65536);

		jx_dump(&b, reply);
		json_decref(reply);
		send_line(k, &b);
		buf_release(&b);
		break;
	}
	case MCP_NOTHING:
		break;
	}
	if (w && life)
		w->life_ms = clock_mono_ms();
	pthread_mutex_unlock(&k->lock);
}

/*
 * One message, or a batch of them (2025-03-26). Lines that are not JSON are debug
 * output and are ignored.
 */
static int on_line(void *ctx, struct str name, struct str line)
{
	struct err ignored = ERR_INIT;
	json_auto_t *j = jx_load_lenient(line, &ignored);
	json_t *m;
	size_t i;

	(void)name;
	if (json_is_object(j))
		take_message(ctx, j);
	json_array_foreach(j, i, m)
		take_message(ctx, m);
	return 0;
}

/* False: its end, or more than a message may have. */
static bool read_some(struct mcp_child *k, struct sse_reader *r)
{
	struct err e = ERR_INIT;
	char chunk[16384];
	ssize_t n = read(k->child.out, chunk, sizeof(chunk));

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	if (ndjson_feed(r, (struct str){ chunk, (size_t)n }, on_line, k,
			&e) == 0)
		return true;
	log_warn("MCP server ended: its message is too large", "server",
		 k->name);
	return false;
}

/* Its stderr, for the log, line by line as far as possible. */
static void read_errors(struct mcp_child *k)
{
	char text[1024];
	ssize_t n = read(k->child.err, text, sizeof(text) - 1);

	if (n <= 0) {
		if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			close(k->child.err);
			k->child.err = -1;
		}
		return;
	}
	text[n] = '\0';
	log_debug("MCP server wrote to stderr", "server", k->name, "text", text);
}

static bool write_some(struct mcp_child *k)
{
	ssize_t n;

	pthread_mutex_lock(&k->lock);
	n = k->queue.n ? write(k->child.in, k->queue.p, k->queue.n) : 0;
	if (n > 0)
		buf_shift(&k->queue, (size_t)n);
	pthread_mutex_unlock(&k->lock);
	return n >= 0 || errno == EAGAIN || errno == EINTR;
}

/* Whether the child still runs; *pending: there is something to write. */
static bool goes_on(struct mcp_child *k, bool *pending)
{
	bool go;

	pthread_mutex_lock(&k->lock);
	if (k->waiters)
		k->used_ms = clock_mono_ms();
	go = !k->stop && clock_mono_ms() - k->used_ms < k->idle_ms;
	if (!go)
		k->ended = true;	/* nobody joins from here on */
	*pending = k->queue.n > 0;
	pthread_mutex_unlock(&k->lock);
	return go;
}

static void talk(struct mcp_child *k)
{
	struct sse_reader reader;
	bool pending, ok = true;
	uint64_t ignored;

	sse_init(&reader);
	while (ok && goes_on(k, &pending)) {
		struct pollfd p[4] = {
			{ .fd = k->child.out, .events = POLLIN },
			{ .fd = k->wake, .events = POLLIN },
			{ .fd = pending ? k->child.in : -1, .events = POLLOUT },
			{ .fd = k->child.err, .events = POLLIN },
		};

		if (poll(p, 4, TICK_MS) < 0)
			continue;
		if (p[1].revents)
			(void)!read(k->wake, &ignored, sizeof(ignored));
		if (p[3].revents)
			read_errors(k);
		if (p[2].revents)
			ok = write_some(k);
		if (p[0].revents)
			ok = read_some(k, &reader) && ok;
	}
	sse_release(&reader);
}

/* The way to ask a server to end is to close its stdin (stdio transport). */
static void let_end(struct mcp_child *k)
{
	struct pollfd p = { .fd = k->child.pid_fd, .events = POLLIN };

	close(k->child.in);
	k->child.in = -1;
	(void)poll(&p, 1, END_MS);
	child_end(&k->child);
}

static void *child_main(void *p)
{
	struct mcp_child *k = p;

	talk(k);
	pthread_mutex_lock(&k->lock);
	k->ended = true;
	for (struct mcp_waiter *w = k->waiters; w; w = w->next) {
		w->over = true;
		wake(w->fd);
	}
	pthread_mutex_unlock(&k->lock);
	let_end(k);
	return NULL;
}

/* -- callers --------------------------------------------------------------- */

void mcp_child_put(struct mcp_child *k)
{
	int users;

	if (!k)
		return;
	pthread_mutex_lock(&k->lock);
	users = --k->users;
	pthread_mutex_unlock(&k->lock);
	if (users == 0)
		child_free(k);
}

void mcp_child_hold(struct mcp_child *k)
{
	pthread_mutex_lock(&k->lock);
	k->users++;
	pthread_mutex_unlock(&k->lock);
}

void mcp_child_stop(struct mcp_child *k)
{
	pthread_mutex_lock(&k->lock);
	k->stop = true;
	pthread_mutex_unlock(&k->lock);
	wake(k->wake);
	pthread_join(k->thread, NULL);
	mcp_child_put(k);
}

bool mcp_child_alive(struct mcp_child *k)
{
	bool alive;

	pthread_mutex_lock(&k->lock);
	alive = !k->ended && !k->stop;
	pthread_mutex_unlock(&k->lock);
	return alive;
}

struct waiting {
	struct mcp_child *child;
	struct mcp_waiter *w;
	bool late;
};

/* -1 ends the wait: an answer, the end of the child, or a timeout. */
static int look_for_stop(void *ctx)
{
	struct waiting *x = ctx;
	bool done;

	pthread_mutex_lock(&x->child->lock);
	done = x->w->answered || x->w->over;
	x->late = clock_mono_ms() - x->w->life_ms > x->w->call->timeout_ms;
	pthread_mutex_unlock(&x->child->lock);
	return done || x->late ? -1 : 0;
}

/* Removes w, and tells the child to cancel its request. */
static void leave(struct mcp_child *k, struct mcp_waiter *w)
{
	struct mcp_waiter **at = &k->waiters;

	pthread_mutex_lock(&k->lock);
	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	k->used_ms = clock_mono_ms();
	if (!w->answered && !k->ended && strcmp(w->call->method, "initialize")) {
		struct buf b = BUF_INIT(4096);

		mcp_write_notice(&b, "notifications/cancelled", w->id);
		send_line(k, &b);
		buf_release(&b);
	}
	pthread_mutex_unlock(&k->lock);
}

/* False: it ends, so nothing was sent. */
static bool join(struct mcp_child *k, struct mcp_waiter *w, const struct buf *text)
{
	bool ok;

	pthread_mutex_lock(&k->lock);
	ok = !k->ended && !k->stop && buf_ok(&k->queue);
	if (ok) {
		w->next = k->waiters;
		k->waiters = w;
		send_line(k, text);
	}
	pthread_mutex_unlock(&k->lock);
	return ok;
}

int mcp_stdio_exchange(struct mcp_peer *p, struct mcp_call *c,
		       const struct mcp_mode *m, struct mcp_outcome *out,
		       struct err *e)
{
	struct mcp_waiter w = {
		.call = c, .id = atomic_fetch_add(&p->next_id, 1),
		.life_ms = clock_mono_ms(), .fd = eventfd(0, EFD_CLOEXEC),
	};
	struct waiting x = { .child = m->child, .w = &w };
	struct http_request wait = {
		.abort = c->abort, .watch_fd = w.fd, .tick_ms = TICK_MS,
		.on_tick = look_for_stop, .ctx = &x,
	};
	struct buf text = BUF_INIT(4 * LIM_TOOL_ARGS_BYTES);
	struct err ended = ERR_INIT;

	mcp_write(&text, c, w.id, m->era);
	if (w.fd < 0 || !buf_ok(&text) || !join(m->child, &w, &text)) {
		err_set(e, buf_ok(&text) ? ERR_UPSTREAM_CONNECT : ERR_TOO_BIG,
			"the request was not sent");
	} else {
		out->sent = true;
		if (look_for_stop(&x) == 0 &&
		    http_wait(&wait, c->timeout_ms * MCP_LONGEST, &ended) == 0)
			x.late = true;
		leave(m->child, &w);
		out->answered = w.answered;
	}
	buf_release(&text);
	close(w.fd);
	if (out->answered || e->code != ERR_NONE)
		return out->answered ? 0 : -1;
	if (http_aborted(c->abort))
		return err_set(e, ERR_CANCELLED, "aborted");
	return err_set(e, x.late ? ERR_UPSTREAM_TIMEOUT
		       : ERR_UPSTREAM_EARLY_END, x.late ? "no answer in time"
		       : "the server's program ended");
}

void mcp_stdio_notify(const struct mcp_mode *m, const char *method,
		      int64_t cancelled)
{
	struct buf b = BUF_INIT(4096);

	mcp_write_notice(&b, method, cancelled);
	pthread_mutex_lock(&m->child->lock);
	send_line(m->child, &b);
	pthread_mutex_unlock(&m->child->lock);
	buf_release(&b);
}
