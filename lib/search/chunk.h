/*
 * Splits a document's text into chunks for search, of about 400 tokens each. A chunk
 * does not cross a heading, and a table that fits is not split. The text is Markdown
 * as written by extraction: "# Heading", tables of lines that begin with '|', and a
 * form feed between pages or a line "<!-- page N -->" before each page.
 */
#ifndef SEARCH_CHUNK_H
#define SEARCH_CHUNK_H

#include "base/arena.h"

struct chunk {
	/* path of headings, "A > B"; may be empty. Chunks in a row share its memory */
	struct str heading;
	struct str text;
	int page;		/* on which it begins, from 1; 0: no pages */
	size_t at;		/* byte offset in the document's text */
};

/*
 * Splits valid UTF-8 into chunks, in order, in a; their texts may point into text.
 * ERR_TOO_BIG, public, if there are more than LIM_CHUNKS.
 */
int chunk_split(struct str text, struct arena *a, struct chunk **out, size_t *n,
		struct err *e) MUST_CHECK;

/*
 * Returns N if the line is "<!-- page N -->" and N is at most LIM_PAGE_MARK,
 * else 0.
 */
int chunk_page_mark(struct str line);

#endif
