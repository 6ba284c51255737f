/* SPDX-License-Identifier: MIT */
/*
 * DOCX (ECMA-376 part 1, section 17), and what paragraphs of PPTX have in common with it.
 * Headers stand before the text; footers, footnotes, endnotes and comments after it, with
 * a mark where they belong: "[^2]".
 */
#include "extract/office_list.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/util.h"
#include "extract/out.h"
#include "extract/symbol.h"

#include "base/banned.h"

enum {
	NOTES = 65536,		/* ids of notes */
	FONT_BYTES = 32,
	PARTS_DEEP = 4,		/* parts within parts */
	STYLE_BYTES = 96,
	ENTRIES = 64,		/* of a list to choose from */
	ENTRY_BYTES = 128,
	MATH = 32,		/* nesting depth of formulas */
};

enum note { FOOTNOTE, ENDNOTE, COMMENT, NOTE_KINDS };

/* Marks of notes, and the elements that they are. */
static const struct {
	const char *reference, *element, *part, *mark;
} notes[] = {
	[FOOTNOTE] = { "footnoteReference", "footnote", "footnotes", "" },
	[ENDNOTE] = { "endnoteReference", "endnote", "endnotes", "e" },
	[COMMENT] = { "commentReference", "comment", "comments", "c" },
};

/* A part of a formula whose text may need brackets. */
struct math {
	size_t begin;		/* in the text */
	char open[8], close[8], between[8];
	int n;			/* elements so far */
	int depth;		/* of it, in the XML */
};

/* The paragraph and run that are read. */
static struct {
	struct list_place place;
	char style[STYLE_BYTES];
	char font[FONT_BYTES];		/* of the run, if it is said */
	bool in_properties;		/* of a paragraph */
	size_t text_from;		/* where the text of an element begins */
	/* numbers of notes by their ids, in the order of their marks; 0: none yet */
	int *numbers[NOTE_KINDS];
	int n_notes[NOTE_KINDS];
	/* a form field */
	int ticked;			/* LIST_NONE: it is no box to tick */
	int64_t selected;
	int n_entries;
	char entries[ENTRIES][ENTRY_BYTES];
	struct math math[MATH];
	int n_math;
} doc;

/* -- paragraphs --- */

static void break_page(struct office_walk *w)
{
	if (w->cells || w->box)
		return;
	if (w->text.n)
		office_end_paragraph(w);
	extract_put_page(&w->x->out, ++w->x->pages);
}

static void begin_properties(void)
{
	doc.in_properties = true;
	doc.place = (struct list_place){ LIST_NONE, LIST_NONE };
	doc.style[0] = '\0';
}

/* Styles and numbers are known when all properties are. */
static void end_properties(struct office_walk *w)
{
	struct list_place of_style;
	struct buf label = BUF_INIT(1024);
	int level = office_list_style(w->list, doc.style, &of_style);

	doc.in_properties = false;
	/* An outline level of the paragraph itself counts more: 7 is none. */
	w->heading = w->heading > 6 ? 0 : w->heading ? w->heading : level;
	if (doc.place.num == LIST_NONE)
		doc.place.num = of_style.num;
	if (doc.place.level == LIST_NONE)
		doc.place.level = of_style.level;
	w->item = office_list_count(w->list, doc.place, doc.style, &label);
	if (label.n)
		office_add_label(w, buf_str(&label));
	buf_release(&label);
}

static void property(struct office_walk *w, const struct office_xml *x)
{
	const char *name = office_name(x);
	int64_t outline;

	if (office_is(name, "pStyle")) {
		office_attribute(x, "val", doc.style, sizeof(doc.style));
	} else if (office_is(name, "outlineLvl")) {
		outline = office_number(x, "val", 9);
		w->heading = outline < 0 || outline > 8 ? 7 : (int)MIN(outline + 1, 6);
	} else if (office_is(name, "numId")) {
		doc.place.num = office_number(x, "val", LIST_NONE);
	} else if (office_is(name, "ilvl")) {
		doc.place.level = office_number(x, "val", LIST_NONE);
	}
}

static void end_spanning_cell(struct office_walk *w)
{
	int more = w->times - 1;

	w->times = 1;
	office_end_cell(w);
	w->blank = MIN(w->blank + more, OFFICE_REPEATED);
}

/* -- characters that are elements --- */

/* A character of a font that has symbols (section 17.3.3.30). */
static void symbol(struct office_walk *w, const struct office_xml *x)
{
	char font[FONT_BYTES], code[8];
	unsigned long c;

	office_attribute(x, "font", font, sizeof(font));
	c = strtoul(office_attribute(x, "char", code, sizeof(code)), NULL, 16);
	if (c && (extract_symbol_font(font) || (c >= 0xf000 && c <= 0xf0ff)))
		office_add_utf8(w, extract_symbol(font, (unsigned)c));
	else
		extract_put_code(&w->text, (unsigned)c);
}

/* Text in such a font is at U+F020 to U+F0FF. */
void office_ooxml_text(struct office_walk *w, const char *s)
{
	const char *font = extract_symbol_font(doc.font) ? doc.font : "Symbol";
	const unsigned char *p = (const unsigned char *)s;
	size_t from = 0, i = 0;

	if (!w->in_text || w->skip)
		return;
	while (p[i]) {
		if (p[i] != 0xef || p[i + 1] < 0x80 || p[i + 1] > 0x83) {
			i++;
			continue;
		}
		buf_add(&w->text, s + from, i - from);
		office_add_utf8(w, extract_symbol(font, (unsigned)(
			(p[i + 1] & 3) << 6 | (p[i + 2] & 0x3f))));
		i += 3;
		from = i;
	}
	buf_add(&w->text, s + from, i - from);
}

/* A form field of old programs, whose value is only in its properties. */
static void form_field(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *name = office_name(x);

	if (office_is(name, "ffData") && open) {
		doc.ticked = LIST_NONE;
		doc.selected = doc.n_entries = 0;
	} else if (office_is(name, "ffData")) {
		if (doc.ticked != LIST_NONE)
			office_add_utf8(w, doc.ticked ? "\u2612" : "\u2610");
		else if (doc.selected >= 0 && doc.selected < doc.n_entries)
			office_add_utf8(w, doc.entries[doc.selected]);
	} else if (!open) {
		return;
	} else if (office_is(name, "checkBox")) {
		doc.ticked = 0;
	} else if (office_is(name, "checked") ||
		   (office_is(name, "default") && doc.ticked != LIST_NONE)) {
		doc.ticked = office_on(x);
	} else if (office_is(name, "result")) {
		doc.selected = office_number(x, "val", 0);
	} else if (office_is(name, "listEntry") && doc.n_entries < ENTRIES) {
		office_attribute(x, "val", doc.entries[doc.n_entries++], ENTRY_BYTES);
	}
}

/* -- formulas (section 22.1) --- */

static void begin_math(struct office_walk *w, const struct office_xml *x,
		       const char *open, const char *close)
{
	struct math *m = &doc.math[MIN(doc.n_math++, MATH - 1)];

	*m = (struct math){ .begin = w->text.n, .depth = xmlTextReaderDepth(x->r) };
	snprintf(m->open, sizeof(m->open), "%s", open);
	snprintf(m->close, sizeof(m->close), "%s", close);
	snprintf(m->between, sizeof(m->between), "|");
}

static struct math *end_math(void)
{
	doc.n_math -= doc.n_math > 0;
	return &doc.math[MIN(doc.n_math, MATH - 1)];
}

/* A fraction, power or index has brackets if it is longer than a character. */
static void end_part(struct office_walk *w)
{
	struct math *m = end_math();
	size_t n = w->text.n - MIN(m->begin, w->text.n);

	if (n < 2 || !buf_reserve(&w->text, 2))
		return;
	memmove(w->text.p + m->begin + 1, w->text.p + m->begin, n);
	w->text.p[m->begin] = '(';
	w->text.n++;
	buf_addc(&w->text, ')');
}

/* Elements and attributes that stand for signs. */
static void formula(struct office_walk *w, const struct office_xml *x, bool open)
{
	static const struct {
		const char *name, *sign;
	} parts[] = {
		{ "num", "" }, { "den", "/" }, { "sup", "^" }, { "sub", "_" },
	};
	const char *name = office_name(x);
	struct math *m = doc.n_math ? &doc.math[MIN(doc.n_math, MATH) - 1] : NULL;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (office_is(name, parts[i].name)) {
			if (open) {
				office_add_utf8(w, parts[i].sign);
				begin_math(w, x, "", "");
			} else {
				end_part(w);
			}
			return;
		}
	if (office_is(name, "d")) {
		if (open)
			begin_math(w, x, "(", ")");
		else
			office_add_utf8(w, end_math()->close);
	} else if (!open) {
		return;
	} else if (office_is(name, "chr")) {
		char sign[8];

		office_add_utf8(w, office_attribute(x, "val", sign, sizeof(sign)));
	} else if (office_is(name, "rad")) {
		office_add_utf8(w, "\u221a");
	} else if (m && office_is(name, "begChr")) {
		office_attribute(x, "val", m->open, sizeof(m->open));
	} else if (m && office_is(name, "endChr")) {
		office_attribute(x, "val", m->close, sizeof(m->close));
	} else if (m && office_is(name, "sepChr")) {
		office_attribute(x, "val", m->between, sizeof(m->between));
	} else if (m && office_is(name, "e") && (*m->open || *m->close) &&
		   xmlTextReaderDepth(x->r) == m->depth + 1) {
		office_add_utf8(w, m->n++ ? m->between : m->open);
	}
}

/* -- other parts --- */

/* A diagram or chart, whose text is in a part of its own. */
static void linked_part(struct office_walk *w, const char *id)
{
	const char *name = *id ? office_linked(w, id) : NULL;
	struct str part = { NULL, 0 };

	if (name && w->parts_deep < PARTS_DEEP)
		part = office_part(w->parts, name);
	if (!part.p)
		return;
	w->parts_deep++;
	office_box(w, true, &w->aside);
	(void)!office_each(w, part, office_ooxml, office_ooxml_text);
	office_box(w, false, NULL);
	w->parts_deep--;
}

/* A file that another program has put in as it is: HTML, RTF, mail. */
static void foreign_part(struct office_walk *w, const struct office_xml *x)
{
	char id[128];
	const char *name = office_linked(w, office_link_id(x, id, sizeof(id)));
	struct str part = { NULL, 0 };

	if (name)
		part = office_part(w->parts, name);
	if (w->text.n)
		office_end_paragraph(w);
	if (part.p)
		extract_file_inner(w->x, part, NULL, NULL, w->x->depth + 1);
}

static bool note_mark(struct office_walk *w, const struct office_xml *x)
{
	const char *name = office_name(x);
	char mark[32];
	int64_t id;

	for (size_t i = 0; i < NOTE_KINDS; i++) {
		if (!office_is(name, notes[i].reference))
			continue;
		id = office_number(x, "id", LIST_NONE);
		if (id < 0 || id >= NOTES)
			return true;
		if (!doc.numbers[i])
			doc.numbers[i] = xcalloc(NOTES, sizeof(int));
		if (!doc.numbers[i][id])
			doc.numbers[i][id] = ++doc.n_notes[i];
		snprintf(mark, sizeof(mark), "[^%s%d]", notes[i].mark,
			 doc.numbers[i][id]);
		office_add_utf8(w, mark);
		return true;
	}
	return false;
}

/* -- elements --- */

/*
 * Text that is there twice, was deleted or is not shown: for old readers, where it was
 * moved from, how it was formatted before, how it is pronounced.
 */
static bool is_hidden(const char *name)
{
	static const char *const names[] = {
		"Fallback", "moveFrom", "del", "rt", "tabs", "tabLst", "sectPrChange",
		"pPrChange", "rPrChange", "tblPrChange", "trPrChange", "tcPrChange",
		"tblGridChange", "numberingChange", "tblPrExChange", "sdtPr",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (office_is(name, names[i]))
			return true;
	return false;
}

static void begin_element(struct office_walk *w, const struct office_xml *x)
{
	const char *name = office_name(x);
	char v[128];

	if (note_mark(w, x))
		return;
	if (office_is(name, "gridSpan") && w->cells == 1)
		w->times = office_times(x, "val");
	else if (office_is(name, "ph") &&
		 strstr(office_attribute(x, "type", v, sizeof(v)), "itle"))
		w->heading = 2;		/* the title of a slide */
	else if (office_is(name, "tab") || office_is(name, "ptab"))
		office_add_char(w, '\t');
	else if (office_is(name, "br") || office_is(name, "cr"))
		office_add_char(w, '\n');
	else if (office_is(name, "noBreakHyphen"))
		office_add_char(w, '-');
	else if (office_is(name, "sym") && *office_attribute(x, "char", v, sizeof(v)))
		symbol(w, x);
	else if (office_is(name, "r"))
		doc.font[0] = '\0';
	else if (office_is(name, "rFonts"))
		office_attribute(x, "ascii", doc.font, sizeof(doc.font));
	else if (office_is(name, "sym"))	/* of PPTX */
		office_attribute(x, "typeface", doc.font, sizeof(doc.font));
	else if (office_is(name, "lastRenderedPageBreak"))
		break_page(w);
	else if (office_is(name, "altChunk"))
		foreign_part(w, x);
	else if (office_is(name, "chart"))
		linked_part(w, office_link_id(x, v, sizeof(v)));
	else if (office_is(name, "relIds"))
		linked_part(w, office_attribute(x, "dm", v, sizeof(v)));
}

/* Names and values of a chart; elsewhere these elements have no text. */
static bool chart(struct office_walk *w, const struct office_xml *x, bool open)
{
	static const char *const groups[] = { "tx", "cat", "val", "xVal", "yVal" };
	const char *name = office_name(x);

	if (!w->parts_deep)
		return false;
	if (office_is(name, "v")) {
		w->in_text = open;
		if (!open)
			office_add_utf8(w, " ");
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(groups) && !open; i++)
		if (office_is(name, groups[i]) && w->text.n)
			office_end_paragraph(w);
	return false;
}

/* PowerPoint writes "_x000B_" in a:t, for a line end; Word does not in w:t. */
static void text_element(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *space = (const char *)xmlTextReaderConstNamespaceUri(x->r);

	w->in_text = open;
	if (open)
		doc.text_from = w->text.n;
	else if (space && strstr(space, "drawingml"))
		office_unescape(w, MIN(doc.text_from, w->text.n));
}

void office_ooxml(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *name = office_name(x);

	if (is_hidden(name)) {
		w->skip += open ? 1 : -1;
	} else if (w->skip || chart(w, x, open)) {
		return;
	} else if (office_is(name, "t")) {
		text_element(w, x, open);
	} else if (office_is(name, "txbxContent")) {
		office_box(w, open, &w->aside);
	} else if (office_is(name, "tbl")) {
		office_table(w, open);
	} else if (office_is(name, "tr") && w->cells == 1 && !open) {
		office_end_row(w);
	} else if (office_is(name, "tc") && w->cells == 1 && !open) {
		end_spanning_cell(w);
	} else if (office_is(name, "p") && !open) {
		office_end_paragraph(w);
	} else if (office_is(name, "pPr")) {
		if (open)
			begin_properties();
		else if (doc.in_properties)
			end_properties(w);
	} else if (doc.in_properties) {
		if (open)
			property(w, x);
	} else {
		form_field(w, x, open);
		formula(w, x, open);
		if (open)
			begin_element(w, x);
	}
}

/* -- DOCX --- */

static void note(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *name = office_name(x);
	char type[32], author[128];
	struct buf label = BUF_INIT(512);
	int64_t id;
	int number;

	for (size_t i = 0; i < NOTE_KINDS; i++) {
		if (!office_is(name, notes[i].element) || w->cells)
			continue;
		id = office_number(x, "id", LIST_NONE);
		number = doc.numbers[i] && id >= 0 && id < NOTES
			? doc.numbers[i][id] : 0;
		/* The line above notes is one, too. */
		if (strstr(office_attribute(x, "type", type, sizeof(type)), "eparator") ||
		    office_is(type, "continuationNotice") || !number) {
			w->skip += open ? 1 : -1;
			return;
		}
		if (open) {
			buf_addf(&label, "[^%s%d]:", notes[i].mark, number);
			if (i == COMMENT)
				buf_addf(&label, " Comment, %s:", office_attribute(
					x, "author", author, sizeof(author)));
			office_add_label(w, buf_str(&label));
		}
		buf_release(&label);
	}
	office_ooxml(w, x, open);
}

/* Headers or footers; most sections have the same ones. */
static void read_frame(struct office_walk *w, const char *type)
{
	struct str before = { NULL, 0 };

	for (size_t i = 0; i < w->n_links; i++) {
		struct str part = { NULL, 0 };

		if (office_is(w->links[i].type, type))
			part = office_part(w->parts, w->links[i].path);
		if (!part.p || str_eq(part, before))
			continue;
		before = part;
		(void)!office_each(w, part, office_ooxml, office_ooxml_text);
		office_end_paragraph(w);
	}
}

static void read_notes(struct office_walk *w)
{
	for (size_t i = 0; i < NOTE_KINDS; i++) {
		const char *name = office_linked_type(w, notes[i].part);
		char usual[64];

		snprintf(usual, sizeof(usual), "word/%s.xml", notes[i].part);
		if (doc.n_notes[i])
			(void)!office_each(w, office_part(w->parts, name ? name : usual),
					   note, office_ooxml_text);
		w->skip = 0;
	}
}

static void release(struct office_walk *w)
{
	office_list_free(w->list);
	w->list = NULL;
	for (size_t i = 0; i < NOTE_KINDS; i++)
		free(doc.numbers[i]);
	memset(&doc, 0, sizeof(doc));
}

int office_read_docx(struct office_walk *w)
{
	int rc;

	memset(&doc, 0, sizeof(doc));
	w->x->pages = 1;
	office_list_read(w);
	extract_put_page(&w->x->out, 1);
	read_frame(w, "header");
	rc = office_each(w, office_part(w->parts, w->base), office_ooxml,
			 office_ooxml_text);
	if (w->text.n)
		office_end_paragraph(w);
	w->skip = 0;
	read_frame(w, "footer");
	read_notes(w);
	office_end_notes(w);
	release(w);
	return rc;
}
