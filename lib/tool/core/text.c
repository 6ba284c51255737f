/* SPDX-License-Identifier: MIT */
#include "tool/core/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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

/*
 * Whether a letter or digit begins at p. Letters from U+2000 on, of scripts that
 * are written without blanks between words or that add endings to foreign words,
 * do not count.
 */
static bool in_word(const char *p, const char *end)
{
	unsigned char c = p < end ? (unsigned char)*p : 0;

	if (c < 0x80)
		return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			(c >= 'A' && c <= 'Z') || c == '_';
	return c >= 0xc3 && c <= 0xe1;	/* U+00C0 to U+1FFF */
}

/* Whether a word ends before p. */
static bool word_before(const char *start, const char *p, const char *end)
{
	if (p == start)
		return false;
	do
		p--;
	while (p > start && ((unsigned char)*p & 0xc0) == 0x80);
	return in_word(p, end);
}

bool text_has_word(struct str s, struct str word)
{
	const char *end = s.p + s.n;
	bool open = word.n && word.p[word.n - 1] == '*';

	word.n -= open;
	for (const char *p = s.p; word.n && (size_t)(end - p) >= word.n; p++)
		if (!strncasecmp(p, word.p, word.n) &&
		    !word_before(s.p, p, end) &&
		    (open || !in_word(p + word.n, end)))
			return true;
	return false;
}

bool text_has_words(struct str s, const struct conf_list *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (text_has_word(s, str_of(words->v[i])))
			return true;
	return false;
}
