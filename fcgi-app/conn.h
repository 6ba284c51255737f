/* SPDX-License-Identifier: MIT */
/*
 * A request's connection to the web server: FastCGI (fcgi.c), plain CGI (cgi.c), or
 * a test. All other code reads and writes through these functions.
 */
#ifndef APP_CONN_H
#define APP_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "pace.h"

#define CONN_SLOW (-2)

struct conn {
	const char *const *env;	/* "NAME=value", terminated by NULL; invalid after finish */
	/*
	 * Up to n bytes of the body; 0 at its end, -1 if it was cut off, and
	 * CONN_SLOW if it arrives more slowly than pace allows.
	 */
	ssize_t (*read)(struct conn *c, char *p, size_t n);
	/*
	 * Reads and discards the rest of the body, once: at most
	 * LIM_BODY_DRAIN_BYTES and PACE_DRAIN_MS. Call it before the first output
	 * byte: a server may send the whole body before it reads the answer.
	 */
	void (*drain)(struct conn *c);
	/* Writes all n bytes, buffered. -1: the peer is gone. */
	int (*write)(struct conn *c, const char *p, size_t n);
	/* Sends what is buffered. -1: the peer is gone. */
	int (*flush)(struct conn *c);
	/*
	 * Whether n bytes could be written and flushed now without waiting for the
	 * peer. May be false although they could. NULL: writing never waits.
	 */
	bool (*fits)(struct conn *c, size_t n);
	/*
	 * Completes the answer, closes the connection and frees it: for its new
	 * owner (request.adopt). Any thread.
	 */
	void (*end)(struct conn *c);
	struct pace pace;	/* of the body; the worker sets its limits */
	int fd;			/* hangs up when the peer closes; -1: none */
};

#endif
