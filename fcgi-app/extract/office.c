/*
 * DOCX, PPTX, XLSX (ECMA-376), ODT, ODS, ODP (OpenDocument 1.3), EPUB 3: the formats by
 * the names in the archive, and reading DOCX and PPTX. libxml2 does not expand entities
 * here, and refuses deep nesting itself.
 */
#include "extract/office_walk.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/util.h"
#include "extract/out.h"

#include "base/banned.h"

/* -- DOCX, PPTX --- */

/* "Heading2", "heading 2", "berschrift2", "Titre2": names end with the level. */
static int level_of(const char *style)
{
	static const char *const names[] = { "eading", "berschrift", "itre", "itolo" };
	size_t n = strlen(style);

	if (office_is(style, "Title") || office_is(style, "Titel"))
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strstr(style, names[i]) && n && style[n - 1] >= '1' &&
		    style[n - 1] <= '6')
			return style[n - 1] - '0';
	return 0;
}

static void break_page(struct office_walk *w)
{
	if (w->cells)
		return;
	if (w->text.n)
		office_end_paragraph(w);
	extract_put_page(&w->x->out, ++w->x->pages);
}

/* Text that is there twice: for old readers, or where it was moved from. */
static bool is_double(const char *name)
{
	return office_is(name, "Fallback") || office_is(name, "moveFrom");
}

static void end_spanning_cell(struct office_walk *w)
{
	int more = w->times - 1;

	w->times = 1;
	office_end_cell(w);
	w->blank = MIN(w->blank + more, OFFICE_COLUMNS);
}

static void ooxml(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *name = office_name(x);
	char v[64];

	if (is_double(name))
		w->skip += open ? 1 : -1;
	else if (w->skip)
		return;
	else if (office_is(name, "t"))
		w->in_text = open;
	else if (office_is(name, "tbl"))
		office_table(w, open);
	else if (office_is(name, "tr") && w->cells == 1 && !open)
		office_end_row(w);
	else if (office_is(name, "tc") && w->cells == 1 && !open)
		end_spanning_cell(w);
	else if (office_is(name, "p") && !open)
		office_end_paragraph(w);
	else if (!open)
		return;
	else if (office_is(name, "pStyle"))
		w->heading = level_of(office_attribute(x, "val", v, sizeof(v)));
	else if (office_is(name, "numPr"))
		w->item = true;
	else if (office_is(name, "gridSpan") && w->cells == 1)
		w->times = office_times(x, "val");
	else if (office_is(name, "ph") &&
		 strstr(office_attribute(x, "type", v, sizeof(v)), "itle"))
		w->heading = 2;		/* the title of a slide */
	else if (office_is(name, "tab"))
		office_add_char(w, '\t');
	else if (office_is(name, "br") || office_is(name, "cr"))
		office_add_char(w, '\n');
	else if (office_is(name, "lastRenderedPageBreak"))
		break_page(w);
}

static int read_docx(struct office_walk *w)
{
	w->x->pages = 1;
	extract_put_page(&w->x->out, 1);
	return office_each(w, office_part(w->parts, "word/document.xml"), ooxml,
			   office_add_text);
}

static void read_slide(struct office_walk *w, struct str part)
{
	if (w->failed || !part.p || w->x->pages >= LIM_EXTRACT_PAGES)
		return;
	extract_put_page(&w->x->out, ++w->x->pages);
	w->heading = 0;
	w->failed = office_each(w, part, ooxml, office_add_text);
}

static void slide_list(struct office_walk *w, const struct office_xml *x, bool open)
{
	char id[128];
	const char *path;

	if (!open || !office_is(office_name(x), "sldId"))
		return;
	path = office_linked(w, office_link_id(x, id, sizeof(id)));
	if (path)
		read_slide(w, office_part(w->parts, path));
}

static int read_pptx(struct office_walk *w)
{
	int rc;

	w->base = "ppt/presentation.xml";
	office_read_links(w);
	rc = office_each(w, office_part(w->parts, w->base), slide_list,
			 office_add_text);
	/* Without such a list, by their numbers. */
	for (int i = 1; i <= LIM_EXTRACT_PAGES && !w->failed && w->x->pages == i - 1;
	     i++) {
		char name[64];

		snprintf(name, sizeof(name), "ppt/slides/slide%d.xml", i);
		read_slide(w, office_part(w->parts, name));
	}
	if (rc == EXTRACT_OK)
		rc = w->failed;
	return rc == EXTRACT_OK && !w->x->pages ? EXTRACT_UNREADABLE : rc;
}

/* -- detecting the format --- */

#define OOXML "application/vnd.openxmlformats-officedocument."
#define ODF "application/vnd.oasis.opendocument."

static const struct {
	const char *mark;	/* the archive contains it uncompressed */
	const char *type;
	int (*read)(struct office_walk *w);
} formats[] = {
	{ "mimetypeapplication/epub+zip", "application/epub+zip", office_read_epub },
	{ "mimetype" ODF "text", ODF "text", office_read_odf },
	{ "mimetype" ODF "spreadsheet", ODF "spreadsheet", office_read_odf },
	{ "mimetype" ODF "presentation", ODF "presentation", office_read_odf },
	{ "word/document.xml", OOXML "wordprocessingml.document", read_docx },
	{ "xl/workbook.xml", OOXML "spreadsheetml.sheet", office_read_xlsx },
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
	struct office_walk w = OFFICE_WALK(x, &parts);
	const char *type = extract_office_type(s);
	int rc = office_unpack(s, &parts);

	for (size_t i = 0; rc == EXTRACT_OK && type && i < ARRAY_LEN(formats); i++)
		if (office_is(type, formats[i].type)) {
			rc = formats[i].read(&w);
			break;
		}
	office_walk_release(&w);
	office_release(&parts);
	return rc;
}
