/* SPDX-License-Identifier: MIT */
#include "fcgi.h"

#include <errno.h>
#include <fcgiapp.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"

#include "base/banned.h"

#define RECEIVE_TIMEOUT_MS 10000	/* replaces libfcgi's own timeout, which needs its accept */
#define SEND_TIMEOUT_MS   30000	/* a peer that does not read for this long is gone */
#define RECORD_BYTES      8192	/* libfcgi writes in pieces of this size */
#define RECORD_COST_BYTES 2048	/* what the kernel accounts for such a piece */

struct fcgi {
	struct conn conn;	/* first: a conn is cast back to its fcgi */
	FCGX_Request r;
	int receive_ms;		/* current timeout of the socket */
	bool drained;		/* this request's body */
	size_t room;		/* bytes that certainly fit, including that overhead */
	size_t room_at_most;	/* the same for an empty connection */
};

int fcgi_global_init(struct err *e)
{
	if (FCGX_Init() != 0)
		return err_set(e, ERR_INTERNAL, "FCGX_Init failed");
	return 0;
}

static void set_timeout(int fd, int option, int ms)
{
	struct timeval tv = { .tv_sec = ms / 1000,
			      .tv_usec = ms % 1000 * 1000 };

	/* A socket without the timeout still works, with less protection. */
	(void)setsockopt(fd, SOL_SOCKET, option, &tv, sizeof(tv));
}

/*
 * libfcgi waits until it has all the bytes that were requested. So we request the
 * bytes that it has buffered, else one byte, which fills the buffer. It does not
 * tell what else it has read from the socket, so only the socket's own timeout can
 * end a wait.
 */
static ssize_t conn_read(struct conn *c, char *p, size_t n)
{
	struct fcgi *f = (struct fcgi *)c;
	FCGX_Stream *in = f->r.in;
	size_t at_hand = in ? (size_t)(in->stop - in->rdNext) : 0;
	int got;

	if (!in)	/* libfcgi has freed it: all was read */
		return 0;
	if (!at_hand && !in->isClosed) {
		int ms = pace_wait_ms(&c->pace, clock_mono_ms(),
				      RECEIVE_TIMEOUT_MS);

		if (!ms)
			return CONN_SLOW;
		if (ms != f->receive_ms)
			set_timeout(c->fd, SO_RCVTIMEO, ms);
		f->receive_ms = ms;
	}
	n = MIN(n, MAX(at_hand, 1));
	got = FCGX_GetStr(p, (int)MIN(n, (size_t)INT_MAX), in);
	if (got > 0)
		c->pace.bytes += (uint64_t)got;
	else if (FCGX_GetError(in))
		return FCGX_GetError(in) == EAGAIN ? CONN_SLOW : -1;
	return got;
}

static void conn_drain(struct conn *c)
{
	struct fcgi *f = (struct fcgi *)c;
	char skip[4096];
	size_t left = f->drained ? 0 : LIM_BODY_DRAIN_BYTES;

	f->drained = true;
	c->pace = (struct pace){ .whole_ms = PACE_DRAIN_MS };
	while (left) {
		ssize_t n = conn_read(c, skip, MIN(left, sizeof(skip)));

		if (n <= 0)
			break;
		left -= (size_t)n;
	}
	/* A sleeping stream does not need its buffer. */
	if (f->r.in && FCGX_HasSeenEOF(f->r.in) && !FCGX_GetError(f->r.in))
		FCGX_FreeStream(&f->r.in);
}

/*
 * libfcgi reports a lost peer once and success afterwards, so the stream's error
 * code is checked each time.
 */
static int conn_write(struct conn *c, const char *p, size_t n)
{
	FCGX_Stream *out = ((struct fcgi *)c)->r.out;

	while (n) {
		int part = (int)MIN(n, (size_t)INT_MAX);

		if (FCGX_PutStr(p, part, out) < 0 || FCGX_GetError(out))
			return -1;
		p += part;
		n -= (size_t)part;
	}
	return 0;
}

static int conn_flush(struct conn *c)
{
	FCGX_Stream *out = ((struct fcgi *)c)->r.out;

	return FCGX_FFlush(out) < 0 || FCGX_GetError(out) ? -1 : 0;
}

/*
 * libfcgi can only write blocking, and a partial write cannot be undone, so the
 * socket is polled before it writes. A writable Unix socket has three quarters of
 * its buffer free, another one a third; data takes more of a buffer than its bytes.
 * One poll is enough for many small batches.
 */
static bool conn_fits(struct conn *c, size_t n)
{
	struct fcgi *f = (struct fcgi *)c;
	struct pollfd p = { .fd = f->r.ipcFd, .events = POLLOUT };
	size_t cost = 2 * n + (n / RECORD_BYTES + 1) * RECORD_COST_BYTES;

	if (cost > f->room) {
		if (cost > f->room_at_most || poll(&p, 1, 0) != 1)
			return false;
		f->room = f->room_at_most;
	}
	f->room -= cost;
	return true;
}

/* What a writable socket can take at least. */
static size_t room_of(int fd)
{
	int bytes = 0, domain = 0;
	socklen_t n = sizeof(int), m = sizeof(int);

	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, &n) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &m) < 0)
		return 0;
	return (size_t)bytes / (domain == AF_UNIX ? 2 : 4);
}

static void conn_end(struct conn *c)
{
	struct fcgi *f = (struct fcgi *)c;

	fcgi_end(f);
	fcgi_free(f);
}

struct fcgi *fcgi_new(void)
{
	struct fcgi *f = xcalloc(1, sizeof(*f));

	f->conn.read = conn_read;
	f->conn.drain = conn_drain;
	f->conn.write = conn_write;
	f->conn.flush = conn_flush;
	f->conn.fits = conn_fits;
	f->conn.end = conn_end;
	f->conn.fd = -1;
	/*
	 * Without a listening socket: after a bad beginning, Accept_r would accept the
	 * next connection by itself, without our timeouts.
	 */
	FCGX_InitRequest(&f->r, -1, 0);
	return f;
}

void fcgi_free(struct fcgi *f)
{
	if (!f)
		return;
	FCGX_Free(&f->r, 1);
	free(f);
}

struct conn *fcgi_begin(struct fcgi *f, int fd)
{
	set_timeout(fd, SO_RCVTIMEO, RECEIVE_TIMEOUT_MS);
	set_timeout(fd, SO_SNDTIMEO, SEND_TIMEOUT_MS);
	f->receive_ms = RECEIVE_TIMEOUT_MS;
	f->room = 0;
	f->room_at_most = room_of(fd);
	f->drained = false;
	f->r.ipcFd = f->conn.fd = fd;
	f->r.keepConnection = 1;	/* else Accept_r closes the preset fd */
	if (FCGX_Accept_r(&f->r) < 0)
		return NULL;
	f->conn.env = (const char *const *)f->r.envp;
	return &f->conn;
}

/*
 * With unread input, the kernel would drop the answer on close, so the peer must
 * close first. libfcgi would wait for that as long as data arrives.
 */
static void linger(struct fcgi *f)
{
	struct pace pace = { .whole_ms = PACE_DRAIN_MS };
	size_t left = LIM_BODY_DRAIN_BYTES;
	int fd = f->r.ipcFd;
	char skip[4096];
	ssize_t n = 1;

	(void)shutdown(fd, SHUT_WR);
	while (n > 0 && left && pace_wait(&pace, fd, PACE_DRAIN_MS) > 0) {
		n = read(fd, skip, MIN(left, sizeof(skip)));
		left -= (size_t)MAX(n, 0);
	}
}

/*
 * If all input was read, the connection can be closed at once. libfcgi also
 * reports the end of the input after an error, such as a receive timeout.
 */
void fcgi_end(struct fcgi *f)
{
	conn_drain(&f->conn);
	f->r.keepConnection = 0;
	(void)FCGX_FClose(f->r.err);
	(void)FCGX_FClose(f->r.out);
	if (f->r.in)
		linger(f);
	/* Finish_r would otherwise wait for the peer again, up to two seconds. */
	(void)FCGX_Detach(&f->r);
	FCGX_Finish_r(&f->r);
	f->conn.env = NULL;
}
