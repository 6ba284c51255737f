/* SPDX-License-Identifier: MIT */
/* A web server for unit tests: a body to read, and what was written. */
#ifndef UNIT_FAKE_CONN_H
#define UNIT_FAKE_CONN_H

#include "base/buf.h"
#include "conn.h"

struct fake_conn {
	struct conn conn;	/* first */
	struct str body;	/* what is left to read */
	size_t piece;		/* bytes per read at most; 0 = all */
	bool breaks;		/* after the body: an error instead of the end */
	int writes_left;	/* until the peer is gone; -1 = for ever there */
	struct buf out;
	size_t drained, flushes;
	bool wrote_before_drain;
	bool full;		/* nothing fits */
};

static ssize_t fake_read(struct conn *c, char *p, size_t n)
{
	struct fake_conn *f = (struct fake_conn *)c;

	n = MIN(n, f->body.n);
	if (f->piece)
		n = MIN(n, f->piece);
	if (!n)
		return f->breaks ? -1 : 0;
	memcpy(p, f->body.p, n);
	f->body.p += n;
	f->body.n -= n;
	return (ssize_t)n;
}

static void fake_drain(struct conn *c)
{
	struct fake_conn *f = (struct fake_conn *)c;

	f->drained += f->body.n;
	f->body.n = 0;
	f->wrote_before_drain = f->out.n > 0;
}

static int fake_write(struct conn *c, const char *p, size_t n)
{
	struct fake_conn *f = (struct fake_conn *)c;

	if (f->writes_left == 0)
		return -1;
	if (f->writes_left > 0)
		f->writes_left--;
	buf_add(&f->out, p, n);
	return 0;
}

static int fake_flush(struct conn *c)
{
	struct fake_conn *f = (struct fake_conn *)c;

	f->flushes++;
	return f->writes_left == 0 ? -1 : 0;
}

static bool fake_fits(struct conn *c, size_t n)
{
	(void)n;
	return !((struct fake_conn *)c)->full;
}

static inline struct fake_conn fake_conn(const char *const *env, struct str body)
{
	return (struct fake_conn){
		.conn = { .env = env, .read = fake_read, .drain = fake_drain,
			  .write = fake_write, .flush = fake_flush,
			  .fits = fake_fits },
		.body = body, .writes_left = -1, .out = BUF_INIT(10000000),
	};
}

#endif
