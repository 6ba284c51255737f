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

#endif
