/* HTML as text for a model. */
#ifndef EXTRACT_PAGE_H
#define EXTRACT_PAGE_H

#include "extract/extract.h"

int extract_page_prepare(struct extract *x) MUST_CHECK;

/*
 * Writes the readable text of a page: its title, headings with #, items of
 * lists with -, cells of tables with |, preformatted text as it is; no
 * scripts, styles, templates or comments; with links, "text (URL)". What is
 * not well-formed is read as a browser would. Nothing is loaded from anywhere.
 */
int extract_page_read(struct extract *x) MUST_CHECK;

/* The same of an input that is UTF-8 already. */
int extract_page_text(struct extract *x) MUST_CHECK;

/* Its parts, for web.c. What is parsed is the caller's. */
struct _xmlDoc;
struct _xmlNode;
int extract_page_parse(struct extract *x, struct _xmlDoc **out) MUST_CHECK;

enum page_part {
	PAGE_WHOLE,
	PAGE_INNER,	/* without nav */
	PAGE_BARE,	/* without nav, header, footer and aside */
};

/* Appends the text of n, what is in it, and its next siblings. */
void extract_page_walk(struct extract *x, const struct _xmlNode *n,
		       enum page_part part);

/* Appends "what: TEXT" and a line end; text is one line, blanks trimmed. */
void extract_page_line(struct extract *x, const char *what, const char *text);

#endif
