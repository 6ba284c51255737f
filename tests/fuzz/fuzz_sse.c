/* SPDX-License-Identifier: MIT */
/*
 * The stream readers on arbitrary bytes: the same events whole and in pieces.
 * The first byte chooses the framing, the second the size of the pieces.
 */
#include <stdint.h>
#include <stdlib.h>

#include "net/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int note(void *ctx, struct str name, struct str data)
{
	if (!data.n)
		abort();
	buf_addstr(ctx, name);
	buf_addc(ctx, 0);
	buf_addstr(ctx, data);
	buf_addc(ctx, 1);
	return 0;
}

static void read_all(struct buf *out, struct str s, size_t piece, bool lines)
{
	struct err e = ERR_INIT;
	struct sse_reader r;
	int rc = 0;

	sse_init(&r);
	while (s.n && rc == 0) {
		size_t n = piece ? MIN(piece, s.n) : s.n;
		struct str part = { s.p, n };

		rc = lines ? ndjson_feed(&r, part, note, out, &e)
			: sse_feed(&r, part, note, out, &e);
		s.p += n;
		s.n -= n;
	}
	if (rc == 0)
		rc = lines ? ndjson_finish(&r, note, out, &e)
			: sse_finish(&r, note, out, &e);
	if (rc < 0 && e.code != ERR_TOO_BIG)
		abort();
	sse_release(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole = BUF_INIT(1 << 26), pieces = BUF_INIT(1 << 26);
	struct str s;

	if (size < 2)
		return 0;
	s = (struct str){ (const char *)data + 2, size - 2 };
	read_all(&whole, s, 0, data[0] & 1);
	read_all(&pieces, s, 1 + data[1] % 64, data[0] & 1);
	if (!str_eq(buf_str(&whole), buf_str(&pieces)))
		abort();
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}
