/* SPDX-License-Identifier: MIT */
/*
 * Splits a document's text into chunks for search, of about 400 tokens each. A chunk
 * does not cross a heading, and a table that fits is not split. The text is Markdown
 * as written by extraction or by people: headings ("# Heading", or underlined), tables
 * of lines that begin with '|', and a form feed between pages or a line "<!-- page N -->"
 * before each page; or it is, or has paragraphs that are, records with delimiters (CSV).
 * A table that does not fit is split between its rows; each chunk begins with its head.
 * The work is proportional to the length of the text, whatever it is.
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
 * ERR_TOO_BIG, public, if there are more than LIM_CHUNKS, or it takes too long (10 s).
 */
int chunk_split(struct str text, struct arena *a, struct chunk **out, size_t *n,
		struct err *e) MUST_CHECK;

#endif
