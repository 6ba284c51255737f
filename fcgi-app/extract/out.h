/*
 * The text of a file as docs/files.md says: Markdown of paragraphs, headings,
 * items and tables, with a line <!-- page N --> where a page begins.
 */
#ifndef EXTRACT_OUT_H
#define EXTRACT_OUT_H

#include "base/buf.h"

/*
 * Each appends one block to b, with what separates it from the one before. Text
 * is any UTF-8: invisible controls are left out, and what looks like a mark of ours
 * is broken up. Blank text is no block.
 */
void extract_put_paragraph(struct buf *b, struct str text);
void extract_put_heading(struct buf *b, int level, struct str text);
void extract_put_item(struct buf *b, struct str text);
void extract_put_page(struct buf *b, int64_t number);

/*
 * A row of a table: cells are joined by US (0x1f) in text. The first row of a table
 * gets the line that makes a head of it.
 */
#define OUT_CELL '\x1f'
void extract_put_row(struct buf *b, struct str cells, bool first);

/* Text as it is, made harmless as above, without a block of its own. */
void extract_put_text(struct buf *b, struct str text);

/* A character, with a blank before it where the two would begin a mark of a page. */
void extract_put_char(struct buf *b, char c);

#endif
