#include "tool/text.h"

#include <ctype.h>

#include "base/utf8.h"
#include "base/util.h"

#include "base/banned.h"

enum { NAME_MAX_BYTES = 64 };

static size_t distance(struct str a, struct str b)
{
	size_t row[NAME_MAX_BYTES + 1];

	a.n = MIN(a.n, NAME_MAX_BYTES);
	b.n = MIN(b.n, NAME_MAX_BYTES);
	for (size_t j = 0; j <= b.n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t above = row[j];
			int differ = tolower((unsigned char)a.p[i - 1]) !=
				     tolower((unsigned char)b.p[j - 1]);

			row[j] = MIN(MIN(above, row[j - 1]) + 1,
				     diagonal + (size_t)differ);
			diagonal = above;
		}
	}
	return row[b.n];
}

/*
 * The name among n that is nearest to the wrong one (edit distance, any case),
 * or NULL when none is similar. Borrowed. At most 64 bytes of each count.
 */
static const char *nearest(struct str wrong, const char *const *names, size_t n)
{
	const char *best = NULL;
	size_t best_distance = 1 + MAX(wrong.n / 2, 2);

	for (size_t i = 0; i < n; i++) {
		size_t d = distance(wrong, str_of(names[i]));

		if (d < best_distance && d < strlen(names[i])) {
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
