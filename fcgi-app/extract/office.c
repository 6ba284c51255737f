/*
 * DOCX, PPTX, XLSX (ECMA-376), ODT, ODS, ODP (OpenDocument 1.3), EPUB 3. The XML is
 * read as a stream, with elements by their local names, because prefixes differ
 * between documents. libxml2 does not expand entities here, and refuses deep
 * nesting itself.
 */
#include "extract/file.h"

#include <libxml/xmlreader.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/util.h"
#include "extract/office_part.h"
#include "extract/out.h"

#include "base/banned.h"

enum {
	COLUMNS = 256,		/* per row of a sheet */
	TEXT_BYTES = 1048576,	/* of one paragraph or cell */
	XML_OPTIONS = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING,
};

/* -- reading XML --- */

struct xml {
	xmlTextReaderPtr r;
};

static const char *local(const struct xml *x)
{
	return (const char *)xmlTextReaderConstLocalName(x->r);
}

/* Copies an attribute by its local name, with any prefix, to out. */
static const char *attribute(const struct xml *x, const char *name, char *out,
			     size_t size_bytes)
{
	bool found = false;

	*out = '\0';
	while (xmlTextReaderMoveToNextAttribute(x->r) == 1 && !found) {
		const char *v = (const char *)xmlTextReaderConstValue(x->r);

		found = strcmp(local(x), name) == 0;
		if (found && v)
			snprintf(out, size_bytes, "%s", v);
	}
	xmlTextReaderMoveToElement(x->r);
	return out;
}

/* The state of converting the parts of a document. */
struct walk {
	struct extract *x;
	const struct office_parts *parts;
	struct buf text;	/* of the current paragraph or cell */
	struct buf row;		/* cells of the current row */
	int heading;		/* level of the heading; 0: it is a paragraph */
	bool item;		/* it is a list item */
	int cells;		/* nesting depth of tables */
	bool first_row, in_text, sheets;
	int n_cells;
	struct str *shared;	/* shared strings of a workbook */
	size_t n_shared;
	char kind[16];		/* type of the current cell */
};

typedef void on_node(struct walk *w, const struct xml *x, bool open);

/* Calls el for the start and end of each element, and for its text (name is NULL). */
static int each(struct walk *w, struct str part, on_node *element,
		void (*text)(struct walk *w, const char *s))
{
	struct xml x;
	int rc;

	if (!part.p || part.n > INT_MAX)
		return EXTRACT_UNREADABLE;
	x.r = xmlReaderForMemory(part.p, (int)part.n, NULL, NULL, XML_OPTIONS);
	if (!x.r)
		return EXTRACT_UNREADABLE;
	while ((rc = xmlTextReaderRead(x.r)) == 1 && buf_ok(&w->x->out)) {
		int type = xmlTextReaderNodeType(x.r);
		const char *s;

		if (type == XML_READER_TYPE_ELEMENT) {
			bool empty = xmlTextReaderIsEmptyElement(x.r) == 1;

			element(w, &x, true);
			if (empty)
				element(w, &x, false);
		} else if (type == XML_READER_TYPE_END_ELEMENT) {
			element(w, &x, false);
		} else if (type == XML_READER_TYPE_TEXT ||
			   type == XML_READER_TYPE_CDATA ||
			   type == XML_READER_TYPE_SIGNIFICANT_WHITESPACE) {
			s = (const char *)xmlTextReaderConstValue(x.r);
			if (s)
				text(w, s);
		}
	}
	xmlFreeTextReader(x.r);
	return rc < 0 ? EXTRACT_UNREADABLE : EXTRACT_OK;
}

static bool is(const char *name, const char *want)
{
	return strcmp(name, want) == 0;
}

static void add_text(struct walk *w, const char *s)
{
	if (w->in_text)
		buf_add(&w->text, s, MIN(strlen(s), w->text.cap - w->text.n));
}

static void add_char(struct walk *w, char c)
{
	if (w->text.n < w->text.cap)
		buf_addc(&w->text, c);
}

/* Ends a paragraph; within a cell, the next one continues it. */
static void end_paragraph(struct walk *w)
{
	struct str s = buf_str(&w->text);

	if (w->cells) {
		add_char(w, ' ');
		return;
	}
	if (w->heading)
		extract_put_heading(&w->x->out, w->heading, s);
	else if (w->item)
		extract_put_item(&w->x->out, s);
	else
		extract_put_paragraph(&w->x->out, s);
	buf_reset(&w->text);
	w->heading = 0;
	w->item = false;
}

static void begin_row(struct walk *w)
{
	buf_reset(&w->row);
	buf_reset(&w->text);
	w->n_cells = 0;
}

static void end_cell(struct walk *w)
{
	struct str s = str_trim(buf_str(&w->text));

	if (w->n_cells++)
		buf_addc(&w->row, OUT_CELL);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != OUT_CELL)
			buf_addc(&w->row, s.p[i]);
	buf_reset(&w->text);
}

static void end_row(struct walk *w)
{
	if (w->n_cells)
		extract_put_row(&w->x->out, buf_str(&w->row), w->first_row);
	w->first_row = w->first_row && !w->n_cells;
	begin_row(w);
}

/* A table within a cell is added to the text of that cell. */
static void table(struct walk *w, bool open)
{
	if (open && w->cells++ == 0) {
		end_paragraph(w);
		w->first_row = true;
		begin_row(w);
	} else if (!open && w->cells > 0 && --w->cells == 0) {
		buf_reset(&w->text);
	}
}

/* -- DOCX, PPTX --- */

/* "Heading2", "heading 2", "berschrift2", "Titre2": names end with the level. */
static int level_of(const char *style)
{
	static const char *const names[] = { "eading", "berschrift", "itre", "itolo" };
	size_t n = strlen(style);

	if (is(style, "Title") || is(style, "Titel"))
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strstr(style, names[i]) && n && style[n - 1] >= '1' &&
		    style[n - 1] <= '6')
			return style[n - 1] - '0';
	return 0;
}

static void break_page(struct walk *w)
{
	if (w->cells)
		return;
	if (w->text.n)
		end_paragraph(w);
	extract_put_page(&w->x->out, ++w->x->pages);
}

static void ooxml(struct walk *w, const struct xml *x, bool open)
{
	const char *name = local(x);
	char v[64];

	if (is(name, "t"))
		w->in_text = open;
	else if (is(name, "tbl"))
		table(w, open);
	else if (is(name, "tr") && w->cells == 1 && !open)
		end_row(w);
	else if (is(name, "tc") && w->cells == 1 && !open)
		end_cell(w);
	else if (is(name, "p") && !open)
		end_paragraph(w);
	else if (!open)
		return;
	else if (is(name, "pStyle"))
		w->heading = level_of(attribute(x, "val", v, sizeof(v)));
	else if (is(name, "numPr"))
		w->item = true;
	else if (is(name, "ph") && strstr(attribute(x, "type", v, sizeof(v)),
					  "itle"))
		w->heading = 2;		/* the title of a slide */
	else if (is(name, "tab"))
		add_char(w, '\t');
	else if (is(name, "br") || is(name, "cr"))
		add_char(w, '\n');
	else if (is(name, "lastRenderedPageBreak"))
		break_page(w);
}

static int read_docx(struct walk *w)
{
	w->x->pages = 1;
	extract_put_page(&w->x->out, 1);
	return each(w, office_part(w->parts, "word/document.xml"), ooxml,
		    add_text);
}

static int read_pptx(struct walk *w)
{
	int rc = EXTRACT_OK;

	for (int i = 1; i <= LIM_EXTRACT_PAGES && rc == EXTRACT_OK; i++) {
		char name[64];
		struct str slide;

		snprintf(name, sizeof(name), "ppt/slides/slide%d.xml", i);
		slide = office_part(w->parts, name);
		if (!slide.p)
			break;
		w->x->pages = i;
		extract_put_page(&w->x->out, i);
		w->heading = 0;
		rc = each(w, slide, ooxml, add_text);
	}
	return rc == EXTRACT_OK && !w->x->pages ? EXTRACT_UNREADABLE : rc;
}

/* -- XLSX --- */

static void free_shared(struct walk *w)
{
	for (size_t i = 0; i < w->n_shared; i++)
		free((char *)w->shared[i].p);
	free(w->shared);
}

static void shared(struct walk *w, const struct xml *x, bool open)
{
	const char *name = local(x);
	char *copy;

	if (is(name, "t"))
		w->in_text = open;
	if (!is(name, "si") || open)
		return;
	if (w->n_shared % 1024 == 0)
		w->shared = xrealloc(w->shared, (w->n_shared + 1024) *
				     sizeof(*w->shared));
	copy = xmalloc(w->text.n + 1);
	memcpy(copy, w->text.p, w->text.n);
	w->shared[w->n_shared++] = (struct str){ copy, w->text.n };
	buf_reset(&w->text);
}

/* The column of "BC12", counted from 0. */
static int column_of(const char *ref)
{
	int n = 0;

	for (; *ref >= 'A' && *ref <= 'Z' && n < COLUMNS * 26; ref++)
		n = n * 26 + (*ref - 'A' + 1);
	return n - 1;
}

static void begin_cell(struct walk *w, const struct xml *x)
{
	char ref[16];
	int at = column_of(attribute(x, "r", ref, sizeof(ref)));

	attribute(x, "t", w->kind, sizeof(w->kind));
	buf_reset(&w->text);
	while (w->n_cells < MIN(at, COLUMNS))
		end_cell(w);
}

/* Replaces the index of a shared string by the string. */
static void look_up(struct walk *w)
{
	int64_t at;

	if (!is(w->kind, "s"))
		return;
	if (!str_int(str_trim(buf_str(&w->text)), &at) || at < 0 ||
	    (size_t)at >= w->n_shared)
		at = -1;
	buf_reset(&w->text);
	if (at >= 0)
		buf_addstr(&w->text, w->shared[at]);
}

static void sheet(struct walk *w, const struct xml *x, bool open)
{
	const char *name = local(x);

	if (is(name, "v") || is(name, "t")) {
		w->in_text = open;
	} else if (is(name, "row")) {
		if (open)
			begin_row(w);
		else
			end_row(w);
	} else if (is(name, "c") && w->n_cells < COLUMNS) {
		if (open) {
			begin_cell(w, x);
		} else {
			look_up(w);
			end_cell(w);
		}
	}
}

/*
 * Reads the sheets of the workbook: names are in order, and files are numbered in
 * that order.
 */
static void workbook(struct walk *w, const struct xml *x, bool open)
{
	char title[128], file[64];
	struct walk s = {
		.x = w->x, .parts = w->parts, .text = BUF_INIT(TEXT_BYTES),
		.row = BUF_INIT(TEXT_BYTES), .first_row = true,
		.shared = w->shared, .n_shared = w->n_shared,
	};

	if (!open || !is(local(x), "sheet") || w->x->pages >= LIM_EXTRACT_PAGES)
		return;
	snprintf(file, sizeof(file), "xl/worksheets/sheet%lld.xml",
		 (long long)++w->x->pages);
	extract_put_page(&w->x->out, w->x->pages);
	extract_put_heading(&w->x->out, 2, str_of(attribute(x, "name", title,
						    sizeof(title))));
	(void)!each(&s, office_part(w->parts, file), sheet, add_text);
	buf_release(&s.text);
	buf_release(&s.row);
}

static int read_xlsx(struct walk *w)
{
	struct str texts = office_part(w->parts, "xl/sharedStrings.xml");
	int rc = texts.p ? each(w, texts, shared, add_text) : EXTRACT_OK;

	return rc != EXTRACT_OK ? rc
		: each(w, office_part(w->parts, "xl/workbook.xml"), workbook,
		       add_text);
}

/* -- ODT, ODS, ODP --- */

static void odf_page(struct walk *w, const struct xml *x)
{
	char title[128];

	extract_put_page(&w->x->out, ++w->x->pages);
	extract_put_heading(&w->x->out, 2, str_of(attribute(x, "name", title,
						    sizeof(title))));
}

static void odf_cell(struct walk *w, const struct xml *x, bool open)
{
	char times[16];
	int64_t n = 1;

	if (open) {
		buf_reset(&w->text);
		attribute(x, "number-columns-repeated", times, sizeof(times));
		snprintf(w->kind, sizeof(w->kind), "%s", times);
		return;
	}
	if (!str_int(str_of(w->kind), &n) || n < 1 || !w->text.n)
		n = 1;
	if (w->n_cells < COLUMNS)
		end_cell(w);
}

static void odf(struct walk *w, const struct xml *x, bool open)
{
	const char *name = local(x);
	char v[16];
	int64_t level;

	if (is(name, "p") || is(name, "h")) {
		w->in_text = open;
		if (open && is(name, "h"))
			w->heading = str_int(str_of(attribute(
				x, "outline-level", v, sizeof(v))), &level)
				? (int)MIN(MAX(level, 1), 6) : 1;
		if (!open)
			end_paragraph(w);
	} else if (is(name, "list-item")) {
		w->item = open;
	} else if (is(name, "table")) {
		if (open && w->sheets && !w->cells)
			odf_page(w, x);
		table(w, open);
	} else if (is(name, "table-row") && w->cells == 1) {
		if (!open)
			end_row(w);
	} else if (is(name, "table-cell") && w->cells == 1) {
		odf_cell(w, x, open);
	} else if (!open) {
		return;
	} else if (is(name, "page")) {
		odf_page(w, x);
	} else if (is(name, "spreadsheet")) {
		w->sheets = true;
	} else if (is(name, "s")) {
		add_char(w, ' ');
	} else if (is(name, "tab")) {
		add_char(w, '\t');
	} else if (is(name, "line-break")) {
		add_char(w, '\n');
	}
}

static int read_odf(struct walk *w)
{
	struct str manifest = office_part(w->parts, "META-INF/manifest.xml");

	if (manifest.p && memmem(manifest.p, manifest.n, "encryption-data", 15))
		return EXTRACT_ENCRYPTED;
	return each(w, office_part(w->parts, "content.xml"), odf, add_text);
}

/* -- EPUB --- */

/*
 * Reads the chapters in the order of the archive, which in practice is that of the
 * book.
 */
static int read_epub(struct walk *w)
{
	for (size_t i = 0; i < w->parts->n &&
	     w->x->pages < LIM_EXTRACT_PAGES; i++) {
		const char *name = w->parts->v[i].name;

		if (!strstr(name, "html") && !strstr(name, ".htm"))
			continue;
		extract_put_page(&w->x->out, ++w->x->pages);
		extract_file_inner(w->x, buf_str(&w->parts->v[i].data),
				   w->x->depth + 1);
	}
	return w->x->pages ? EXTRACT_OK : EXTRACT_UNREADABLE;
}

/* -- detecting the format --- */

#define OOXML "application/vnd.openxmlformats-officedocument."
#define ODF "application/vnd.oasis.opendocument."

static const struct {
	const char *mark;	/* the archive contains it uncompressed */
	const char *type;
	int (*read)(struct walk *w);
} formats[] = {
	{ "mimetypeapplication/epub+zip", "application/epub+zip", read_epub },
	{ "mimetype" ODF "text", ODF "text", read_odf },
	{ "mimetype" ODF "spreadsheet", ODF "spreadsheet", read_odf },
	{ "mimetype" ODF "presentation", ODF "presentation", read_odf },
	{ "word/document.xml", OOXML "wordprocessingml.document", read_docx },
	{ "xl/workbook.xml", OOXML "spreadsheetml.sheet", read_xlsx },
	{ "ppt/presentation.xml", OOXML "presentationml.presentation", read_pptx },
};

const char *extract_office_type(struct str s)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (memmem(s.p, s.n, formats[i].mark, strlen(formats[i].mark)))
			return formats[i].type;
	return NULL;
}

int extract_office(struct extract *x)
{
	struct str s = buf_str(&x->input);
	struct office_parts parts;
	struct walk w = {
		.x = x, .parts = &parts, .text = BUF_INIT(TEXT_BYTES),
		.row = BUF_INIT(TEXT_BYTES), .first_row = true,
	};
	const char *type = extract_office_type(s);
	int rc = office_unpack(s, &parts);

	for (size_t i = 0; rc == EXTRACT_OK && type && i < ARRAY_LEN(formats); i++)
		if (is(type, formats[i].type)) {
			rc = formats[i].read(&w);
			break;
		}
	free_shared(&w);
	office_release(&parts);
	buf_release(&w.text);
	buf_release(&w.row);
	return rc;
}
