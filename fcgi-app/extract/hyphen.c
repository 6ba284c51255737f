/* SPDX-License-Identifier: MIT */
/* Words that are broken at the ends of lines; see file.h. */
#include "extract/file.h"

#include <string.h>

#include "base/banned.h"

/* A hyphen at the end of a text. */
struct hyphen {
	size_t bytes;	/* of it and what belongs to it; 0: there is none */
	bool soft;	/* only there because the word is broken */
};

static bool ends_with(struct str s, struct str end)
{
	return s.n >= end.n && !memcmp(s.p + s.n - end.n, end.p, end.n);
}

/* U+00AD, U+2010 or "-"; Chromium writes the first two together. */
static struct hyphen hyphen_of(struct str s)
{
	static const struct str soft = { "\xc2\xad", 2 }, hyphen = { "\xe2\x80\x90", 3 };
	struct hyphen h = { .bytes = 0 };
	size_t n = s.n;

	if (ends_with(s, hyphen))
		h.bytes = hyphen.n;
	else if (n && s.p[n - 1] == '-')
		h.bytes = 1;
	s.n -= h.bytes;
	if (ends_with(s, soft)) {
		h.bytes += soft.n;
		h.soft = true;
	}
	return h;
}

/* Small letters of Latin, Greek and Cyrillic. */
static bool is_small(struct str s)
{
	unsigned char c = s.n ? (unsigned char)s.p[0] : 0;
	unsigned char next = s.n > 1 ? (unsigned char)s.p[1] : 0;

	return (c >= 'a' && c <= 'z') || (c == 0xc3 && next >= 0x9f) ||
		((c == 0xc4 || c == 0xc5) && next & 1) ||
		(c == 0xce && next >= 0xac) || (c == 0xcf && next <= 0x8e) ||
		(c == 0xd0 && next >= 0xb0) || (c == 0xd1 && next <= 0x9f);
}

/* The last character before the hyphen. */
static struct str last_char(struct str s)
{
	size_t n = s.n;

	while (n && ((unsigned char)s.p[n - 1] & 0xc0) == 0x80)
		n--;
	n -= n > 0;
	return (struct str){ s.p + n, s.n - n };
}

/* "Hin- und Rückfahrt": the hyphen stands for the rest of a word. */
static bool is_and(struct str s)
{
	static const char *const words[] = {
		"und", "oder", "bzw.", "bis", "sowie", "and", "or", "et", "ou",
	};
	size_t n = 0;

	while (n < s.n && !strchr(" \t\r\n,", s.p[n]))
		n++;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_is((struct str){ s.p, n }, words[i]))
			return true;
	return false;
}

bool extract_joins(struct str before, struct str line)
{
	struct hyphen h = hyphen_of(before);
	struct str last;

	before.n -= h.bytes;
	last = last_char(before);
	line = str_trim(line);
	/* A dash after a blank is no hyphen. */
	if (!h.bytes || !line.n || !last.n || strchr(" \t\n-", last.p[0]) ||
	    strchr("-(", line.p[0]))
		return false;
	return h.soft || !is_and(line);
}

/* Whether the last word is an address, whose hyphens are its own. */
static bool is_address(struct str s)
{
	size_t n = 0;

	while (n < s.n && n < 256 && !strchr(" \t\n", s.p[s.n - 1 - n])) {
		n++;
		if (strchr("/@\\", s.p[s.n - n]))
			return true;
	}
	return false;
}

void extract_join(struct buf *b, struct str line)
{
	struct str s = buf_str(b);
	struct hyphen h = hyphen_of(s);

	s.n -= h.bytes;
	if (h.soft || (is_small(last_char(s)) && is_small(str_trim(line)) &&
		       !is_address(s)))
		b->n = s.n;
	b->p[b->n] = '\0';
}
