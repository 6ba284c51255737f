/* SPDX-License-Identifier: MIT */
/*
 * The ligature of lam and alef in PDFs whose letters do not tell by their widths that it is
 * one (pdf_page.cc). It is one glyph that stands for two letters, and
 * poppler turns around the letters of a line from right to left, these two as well: of
 * "لا" it makes "ال", the article. Where Arabic never has what results, as in "اإل" and "اال"
 * (the article before an alef) and in words that are none, they are put back.
 */
#include "extract/file.h"

#include <string.h>

#include "base/util.h"

#include "base/banned.h"

#define ALEF "\u0627"
#define LAM "\u0644"

enum { LETTER = 2, WORD = 8 };	/* bytes */

/* A letter of Arabic, Persian or Urdu, or a mark on one: U+0600 to U+06FF. */
static bool is_letter(struct str s, size_t i)
{
	unsigned char c = i < s.n ? (unsigned char)s.p[i] : 0;

	return c >= 0xd8 && c <= 0xdb && i + 1 < s.n;
}

static bool is(struct str s, size_t i, const char *letter)
{
	return i + LETTER <= s.n && !memcmp(s.p + i, letter, LETTER);
}

static bool is_alef(struct str s, size_t i)
{
	return is(s, i, ALEF) || is(s, i, "\u0622") || is(s, i, "\u0623") ||
		is(s, i, "\u0625");
}

static void swap(char *p)
{
	char first[LETTER];

	memcpy(first, p, LETTER);
	memmove(p, p + LETTER, LETTER);
	memcpy(p + LETTER, first, LETTER);
}

/* Whether it is a short word with the letters turned around: "no", "except", and others. */
static bool is_turned(struct str word)
{
	static const char *const words[] = {
		"\u0627\u0644", "\u0648\u0627\u0644", "\u0641\u0627\u0644",
		"\u0625\u0627\u0644", "\u0623\u0627\u0644",
		"\u0648\u0625\u0627\u0644",
	};
	size_t i = 0;

	while (i < ARRAY_LEN(words) && !str_is(word, words[i]))
		i++;
	return i < ARRAY_LEN(words);
}

void extract_lam_alef(struct buf *b)
{
	struct str s = buf_str(b);

	for (size_t i = 0, n; i < s.n; i += MAX(n, 1)) {
		struct str word = { s.p + i, 0 };

		while (is_letter(s, i + word.n))
			word.n += LETTER;
		n = word.n;
		for (size_t at = 0; at + 2 * LETTER < n; at += LETTER)
			if (is(word, at, ALEF) && is_alef(word, at + LETTER) &&
			    is(word, at + 2 * LETTER, LAM))
				swap(b->p + i + at + LETTER);
		if (n <= WORD && is_turned(word))
			swap(b->p + i + n - 2 * LETTER);
	}
}
