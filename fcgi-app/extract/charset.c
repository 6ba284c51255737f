/* SPDX-License-Identifier: MIT */
/* See charset.h. HTML standard, "determining the character encoding" (2026). */
#include "extract/charset.h"

#include <iconv.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

#include "base/banned.h"

enum { LOOK_BYTES = 4096, NAME_BYTES = 40 };

#define NONE ((iconv_t)-1)

static iconv_t from = NONE;	/* NONE: it is UTF-8, possibly with invalid bytes */
static size_t skip;		/* size of the byte order mark */

/* Names that browsers map to another charset; iconv knows all others. */
static const struct {
	const char *name, *is;
} labels[] = {
	{ "iso-8859-1", "windows-1252" }, { "latin1", "windows-1252" },
	{ "us-ascii", "windows-1252" }, { "ascii", "windows-1252" },
	{ "iso-8859-9", "windows-1254" }, { "tis-620", "windows-874" },
	{ "gb2312", "gb18030" }, { "gbk", "gb18030" },
	{ "shift_jis", "cp932" }, { "x-sjis", "cp932" },
	{ "utf8", "utf-8" },
};

static const struct {
	const char *bytes;
	size_t n;
	const char *name;
} marks[] = {
	{ "\xef\xbb\xbf", 3, "utf-8" },
	{ "\xfe\xff", 2, "utf-16be" },
	{ "\xff\xfe", 2, "utf-16le" },
};

/*
 * Returns true if the charset can be used. Names are untrusted: letters and digits
 * only.
 */
static bool open_charset(struct str name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";
	char text[NAME_BYTES + 1];
	const char *is = text;

	if (!name.n || name.n > NAME_BYTES)
		return false;
	memcpy(text, name.p, name.n);
	text[name.n] = '\0';
	if (strspn(text, letters) != name.n)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		if (strcasecmp(labels[i].name, text) == 0)
			is = labels[i].is;
	if (strcasecmp(is, "utf-8") == 0)
		return true;
	from = iconv_open("UTF-8", is);
	return from != NONE;
}

/* Finds `what`, case-insensitive; NULL: not found. */
static const char *find_text(struct str s, const char *what)
{
	size_t n = strlen(what);

	for (size_t i = 0; i + n <= s.n; i++)
		if (strncasecmp(s.p + i, what, n) == 0)
			return s.p + i;
	return NULL;
}

static struct str behind(struct str s, const char *p)
{
	return (struct str){ p, s.n - (size_t)(p - s.p) };
}

/* The charset in one tag: charset=X, or content="…; charset=X"; word: "charset". */
static struct str tag_charset(struct str tag, const char *word)
{
	const char *p = find_text(tag, word);
	struct str s, name;

	if (!p)
		return (struct str){ NULL, 0 };
	s = str_trim(behind(tag, p + strlen(word)));
	if (!s.n || s.p[0] != '=')
		return (struct str){ NULL, 0 };
	s = str_trim(behind(s, s.p + 1));
	while (s.n && (s.p[0] == '"' || s.p[0] == '\''))
		s = behind(s, s.p + 1);
	name = (struct str){ s.p, 0 };
	while (name.n < s.n && !memchr("\"'; \t\r\n/>", s.p[name.n], 9))
		name.n++;
	return name;
}

/* The charset in the next meta tag that has one; false: there is none. */
static bool next_own_word(struct str *s, struct str *name)
{
	const char *p;

	while ((p = find_text(*s, "<meta")) != NULL) {
		struct str tag;

		*s = behind(*s, p + 5);
		tag = *s;
		*name = tag_charset(str_cut(&tag, '>'), "charset");
		if (name->n)
			return true;
	}
	return false;
}

struct str charset_own_word(struct str page)
{
	struct str s = { page.p, MIN(page.n, LOOK_BYTES) }, name = { NULL, 0 };
	struct str tag = s;

	if (str_starts(s, STR("<?xml")))
		name = tag_charset(str_cut(&tag, '>'), "encoding");
	return name.n || next_own_word(&s, &name) ? name : (struct str){ NULL, 0 };
}

static bool take_own_word(struct str page)
{
	struct str s = { page.p, MIN(page.n, LOOK_BYTES) }, name;

	while (next_own_word(&s, &name))
		/* The tag was read as single bytes, so the page is not UTF-16. */
		if ((name.n >= 6 && strncasecmp(name.p, "utf-16", 6) == 0) ||
		    open_charset(name))
			return true;
	return false;
}

void charset_select(struct str page, const char *declared)
{
	from = NONE;
	skip = 0;
	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (page.n >= marks[i].n &&
		    memcmp(page.p, marks[i].bytes, marks[i].n) == 0) {
			skip = marks[i].n;
			(void)open_charset(str_of(marks[i].name));
			return;
		}
	if (!open_charset(str_of(declared)) && !utf8_valid(page) && !take_own_word(page))
		(void)open_charset(STR("windows-1252"));
}

/* What the converter holds back: a letter, for the accent that may follow. */
static void put_held(struct buf *out)
{
	char part[NAME_BYTES], *to = part;
	size_t room = sizeof(part);

	(void)iconv(from, NULL, NULL, &to, &room);
	buf_add(out, part, sizeof(part) - room);
}

/* One byte of any charset becomes at most three bytes of UTF-8; four become four. */
void charset_convert(struct buf *b)
{
	struct buf out = BUF_INIT(4 * b->n + 16);
	struct str s = { b->p + skip, b->n - skip };
	struct buf clean = BUF_INIT(3 * (4 * b->n + 16));

	while (from != NONE && s.n) {
		char part[4096], *to = part, *at = (char *)s.p;
		size_t left = s.n, room = sizeof(part);
		size_t rc = iconv(from, &at, &left, &to, &room);

		buf_add(&out, part, sizeof(part) - room);
		if (rc == (size_t)-1 && room == sizeof(part) && left == s.n) {
			put_held(&out);
			buf_adds(&out, "\xef\xbf\xbd");
			at++;
			left--;
		}
		s = (struct str){ at, left };
	}
	if (from != NONE) {
		put_held(&out);
		iconv_close(from);
		s = buf_str(&out);
	}
	from = NONE;
	skip = 0;
	utf8_scrub(&clean, s);
	buf_release(&out);
	buf_release(b);
	*b = clean;
}
