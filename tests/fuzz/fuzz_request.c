/* SPDX-License-Identifier: MIT */
/*
 * The request target on arbitrary bytes: base, path, query, percent-decoding.
 * A result or an error of the expected kind.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const bases[] = {
		"", "/chat", "/intranet/ai chat", "/intranet/ai%20chat/", NULL,
	};
	struct str uri = { (const char *)data, size };

	for (size_t i = 0; i < ARRAY_LEN(bases); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct uri_parts t;
		struct str q;

		if (path_split(uri, bases[i], &t, &e)) {
			expect(e.code == ERR_NOT_FOUND || e.code == ERR_TOO_BIG);
			continue;
		}
		expect(!memmem(t.path.p, t.path.n, "//", 2));
		expect(!memmem(t.path.p, t.path.n, "/../", 4));
		if (path_decode(&a, t.query, true, &q, &e) == 0)
			expect(utf8_valid(q) && !memchr(q.p, 0, q.n));
		else
			expect(e.code == ERR_BAD_REQUEST ||
			       e.code == ERR_INVALID_UTF8);
		arena_release(&a);
	}
	return 0;
}
