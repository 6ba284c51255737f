/* SPDX-License-Identifier: MIT */
#include "extract/charmap.h"

#include "base/util.h"

#include "base/banned.h"

enum {
	MOSTLY = 2,	/* of the characters that differ, one in so many is misplaced */
	HARDLY = 8,
	WORDS = 5,	/* Cyrillic letters, the same */
};

enum kind { OTHER, SMALL, CAPITAL, FOREIGN, JOINER, SIGN };

/* Latin Extended-A: pairs of a capital and a small letter, at even or at odd codes. */
static enum kind pair(uint32_t c)
{
	const bool capital_is_odd = (c >= 0x139 && c <= 0x148) || c >= 0x179;

	if (c == 0x138 || c == 0x149 || c == 0x17f)
		return SMALL;
	return (c & 1) == capital_is_odd ? CAPITAL : SMALL;
}

static enum kind kind_of(uint32_t c)
{
	if (c >= 'a' && c <= 'z')
		return SMALL;
	if (c >= 'A' && c <= 'Z')
		return CAPITAL;
	if (c < 0x80)
		return OTHER;
	if (c == 0xd7 || c == 0xf7)
		return SIGN;
	if (c >= 0xc0 && c <= 0xff)
		return c < 0xdf ? CAPITAL : SMALL;
	if (c >= 0x100 && c <= 0x17f)
		return pair(c);
	if (c >= 0x370 && c < 0x2000)
		return FOREIGN;
	/* Within words: apostrophes, dashes, an ellipsis, the point of Catalan "l·l". */
	if (c == 0xa0 || c == 0xad || c == 0xb7 || (c >= 0x2010 && c <= 0x2019) || c == 0x2026)
		return JOINER;
	return SIGN;
}

/* An accent without its letter, as in U+02C6, or a character that no text has. */
static bool is_stray(uint32_t c)
{
	return c < 0xa0 || c == 0xa4 || c == 0xa8 || c == 0xaf || c == 0xb4 ||
		c == 0xb8 || (c >= 0x2c6 && c <= 0x2dd);
}

/* What may end a word: quotes, degrees, marks of firms, numbers of notes, a currency. */
static bool ends_word(uint32_t c)
{
	static const uint32_t ends[] = {
		0xa9, 0xaa, 0xab, 0xae, 0xb0, 0xb2, 0xb3, 0xb9, 0xba, 0xbb, 0x201c,
		0x201d, 0x2039, 0x203a, 0x20ac, 0x2122,
	};
	size_t i = 0;

	while (i < ARRAY_LEN(ends) && ends[i] != c)
		i++;
	return i < ARRAY_LEN(ends);
}

static uint32_t code_at(struct str s, size_t i, const struct charmap *m)
{
	unsigned char c;

	if (i >= s.n)
		return ' ';
	c = (unsigned char)s.p[i];
	return c < 0x80 ? c : m->code[c - 0x80];
}

static bool is_letter(enum kind k)
{
	return k == SMALL || k == CAPITAL || k == FOREIGN;
}

static bool is_misplaced(struct str s, size_t i, const struct charmap *m)
{
	uint32_t c = code_at(s, i, m);
	enum kind k = kind_of(c);
	enum kind before = kind_of(i ? code_at(s, i - 1, m) : ' ');
	enum kind after = kind_of(code_at(s, i + 1, m));

	if (is_stray(c))
		return true;
	if (k == SMALL)
		return before == CAPITAL && after == CAPITAL;
	if (k == CAPITAL)
		return before == SMALL || (before == CAPITAL && after == SMALL);
	if (k == FOREIGN)
		return before == SMALL || before == CAPITAL ||
			after == SMALL || after == CAPITAL;
	return k == SIGN && (is_letter(before) ? is_letter(after) || !ends_word(c)
			     : c == 0xbd && is_letter(after));
}

bool charmap_is_better(struct str s, const struct charmap *is,
		       const struct charmap *other, size_t *margin)
{
	size_t differ = 0, misplaced = 0, there = 0, several = 0;

	for (size_t i = 0; i < CHARMAP_BYTES; i++)
		several += !is->code[i];
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c < 0x80 || is->code[c - 0x80] == other->code[c - 0x80])
			continue;
		differ++;
		misplaced += is_misplaced(s, i, is);
		there += is_misplaced(s, i, other);
	}
	*margin = misplaced > there ? misplaced - there : 0;
	return several < CHARMAP_BYTES / 2 && *margin && misplaced * MOSTLY >= differ &&
		there * HARDLY <= differ;
}

size_t charmap_fits(struct str s, const struct charmap *is, const struct charmap *other)
{
	size_t differ = 0;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c < 0x80 || is->code[c - 0x80] == other->code[c - 0x80])
			continue;
		if (is_misplaced(s, i, other))
			return 0;
		differ++;
	}
	return differ;
}

/* Letters that have this shape at the end of a word only. */
static bool is_final(uint32_t c)
{
	return c == 0x5da || c == 0x5dd || c == 0x5df || c == 0x5e3 || c == 0x5e5;
}

bool charmap_no_hebrew(struct str s, const struct charmap *m)
{
	for (size_t i = 0; i + 1 < s.n; i++) {
		uint32_t next = code_at(s, i + 1, m);

		if (is_final(code_at(s, i, m)) && next >= 0x5d0 && next <= 0x5ea)
			return true;
	}
	return false;
}

static bool is_ascii_letter(struct str s, size_t i)
{
	char c = i < s.n ? s.p[i] : ' ';

	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Frequency of a letter in thousandths; of Ukrainian for those that Russian has not. */
static size_t frequency(uint32_t c)
{
	static const unsigned char russian[32] = {
		80, 16, 45, 17, 32, 85, 9, 17, 74, 12, 35, 44, 32, 67, 110, 28,
		47, 55, 63, 26, 3, 10, 5, 14, 7, 4, 1, 19, 17, 3, 6, 20,
	};

	if (c >= 0x410 && c <= 0x44f)
		return russian[(c - 0x410) % 32];
	return c == 0x456 || c == 0x406 ? 50 : 1;
}

size_t charmap_cyrillic(struct str s, const struct charmap *m)
{
	size_t letters = 0, sum = 0;

	for (size_t i = 0; i < s.n; i++) {
		uint32_t c = code_at(s, i, m);

		if (c < 0x80)
			continue;
		if (c < 0x400 || c > 0x4ff) {
			/* Quotes, dashes and the number sign, but no letter. */
			if (is_letter(kind_of(c)) || is_stray(c))
				return 0;
			continue;
		}
		if (is_ascii_letter(s, i + 1) || (i && is_ascii_letter(s, i - 1)))
			return 0;
		letters++;
		sum += frequency(c);
	}
	return letters >= WORDS ? sum / letters : 0;
}
