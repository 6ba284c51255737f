/* SPDX-License-Identifier: MIT */
/* Converts HTML to text for a model. */
#ifndef EXTRACT_PAGE_H
#define EXTRACT_PAGE_H

#include "extract/extract.h"

int extract_page_prepare(struct extract *x) MUST_CHECK;

/*
 * Writes the readable text of a page: its title, headings with #, list items with -,
 * table cells with |, preformatted text unchanged, and with x->links "text (URL)"; no
 * scripts, styles, templates or comments. Malformed HTML is read as by a browser.
 * Nothing external is loaded.
 */
int extract_page_read(struct extract *x) MUST_CHECK;

/* The same for input that is already UTF-8. */
int extract_page_text(struct extract *x) MUST_CHECK;

/* Its parts, for web.c. The caller owns the parsed document. */
struct _xmlDoc;
struct _xmlNode;
int extract_page_parse(struct extract *x, struct _xmlDoc **out) MUST_CHECK;

enum page_part {
	PAGE_WHOLE,
	PAGE_INNER,	/* without nav */
	PAGE_BARE,	/* without nav, header, footer and aside */
};

/* Appends the text of n, its children and its next siblings. */
void extract_page_walk(struct extract *x, const struct _xmlNode *n,
		       enum page_part part);

/* Appends "what: TEXT" and a line end; text is trimmed and made one line. */
void extract_page_line(struct extract *x, const char *what, const char *text);

#endif
