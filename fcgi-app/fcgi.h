/*
 * FastCGI: libfcgi as a codec under our own accept (platform-web.md section
 * 1). fcgi.c is the only file that includes its header.
 *
 * One struct fcgi belongs to one worker and serves one connection at a time,
 * one request per connection: a kept connection would pin the worker to a web
 * server that may never use it again.
 */
#ifndef APP_FCGI_H
#define APP_FCGI_H

#include "base/err.h"
#include "conn.h"

struct fcgi;

/*
 * main, once, before threads. libfcgi installs handlers for SIGPIPE, SIGUSR1
 * and SIGTERM here: set ours afterwards.
 */
int fcgi_global_init(struct err *e) MUST_CHECK;

struct fcgi *fcgi_new(void);
void fcgi_free(struct fcgi *f);		/* NULL is fine */

/*
 * Takes the accepted socket fd and reads the request's parameters. Returns
 * the connection (borrowed, valid until fcgi_end), or NULL when the peer sent
 * no request; the fd is closed then.
 */
struct conn *fcgi_begin(struct fcgi *f, int fd);

/* Reads what is left of the body, sends the end, closes the connection. */
void fcgi_end(struct fcgi *f);

#endif
