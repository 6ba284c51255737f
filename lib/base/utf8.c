/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <wctype.h>

#include "base/banned.h"

/*
 * Length of the sequence at p (n bytes left): 1-4, 0 = can never be valid,
 * -1 = valid so far but cut off.
 */
static int seq_len(const unsigned char *p, size_t n)
{
	unsigned char c = p[0], lo = 0x80, hi = 0xbf;
	int len;

	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	len = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (c == 0xe0)
		lo = 0xa0;
	else if (c == 0xed)
		hi = 0x9f;
	else if (c == 0xf0)
		lo = 0x90;
	else if (c == 0xf4)
		hi = 0x8f;
	for (int i = 1; i < len; i++) {
		if ((size_t)i >= n)
			return -1;
		if (p[i] < lo || p[i] > hi)
			return 0;
		lo = 0x80;
		hi = 0xbf;
	}
	return len;
}

int utf8_sequence(struct str s)
{
	return seq_len((const unsigned char *)s.p, s.n);
}

bool utf8_valid(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t i = 0;

	while (i < s.n) {
		uint64_t w;
		int len;

		while (s.n - i >= sizeof(w)) {
			memcpy(&w, p + i, sizeof(w));
			if (w & UINT64_C(0x8080808080808080))
				break;
			i += sizeof(w);
		}
		if (i == s.n)
			break;
		len = seq_len(p + i, s.n - i);
		if (len <= 0)
			return false;
		i += (size_t)len;
	}
	return true;
}

size_t utf8_complete(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;

	for (size_t back = 1; back <= 3 && back <= s.n; back++) {
		unsigned char c = p[s.n - back];

		if ((c & 0xc0) == 0x80)
			continue;
		if (c >= 0xc0 && seq_len(p + s.n - back, back) == -1)
			return s.n - back;
		break;
	}
	return s.n;
}

/* How many of the bytes are ASCII other than NUL, in whole words of eight. */
static size_t ascii_run(const char *p, size_t n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
	size_t i = 0;

	for (uint64_t w; n - i >= sizeof(w); i += sizeof(w)) {
		memcpy(&w, p + i, sizeof(w));
		/* Bit 7 of a byte stays 0 unless it was set or the byte was 0. */
		if ((w | (w - ones)) & high)
			break;
	}
	return i;
}

void utf8_scrub(struct buf *out, struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t i = 0, from = 0;

	while (i < s.n) {
		int len;

		i += ascii_run(s.p + i, s.n - i);
		if (i == s.n)
			break;
		len = p[i] ? seq_len(p + i, s.n - i) : 0;
		if (len > 0) {
			i += (size_t)len;
			continue;
		}
		buf_add(out, s.p + from, i - from);
		buf_add(out, "\xef\xbf\xbd", 3);
		from = ++i;
	}
	if (s.n)
		buf_add(out, s.p + from, s.n - from);
}

size_t utf8_chars(struct str s)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t n = 0, i = 0;

	/* Eight at a time: bit 7 and not bit 6 is a continuation. */
	for (uint64_t w; s.n - i >= sizeof(w); i += sizeof(w)) {
		memcpy(&w, s.p + i, sizeof(w));
		w = w >> 7 & ~(w >> 6) & ones;
		n += sizeof(w) - (size_t)(w * ones >> 56);
	}
	for (; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return n;
}

struct str utf8_head(struct str s, size_t max_chars)
{
	size_t n = 0, i;

	for (i = 0; i < s.n; i++)
		if (((unsigned char)s.p[i] & 0xc0) != 0x80 && n++ == max_chars)
			break;
	s.n = i;
	return s;
}

/* -- lower case ------------------------------------------------------------------ */

static locale_t letters;	/* NULL: there is no such locale */
static pthread_once_t letters_once = PTHREAD_ONCE_INIT;

static void find_letters(void)
{
	letters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* The code point of a sequence of len bytes. */
static uint32_t decode(const unsigned char *p, int len)
{
	uint32_t c = len == 1 ? p[0] : p[0] & (0xffU >> (len + 1));

	for (int i = 1; i < len; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

static void encode(struct buf *out, uint32_t c)
{
	int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const unsigned char marks[] = { 0, 0xc0, 0xe0, 0xf0 };

	buf_addc(out, (char)(marks[more] | c >> 6 * more));
	while (more--)
		buf_addc(out, (char)(0x80 | (c >> 6 * more & 0x3f)));
}

void utf8_lower(struct buf *out, struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t i = 0;

	pthread_once(&letters_once, find_letters);
	while (i < s.n) {
		int len = MAX(seq_len(p + i, s.n - i), 1);
		uint32_t c = decode(p + i, len);

		if (len == 1 && c >= 0x80) {	/* not valid: as it is */
			buf_addc(out, s.p[i++]);
			continue;
		}
		if (c < 0x80)
			c = c >= 'A' && c <= 'Z' ? c + 32 : c;
		else if (letters)
			c = towlower_l(c, letters);
		encode(out, c);
		i += (size_t)len;
	}
}
