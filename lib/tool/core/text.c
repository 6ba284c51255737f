#include "tool/core/text.h"

#include <ctype.h>

#include "base/utf8.h"
#include "base/util.h"

#include "base/banned.h"

/*
 * The name among n that is nearest to the wrong one (edit distance, any case),
 * or NULL when none is similar. Borrowed. At most 64 bytes of each count.
 */
static const char *nearest(struct str wrong, const char *const *names, size_t n)
{
	const char *best = NULL;
	int best_distance = 1 + (int)MAX(MIN(wrong.n, 64) / 2, 2);

	for (size_t i = 0; i < n; i++) {
		int d = str_distance(wrong, str_of(names[i]));

		if (d < best_distance && (size_t)d < strlen(names[i])) {
			best = names[i];
			best_distance = d;
		}
	}
	return best;
}

void text_names(struct buf *out, const char *what, struct str wrong,
		const char *const *names, size_t n)
{
	const char *near = nearest(wrong, names, n);
	size_t start = out->n;

	if (near)
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
