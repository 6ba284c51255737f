/* SPDX-License-Identifier: MIT */
#include "base/fold.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/unicode.h"

#include "base/banned.h"

/* Bytes that one byte becomes at most: U+FDFA, three bytes, is eighteen letters. */
enum { GROWTH = 12 };

bool utf8_is_nothing(uint32_t c)
{
	return c == 0x00ad || (c >= 0x200b && c <= 0x200d) || c == 0xfeff;
}

const char *utf8_stroke(uint32_t c)
{
	switch (c) {
	case 0x00e6: return "ae";
	case 0x00f0: case 0x0111: return "d";
	case 0x00f8: return "o";
	case 0x00fe: return "th";
	case 0x0131: return "i";
	case 0x0142: return "l";
	case 0x0153: return "oe";
	default: return NULL;
	}
}

bool utf8_is_accent(uint32_t mark, uint32_t base)
{
	if (mark >= 0x0300 && mark <= 0x036f)
		return base < 0x0400 || (base >= 0x1e00 && base <= 0x1fff);
	return (mark >= 0x0591 && mark <= 0x05bd) ||
	       (mark >= 0x064b && mark <= 0x0652) || mark == 0x0670;
}

/* Separators of lines and words; control characters separate words, too. */
static bool is_space(uint32_t c)
{
	return c <= 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0x1680 ||
		(c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
		c == 0x202f || c == 0x205f || c == 0x3000;
}

/* A space before what follows, unless there is one, or nothing before it. */
static void add_space(struct buf *b)
{
	if (b->n && b->p[b->n - 1] != ' ')
		buf_addc(b, ' ');
}

static void fold_ascii(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		const unsigned char c = (unsigned char)s.p[i];

		if (is_space(c) && c < 0x80)
			add_space(b);
		else
			buf_addc(b, (char)(c >= 'A' && c <= 'Z' ? c | 32 : c));
	}
}

/* s is decomposed, and its case is folded. */
static void fold_letters(struct buf *b, const uint8_t *s, size_t n)
{
	uint32_t base = 0;

	for (size_t i = 0; i < n; ) {
		ucs4_t c;
		const int len = unicode_now.u8_mbtouc(&c, s + i, n - i);
		const char *plain = utf8_stroke(c);

		if (is_space(c))
			add_space(b);
		else if (plain)
			buf_adds(b, plain);
		else if (!utf8_is_nothing(c) && !utf8_is_accent(c, base))
			buf_add(b, s + i, (size_t)len);
		if (c < 0x0300 || c > 0x036f)
			base = c;
		i += (size_t)len;
	}
}

static bool is_ascii(struct str s)
{
	size_t i = 0;

	while (i < s.n && (unsigned char)s.p[i] < 0x80)
		i++;
	return i == s.n;
}

struct str utf8_fold(struct arena *a, struct str text)
{
	struct buf b = BUF_INIT(GROWTH * text.n + 1);
	struct err e = ERR_INIT;
	uint8_t *folded = NULL;
	size_t n;
	struct str out;

	if (!is_ascii(text) && unicode_load(&e) == 0)
		folded = unicode_now.u8_casefold((const uint8_t *)text.p, text.n, NULL,
						 unicode_now.uninorm_nfkd, NULL, &n);
	if (folded)
		fold_letters(&b, folded, n);
	else
		fold_ascii(&b, text);
	free(folded);
	out = arena_str(a, str_trim(buf_str(&b)));
	buf_release(&b);
	return out;
}
