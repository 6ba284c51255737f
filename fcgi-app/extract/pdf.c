/*
 * PDF, with poppler. Opens no files here: fonts and encodings are embedded in the
 * file.
 */
#include "extract/file.h"

#include <poppler.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "extract/out.h"

#include "base/banned.h"

enum { MISSING = 50 };	/* this many missing pages in a row are the end */

static int why(GError *error)
{
	int rc = EXTRACT_UNREADABLE;

	if (error && error->domain == POPPLER_ERROR &&
	    error->code == POPPLER_ERROR_ENCRYPTED)
		rc = EXTRACT_ENCRYPTED;
	g_clear_error(&error);
	return rc;
}

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
struct line {
	struct str text;
	int size;		/* its smallest font size in half points; 0: unknown */
	bool bold;		/* the whole line */
	double top, bottom;
};

struct page_text {
	const char *at;			/* the remaining text */
	int n;				/* characters before it */
	GList *fonts;			/* of ranges of characters, in order */
	PopplerRectangle *boxes;	/* of each character */
	guint n_boxes;
};

enum { SIZES = 400 };

/*
 * Number of characters by font size in half points, on the pages so far; and of
 * bold ones.
 */
static int64_t sizes[SIZES + 1], bold_chars, all_chars;

static int half_points(const PopplerTextAttributes *f)
{
	return f->font_size > 0 && f->font_size < SIZES / 2
		? (int)(f->font_size * 2 + 0.5) : 0;
}

static bool is_bold(const PopplerTextAttributes *f)
{
	static const char *const words[] = { "Bold", "bold", "Black", "Heavy" };

	for (size_t i = 0; f->font_name && i < ARRAY_LEN(words); i++)
		if (strstr(f->font_name, words[i]))
			return true;
	return false;
}

static void count_fonts(const GList *fonts)
{
	for (; fonts; fonts = fonts->next) {
		const PopplerTextAttributes *f = fonts->data;
		int64_t n = MAX((int64_t)f->end_index - f->start_index + 1, 0);

		sizes[half_points(f)] += n;
		all_chars += n;
		bold_chars += is_bold(f) ? n : 0;
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

static bool next_line(struct page_text *p, struct line *out)
{
	const char *end = strchr(p->at, '\n');
	int first = p->n;

	if (!*p->at)
		return false;
	*out = (struct line){ .bold = true };
	end = end ? end : p->at + strlen(p->at);
	out->text = (struct str){ p->at, (size_t)(end - p->at) };
	p->n += (int)g_utf8_strlen(p->at, end - p->at);
	for (; p->fonts; p->fonts = p->fonts->next) {
		const PopplerTextAttributes *f = p->fonts->data;
		int size = half_points(f);

		if (f->start_index >= p->n)
			break;
		if (f->end_index >= first) {
			out->bold &= is_bold(f);
			out->size = out->size ? MIN(out->size, size) : size;
		}
		if (f->end_index >= p->n)	/* it applies to the next line, too */
			break;
	}
	if (first < (int)p->n_boxes) {
		out->top = p->boxes[first].y1;
		out->bottom = p->boxes[first].y2;
	}
	p->at = *end ? end + 1 : end;
	p->n += *end != '\0';
	return true;
}

/* The level of a heading; 0: the line is part of a paragraph. */
static int level_of(const struct line *l, int body)
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
	if (level)
		extract_put_heading(&x->out, level, buf_str(b));
	else
		extract_put_paragraph(&x->out, buf_str(b));
	buf_reset(b);
}

static void put_lines(struct extract *x, struct page_text *p)
{
	struct buf b = BUF_INIT(LIM_EXTRACT_OUTPUT_BYTES);
	struct line l, before = { .size = 0 };
	int level = 0, body;

	count_fonts(p->fonts);
	body = body_size();
	while (next_line(p, &l)) {
		int this = level_of(&l, body);
		double gap = l.top - before.bottom, high = l.bottom - l.top;

		if (b.n && (this != level || (high > 0 && gap > 0.75 * high)))
			put_block(x, &b, level);
		buf_addstr(&b, l.text);
		buf_addc(&b, '\n');
		level = this;
		before = l;
	}
	put_block(x, &b, level);
	buf_release(&b);
}

bool extract_pdf_text(PopplerPage *page, struct extract *x)
{
	char *text = poppler_page_get_text(page);
	bool any = text && str_trim(str_of(text)).n > 0;

	if (any && x) {
		GList *fonts = poppler_page_get_text_attributes(page);
		struct page_text p = { .at = text, .fonts = fonts };

		if (!poppler_page_get_text_layout(page, &p.boxes, &p.n_boxes))
			p.n_boxes = 0;
		put_lines(x, &p);
		g_free(p.boxes);
		poppler_page_free_text_attributes(fonts);
	}
	g_free(text);
	return any;
}

/* -- pages --- */

/* Whether the page has any text. */
static bool read_page(struct extract *x, PopplerDocument *doc, int i,
		      bool *is_there)
{
	PopplerPage *page = poppler_document_get_page(doc, i);
	size_t before = x->out.n;
	bool any;

	*is_there = page != NULL;
	if (!page)
		return false;
	extract_put_page(&x->out, i + 1);
	any = extract_pdf_text(page, x);
	if (!any) {
		x->out.n = before;
		x->out.p[before] = '\0';
	}
	g_object_unref(page);
	return any;
}

static PopplerDocument *open_document(struct extract *x, GError **error)
{
	GBytes *bytes = g_bytes_new_static(x->input.p, x->input.n);

	return poppler_document_new_from_bytes(bytes, NULL, error);
}

PopplerDocument *extract_pdf_open(struct extract *x)
{
	return open_document(x, NULL);
}

int extract_pdf(struct extract *x)
{
	GError *error = NULL;
	PopplerDocument *doc = open_document(x, &error);
	int n, missing = 0, blank = 0;
	bool any = false, is_there;

	if (!doc)
		return why(error);
	/* The number of pages that the file states may be wrong. */
	n = poppler_document_get_n_pages(doc);
	for (int i = 0; i < MIN(n, LIM_EXTRACT_PAGES) && missing < MISSING &&
	     buf_ok(&x->out); i++) {
		bool has_text = read_page(x, doc, i, &is_there);

		any |= has_text;
		missing = is_there ? 0 : missing + 1;
		if (is_there)
			x->pages = i + 1;
		if (is_there && !has_text) {
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
	if (!x->pages)
		return EXTRACT_UNREADABLE;
	return any ? EXTRACT_OK : EXTRACT_NO_TEXT;
}
