/* SPDX-License-Identifier: MIT */
/* ODT, ODS, ODP (OpenDocument 1.3). */
#include "extract/office_walk.h"

#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "extract/out.h"

#include "base/banned.h"

static void odf_page(struct office_walk *w, const struct office_xml *x)
{
	char title[128];

	extract_put_page(&w->x->out, ++w->x->pages);
	extract_put_heading(&w->x->out, 2, str_of(office_attribute(x, "name", title,
						    sizeof(title))));
}

static void odf_cell(struct office_walk *w, const struct office_xml *x, bool open)
{
	if (open) {
		buf_reset(&w->text);
		w->times = office_times(x, "number-columns-repeated");
	} else {
		office_end_cell(w);
	}
}

/* -- paragraphs, and what stands in them --- */

/* What office_box does not keep. */
static struct {
	int boxed[OFFICE_BOXES];	/* depths of paragraphs within paragraphs */
	int n_boxed;
	bool of_notes;			/* the next paragraph begins a slide's notes */
	bool in_body;			/* of a flat file */
	int n_comments;
} odf;

static void paragraph(struct office_walk *w, const struct office_xml *x, bool open)
{
	int depth = xmlTextReaderDepth(x->r);

	if (open) {
		/* The text of a shape that stands in a paragraph. */
		if (w->paragraph && odf.n_boxed < OFFICE_BOXES) {
			odf.boxed[odf.n_boxed++] = depth;
			office_box(w, true, &w->aside);
		}
		w->paragraph = w->in_text = true;
		if (office_is(office_name(x), "h"))
			w->heading = (int)MIN(MAX(office_number(
				x, "outline-level", 1), 1), 6);
		if (odf.of_notes)
			office_add_label(w, STR("Notes:"));
		odf.of_notes = false;
		return;
	}
	office_end_paragraph(w);
	w->paragraph = w->in_text = false;
	if (odf.n_boxed && odf.boxed[odf.n_boxed - 1] == depth) {
		odf.n_boxed--;
		office_box(w, false, NULL);
	}
}

/* A footnote, endnote or comment: a mark here, the text at the end. */
static void note(struct office_walk *w, bool open, const char *kind, int *number,
		 const char *more)
{
	struct buf label = BUF_INIT(64);

	if (open) {
		buf_addf(&label, "[^%s%d]", kind, ++*number);
		buf_addstr(&w->text, buf_str(&label));
		office_box(w, true, &w->notes);
		buf_addf(&label, ":%s", more);
		office_add_label(w, buf_str(&label));
	} else {
		office_box(w, false, NULL);
	}
	buf_release(&label);
}

/* Who wrote a comment. */
static void creator(struct office_walk *w, bool open)
{
	w->in_text = open && w->box;
	if (!open && w->box) {
		office_add_utf8(w, ": ");
		w->label = w->text.n;
	}
}

static bool is_hidden(const char *name)
{
	/* Deleted text that can be restored, pronunciation, numbers of notes, pictures. */
	return office_is(name, "tracked-changes") || office_is(name, "ruby-text") ||
		office_is(name, "note-citation") || office_is(name, "binary-data");
}

static void spaces(struct office_walk *w, const struct office_xml *x)
{
	for (int64_t n = MIN(office_number(x, "c", 1), OFFICE_REPEATED); n > 0; n--)
		office_add_char(w, ' ');
}

static void begin_element(struct office_walk *w, const struct office_xml *x)
{
	const char *name = office_name(x);

	if (office_is(name, "page"))
		odf_page(w, x);
	else if (office_is(name, "spreadsheet"))
		w->sheets = true;
	else if (office_is(name, "s"))
		spaces(w, x);
	else if (office_is(name, "tab"))
		office_add_char(w, '\t');
	else if (office_is(name, "line-break"))
		office_add_char(w, '\n');
}

static void element(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *name = office_name(x);

	if (is_hidden(name)) {
		w->skip += open ? 1 : -1;
	} else if (w->skip) {
		return;
	} else if (office_is(name, "p") || office_is(name, "h")) {
		paragraph(w, x, open);
	} else if (office_is(name, "note")) {
		note(w, open, "", &w->n_notes, "");
	} else if (office_is(name, "annotation")) {
		note(w, open, "c", &odf.n_comments, " Comment,");
	} else if (office_is(name, "creator")) {
		creator(w, open);
	} else if (office_is(name, "notes")) {
		odf.of_notes = open;
	} else if (office_is(name, "list-item")) {
		w->item = open;
	} else if (office_is(name, "table")) {
		if (open && w->sheets && !w->cells)
			odf_page(w, x);
		office_table(w, open);
	} else if (office_is(name, "table-row") && w->cells == 1) {
		if (open)
			w->row_times = office_times(x, "number-rows-repeated");
		else
			office_end_row(w);
	} else if (w->cells == 1 && (office_is(name, "table-cell") ||
				     office_is(name, "covered-table-cell"))) {
		odf_cell(w, x, open);
	} else if (open) {
		begin_element(w, x);
	}
}

/* -- the document --- */

/* Headers and footers are in the styles of pages. */
static void read_frame(struct office_walk *w, const struct office_xml *x, bool open,
		       const char *kind)
{
	const char *name = office_name(x);
	size_t n = strlen(kind);

	if (!strncmp(name, kind, n) && (!name[n] || name[n] == '-') &&
	    !strstr(name, "-style"))
		w->frame = open;
	else if (w->frame)
		element(w, x, open);
}

static void header(struct office_walk *w, const struct office_xml *x, bool open)
{
	read_frame(w, x, open, "header");
}

static void footer(struct office_walk *w, const struct office_xml *x, bool open)
{
	read_frame(w, x, open, "footer");
}

/* What a package has in content.xml. */
static void body(struct office_walk *w, const struct office_xml *x, bool open)
{
	if (office_is(office_name(x), "body"))
		odf.in_body = open;
	else if (odf.in_body)
		element(w, x, open);
}

int extract_flat_odf(struct extract *x)
{
	struct office_parts none = { .n = 0 };
	struct office_walk w = OFFICE_WALK(x, &none);
	struct str s = buf_str(&x->input);
	bool is_text = memmem(s.p, s.n, "<office:text", 12);
	int rc;

	memset(&odf, 0, sizeof(odf));
	if (is_text)
		(void)!office_each(&w, s, header, office_add_text);
	rc = office_each(&w, s, body, office_add_text);
	if (is_text)
		(void)!office_each(&w, s, footer, office_add_text);
	office_end_notes(&w);
	office_walk_release(&w);
	return rc;
}

int office_read_odf(struct office_walk *w)
{
	struct str manifest = office_part(w->parts, "META-INF/manifest.xml");
	struct str content = office_part(w->parts, "content.xml");
	struct str styles = office_part(w->parts, "styles.xml");
	bool is_text = content.p && memmem(content.p, content.n, "<office:text", 12);
	int rc;

	memset(&odf, 0, sizeof(odf));
	if (manifest.p && memmem(manifest.p, manifest.n, "encryption-data", 15))
		return EXTRACT_ENCRYPTED;
	if (is_text)
		(void)!office_each(w, styles, header, office_add_text);
	rc = office_each(w, content, element, office_add_text);
	if (is_text)
		(void)!office_each(w, styles, footer, office_add_text);
	return rc;
}
