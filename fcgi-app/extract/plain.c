/* SPDX-License-Identifier: MIT */
/*
 * Text in any charset. The C library loads converters from files, so those of all
 * charsets that can be detected are opened before the process confines itself.
 */
#include <iconv.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <uchardet.h>

#include "base/str.h"
#include "base/utf8.h"
#include "base/util.h"
#include "extract/charset.h"
#include "extract/file.h"
#include "extract/out.h"

#include "base/banned.h"

enum { CHARMAP_BYTES = 128 };

/* The code points of the bytes from 0x80 on; 0: not a character by itself. */
struct charmap {
	uint32_t code[CHARMAP_BYTES];
};

/*
 * Number of characters that are another one in other; 0 if one of those stands where no
 * word has it. From CHARMAP_SEVERAL on this says something about other.
 */
enum { CHARMAP_SEVERAL = 4 };

/*
 * How well the text reads as Cyrillic: the frequency of its letters in Russian, in
 * thousandths on average, small or capital. Text has CHARMAP_LIKELY and more, that in
 * another charset of Cyrillic much less. 0: it has few such letters, or words with Latin
 * ones.
 */
enum { CHARMAP_LIKELY = 40 };

/* -- character maps -------------------------------------------------------- */

/*
 * Whether a text reads better in another charset of one byte than in the one that was
 * detected: uchardet does not know Mac OS Roman, and takes it and DOS for charsets of
 * Central Europe. The shape of words decides, not a list of languages: a capital is the
 * first of its word or one of several, and no sign stands within a word. So this tells
 * apart charsets whose letters lie at bytes of other kinds, and leaves all others: a text
 * with few letters that are not ASCII, all of them small in both, stays as detected.
 */

enum {
	MOSTLY = 2,	/* of the characters that differ, one in so many is misplaced */
	HARDLY = 8,
	WORDS = 5,	/* Cyrillic letters, the same */
};

enum kind { OTHER, SMALL, CAPITAL, FOREIGN, JOINER, SIGN };

/* Latin Extended-A: pairs of a capital and a small letter, at even or at odd codes. */
static enum kind pair(uint32_t c)
{
	const bool capital_first = (c >= 0x139 && c <= 0x148) || c >= 0x179;

	if (c == 0x138 || c == 0x149 || c == 0x17f)
		return SMALL;
	return (c & 1) == capital_first ? CAPITAL : SMALL;
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

/*
 * Whether other is clearly better: where both differ, most of is's characters stand
 * where no word has them, and hardly any of other's. *margin: how many more; for the
 * best of several. False if is has characters of several bytes.
 */
static bool charmap_is_better(struct str s, const struct charmap *is,
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

static size_t charmap_fits(struct str s, const struct charmap *is, const struct charmap *other)
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

/* Whether letters that end words in Hebrew stand within words. */
static bool charmap_no_hebrew(struct str s, const struct charmap *m)
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

static size_t charmap_cyrillic(struct str s, const struct charmap *m)
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

/* -- texts -------------------------------------------------------------------- */

enum {
	LOOK_BYTES = 1048576, PART_BYTES = 4096, NAME_BYTES = 40,
	ALONE = 100,	/* of so many units one may be half a character */
	SURE = 8,	/* if of so many one is ASCII */
	EASTERN = 6,	/* characters that are enough to tell UTF-16 of ideographs */
	SCRIPTS = 4,	/* blocks of 256 characters in text of no ideographs */
};

/*
 * Charsets by the names that uchardet, mails, pages and RTF use, and those of the C
 * library. ISO 8859-1 is windows-1252, as everywhere on the web.
 */
static struct {
	const char *name, *is;
	iconv_t cd;
} sets[] = {
	{ "UTF-16LE", "UTF-16LE", 0 }, { "UTF-16BE", "UTF-16BE", 0 },
	{ "UTF-16", "UTF-16", 0 }, { "UTF-32LE", "UTF-32LE", 0 },
	{ "UTF-32BE", "UTF-32BE", 0 }, { "UTF-7", "UTF-7", 0 },
	{ "UNICODE-1-1-UTF-7", "UTF-7", 0 },
	{ "WINDOWS-1252", "WINDOWS-1252", 0 }, { "CP1252", "WINDOWS-1252", 0 },
	{ "ISO-8859-1", "WINDOWS-1252", 0 }, { "ISO8859-1", "WINDOWS-1252", 0 },
	{ "LATIN1", "WINDOWS-1252", 0 }, { "LATIN-1", "WINDOWS-1252", 0 },
	{ "ASCII", "WINDOWS-1252", 0 }, { "US-ASCII", "WINDOWS-1252", 0 },
	{ "ANSI_X3.4-1968", "WINDOWS-1252", 0 },
	{ "ISO-8859-2", "ISO-8859-2", 0 }, { "ISO-8859-3", "ISO-8859-3", 0 },
	{ "ISO-8859-4", "ISO-8859-4", 0 }, { "ISO-8859-5", "ISO-8859-5", 0 },
	{ "ISO-8859-6", "ISO-8859-6", 0 }, { "ISO-8859-6-I", "ISO-8859-6", 0 },
	{ "ISO-8859-7", "ISO-8859-7", 0 },
	{ "ISO-8859-8", "ISO-8859-8", 0 }, { "ISO-8859-8-I", "ISO-8859-8", 0 },
	{ "ISO-8859-9", "WINDOWS-1254", 0 }, { "ISO-8859-10", "ISO-8859-10", 0 },
	{ "ISO-8859-11", "CP874", 0 }, { "ISO-8859-13", "ISO-8859-13", 0 },
	{ "ISO-8859-14", "ISO-8859-14", 0 }, { "ISO-8859-15", "ISO-8859-15", 0 },
	{ "ISO-8859-16", "ISO-8859-16", 0 },
	{ "WINDOWS-1250", "WINDOWS-1250", 0 }, { "CP1250", "WINDOWS-1250", 0 },
	{ "WINDOWS-1251", "WINDOWS-1251", 0 }, { "CP1251", "WINDOWS-1251", 0 },
	{ "WINDOWS-1253", "WINDOWS-1253", 0 }, { "WINDOWS-1254", "WINDOWS-1254", 0 },
	{ "WINDOWS-1255", "WINDOWS-1255", 0 }, { "WINDOWS-1256", "WINDOWS-1256", 0 },
	{ "WINDOWS-1257", "WINDOWS-1257", 0 }, { "WINDOWS-1258", "WINDOWS-1258", 0 },
	{ "WINDOWS-874", "CP874", 0 }, { "TIS-620", "CP874", 0 },
	{ "KOI8-R", "KOI8-R", 0 }, { "KOI8-U", "KOI8-U", 0 },
	{ "IBM437", "IBM437", 0 }, { "IBM850", "IBM850", 0 },
	{ "IBM852", "IBM852", 0 }, { "IBM855", "IBM855", 0 },
	{ "IBM862", "IBM862", 0 }, { "IBM865", "IBM865", 0 },
	{ "IBM866", "IBM866", 0 },
	{ "MACINTOSH", "MACINTOSH", 0 }, { "X-MAC-ROMAN", "MACINTOSH", 0 },
	{ "MAC-CYRILLIC", "MAC-CYRILLIC", 0 },
	{ "X-MAC-CYRILLIC", "MAC-CYRILLIC", 0 },
	{ "MAC-CENTRALEUROPE", "MAC-CENTRALEUROPE", 0 },
	{ "VISCII", "VISCII", 0 },
	{ "GB18030", "GB18030", 0 }, { "GB2312", "GB18030", 0 },
	{ "GBK", "GB18030", 0 }, { "CP936", "GB18030", 0 },
	{ "WINDOWS-936", "GB18030", 0 }, { "ISO-2022-CN", "ISO-2022-CN", 0 },
	{ "BIG5", "BIG5-HKSCS", 0 }, { "BIG5-HKSCS", "BIG5-HKSCS", 0 },
	{ "CP950", "CP950", 0 }, { "WINDOWS-950", "CP950", 0 },
	{ "EUC-TW", "EUC-TW", 0 },
	{ "SHIFT_JIS", "CP932", 0 }, { "SHIFT-JIS", "CP932", 0 },
	{ "SJIS", "CP932", 0 }, { "X-SJIS", "CP932", 0 }, { "CP932", "CP932", 0 },
	{ "WINDOWS-31J", "CP932", 0 }, { "WINDOWS-932", "CP932", 0 },
	{ "EUC-JP", "EUC-JP", 0 }, { "ISO-2022-JP", "ISO-2022-JP", 0 },
	{ "EUC-KR", "UHC", 0 }, { "UHC", "UHC", 0 }, { "CP949", "UHC", 0 },
	{ "WINDOWS-949", "UHC", 0 }, { "KS_C_5601-1987", "UHC", 0 },
	{ "ISO-2022-KR", "ISO-2022-KR", 0 },
	{ "JOHAB", "JOHAB", 0 }, { "WINDOWS-1361", "JOHAB", 0 },
};

#define NONE ((iconv_t)-1)

void extract_plain_prepare(void)
{
	for (size_t i = 0; i < ARRAY_LEN(sets); i++)
		sets[i].cd = iconv_open("UTF-8", sets[i].is);
}

static iconv_t converter(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(sets); i++)
		if (strcasecmp(sets[i].name, name) == 0)
			return sets[i].cd;
	return NONE;
}

/* Whether this is what programs say that know nothing of charsets. */
static bool is_usual(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(sets); i++)
		if (strcasecmp(sets[i].name, name) == 0)
			return !strcmp(sets[i].is, "WINDOWS-1252");
	return false;
}

static bool is_utf8(const char *name)
{
	return name && (!strcasecmp(name, "utf-8") || !strcasecmp(name, "utf8"));
}

/* -- what nobody said --- */

/*
 * Length of what has the shape of UTF-8, but is no character: halves of characters beyond
 * U+FFFF (CESU-8, as databases write it), and a NUL of two bytes (Java). 0: it has not.
 */
static int shaped(struct str s)
{
	const unsigned char *u = (const unsigned char *)s.p;

	if (s.n >= 3 && u[0] == 0xed && (u[1] & 0xe0) == 0xa0 && (u[2] & 0xc0) == 0x80)
		return 3;
	return s.n >= 2 && u[0] == 0xc0 && u[1] == 0x80 ? 2 : 0;
}

/*
 * Whether most of what is not ASCII is well-formed UTF-8: a text with few wrong bytes,
 * such as one that was cut or to which a line of another charset was added. Text in other
 * charsets has hardly any sequence of UTF-8 by chance.
 */
static bool is_mostly_utf8(struct str s)
{
	size_t good = 0, bad = 0;

	for (size_t i = 0; i < s.n;) {
		struct str rest = { s.p + i, s.n - i };
		int len = utf8_sequence(rest);

		len = len ? len : shaped(rest);
		good += len > 1;
		/* The last character may have been cut. */
		bad += len == 0;
		i += (size_t)MAX(len, 1);
	}
	return good > bad;
}

/* The unit of this many bytes at p; little: its lowest byte comes first. */
static uint32_t unit_at(const char *p, size_t bytes, bool little)
{
	uint32_t c = 0;

	for (size_t i = 0; i < bytes; i++)
		c = c << 8 | (unsigned char)p[little ? bytes - 1 - i : i];
	return c;
}

/*
 * Number of ASCII characters in text of units of 2 or 4 bytes, without a byte order mark;
 * 0: it is something else, since text of any language has blanks or line ends. A few
 * halves of characters may be alone: such text was cut, by its length.
 */
static size_t ascii_units(struct str s, size_t bytes, bool little)
{
	size_t ascii = 0, alone = 0, n = MIN(s.n, LOOK_BYTES) / bytes;
	bool after_high = false;

	for (size_t i = 0; i < n; i++) {
		uint32_t c = unit_at(s.p + i * bytes, bytes, little);
		bool is_low = c >= 0xdc00 && c <= 0xdfff;

		if ((c < ' ' && (!c || !strchr("\t\n\r\f", (int)c))) ||
		    (c & 0xfffe) == 0xfffe || c > 0x10ffff || (c >= 0x7f && c <= 0x9f))
			return 0;
		alone += is_low != after_high;
		after_high = c >= 0xd800 && c <= 0xdbff;
		ascii += c < 0x7f;
	}
	return alone > 1 + n / ALONE || (alone && ascii * SURE < n) ? 0 : ascii;
}

/* Characters of Chinese, Japanese and Korean text. */
static bool is_eastern(uint32_t c)
{
	return (c >= 0x3000 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x9fff) ||
		(c >= 0xac00 && c <= 0xd7a3) || (c >= 0xff00 && c <= 0xffef);
}

/*
 * UTF-16 of nothing but such characters, without blanks and line ends. Text in bytes has no control
 * characters, and no "0" in each second place, where kana have it. NULL: it is none, or
 * may be either.
 */
static const char *eastern_units(struct str s)
{
	size_t n = MIN(s.n, LOOK_BYTES) / 2, kana[2] = { 0 }, controls = 0;
	bool all[2] = { true, true };
	int little;

	for (size_t i = 0; i < n && (all[0] || all[1]); i++) {
		for (little = 0; little < 2; little++) {
			uint32_t c = unit_at(s.p + 2 * i, 2, little);

			all[little] &= is_eastern(c);
			kana[little] += c >= 0x3040 && c <= 0x30ff;
		}
		for (size_t k = 2 * i; k < 2 * i + 2; k++)
			controls += (unsigned char)s.p[k] < ' ' &&
				(!s.p[k] || !strchr("\t\n\r\f\033", s.p[k]));
	}
	little = all[1];
	if (n < EASTERN || s.n % 2 || all[0] == all[1] || utf8_valid(s) ||
	    (!controls && kana[little] * 4 < n))
		return NULL;
	return little ? "UTF-16LE" : "UTF-16BE";
}

const char *extract_plain_units(struct str s)
{
	static const struct {
		const char *charset;
		size_t bytes;
		bool little;
	} kinds[] = {
		{ "UTF-16LE", 2, true }, { "UTF-16BE", 2, false },
		{ "UTF-32LE", 4, true }, { "UTF-32BE", 4, false },
	};
	size_t n = MIN(s.n, LOOK_BYTES), letters = 0, most = 0;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++)
		letters += s.p[i] >= ' ' && s.p[i] <= '~';
	/* Text in bytes with a few NULs in it has pairs of letters, too. */
	if (n < 2 || letters * 10 > n * 9)
		return NULL;
	found = eastern_units(s);
	if (found || !memchr(s.p, 0, n))
		return found;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		size_t ascii = ascii_units(s, kinds[i].bytes, kinds[i].little);

		if (ascii > most) {
			most = ascii;
			found = kinds[i].charset;
		}
	}
	return found;
}

bool extract_plain_is_surely(struct str s, const char *units)
{
	const bool little = !strcmp(units, "UTF-16LE");
	size_t n = MIN(s.n, LOOK_BYTES) / 2, blocks = 0;
	bool seen[256] = { false };

	for (size_t i = 0; i < n; i++) {
		uint32_t block = unit_at(s.p + 2 * i, 2, little) >> 8;

		blocks += !seen[block];
		seen[block] = true;
	}
	return blocks <= SCRIPTS && (little || !strcmp(units, "UTF-16BE"));
}

/* Whether it may be one of ISO-2022, which are ASCII with escape sequences. */
static bool has_shifts(struct str s)
{
	return s.n && memmem(s.p, s.n, "\033$", 2);
}

/* The code point of one character of UTF-8; 0: of more than three bytes. */
static uint32_t code_of(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;

	return n == 2 ? (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu)
		: n == 3 ? (u[0] & 0xfu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu)
		: 0;
}

static void read_map(iconv_t cd, struct charmap *m)
{
	for (size_t i = 0; i < CHARMAP_BYTES; i++) {
		char byte = (char)(CHARMAP_BYTES + i), utf8[8], *at = &byte, *to = utf8;
		size_t left = 1, room = sizeof(utf8);

		m->code[i] = 0;
		iconv(cd, NULL, NULL, NULL, NULL);
		/* Some hold a letter back, for its accent. */
		if (iconv(cd, &at, &left, &to, &room) != (size_t)-1 &&
		    iconv(cd, NULL, NULL, &to, &room) != (size_t)-1)
			m->code[i] = code_of(utf8, sizeof(utf8) - room);
	}
}

/* What the text is in instead, if that reads better; else cd. */
static iconv_t or_better(iconv_t cd, struct str text)
{
	static const char *const others[] = {
		"WINDOWS-1252", "ISO-8859-15", "MACINTOSH", "IBM850", "KOI8-U",
	};
	struct charmap is, other;
	size_t best = 0;
	iconv_t found = cd;

	read_map(cd, &is);
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		iconv_t by = converter(others[i]);
		size_t margin;

		if (by == NONE)
			continue;
		read_map(by, &other);
		if (charmap_is_better(text, &is, &other, &margin) && margin > best) {
			best = margin;
			found = by;
		}
	}
	return found;
}

/*
 * A charset of text that few have, by one that many have, if that has no character where no
 * word has it. uchardet names one of them for a short text, such as the name of a file with
 * one letter that is not ASCII, and takes Mac OS Roman for one of Central Europe: of
 * Portuguese and Italian letters all are small in both. Text of Central Europe has letters
 * there that the others have signs for.
 */
static iconv_t or_usual(iconv_t cd, struct str text)
{
	static const struct {
		const char *name;
		bool central;
	} rare[] = {
		{ "MAC-CENTRALEUROPE", true }, { "IBM852", true },
		{ "ISO-8859-3", false }, { "ISO-8859-4", false },
		{ "ISO-8859-10", false }, { "ISO-8859-13", false },
		{ "ISO-8859-14", false }, { "ISO-8859-16", false },
	};
	const iconv_t usual = converter("WINDOWS-1252"), roman = converter("MACINTOSH");
	struct charmap is, other;
	size_t i = 0, n;

	while (i < ARRAY_LEN(rare) && converter(rare[i].name) != cd)
		i++;
	if (i == ARRAY_LEN(rare) || cd == NONE || usual == NONE || roman == NONE)
		return cd;
	read_map(cd, &is);
	read_map(usual, &other);
	n = charmap_fits(text, &is, &other);
	if (n && (n < CHARMAP_SEVERAL || rare[i].central))
		return usual;
	read_map(roman, &other);
	n = charmap_fits(text, &is, &other);
	return n >= CHARMAP_SEVERAL && rare[i].central ? roman : cd;
}

/*
 * Whether text of Cyrillic may be taken for this: a Latin charset, in which it has words
 * of none but letters that are not ASCII, or that of Hebrew.
 */
static bool may_be_cyrillic(iconv_t cd, struct str text)
{
	struct charmap m;

	if (cd == converter("WINDOWS-1255") || cd == converter("ISO-8859-8")) {
		read_map(cd, &m);
		return charmap_no_hebrew(text, &m);
	}
	return cd == converter("WINDOWS-1252") || cd == converter("ISO-8859-15") ||
		cd == converter("MACINTOSH") || cd == converter("IBM850");
}

/*
 * Which one of the charsets of Cyrillic, by the letters that are frequent: each of these
 * reads as words in all of them.
 */
static iconv_t or_cyrillic(iconv_t cd, struct str text)
{
	static const char *const all[] = {
		"WINDOWS-1251", "KOI8-R", "KOI8-U", "IBM866", "MAC-CYRILLIC",
		"ISO-8859-5",
	};
	size_t best = 0, there = 0;
	bool is_one = false;
	iconv_t found = cd;

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		iconv_t by = converter(all[i]);
		struct charmap m;
		size_t likely;

		if (by == NONE)
			continue;
		read_map(by, &m);
		likely = charmap_cyrillic(text, &m);
		if (by == cd) {
			is_one = true;
			there = likely;
		}
		if (likely > best) {
			best = likely;
			found = by;
		}
	}
	if (is_one)
		return best * 2 > there * 3 ? found : cd;
	return best >= CHARMAP_LIKELY && may_be_cyrillic(cd, text) ? found : cd;
}

static iconv_t found_out(struct str text)
{
	const char *units = extract_plain_units(text);
	struct str start = { text.p, MIN(text.n, LOOK_BYTES) };
	uchardet_t u;
	iconv_t cd;

	if (units)
		return converter(units);
	u = uchardet_new();
	uchardet_handle_data(u, start.p, start.n);
	uchardet_data_end(u);
	cd = converter(uchardet_get_charset(u));
	uchardet_delete(u);
	if (cd == NONE)
		cd = converter("WINDOWS-1252");
	return cd == NONE ? NONE
		: or_cyrillic(or_usual(or_better(cd, start), start), start);
}

/* What the converter holds back: a letter, for the accent that may follow. */
static void convert_held(iconv_t cd, struct buf *out)
{
	char part[NAME_BYTES], *to = part;
	size_t room = sizeof(part);

	(void)iconv(cd, NULL, NULL, &to, &room);
	buf_add(out, part, sizeof(part) - room);
}

/* Bytes that are left out where the text is wrong: the others remain whole units. */
static size_t unit_bytes(iconv_t cd)
{
	for (size_t i = 0; i < ARRAY_LEN(sets); i++)
		if (sets[i].cd == cd)
			return !strncmp(sets[i].is, "UTF-16", 6) ? 2
				: !strncmp(sets[i].is, "UTF-32", 6) ? 4 : 1;
	return 1;
}

static void convert(iconv_t cd, struct str s, struct buf *out)
{
	struct buf raw = BUF_INIT(4 * s.n + 16);
	const size_t unit = unit_bytes(cd);

	iconv(cd, NULL, NULL, NULL, NULL);
	while (s.n) {
		char part[PART_BYTES], *to = part, *at = (char *)s.p;
		size_t left = s.n, room = sizeof(part);

		(void)iconv(cd, &at, &left, &to, &room);
		buf_add(&raw, part, sizeof(part) - room);
		if (room == sizeof(part) && left == s.n) {
			convert_held(cd, &raw);
			buf_adds(&raw, "\xef\xbf\xbd");
			at += MIN(unit, left);
			left -= MIN(unit, left);
		}
		s = (struct str){ at, left };
	}
	convert_held(cd, &raw);
	utf8_scrub(out, buf_str(&raw));
	buf_release(&raw);
}

/* The charset of a byte order mark, which is removed; NULL: there is none. */
static const char *take_mark(struct str *text)
{
	static const struct {
		struct str mark;
		const char *charset;
	} marks[] = {
		{ { "\xef\xbb\xbf", 3 }, "UTF-8" },
		{ { "\xff\xfe\0\0", 4 }, "UTF-32LE" },
		{ { "\0\0\xfe\xff", 4 }, "UTF-32BE" },
		{ { "\xff\xfe", 2 }, "UTF-16LE" },
		{ { "\xfe\xff", 2 }, "UTF-16BE" },
	};

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (str_starts(*text, marks[i].mark)) {
			text->p += marks[i].mark.n;
			text->n -= marks[i].mark.n;
			return marks[i].charset;
		}
	return NULL;
}

void extract_plain_convert(struct str text, const char *charset,
			   struct buf *out)
{
	const char *mark = take_mark(&text);
	iconv_t cd = converter(mark ? mark : charset);
	bool guess = cd == NONE || (!mark && is_usual(charset));

	/* Few say UTF-16 of what is not. */
	if (is_utf8(mark) || (guess && utf8_valid(text) &&
			      !extract_plain_units(text) && !has_shifts(text)) ||
	    ((cd == NONE || is_utf8(charset)) && is_mostly_utf8(text)))
		utf8_scrub(out, text);
	else
		convert(cd != NONE ? cd : found_out(text), text, out);
}

void extract_plain_decode(struct str text, const char *charset, struct buf *out)
{
	iconv_t cd = converter(charset);

	if (is_utf8(charset))
		utf8_scrub(out, text);
	else
		convert(cd != NONE ? cd : converter("WINDOWS-1252"), text, out);
}

/* What an XML file says of itself; empty: nothing. */
static struct str own_word(struct str s)
{
	return str_starts(s, STR("<?xml")) ? charset_own_word(s)
		: (struct str){ NULL, 0 };
}

int extract_plain(struct extract *x)
{
	struct buf text = BUF_INIT(4 * x->input.n + 16);
	struct str own = own_word(buf_str(&x->input));
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%.*s", (int)MIN(own.n, sizeof(name)),
		 own.p ? own.p : "");
	extract_plain_convert(buf_str(&x->input), x->charset ? x->charset : name,
			      &text);
	extract_put_text(&x->out, buf_str(&text));
	buf_release(&text);
	return EXTRACT_OK;
}
