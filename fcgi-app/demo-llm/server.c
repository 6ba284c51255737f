/* SPDX-License-Identifier: MIT */
/*
 * server.c - connections of the demo model.
 *
 * A connection is read until a request is complete, then only watched for the
 * peer leaving while its reply is pumped, then read again. Output is bounded
 * by REPLY_FILL_BYTES: a reply is asked for more only when the queue has room,
 * so a slow reader costs one buffer and no time. Fairness: a connection that
 * could write for ever gives way after FILLS_PER_TURN fills. A peer that closes
 * its side while a reply is under way is taken for gone, as providers do.
 */
#include "demo-llm/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/banned.h"

#define WHEEL_SLOTS 1024

/* Embedded in what waits. All zero means not armed. */
struct timer {
	struct timer *prev, *next;	/* NULL when not armed */
	int64_t due_ms;
};

struct wheel {
	struct timer slot[WHEEL_SLOTS];	/* list heads */
	struct timer fired;		/* due, waiting for wheel_pop */
	int64_t now_ms;			/* last time given to wheel_advance */
	size_t armed;			/* timers in slots */
};

/* -- timers ---------------------------------------------------------------- */

/*
 * The timer wheel. A slot holds the timers of every round, those of
 * a later round are left in place when the hand passes.
 */

static void list_init(struct timer *head)
{
	head->prev = head->next = head;
}

static void list_add(struct timer *head, struct timer *t)
{
	t->prev = head->prev;
	t->next = head;
	head->prev->next = t;
	head->prev = t;
}

static void list_del(struct timer *t)
{
	t->prev->next = t->next;
	t->next->prev = t->prev;
	t->prev = t->next = NULL;
}

/* Sets up an empty wheel at the time now_ms. */
static void wheel_init(struct wheel *w, int64_t now_ms)
{
	size_t i;

	for (i = 0; i < WHEEL_SLOTS; i++)
		list_init(&w->slot[i]);
	list_init(&w->fired);
	w->now_ms = now_ms;
	w->armed = 0;
}

/* Disarms t; nothing happens when it is not armed. */
static void wheel_cancel(struct wheel *w, struct timer *t)
{
	if (!t->next)
		return;
	/* A fired timer was taken out of the count when it fired. */
	if (t->due_ms > w->now_ms)
		w->armed--;
	list_del(t);
}

/* Arms t (again) for due_ms; a time not in the future fires next. */
static void wheel_arm(struct wheel *w, struct timer *t, int64_t due_ms)
{
	wheel_cancel(w, t);
	if (due_ms <= w->now_ms)
		due_ms = w->now_ms + 1;
	t->due_ms = due_ms;
	list_add(&w->slot[due_ms % WHEEL_SLOTS], t);
	w->armed++;
}

/* Milliseconds from now_ms to the next timer, at most WHEEL_SLOTS; -1: none. */
static int wheel_wait_ms(const struct wheel *w, int64_t now_ms)
{
	int64_t ms, behind = now_ms - w->now_ms;

	if (w->fired.next != &w->fired)
		return 0;
	if (!w->armed)
		return -1;
	for (ms = 1; ms < WHEEL_SLOTS; ms++) {
		const struct timer *head =
			&w->slot[(w->now_ms + ms) % WHEEL_SLOTS];

		if (head->next != head)
			break;
	}
	return ms > behind ? (int)(ms - behind) : 0;
}

/* Moves the wheel to now_ms: timers that are due wait for wheel_pop then. */
static void wheel_advance(struct wheel *w, int64_t now_ms)
{
	int64_t from = w->now_ms + 1;

	if (now_ms <= w->now_ms)
		return;
	if (now_ms - from >= WHEEL_SLOTS)
		from = now_ms - WHEEL_SLOTS + 1;
	w->now_ms = now_ms;
	for (; from <= now_ms; from++) {
		struct timer *head = &w->slot[from % WHEEL_SLOTS];
		struct timer *t = head->next;

		while (t != head) {
			struct timer *next = t->next;

			if (t->due_ms <= now_ms) {
				list_del(t);
				list_add(&w->fired, t);
				w->armed--;
			}
			t = next;
		}
	}
}

/* Returns one due timer, disarmed, or NULL. */
static struct timer *wheel_pop(struct wheel *w)
{
	struct timer *t = w->fired.next;

	if (t == &w->fired)
		return NULL;
	list_del(t);
	return t;
}

/* -- the server --------------------------------------------------------------- */

#define EVENTS 256
#define READ_BYTES 4096
#define FILLS_PER_TURN 4
#define IDLE_MS (10 * 60 * 1000)	/* without a request */
#define LINGER_MS 2000		/* after a refusal, for the peer to read it */
#define QUEUE_KEEP_BYTES 4096		/* an idle queue's storage, at most */

struct conn {
	struct timer timer;	/* first: a timer is its connection */
	struct conn *prev, *next;
	int fd;			/* -1: closed, freed at the end of the turn */
	uint32_t events;	/* registered with epoll */
	struct out in, out;
	struct http_req req;
	struct reply *reply;	/* under way, or NULL */
	enum pump state;	/* what the reply said last */
	bool close;		/* after the reply */
	bool refused;		/* the request could not be read to its end */
	bool linger;		/* answered; what still comes is thrown away */
	bool continued;		/* 100 Continue was sent */
};

struct server {
	int ep, listener;
	bool accepting;
	struct app *app;
	struct wheel wheel;
	int64_t now_ns;
	struct conn *conns;	/* open */
	struct conn *dead;	/* closed in this turn */
};

static int64_t mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void watch(struct server *s, struct conn *c, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.ptr = c};

	if (c->events == events)
		return;
	c->events = events;
	epoll_ctl(s->ep, EPOLL_CTL_MOD, c->fd, &ev);
}

static void accept_on(struct server *s, bool on)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = NULL};

	if (s->accepting != on)
		epoll_ctl(s->ep, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL,
			  s->listener, &ev);
	s->accepting = on;
}

static void drop_reply(struct server *s, struct conn *c)
{
	reply_free(c->reply);
	c->reply = NULL;
	s->app->open--;
}

static void conn_close(struct server *s, struct conn *c)
{
	if (c->fd < 0)
		return;
	if (c->reply) {
		if (c->state != PUMP_CUT && c->state != PUMP_DONE)
			s->app->aborted++;
		drop_reply(s, c);
	}
	wheel_cancel(&s->wheel, &c->timer);
	close(c->fd);
	c->fd = -1;
	if (c->prev)
		c->prev->next = c->next;
	else
		s->conns = c->next;
	if (c->next)
		c->next->prev = c->prev;
	c->next = s->dead;
	s->dead = c;
	accept_on(s, true);
}

static void free_dead(struct server *s)
{
	while (s->dead) {
		struct conn *c = s->dead;

		s->dead = c->next;
		out_release(&c->in);
		out_release(&c->out);
		demo_http_reset(&c->req);
		free(c);
	}
}

/* Sends what is queued. False when the connection is gone. */
static bool flush(struct conn *c)
{
	size_t limit = c->reply && c->reply->plan.chunk_bytes
		? (size_t)c->reply->plan.chunk_bytes : SIZE_MAX;

	while (out_size(&c->out)) {
		ssize_t n = send(c->fd, out_front(&c->out),
				 MIN(out_size(&c->out), limit), MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK;
		out_consume(&c->out, (size_t)n);
	}
	return true;
}

static void begin_reply(struct server *s, struct conn *c, struct reply *r)
{
	c->reply = r;
	c->state = PUMP_MORE;
	s->app->open++;
	wheel_cancel(&s->wheel, &c->timer);
}

/* Takes the next request out of the input; false when there is none. */
static bool next_request(struct server *s, struct conn *c)
{
	struct refusal w = {0};
	int rc = demo_http_parse(&c->req, &c->in, &w);
	struct str body;

	if (rc < 0) {
		c->close = c->refused = true;
		begin_reply(s, c, demo_app_refuse(&w));
		return true;
	}
	if (!rc) {
		if (c->req.expect && !c->continued && !c->req.body_len) {
			out_puts(&c->out, "HTTP/1.1 100 Continue\r\n\r\n");
			c->continued = true;
		}
		return false;
	}
	body.p = out_front(&c->in) + c->req.head_len;
	body.n = c->req.body_len;
	c->close = !c->req.keep_alive;
	begin_reply(s, c, demo_app_answer(s->app, &c->req, body, c->close,
					  s->now_ns));
	out_consume(&c->in, c->req.pos);
	if (!out_size(&c->in))
		out_release(&c->in);
	demo_http_reset(&c->req);
	c->continued = false;
	return true;
}

/* Queues may have grown in a burst; thousands of idle ones must not keep it. */
static void shrink(struct out *o)
{
	if (!out_size(o) && o->cap > QUEUE_KEEP_BYTES)
		out_release(o);
}

static void go_idle(struct server *s, struct conn *c)
{
	shrink(&c->in);
	shrink(&c->out);
	watch(s, c, EPOLLIN | (out_size(&c->out) ? EPOLLOUT : 0));
	wheel_arm(&s->wheel, &c->timer, s->now_ns / 1000000 + IDLE_MS);
}

/* The reply was sent completely. False when the connection was closed. */
static bool end_reply(struct server *s, struct conn *c)
{
	drop_reply(s, c);
	if (!c->close)
		return true;
	if (!c->refused) {
		conn_close(s, c);
		return false;
	}
	/* Closing with bytes unread resets the connection, and the peer may
	 * lose the answer: so take what it still sends, for a while. */
	shutdown(c->fd, SHUT_WR);
	c->linger = true;
	out_release(&c->in);
	watch(s, c, EPOLLIN);
	wheel_arm(&s->wheel, &c->timer, s->now_ns / 1000000 + LINGER_MS);
	return false;
}

/* Pumps, sends and continues with the next request, as far as possible now. */
static void conn_run(struct server *s, struct conn *c)
{
	int64_t due_ns = 0;
	int turn;

	for (turn = 0; turn < FILLS_PER_TURN; turn++) {
		if (!c->reply && !next_request(s, c)) {
			if (flush(c))
				go_idle(s, c);
			else
				conn_close(s, c);
			return;
		}
		if (c->state == PUMP_MORE &&
		    out_size(&c->out) < REPLY_FILL_BYTES)
			c->state = reply_pump(c->reply, &c->out, s->now_ns,
					      &due_ns);
		if (c->state == PUMP_WAIT && !c->timer.next)
			wheel_arm(&s->wheel, &c->timer,
				  (due_ns + 999999) / 1000000);
		if (!flush(c)) {
			conn_close(s, c);
			return;
		}
		if (out_size(&c->out))
			break;
		if (c->state == PUMP_WAIT || c->state == PUMP_STALL) {
			watch(s, c, EPOLLRDHUP);
			return;
		}
		if (c->state == PUMP_CUT) {
			conn_close(s, c);
			return;
		}
		if (c->state == PUMP_DONE && !end_reply(s, c))
			return;
	}
	watch(s, c, EPOLLOUT | EPOLLRDHUP);
}

static void conn_read(struct server *s, struct conn *c)
{
	for (;;) {
		char *p = out_room(&c->in, READ_BYTES);
		size_t room = c->in.cap - c->in.len;
		ssize_t n = recv(c->fd, p, room, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (n <= 0) {
			conn_close(s, c);
			return;
		}
		c->in.len += (size_t)n;
		if (c->linger)
			out_consume(&c->in, (size_t)n);
		if ((size_t)n < room)
			break;
	}
	if (!c->linger)
		conn_run(s, c);
}

static void accept_all(struct server *s)
{
	for (;;) {
		int one = 1, fd = accept4(s->listener, NULL, NULL,
					  SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct epoll_event ev = {.events = EPOLLIN};
		struct conn *c;

		if (fd < 0) {
			/* Out of descriptors: until a connection closes. */
			if (errno == EMFILE || errno == ENFILE)
				accept_on(s, s->conns == NULL);
			return;
		}
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		c = xcalloc(1, sizeof(*c));
		c->fd = fd;
		c->events = ev.events;
		ev.data.ptr = c;
		if (epoll_ctl(s->ep, EPOLL_CTL_ADD, fd, &ev)) {
			close(fd);
			free(c);
			continue;
		}
		c->next = s->conns;
		if (s->conns)
			s->conns->prev = c;
		s->conns = c;
		wheel_arm(&s->wheel, &c->timer,
			  s->now_ns / 1000000 + IDLE_MS);
	}
}

static void conn_event(struct server *s, struct conn *c, uint32_t events)
{
	if (c->fd < 0)
		return;
	if (events & (EPOLLERR | EPOLLHUP) ||
	    (c->reply && events & EPOLLRDHUP))
		conn_close(s, c);
	else if (!c->reply && events & EPOLLIN)
		conn_read(s, c);
	else
		conn_run(s, c);
}

static void fire_timers(struct server *s)
{
	struct timer *t;

	wheel_advance(&s->wheel, s->now_ns / 1000000);
	while ((t = wheel_pop(&s->wheel)) != NULL) {
		struct conn *c = (struct conn *)(void *)t;

		if (!c->reply) {
			conn_close(s, c);
			continue;
		}
		if (c->state == PUMP_WAIT)
			c->state = PUMP_MORE;
		conn_run(s, c);
	}
}

int demo_server_run(int listener, struct app *app, const sigset_t *mask,
		    const volatile sig_atomic_t *stop, struct err *e)
{
	struct server *s = xcalloc(1, sizeof(*s));
	struct epoll_event ev[EVENTS];
	int i, n, rc = 0;

	s->listener = listener;
	s->app = app;
	s->now_ns = mono_ns();
	wheel_init(&s->wheel, s->now_ns / 1000000);
	s->ep = epoll_create1(EPOLL_CLOEXEC);
	if (s->ep < 0) {
		free(s);
		return err_set(e, ERR_INTERNAL, "epoll_create1 failed");
	}
	accept_on(s, true);
	while (!*stop) {
		n = epoll_pwait(s->ep, ev, EVENTS,
				wheel_wait_ms(&s->wheel, mono_ns() / 1000000),
				mask);
		if (n < 0 && errno != EINTR) {
			rc = err_set(e, ERR_INTERNAL, "epoll_pwait failed");
			break;
		}
		s->now_ns = mono_ns();
		for (i = 0; i < n; i++) {
			if (ev[i].data.ptr)
				conn_event(s, ev[i].data.ptr, ev[i].events);
			else
				accept_all(s);
		}
		fire_timers(s);
		free_dead(s);
	}
	while (s->conns)
		conn_close(s, s->conns);
	free_dead(s);
	close(s->ep);
	free(s);
	return rc;
}

int demo_server_listen(const char *host, int *port, struct err *e)
{
	struct sockaddr_storage sa = {0};
	struct sockaddr_in *in4 = (struct sockaddr_in *)(void *)&sa;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)(void *)&sa;
	socklen_t len = sizeof(*in4);
	char why[128];
	int fd, one = 1;

	if (inet_pton(AF_INET, host, &in4->sin_addr) == 1) {
		in4->sin_family = AF_INET;
		in4->sin_port = htons((uint16_t)*port);
	} else if (inet_pton(AF_INET6, host, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons((uint16_t)*port);
		len = sizeof(*in6);
	} else {
		return err_set(e, ERR_CONFIG, "'%s' is not an IP address",
			       host);
	}
	fd = socket(sa.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
		    0);
	if (fd < 0)
		return err_set(e, ERR_INTERNAL, "socket: %s",
			       err_errno(errno, why, sizeof(why)));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&sa, len) || listen(fd, 4096) ||
	    getsockname(fd, (struct sockaddr *)&sa, &len)) {
		err_set(e, ERR_CONFIG, "%s port %d: %s", host, *port,
			err_errno(errno, why, sizeof(why)));
		close(fd);
		return -1;
	}
	*port = ntohs(sa.ss_family == AF_INET ? in4->sin_port
					      : in6->sin6_port);
	return fd;
}
