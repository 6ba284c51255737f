/* ODT, ODS, ODP (OpenDocument 1.3). */
#include "extract/office_walk.h"

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

static void element(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *name = office_name(x);
	char v[16];
	int64_t level;

	/* Deleted text that can be restored. */
	if (office_is(name, "tracked-changes")) {
		w->skip += open ? 1 : -1;
	} else if (w->skip) {
		return;
	} else if (office_is(name, "p") || office_is(name, "h")) {
		w->in_text = open;
		if (open && office_is(name, "h"))
			w->heading = str_int(str_of(office_attribute(
				x, "outline-level", v, sizeof(v))), &level)
				? (int)MIN(MAX(level, 1), 6) : 1;
		if (!open)
			office_end_paragraph(w);
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
	} else if (!open) {
		return;
	} else if (office_is(name, "page")) {
		odf_page(w, x);
	} else if (office_is(name, "spreadsheet")) {
		w->sheets = true;
	} else if (office_is(name, "s")) {
		office_add_char(w, ' ');
	} else if (office_is(name, "tab")) {
		office_add_char(w, '\t');
	} else if (office_is(name, "line-break")) {
		office_add_char(w, '\n');
	}
}

int office_read_odf(struct office_walk *w)
{
	struct str manifest = office_part(w->parts, "META-INF/manifest.xml");

	if (manifest.p && memmem(manifest.p, manifest.n, "encryption-data", 15))
		return EXTRACT_ENCRYPTED;
	return office_each(w, office_part(w->parts, "content.xml"), element,
			   office_add_text);
}
