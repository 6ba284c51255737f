/*
 * One request's connection to the web server, whatever carries it: FastCGI
 * (fcgi.c), plain CGI (cgi.c), or a test. Everything above reads and writes
 * through these functions only.
 */
#ifndef APP_CONN_H
#define APP_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "pace.h"

#define CONN_SLOW (-2)

struct conn {
	const char *const *env;	/* "NAME=value", NULL-ended; gone after finish */
	/*
	 * Up to n bytes of the body; 0 at its end, -1 if it broke off, and
	 * CONN_SLOW if it arrives more slowly than pace allows.
	 */
	ssize_t (*read)(struct conn *c, char *p, size_t n);
	/*
	 * Reads and discards the rest of the body, once: at most
	 * LIM_BODY_DRAIN_BYTES and PACE_DRAIN_MS. Call it before the first output
	 * byte: a server may send the whole body before it reads the answer.
	 */
	void (*drain)(struct conn *c);
	/* All n bytes, buffered. -1: the peer is gone. */
	int (*write)(struct conn *c, const char *p, size_t n);
	/* Sends what is buffered. -1: the peer is gone. */
	int (*flush)(struct conn *c);
	/*
	 * Whether n bytes could be written and flushed now without waiting
	 * for the peer. Errs on the side of no. NULL: nothing ever waits.
	 */
	bool (*fits)(struct conn *c, size_t n);
	/*
	 * Completes the answer, closes and frees: for the new owner of the
	 * connection (request.adopt). Any thread.
	 */
	void (*end)(struct conn *c);
	struct pace pace;	/* of the body; the worker sets its limits */
	int fd;			/* hangs up when the peer closes; -1: none */
};

#endif
