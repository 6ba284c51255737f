/* SPDX-License-Identifier: MIT */
/* Snippets: the part of a text that matches a query, with the matches marked. */
#ifndef SEARCH_SNIPPET_H
#define SEARCH_SNIPPET_H

#include "base/arena.h"
#include "base/json.h"
#include "search/tokens.h"

/* A match, in characters (code points) of the snippet. */
struct snippet_mark {
	size_t start, length;
};

struct snippet {
	struct str text;	/* one line; … marks omitted text */
	struct snippet_mark *marks;	/* in order, not overlapping */
	size_t n;
};

/*
 * Selects the part of text, about `chars` characters, that contains the most distinct
 * words of the query; the beginning if none matches. w must be of the index's language.
 * In a.
 */
void snippet_make(struct tokens *w, struct str query, struct str text,
		  size_t chars, struct arena *a, struct snippet *out);

/* Writes {text, marks: [{start, length}]}. */
void snippet_write(struct jw *w, const struct snippet *s);

#endif
