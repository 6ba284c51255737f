/*
 * A document's text into pieces to be found: about 400 tokens each, never across a
 * heading, a table whole where it fits. The text is Markdown as extraction writes
 * it: "# Heading", tables of lines that begin with '|', a form feed before each
 * further page, or a line "<!-- page N -->" before each page.
 */
#ifndef SEARCH_CHUNK_H
#define SEARCH_CHUNK_H

#include "base/arena.h"

struct chunk {
	struct str heading;	/* the headings above, "A > B"; or empty */
	struct str text;
	int page;		/* where it begins, from 1; 0: the text has none */
	size_t at;		/* byte of the document's text where it begins */
};

/*
 * The chunks of valid UTF-8 in their order, in a; texts point into it. ERR_TOO_BIG,
 * with a public sentence, beyond LIM_CHUNKS.
 */
int chunk_split(struct str text, struct arena *a, struct chunk **out, size_t *n,
		struct err *e) MUST_CHECK;

/* The page that a line "<!-- page N -->" begins, up to LIM_PAGE_MARK; else 0. */
int chunk_page_mark(struct str line);

#endif
