/* SPDX-License-Identifier: MIT */
/*
 * The XML of office documents, read as a stream, with elements by their local names,
 * because prefixes differ between documents; and the state of writing it as text. Inside
 * office*.c.
 */
#ifndef EXTRACT_OFFICE_WALK_H
#define EXTRACT_OFFICE_WALK_H

#include <libxml/xmlreader.h>
#include <string.h>

#include "extract/file.h"
#include "extract/office_part.h"

enum {
	OFFICE_COLUMNS = 16384,		/* per row of a table: as many as XLSX has */
	OFFICE_REPEATED = 256,		/* equal cells or rows that are written */
	OFFICE_TEXT_BYTES = 67108864,	/* of one paragraph, cell or row */
	OFFICE_BOXES = 32,		/* nesting depth of text in text */
	OFFICE_PATH_BYTES = 512,	/* of a name in an archive */
};

struct office_xml {
	xmlTextReaderPtr r;
};

/* A part that another one refers to by an id. */
struct office_link {
	char *id, *path;
	char *type;		/* the last component of its type: "styles"; or "" */
};

struct office_box;
struct office_list;

/* The state of converting the parts of a document; freed by office_walk_release. */
struct office_walk {
	struct extract *x;
	const struct office_parts *parts;
	const char *base;	/* name of the part that is read; its links are relative to it */
	struct buf text;	/* of the current paragraph or cell */
	struct buf row;		/* cells of the current row */
	int heading;		/* level of the heading; 0: it is a paragraph */
	bool item;		/* it is a list item */
	size_t label;		/* bytes of its number at the beginning of text */
	int cells;		/* nesting depth of tables */
	int skip;		/* nesting depth of elements that are left out */
	bool first_row, in_text, sheets;
	bool paragraph;		/* within one (OpenDocument) */
	bool frame;		/* within a header or footer */
	int n_cells;
	int blank;		/* empty cells that are not in the row yet */
	int times;		/* repetitions of the current cell; columns that it spans */
	int row_times;		/* repetitions of the current row */
	int failed;		/* exit code of a part that another part lists */
	struct office_link *links;
	size_t n_links;
	/*
	 * Text within a paragraph that stands elsewhere: what is outside of it; where it
	 * is written instead of x->out, and what x->out was; text boxes, written after
	 * the paragraph; notes, written at the end.
	 */
	struct office_box *box;
	int boxes;
	struct buf *to, main, aside, notes;
	int n_notes;
	int parts_deep;		/* parts that are read for another one */
	struct office_list *list;	/* styles and numbers of DOCX; or NULL */
};

#define OFFICE_WALK(extract, archive) {					\
	.x = (extract), .parts = (archive), .base = "",			\
	.text = BUF_INIT(OFFICE_TEXT_BYTES),				\
	.row = BUF_INIT(OFFICE_TEXT_BYTES), .first_row = true,		\
	.aside = BUF_INIT(OFFICE_TEXT_BYTES),				\
	.notes = BUF_INIT(OFFICE_TEXT_BYTES),				\
	.times = 1, .row_times = 1,					\
}

void office_walk_release(struct office_walk *w);

static inline bool office_is(const char *name, const char *want)
{
	return strcmp(name, want) == 0;
}

/* -- XML: borrowed names and values --- */

const char *office_name(const struct office_xml *x);

/* Copies an attribute by its local name, with any prefix, to out; cut if it is longer. */
const char *office_attribute(const struct office_xml *x, const char *name, char *out,
			     size_t size_bytes);

/* The same of a whole number; other if it is absent. */
int64_t office_number(const struct office_xml *x, const char *name, int64_t other);

/* The same of a number of repetitions, from 1 to OFFICE_COLUMNS; 1 without it. */
int office_times(const struct office_xml *x, const char *name);

/* Whether it is on, as in <w:b/> and <w:b w:val="true"/>. */
bool office_on(const struct office_xml *x);

/* The id of another part: the attribute r:id, not one that is called id, too. */
const char *office_link_id(const struct office_xml *x, char *out, size_t size_bytes);

/*
 * Calls element for the start and the end of each element of a part, and text for its
 * text. Returns an exit code.
 */
typedef void office_element(struct office_walk *w, const struct office_xml *x, bool open);
typedef void office_text(struct office_walk *w, const char *s);
int office_each(struct office_walk *w, struct str part, office_element *element,
		office_text *text) MUST_CHECK;

/* -- links --- */

/* Records what an id in the part w->base refers to; type: a URI, or "". */
void office_add_link(struct office_walk *w, const char *id, const char *type,
		     const char *target);

/* Records the relations of the part w->base (ECMA-376 part 2, section 9). */
void office_read_links(struct office_walk *w);

/* The name of the part with this id; of the first with this type; NULL. */
const char *office_linked(const struct office_walk *w, const char *id);
const char *office_linked_type(const struct office_walk *w, const char *type);

/* -- writing --- */

/* Text of elements, if w->in_text. */
void office_add_text(struct office_walk *w, const char *s);
void office_add_char(struct office_walk *w, char c);

/* A character that an element or its attributes stand for; utf8: "" is none. */
void office_add_utf8(struct office_walk *w, const char *utf8);

/*
 * Characters that XML cannot have, of the text from byte `from` on: "_x000D_" (ECMA-376
 * part 1, section 22.9.2.19).
 */
void office_unescape(struct office_walk *w, size_t from);

/* The number of a paragraph or heading, before its text. */
void office_add_label(struct office_walk *w, struct str label);

/*
 * Begins and ends text that stands inside of a paragraph, but is not part of it: paragraphs
 * are written to `to` (&w->aside, &w->notes), and the paragraph continues afterwards.
 */
void office_box(struct office_walk *w, bool open, struct buf *to);

/* Appends the notes of the document. */
void office_end_notes(struct office_walk *w);

/* Ends a paragraph; within a cell, the next one continues it. */
void office_end_paragraph(struct office_walk *w);

/*
 * The text so far becomes w->times cells. Empty ones are written only if others follow.
 */
void office_end_cell(struct office_walk *w);

/* Writes the row w->row_times times, unless all of its cells are empty. */
void office_begin_row(struct office_walk *w);
void office_end_row(struct office_walk *w);

/* A table within a cell is added to the text of that cell. */
void office_table(struct office_walk *w, bool open);

/* -- the formats --- */

/* Paragraphs of DOCX and PPTX, with the text boxes, diagrams and charts in them. */
void office_ooxml(struct office_walk *w, const struct office_xml *x, bool open);
void office_ooxml_text(struct office_walk *w, const char *s);

int office_read_docx(struct office_walk *w) MUST_CHECK;
int office_read_pptx(struct office_walk *w) MUST_CHECK;
int office_read_xlsx(struct office_walk *w) MUST_CHECK;
int office_read_odf(struct office_walk *w) MUST_CHECK;
int office_read_epub(struct office_walk *w) MUST_CHECK;

#endif
