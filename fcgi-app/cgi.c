/* SPDX-License-Identifier: MIT */
#include "cgi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/util.h"

#include "base/banned.h"

#define OUT_BYTES  65536
#define SILENCE_MS 60000	/* within a body; web servers give up earlier */

extern char **environ;

static struct {
	struct conn conn;
	long long left;		/* of the body; -1: to the end of stdin */
	char out[OUT_BYTES];
	size_t n;
} cgi;

static int send_all(const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(STDOUT_FILENO, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* Never beyond CONTENT_LENGTH: stdin may remain open after the body. */
static ssize_t conn_read(struct conn *c, char *p, size_t n)
{
	ssize_t got;
	int rc;

	if (cgi.left >= 0)
		n = (size_t)MIN((long long)n, cgi.left);
	if (!n)
		return 0;
	rc = pace_wait(&c->pace, STDIN_FILENO, SILENCE_MS);
	if (rc <= 0)
		return rc < 0 ? -1 : CONN_SLOW;
	do
		got = read(STDIN_FILENO, p, n);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		cgi.left = 0;
	else if (cgi.left > 0)
		cgi.left -= got;
	c->pace.bytes += (uint64_t)MAX(got, 0);
	return got;
}

static void conn_drain(struct conn *c)
{
	char skip[4096];
	size_t left = LIM_BODY_DRAIN_BYTES;

	/* A time of its own: the body's may be used up. */
	c->pace = (struct pace){ .whole_ms = PACE_DRAIN_MS };
	while (cgi.left && left) {
		ssize_t n = conn_read(c, skip, MIN(left, sizeof(skip)));

		if (n <= 0)
			break;
		left -= (size_t)n;
	}
	cgi.left = 0;
}

static int conn_flush(struct conn *c)
{
	size_t n = cgi.n;

	(void)c;
	cgi.n = 0;
	return send_all(cgi.out, n);
}

/* A writable pipe accepts PIPE_BUF bytes; other descriptors accept as many. */
static bool conn_fits(struct conn *c, size_t n)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	(void)c;
	return cgi.n + n <= PIPE_BUF && poll(&p, 1, 0) == 1;
}

static int conn_write(struct conn *c, const char *p, size_t n)
{
	if (n > sizeof(cgi.out) - cgi.n) {
		if (conn_flush(c) < 0)
			return -1;
		if (n > sizeof(cgi.out))
			return send_all(p, n);
	}
	memcpy(cgi.out + cgi.n, p, n);
	cgi.n += n;
	return 0;
}

/*
 * Ends the answer after the last flush: the server, which reads to the end of our
 * output, notices, and does not wait for what the process does afterwards.
 */
static void cgi_end(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct stat st;

	/* Apache uses one socket for both, so both must be replaced. */
	if (null < 0) {
		close(STDIN_FILENO);
		close(STDOUT_FILENO);
		return;
	}
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	/* A log file is kept; a pipe may belong to a server that waits for its end. */
	if (fstat(STDERR_FILENO, &st) == 0 && S_ISFIFO(st.st_mode))
		dup2(null, STDERR_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

static void conn_end(struct conn *c)
{
	(void)conn_flush(c);
	cgi_end();
}

struct conn *cgi_conn(void)
{
	const char *length = getenv("CONTENT_LENGTH");

	/* Without a length there is no body, and stdin may never end; but Apache
	   passes on a chunked body without its length. */
	if (length && *length)
		cgi.left = MAX(strtoll(length, NULL, 10), 0);
	else
		cgi.left = getenv("HTTP_TRANSFER_ENCODING") ? -1 : 0;
	cgi.conn = (struct conn){
		.env = (const char *const *)environ,
		.read = conn_read, .drain = conn_drain,
		.write = conn_write, .flush = conn_flush,
		.fits = conn_fits, .end = conn_end, .fd = STDOUT_FILENO,
	};
	return &cgi.conn;
}
