/* SPDX-License-Identifier: MIT */
#include "api/echo.h"

#include <sodium.h>
#include <string.h>

#include "base/buf.h"
#include "base/util.h"

#include "base/banned.h"

_Static_assert(sizeof(((struct echo *)NULL)->at) == crypto_hash_sha256_BYTES, "");

static bool at_text(struct str s, size_t i, const char *text)
{
	size_t n = strlen(text);

	return s.n - i >= n && !memcmp(s.p + i, text, n);
}

/* The bytes of a blank at i; 0: there is none. */
static size_t blank(struct str s, size_t i)
{
	static const char *const wide[] = { "\xc2\xa0", "\xe2\x80\x8b", "\xef\xbb\xbf" };
	unsigned char c = (unsigned char)s.p[i];

	if (c <= ' ' || c == 0x7f)
		return 1;
	for (size_t k = 0; c >= 0xc2 && k < ARRAY_LEN(wide); k++)
		if (at_text(s, i, wide[k]))
			return strlen(wide[k]);
	return 0;
}

/* The bytes of the reasoning at i that a client wrote into an answer; 0: none. */
static size_t reasoning(struct str s, size_t i)
{
	static const struct {
		const char *begin, *end;
	} kinds[] = {
		{ "<think>", "</think>" },
		{ "<details type=\"reasoning\"", "</details>" },
	};

	for (size_t k = 0; s.p[i] == '<' && k < ARRAY_LEN(kinds); k++) {
		const char *end = at_text(s, i, kinds[k].begin)
			? memmem(s.p + i, s.n - i, kinds[k].end,
				 strlen(kinds[k].end)) : NULL;

		if (end)
			return (size_t)(end - (s.p + i)) + strlen(kinds[k].end);
	}
	return 0;
}

/*
 * What counts of a text, whose length caps it. A beginning without its end is looked
 * for once, so that the time stays linear.
 */
static void reduce(struct str s, struct buf *out)
{
	bool open = false;

	for (size_t i = 0; i < s.n;) {
		size_t skip = blank(s, i);

		if (!skip && !open && s.p[i] == '<') {
			skip = reasoning(s, i);
			open = !skip && (at_text(s, i, "<think>") ||
					 at_text(s, i, "<details type=\"reas"));
		}
		if (skip)
			i += skip;
		else
			buf_addc(out, s.p[i++]);
	}
}

void echo_add(struct echo *c, enum echo_part part, struct str text)
{
	crypto_hash_sha256_state st;
	struct buf b = BUF_INIT(text.n + 1);
	unsigned char kind = (unsigned char)part;

	if (part != ECHO_RESULT)
		reduce(text, &b);
	if (b.n || part != ECHO_ANSWER) {
		crypto_hash_sha256_init(&st);
		crypto_hash_sha256_update(&st, c->at, sizeof(c->at));
		crypto_hash_sha256_update(&st, &kind, 1);
		crypto_hash_sha256_update(&st, (const unsigned char *)b.p, b.n);
		crypto_hash_sha256_final(&st, c->at);
	}
	buf_release(&b);
}

struct uuid echo_key(const struct echo *c)
{
	struct uuid key;

	memcpy(key.b, c->at, sizeof(key.b));
	return key;
}

bool echo_begins(struct str one, struct str other)
{
	struct buf a = BUF_INIT(one.n + 1), b = BUF_INIT(other.n + 1);
	size_t n;
	bool same;

	reduce(one, &a);
	reduce(other, &b);
	n = MIN(a.n, b.n);
	same = n && !memcmp(a.p, b.p, n);
	buf_release(&a);
	buf_release(&b);
	return same;
}
