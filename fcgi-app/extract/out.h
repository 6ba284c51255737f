/* SPDX-License-Identifier: MIT */
/*
 * Writes the text of a file as described in docs/files.md: Markdown paragraphs,
 * headings, list items and tables, and a line <!-- page N --> before each page.
 */
#ifndef EXTRACT_OUT_H
#define EXTRACT_OUT_H

#include "base/buf.h"

/*
 * Each function appends one block to b, separated from the previous one. Text is any
 * UTF-8: line ends of all systems become \n, U+0080 to U+009F the characters of
 * windows-1252 that were meant, invisible control characters, soft hyphens and colours of
 * terminals are removed, and text that looks like a page mark is broken up. Blank text
 * adds nothing.
 */
void extract_put_paragraph(struct buf *b, struct str text);
void extract_put_heading(struct buf *b, int level, struct str text);
/* mark: "- ", or "" if the text begins with its number. */
void extract_put_item(struct buf *b, const char *mark, struct str text);
void extract_put_page(struct buf *b, int64_t number);

/* Appends a code point in UTF-8; nothing if it is none, or NUL. */
void extract_put_code(struct buf *b, unsigned code);

/*
 * The level of the heading that a style of this name is: "heading 2", "Heading2", "Title",
 * also with other names behind a comma; ids of old programs also in other languages. 0: it
 * is none.
 */
int extract_heading_level(const char *style);

/* Appends blocks that these functions have written to another buffer. */
void extract_put_ready(struct buf *b, struct str blocks);

/*
 * Appends a row of a table; cells in text are separated by US (0x1f). The first row of a
 * table is followed by the line that makes it the head.
 */
#define OUT_CELL '\x1f'
void extract_put_row(struct buf *b, struct str cells, bool first);

/* Appends text as it is, cleaned as above, not as a separate block. */
void extract_put_text(struct buf *b, struct str text);

/* Appends the first character of s, cleaned; returns its bytes in s. */
size_t extract_put_one(struct buf *b, struct str s);

#endif
