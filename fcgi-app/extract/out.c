/* SPDX-License-Identifier: MIT */
#include "extract/out.h"

#include <string.h>
#include <strings.h>

#include "base/util.h"

#include "base/banned.h"

/* Appends a character, after a space if it would complete the beginning of a page mark. */
static void extract_put_char(struct buf *b, char c)
{
	if (c == '!' && b->n && b->p[b->n - 1] == '<')
		buf_addc(b, ' ');
	buf_addc(b, c);
}

/*
 * What programs mean by the control characters U+0080 to U+009F: the bytes of
 * windows-1252 that were taken for ISO 8859-1, as in the HTML standard. NULL: nothing.
 */
static const char *const c1[32] = {
	"\u20ac", NULL, "\u201a", "\u0192", "\u201e", "\u2026", "\u2020", "\u2021",
	"\u02c6", "\u2030", "\u0160", "\u2039", "\u0152", NULL, "\u017d", NULL,
	NULL, "\u2018", "\u2019", "\u201c", "\u201d", "\u2022", "\u2013", "\u2014",
	"\u02dc", "\u2122", "\u0161", "\u203a", "\u0153", NULL, "\u017e", "\u0178",
};

/* Bytes of an escape sequence of terminals (ECMA-48) after ESC: "[1;31m". */
static size_t escape_bytes(struct str s)
{
	size_t n = 1;

	if (!s.n || s.p[0] != '[')
		return 0;
	while (n < s.n && s.p[n] >= ' ' && s.p[n] < '@')
		n++;
	return n < s.n && s.p[n] >= '@' && s.p[n] <= '~' ? n + 1 : 0;
}

static size_t put_control(struct buf *b, struct str s)
{
	switch (s.p[0]) {
	case '\r':
		if (s.n > 1 && s.p[1] == '\n')
			return 1;
		/* fall through */
	case '\n':
	case '\v':
	case '\f':
		buf_addc(b, '\n');
		return 1;
	case '\t':
		buf_addc(b, '\t');
		return 1;
	case '\033':
		return 1 + escape_bytes((struct str){ s.p + 1, s.n - 1 });
	default:
		return 1;
	}
}

size_t extract_put_one(struct buf *b, struct str s)
{
	unsigned char c = (unsigned char)s.p[0];
	unsigned char next = s.n > 1 ? (unsigned char)s.p[1] : 0;

	if (c < ' ' || c == 0x7f)
		return put_control(b, s);
	if (c == 0xc2 && next >= 0x80 && next <= 0x9f) {
		buf_adds(b, c1[next - 0x80] ? c1[next - 0x80] : "");
		return 2;
	}
	if (c == 0xc2 && next == 0xad)		/* soft hyphen */
		return 2;
	if (str_starts(s, STR("\u2028")) || str_starts(s, STR("\u2029"))) {
		buf_addc(b, '\n');		/* line, paragraph separator */
		return 3;
	}
	if (str_starts(s, STR("\ufeff")))	/* byte order mark */
		return 3;
	extract_put_char(b, (char)c);
	return 1;
}

void extract_put_text(struct buf *b, struct str s)
{
	while (s.n) {
		size_t n = extract_put_one(b, s);

		s = (struct str){ s.p + n, s.n - n };
	}
}

static void separate(struct buf *b)
{
	if (b->n && b->p[b->n - 1] != '\n')
		buf_addc(b, '\n');
	if (b->n > 1 && b->p[b->n - 2] != '\n')
		buf_addc(b, '\n');
}

/* Writes text as one line, because a line end would end a Markdown block. */
static void one_line(struct buf *b, struct str s)
{
	struct buf line = BUF_INIT(2 * s.n + 1);

	extract_put_text(&line, str_trim(s));
	for (size_t i = 0; i < line.n; i++)
		extract_put_char(b, line.p[i] == '\n' ? ' ' : line.p[i]);
	buf_release(&line);
}

void extract_put_paragraph(struct buf *b, struct str text)
{
	text = str_trim(text);
	if (!text.n)
		return;
	separate(b);
	extract_put_text(b, text);
	buf_addc(b, '\n');
}

void extract_put_heading(struct buf *b, int level, struct str text)
{
	text = str_trim(text);
	if (!text.n)
		return;
	separate(b);
	buf_addf(b, "%.*s ", MAX(MIN(level, 6), 1), "######");
	one_line(b, text);
	buf_addc(b, '\n');
}

void extract_put_item(struct buf *b, const char *mark, struct str text)
{
	text = str_trim(text);
	if (!text.n)
		return;
	if (b->n && b->p[b->n - 1] != '\n')
		buf_addc(b, '\n');
	buf_adds(b, mark);
	one_line(b, text);
	buf_addc(b, '\n');
}

void extract_put_code(struct buf *b, unsigned c)
{
	char utf8[4];
	size_t n = 0;

	if (!c || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return;
	if (c < 0x80) {
		utf8[n++] = (char)c;
	} else if (c < 0x800) {
		utf8[n++] = (char)(0xc0 | c >> 6);
	} else if (c < 0x10000) {
		utf8[n++] = (char)(0xe0 | c >> 12);
		utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
	} else {
		utf8[n++] = (char)(0xf0 | c >> 18);
		utf8[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
	}
	if (c >= 0x80)
		utf8[n++] = (char)(0x80 | (c & 0x3f));
	buf_add(b, utf8, n);
}

void extract_put_ready(struct buf *b, struct str blocks)
{
	if (!blocks.n)
		return;
	separate(b);
	buf_addstr(b, blocks);
}

void extract_put_page(struct buf *b, int64_t number)
{
	separate(b);
	buf_addf(b, "<!-- page %lld -->\n\n", (long long)number);
}

void extract_put_row(struct buf *b, struct str cells, bool first)
{
	size_t n = 0;

	if (first)
		separate(b);
	buf_addc(b, '|');
	while (cells.p) {
		struct str rest = cells, cell = str_cut(&rest, OUT_CELL);
		struct buf bar = BUF_INIT(2 * cell.n + 2);

		for (size_t i = 0; i < cell.n; i++) {
			if (cell.p[i] == '|')
				buf_addc(&bar, '\\');
			buf_addc(&bar, cell.p[i]);
		}
		buf_addc(b, ' ');
		one_line(b, buf_str(&bar));
		buf_adds(b, " |");
		buf_release(&bar);
		n++;
		cells = rest;
	}
	buf_addc(b, '\n');
	if (!first)
		return;
	buf_addc(b, '|');
	while (n--)
		buf_adds(b, " --- |");
	buf_addc(b, '\n');
}

int extract_heading_level(const char *style)
{
	static const char *const words[] = {
		"heading", "\u00fcberschrift", "berschrift", "titre", "titolo",
	};
	const size_t n = strcspn(style, ",");

	if (n == 5 && (!strncasecmp(style, "title", n) || !strncasecmp(style, "titel", n)))
		return 1;
	if (n < 2 || style[n - 1] < '1' || style[n - 1] > '9')
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t m = strlen(words[i]);

		if (!strncasecmp(style, words[i], m) &&
		    (m + 1 == n || (m + 2 == n && style[m] == ' ')))
			return MIN(style[n - 1] - '0', 6);
	}
	return 0;
}
