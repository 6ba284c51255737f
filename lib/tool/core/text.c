/* SPDX-License-Identifier: MIT */
#include "tool/core/text.h"

#include <ctype.h>

#include "base/utf8.h"
#include "base/util.h"

#include "base/banned.h"

void text_names(struct buf *out, const char *what, struct str wrong,
		const char *const *names, size_t n)
{
	const char *near = str_nearest(wrong, names, n, sizeof(*names),
				       (int)MAX(MIN(wrong.n, 64) / 2, 2));
	size_t start = out->n;

	/* A name that is empty after cleaning is left out. */
	if (near && (size_t)str_distance(wrong, str_of(near)) < strlen(near))
		buf_addf(out, "Did you mean \"%s\"? ", near);
	if (n == 0)
		return;
	buf_addf(out, "%s: ", what);
	for (size_t i = 0; i < n; i++) {
		if (out->n - start > 150) {
			buf_adds(out, ", …");
			break;
		}
		buf_addf(out, "%s%s", i ? ", " : "", names[i]);
	}
	buf_addc(out, '.');
}

struct str text_quote(struct str s, size_t max_bytes)
{
	if (s.n > max_bytes) {
		s.n = max_bytes;
		s.n = utf8_complete(s);
	}
	return s;
}
