/* SPDX-License-Identifier: MIT */
/*
 * PDF, with poppler (pdf_page.cc). Opens no files here: fonts and encodings are embedded in
 * the file, or loaded before (pdf_maps.c).
 */
#include "extract/file.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "extract/out.h"
#include "extract/pdf_page.h"

#include "base/banned.h"

enum { MISSING = 50 };	/* this many missing pages in a row are the end */

/* Records pages from..to, counted from 1; "…" if there is no room for more. */
static void note_scanned(struct extract *x, int from, int to)
{
	char *s = x->scanned;
	size_t n = strlen(s), room = sizeof(x->scanned) - n;
	const char *before = n ? ", " : "";

	if (n && s[n - 1] == '.')
		return;
	if (room < 40)
		snprintf(s + n, room, ", ...");
	else if (from == to)
		snprintf(s + n, room, "%s%d", before, from);
	else
		snprintf(s + n, room, "%s%d-%d", before, from, to);
}

/* -- the text of a page --- */

/* Properties of a line that tell headings from paragraphs, and where paragraphs end. */
struct pdf_line {
	struct str text;
	int size;		/* its smallest font size in half points; 0: unknown */
	bool bold;		/* the whole line */
	double top, bottom;
};

struct page_text {
	struct str rest;		/* the remaining text */
	const struct pdf_word *words;	/* and its words */
	size_t n_words;
	size_t taken;			/* characters of the first one that are behind */
};

enum { SIZES = 400 };

/*
 * Number of characters by font size in half points, on the pages so far; and of
 * bold ones.
 */
static int64_t sizes[SIZES + 1], bold_chars, all_chars;

static int half_points(const struct pdf_word *w)
{
	return w->size > 0 && w->size < SIZES / 2 ? (int)(w->size * 2 + 0.5) : 0;
}

static void count_fonts(const struct pdf_page *p)
{
	for (size_t i = 0; i < p->n_words; i++) {
		int64_t n = (int64_t)p->words[i].chars;

		sizes[half_points(&p->words[i])] += n;
		all_chars += n;
		bold_chars += p->words[i].bold ? n : 0;
	}
}

/* The font size of most of the text. */
static int body_size(void)
{
	int best = 0;

	for (int i = 1; i <= SIZES; i++)
		if (sizes[i] > sizes[best] || !best)
			best = i;
	return best;
}

/* Marks of the direction of writing, which poppler adds. */
static bool is_direction(struct str s)
{
	return s.n >= 3 && s.p[0] == '\xe2' &&
		((s.p[1] == '\x80' && s.p[2] >= '\xaa' && s.p[2] <= '\xae') ||
		 (s.p[1] == '\x81' && s.p[2] >= '\xa6' && s.p[2] <= '\xa9'));
}

/* Characters of a line that are part of words. */
static size_t chars_of(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (is_direction((struct str){ s.p + i, s.n - i }))
			i += 2;
		else
			n += ((unsigned char)s.p[i] & 0xc0) != 0x80 &&
				!strchr(" \f\r", s.p[i]);
	}
	return n;
}

/* Applies what its words say of the line. */
static void look_at(struct pdf_line *l, const struct pdf_word *w)
{
	int size = half_points(w);

	if (l->bottom <= l->top) {
		l->top = w->top;
		l->bottom = w->bottom;
	}
	l->bold &= w->bold;
	l->size = l->size ? MIN(l->size, size) : size;
}

static bool next_line(struct page_text *p, struct pdf_line *out)
{
	size_t left;

	if (!p->rest.n)
		return false;
	*out = (struct pdf_line){ .bold = true };
	out->text = str_cut(&p->rest, '\n');
	left = chars_of(out->text);
	/* A word may be in two lines of the text, and a line has many. */
	while (left && p->n_words) {
		size_t n = MIN(left, p->words->chars - p->taken);

		look_at(out, p->words);
		left -= n;
		p->taken += n;
		if (p->taken == p->words->chars) {
			p->words++;
			p->n_words--;
			p->taken = 0;
		}
	}
	return true;
}

/* The level of a heading; 0: the line is part of a paragraph. */
static int level_of(const struct pdf_line *l, int body)
{
	struct str s = str_trim(l->text);
	bool large = body && l->size * 100 >= body * 115;

	if (!s.n || s.n > LIM_EXTRACT_HEADING_BYTES ||
	    (!large && (!l->bold || bold_chars * 2 > all_chars ||
			strchr(".,;:!?", s.p[s.n - 1]))))
		return 0;
	return l->size * 10 >= body * 16 ? 1 : large ? 2 : 3;
}

static void put_block(struct extract *x, struct buf *b, int level)
{
	extract_lam_alef(b);
	if (level)
		extract_put_heading(&x->out, level, buf_str(b));
	else
		extract_put_paragraph(&x->out, buf_str(b));
	buf_reset(b);
}

static bool is_neutral(char c)
{
	return c && (unsigned char)c < 0x7f && !strchr("%+-#$@&_", c) &&
		!(c >= '0' && c <= '9') && !((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Appends neutral characters in the other direction. */
static void add_backwards(struct buf *b, struct str s)
{
	static const char pairs[] = "()[]{}<>";

	for (size_t i = s.n; i > 0; i--) {
		const char *p = strchr(pairs, s.p[i - 1]);

		buf_addc(b, !p ? s.p[i - 1] : pairs[(p - pairs) ^ 1]);
	}
}

/*
 * Appends a part of a line from right to left that is written from left to right. Blanks
 * and punctuation at its ends belong to the text around it, so they change sides.
 */
static void add_inner(struct buf *b, struct str s)
{
	size_t before = 0, after = 0;

	while (before < s.n && is_neutral(s.p[before]))
		before++;
	while (after < s.n - before && is_neutral(s.p[s.n - 1 - after]))
		after++;
	add_backwards(b, (struct str){ s.p + s.n - after, after });
	buf_add(b, s.p + before, s.n - before - after);
	add_backwards(b, (struct str){ s.p, before });
}

/* Letters that are one glyph in the font, U+FB00 to U+FB06; NULL: another character. */
static const char *ligature(struct str s)
{
	static const char *const letters[] = { "ff", "fi", "fl", "ffi", "ffl", "st", "st" };

	return s.n >= 3 && !memcmp(s.p, "\xef\xac", 2) && s.p[2] <= '\x86'
		? letters[s.p[2] & 7] : NULL;
}

/* Appends a line in logical order, without marks of direction. */
static void add_line(struct buf *b, struct str s)
{
	static const struct str inner = { "\xe2\x80\xaa", 3 }, end = { "\xe2\x80\xac", 3 };
	bool right_to_left = str_starts(s, (struct str){ "\xe2\x80\xab", 3 });

	while (s.n) {
		size_t n = 1;

		if (right_to_left && str_starts(s, inner)) {
			const char *p = memmem(s.p, s.n, end.p, end.n);

			n = p ? (size_t)(p - s.p) : s.n;
			add_inner(b, (struct str){ s.p + inner.n, n - inner.n });
		} else if (is_direction(s)) {
			n = 3;
		} else if (ligature(s)) {
			buf_adds(b, ligature(s));
			n = 3;
		} else if (*s.p != '\f') {
			buf_addc(b, *s.p);
		}
		s = (struct str){ s.p + n, s.n - n };
	}
}

/* The blocks of a page. A word that is broken at the end of a line is one again. */
static void put_lines(struct extract *x, struct page_text *p)
{
	struct buf b = BUF_INIT(LIM_EXTRACT_OUTPUT_BYTES);
	struct pdf_line l, before = { .size = 0 };
	int level = 0, body = body_size();
	bool ended = false;

	while (next_line(p, &l)) {
		int this = level_of(&l, body);
		double gap = l.top - before.bottom, high = l.bottom - l.top;
		bool joins = extract_joins(buf_str(&b), l.text);

		if (!str_trim(l.text).n) {
			ended = true;
			continue;
		}
		if (b.n && !joins && (ended || this != level ||
				      (high > 0 && gap > 0.75 * high)))
			put_block(x, &b, level);
		ended = false;
		if (joins)
			extract_join(&b, l.text);
		else if (b.n)
			buf_addc(&b, '\n');
		add_line(&b, l.text);
		level = joins ? level : this;
		before = l;
	}
	put_block(x, &b, level);
	buf_release(&b);
}

static void put_text(struct extract *x, const struct pdf_page *page)
{
	struct page_text p = {
		.rest = { page->text, page->n }, .words = page->words,
		.n_words = page->n_words,
	};

	count_fonts(page);
	put_lines(x, &p);
}

/* Whether there is more than blanks and marks of direction. */
static bool any_text(const struct pdf_page *page)
{
	struct str s = { page->text, page->n };

	for (size_t i = 0; i < s.n; i++) {
		if (is_direction((struct str){ s.p + i, s.n - i }))
			i += 2;
		else if (!strchr(" \t\r\n\f", s.p[i]))
			return true;
	}
	return false;
}

bool extract_pdf_has_text(const struct pdf *pdf, int page)
{
	struct pdf_page p;
	bool any = pdf_page_read(pdf, page, false, &p) && any_text(&p);

	pdf_page_release(&p);
	return any;
}

/* -- pages --- */

/*
 * Whether the page has any text, values of fields not counted; *lacks: not all of it can be
 * read.
 */
static bool read_page(struct extract *x, const struct pdf *pdf, struct pdf_fields *fields,
		      int i, bool *is_there, bool *lacks)
{
	struct pdf_page page;
	size_t before;
	bool any;

	*is_there = pdf_page_read(pdf, i, true, &page);
	any = *is_there && any_text(&page);
	*lacks = page.lacks;
	before = x->out.n;
	extract_put_page(&x->out, i + 1);
	if (any)
		put_text(x, &page);
	if (!extract_fields_put(x, fields, i, &page) && !any && buf_ok(&x->out)) {
		x->out.n = before;	/* an empty page */
		x->out.p[before] = '\0';
	}
	pdf_page_release(&page);
	return any;
}

_Static_assert((int)PDF_EXIT_MEMORY == (int)EXTRACT_MEMORY, "what file/extract.h calls it");

int extract_pdf(struct extract *x)
{
	bool any = false, is_there, lacks, locked;
	struct pdf *doc = pdf_open(x->input.p, x->input.n, &locked);
	struct pdf_fields *fields;
	int n, missing = 0, blank = 0;

	if (!doc)
		return locked ? EXTRACT_ENCRYPTED : EXTRACT_UNREADABLE;
	n = pdf_pages(doc);
	fields = extract_fields_open(buf_str(&x->input));
	for (int i = 0; i < MIN(n, LIM_EXTRACT_PAGES) && missing < MISSING &&
	     buf_ok(&x->out); i++) {
		bool has_text = read_page(x, doc, fields, i, &is_there, &lacks);

		any |= has_text;
		missing = is_there ? 0 : missing + 1;
		if (is_there)
			x->pages = i + 1;
		if (is_there && (!has_text || lacks)) {
			blank++;
			x->unread = x->unread ? x->unread : i + 1;
		} else {
			if (blank)
				note_scanned(x, i + 1 - blank, i);
			blank = 0;
		}
	}
	if (blank)
		note_scanned(x, (int)x->pages + 1 - blank, (int)x->pages);
	extract_fields_close(fields);
	pdf_close(doc);
	if (x->pages == LIM_EXTRACT_PAGES && n > LIM_EXTRACT_PAGES)
		return EXTRACT_TOO_BIG;
	if (!x->pages)
		return EXTRACT_UNREADABLE;
	return any || x->out.n ? EXTRACT_OK : EXTRACT_NO_TEXT;
}
