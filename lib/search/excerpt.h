/* A part of a document's text around a passage of it, for people who look it up. */
#ifndef SEARCH_EXCERPT_H
#define SEARCH_EXCERPT_H

#include "search/kb.h"

struct search_excerpt {
	struct kb_document document;
	int64_t page, pages;	/* 0: the document has no pages */
	bool found;		/* passage is that of the chunk */
	struct str before, passage, after;	/* one after the other, as Markdown */
};

/*
 * Of a document that the caller sees: the page of the chunk, or so many characters
 * around it (LIM_EXCERPT_CHARS on each side). chunk < 0, or one that the document has
 * no more since it was written again: the page, or the beginning. page: 0: the first,
 * or that of the chunk. ERR_NOT_FOUND, also for a page that is not there. In a.
 */
int search_excerpt(struct db *db, const struct kb_at *at, const struct uuid *id,
		   int64_t chunk, int64_t page, struct arena *a,
		   struct search_excerpt *out, struct err *e) MUST_CHECK;

#endif
