/* SPDX-License-Identifier: MIT */
/*
 * PDF, with poppler (pdf_page.cc). Opens no files here: fonts and encodings are embedded in
 * the file, or loaded before (file.c).
 */
#include "extract/file.h"

#include <poppler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "extract/out.h"
#include "extract/pdf_page.h"

#include "base/banned.h"

/* -- words at line ends ---------------------------------------------------- */

/* Words that are broken at the ends of lines; see file.h. */

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

/*
 * Words that are broken at the end of a line: whether `before` ends with a part of a word
 * that line continues, and what is to be removed from, or added to, b before line is
 * appended. A soft hyphen or a hyphen between small letters is removed; other hyphens
 * are part of the word ("E-Mail-" + "Adresse", "2019-" + "2021").
 */
static bool extract_joins(struct str before, struct str line)
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

static void extract_join(struct buf *b, struct str line)
{
	struct str s = buf_str(b);
	struct hyphen h = hyphen_of(s);

	s.n -= h.bytes;
	if (h.soft || (is_small(last_char(s)) && is_small(str_trim(line)) &&
		       !is_address(s)))
		b->n = s.n;
	b->p[b->n] = '\0';
}

/* -- forms ----------------------------------------------------------------- */

/*
 * Values of form fields that the text of a page lacks. Poppler's text has what the
 * appearance of a field shows: not the letters that its font has not, and not a box that
 * is ticked by lines. The value itself stands in the field (ISO 32000-1, 12.7.3). Only by
 * poppler-glib: the C++ interface has no forms.
 */

/* Comparisons of fields with words, in a file; what is not compared is not shown. */
enum { STEPS = 20000000, TOUCH = 2 /* points */ };

struct pdf_fields {
	PopplerDocument *doc;
	int64_t steps;		/* that remain */
};

/* A page with its fields. */
struct form_page {
	struct pdf_fields *all;
	const struct pdf_page *page;
	double width, height;		/* as it is looked at */
	GList *annotations;
};

/*
 * The form fields of a PDF, which must remain; new, or NULL. extract_fields_put appends the
 * values on a page, from 0, that its text lacks, and returns whether there are any; a
 * password or a hidden field is none.
 */
static struct pdf_fields *extract_fields_open(struct str pdf)
{
	GBytes *bytes = g_bytes_new_static(pdf.p, pdf.n);
	PopplerDocument *doc = poppler_document_new_from_bytes(bytes, NULL, NULL);
	struct pdf_fields *fields = NULL;

	g_bytes_unref(bytes);
	if (doc) {
		fields = g_new0(struct pdf_fields, 1);
		fields->doc = doc;
		fields->steps = STEPS;
	}
	return fields;
}

static void extract_fields_close(struct pdf_fields *fields)
{
	if (fields)
		g_object_unref(fields->doc);
	g_free(fields);
}

static int by_code(const void *a, const void *b)
{
	const gunichar x = *(const gunichar *)a, y = *(const gunichar *)b;

	return (x > y) - (x < y);
}

/* The characters of text without blanks, sorted; new. */
static gunichar *sorted(struct str s, size_t *n)
{
	gunichar *codes = g_new(gunichar, s.n + 1);

	*n = 0;
	for (size_t i = 0; i < s.n;) {
		const int len = utf8_sequence((struct str){ s.p + i, s.n - i });
		gunichar c = len > 0 ? g_utf8_get_char(s.p + i) : ' ';

		if (!g_unichar_isspace(c) && g_unichar_isprint(c))
			codes[(*n)++] = c;
		i += (size_t)MAX(len, 1);
	}
	qsort(codes, *n, sizeof(*codes), by_code);
	return codes;
}

/*
 * Whether shown has all characters of the value. Their order is not compared: words from
 * right to left have theirs as they are painted.
 */
static bool has_all(struct str shown, struct str value)
{
	size_t have, wanted, at = 0, found = 0;
	gunichar *of_shown = sorted(shown, &have), *of_value = sorted(value, &wanted);

	for (; found < wanted && at < have; at++)
		found += of_shown[at] == of_value[found];
	g_free(of_shown);
	g_free(of_value);
	return found == wanted;
}

/* The place of a field on the page as it is looked at, from the upper left corner. */
static PopplerRectangle place_of(const struct form_page *f, const PopplerRectangle *r)
{
	const double w = f->width, h = f->height;

	switch (f->page->turns) {
	case 1: return (PopplerRectangle){ r->y1, r->x1, r->y2, r->x2 };
	case 2: return (PopplerRectangle){ w - r->x2, r->y1, w - r->x1, r->y2 };
	case 3: return (PopplerRectangle){ w - r->y2, h - r->x2, w - r->y1, h - r->x1 };
	default: return (PopplerRectangle){ r->x1, h - r->y2, r->x2, h - r->y1 };
	}
}

/* The words within a field. */
static void shown_in(struct form_page *f, const PopplerRectangle *area, struct buf *out)
{
	const PopplerRectangle at = place_of(f, area);

	for (size_t i = 0; i < f->page->n_words && f->all->steps > 0; i++) {
		const struct pdf_word *w = &f->page->words[i];
		const double middle = (w->top + w->bottom) / 2;

		f->all->steps--;
		if (middle >= at.y1 - TOUCH && middle <= at.y2 + TOUCH &&
		    w->right >= at.x1 - TOUCH && w->left <= at.x2 + TOUCH)
			buf_add(out, f->page->text_of_words + w->at, w->n);
	}
}

static bool is_hidden(struct form_page *f, const PopplerRectangle *r)
{
	const int flags = POPPLER_ANNOT_FLAG_HIDDEN | POPPLER_ANNOT_FLAG_NO_VIEW;

	for (GList *l = f->annotations; l && f->all->steps > 0; l = l->next) {
		const PopplerAnnotMapping *m = l->data;

		f->all->steps--;
		if (m->area.x1 == r->x1 && m->area.y1 == r->y1 && m->area.x2 == r->x2 &&
		    m->area.y2 == r->y2 && poppler_annot_get_flags(m->annot) & flags)
			return true;
	}
	return false;
}

static void add_owned(struct buf *b, char *text)
{
	if (text)
		buf_adds(b, text);
	g_free(text);
}

static void add_selected(PopplerFormField *field, struct buf *out)
{
	const int n = poppler_form_field_choice_get_n_items(field);

	for (int i = 0; i < n; i++) {
		if (!poppler_form_field_choice_is_item_selected(field, i))
			continue;
		if (out->n)
			buf_adds(out, ", ");
		add_owned(out, poppler_form_field_choice_get_item(field, i));
	}
	if (!out->n && poppler_form_field_choice_is_editable(field))
		add_owned(out, poppler_form_field_choice_get_text(field));
}

/* The value of a field, if it is one to be seen; *box: it is ticked, and has no letters. */
static void value_of(PopplerFormField *field, struct buf *out, bool *box)
{
	*box = false;
	switch (poppler_form_field_get_field_type(field)) {
	case POPPLER_FORM_FIELD_TEXT:
		if (!poppler_form_field_text_is_password(field))
			add_owned(out, poppler_form_field_text_get_text(field));
		break;
	case POPPLER_FORM_FIELD_CHOICE:
		add_selected(field, out);
		break;
	case POPPLER_FORM_FIELD_BUTTON:
		*box = poppler_form_field_button_get_button_type(field) ==
			POPPLER_FORM_BUTTON_CHECK &&
			poppler_form_field_button_get_state(field);
		break;
	default:
		break;
	}
}

/* What people see as the name of a field, or its own. */
static void add_name(PopplerFormField *field, struct buf *out)
{
	add_owned(out, poppler_form_field_get_alternate_ui_name(field));
	if (!str_trim(buf_str(out)).n)
		add_owned(out, poppler_form_field_get_partial_name(field));
}

static bool put_field(struct extract *x, struct form_page *f, const PopplerFormFieldMapping *m)
{
	struct buf value = BUF_INIT(LIM_EXTRACT_OUTPUT_BYTES);
	struct buf shown = BUF_INIT(LIM_EXTRACT_OUTPUT_BYTES);
	struct buf line = BUF_INIT(LIM_EXTRACT_OUTPUT_BYTES);
	bool box, lacks = false;

	value_of(m->field, &value, &box);
	if ((box || str_trim(buf_str(&value)).n) && !is_hidden(f, &m->area)) {
		shown_in(f, &m->area, &shown);
		lacks = box ? !str_trim(buf_str(&shown)).n
			: !has_all(buf_str(&shown), buf_str(&value));
	}
	if (lacks) {
		add_name(m->field, &line);
		buf_adds(&line, line.n ? ": " : "");
		buf_addstr(&line, box ? STR("[x]") : buf_str(&value));
		extract_put_item(&x->out, "- ", buf_str(&line));
	}
	buf_release(&value);
	buf_release(&shown);
	buf_release(&line);
	return lacks;
}

static bool extract_fields_put(struct extract *x, struct pdf_fields *fields, int number,
			       const struct pdf_page *page)
{
	PopplerPage *of = fields ? poppler_document_get_page(fields->doc, number) : NULL;
	struct form_page f = { .all = fields, .page = page };
	GList *list = of ? poppler_page_get_form_field_mapping(of) : NULL;
	bool any = false;

	if (list) {
		poppler_page_get_size(of, &f.width, &f.height);
		f.annotations = poppler_page_get_annot_mapping(of);
	}
	/* The list begins with the last one. */
	for (GList *l = g_list_last(list); l && buf_ok(&x->out); l = l->prev)
		any |= put_field(x, &f, l->data);
	poppler_page_free_form_field_mapping(list);
	poppler_page_free_annot_mapping(f.annotations);
	if (of)
		g_object_unref(of);
	return any;
}

/* -- pages -------------------------------------------------------------------- */

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
