/* SPDX-License-Identifier: MIT */
/* The text around a passage of a document, shown when a user opens a source. */
#ifndef KNOWLEDGE_EXCERPT_H
#define KNOWLEDGE_EXCERPT_H

#include "knowledge/kb.h"

struct kb_excerpt {
	struct kb_document document;
	int64_t page, pages;	/* 0: the document has no pages */
	bool found;		/* passage is the text of the chunk */
	bool cut;		/* the page, or a document without pages, is longer */
	struct str before, passage, after;	/* consecutive Markdown */
};

/*
 * Reads an excerpt of a document that the caller may see: the page of the chunk, cut
 * to LIM_EXCERPT_CHARS on each side of the chunk. If chunk is negative, or the page does
 * not have it (any more), the passage is empty and the excerpt begins with the page.
 * page 0 is the page of the chunk, else the first. In a. ERR_NOT_FOUND if there is no
 * such document or page, or the caller may not see it; database errors.
 */
int kb_excerpt(struct db *db, const struct kb_at *at, const struct uuid *id,
	       int64_t chunk, int64_t page, struct arena *a,
	       struct kb_excerpt *out, struct err *e) MUST_CHECK;

/* A page of a document's text. */
struct kb_page {
	int64_t no;		/* 0: none */
	size_t from, to;	/* bytes */
};

/*
 * Finds the page with this number, or if it is 0 the page that contains byte `at`.
 * Returns the number of the last page; 0: the text has no pages and counts as page 1.
 */
int64_t kb_page(struct str text, int64_t no, size_t at,
		struct kb_page *out);

#endif
