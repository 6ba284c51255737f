/* A part of a text that shows words which were looked for, and where they are. */
#ifndef SEARCH_SNIPPET_H
#define SEARCH_SNIPPET_H

#include "base/arena.h"
#include "base/json.h"
#include "search/tokens.h"

/* In characters of the snippet (code points). */
struct snippet_mark {
	size_t start, length;
};

struct snippet {
	struct str text;	/* one line; … where something was left out */
	struct snippet_mark *marks;	/* in order, none within another */
	size_t n;
};

/*
 * The part of text, about `chars` characters, with the most different words of the
 * query. w: of the index's language. In a; without a word of the query it is the
 * beginning.
 */
void snippet_make(struct tokens *w, struct str query, struct str text,
		  size_t chars, struct arena *a, struct snippet *out);

/* Writes {text, marks: [{start, length}]}. */
void snippet_write(struct jw *w, const struct snippet *s);

#endif
