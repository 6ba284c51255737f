/* SPDX-License-Identifier: MIT */
/*
 * FastCGI: libfcgi only as a codec; accept is our own.
 * Only fcgi.c includes its header.
 *
 * A struct fcgi belongs to one worker and serves one connection at a time, one
 * request per connection: a kept connection would bind the worker to a web server
 * that may never use it again.
 */
#ifndef APP_FCGI_H
#define APP_FCGI_H

#include "base/err.h"
#include "conn.h"

struct fcgi;

/*
 * Called by main once, before threads. libfcgi installs handlers for SIGPIPE,
 * SIGUSR1 and SIGTERM: set ours afterwards.
 */
int fcgi_global_init(struct err *e) MUST_CHECK;

struct fcgi *fcgi_new(void);
void fcgi_free(struct fcgi *f);		/* f may be NULL */

/*
 * Takes the accepted socket fd and reads the request's parameters. Returns the
 * connection (borrowed, valid until fcgi_end), or NULL if the peer sent no request;
 * fd is then closed.
 */
struct conn *fcgi_begin(struct fcgi *f, int fd);

/* Discards the rest of the body, ends the answer and closes the connection. */
void fcgi_end(struct fcgi *f);

#endif
