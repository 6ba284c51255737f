/* SPDX-License-Identifier: MIT */
/*
 * Multipart bodies on arbitrary bytes: the same parts whole and in pieces, and no
 * content with a delimiter in it. The first byte is the size of the pieces; the
 * boundary reaches to the first line end, the body follows.
 */
#include <stdint.h>
#include <stdlib.h>

#include "../unit/fake_conn.h"
#include "base/arena.h"
#include "multipart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool ok)
{
	if (!ok)
		abort();
}

static void put_part(struct multipart *m, const struct multipart_part *p,
		     struct buf *out, struct err *e)
{
	size_t start;

	buf_addstr(out, p->name);
	buf_addc(out, 1);
	buf_addstr(out, p->filename);
	buf_addc(out, 2);
	start = out->n;
	while (m->in_part) {
		struct str s;

		if (multipart_read(m, &s, e) < 0)
			return;
		expect(s.n <= MULTIPART_WINDOW);
		buf_addstr(out, s);
	}
	expect(!memmem(out->p + start, out->n - start, m->delimiter.p,
		       m->delimiter.n));
}

static void read_all(struct str boundary, struct str body, size_t piece,
		     struct buf *out)
{
	static const struct conf conf = { .server = { .base = "" } };
	struct arena a = ARENA_INIT;
	const char *env[] = {
		"REQUEST_METHOD=POST", "REQUEST_URI=/api/v1/x",
		arena_printf(&a, "CONTENT_TYPE=multipart/form-data; %.*s",
			     STR_ARG(boundary)), NULL,
	};
	struct fake_conn f = fake_conn(env, body);
	struct multipart_part part;
	struct err e = ERR_INIT;
	struct request rq;
	struct multipart m;
	int rc;

	f.piece = piece;
	if (req_read(&rq, NULL, &conf, &f.conn, &a, &e) < 0 ||
	    multipart_begin(&m, &rq, &e) < 0)
		goto out;
	while ((rc = multipart_next(&m, &part, &e)) > 0 && !e.code)
		put_part(&m, &part, out, &e);
	expect(rc == 0 || e.code);
out:
	buf_addf(out, "%d", (int)e.code);
	arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole = BUF_INIT(1 << 26), pieces = BUF_INIT(1 << 26);
	struct str body, boundary;

	if (!size)
		return 0;
	body = (struct str){ (const char *)data + 1, size - 1 };
	boundary = str_cut(&body, '\n');
	/* Web servers send no such parameter. */
	if (memchr(boundary.p, 0, boundary.n))
		return 0;
	read_all(boundary, body, 0, &whole);
	read_all(boundary, body, 1 + data[0] % 64, &pieces);
	expect(str_eq(buf_str(&whole), buf_str(&pieces)));
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}
