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
	OFFICE_COLUMNS = 256,		/* per row of a table */
	OFFICE_TEXT_BYTES = 1048576,	/* of one paragraph, cell or row */
	OFFICE_PATH_BYTES = 512,	/* of a name in an archive */
};

struct office_xml {
	xmlTextReaderPtr r;
};

/* A part that another one refers to by an id. */
struct office_link {
	char *id, *path;
};

/* The state of converting the parts of a document; freed by office_walk_release. */
struct office_walk {
	struct extract *x;
	const struct office_parts *parts;
	const char *base;	/* name of the part that is read; its links are relative to it */
	struct buf text;	/* of the current paragraph or cell */
	struct buf row;		/* cells of the current row */
	int heading;		/* level of the heading; 0: it is a paragraph */
	bool item;		/* it is a list item */
	int cells;		/* nesting depth of tables */
	int skip;		/* nesting depth of elements that are left out */
	bool first_row, in_text, sheets;
	int n_cells;
	int blank;		/* empty cells that are not in the row yet */
	int times;		/* repetitions of the current cell; columns that it spans */
	int row_times;		/* repetitions of the current row */
	int failed;		/* exit code of a part that another part lists */
	struct office_link *links;
	size_t n_links;
};

#define OFFICE_WALK(extract, archive) {					\
	.x = (extract), .parts = (archive), .base = "",			\
	.text = BUF_INIT(OFFICE_TEXT_BYTES),				\
	.row = BUF_INIT(OFFICE_TEXT_BYTES), .first_row = true,		\
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

/* The same of a number of repetitions, from 1 to OFFICE_COLUMNS; 1 without it. */
int office_times(const struct office_xml *x, const char *name);

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

/* Records what an id in the part w->base refers to. */
void office_add_link(struct office_walk *w, const char *id, const char *target);

/* Records the relations of the part w->base (ECMA-376 part 2, section 9). */
void office_read_links(struct office_walk *w);

/* The name of the part with this id; NULL. */
const char *office_linked(const struct office_walk *w, const char *id);

/* -- writing --- */

/* Text of elements, if w->in_text. */
void office_add_text(struct office_walk *w, const char *s);
void office_add_char(struct office_walk *w, char c);

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

int office_read_xlsx(struct office_walk *w) MUST_CHECK;
int office_read_odf(struct office_walk *w) MUST_CHECK;
int office_read_epub(struct office_walk *w) MUST_CHECK;

#endif
