/*
 * Vectors of passages that are in the index already: which have none, and how they
 * get theirs. Whoever asks a service for them is above (agent/embed.h). Passages
 * without vectors are found by words.
 */
#ifndef SEARCH_EMBED_H
#define SEARCH_EMBED_H

#include "search/index.h"

/* Passages without vectors, of a row of search_document. */
struct search_bare {
	struct uuid document_id;
	int64_t first, had;	/* the row; how many of it have vectors */
	int64_t audience;
	size_t n;		/* passages, from chunk first + had on */
	struct str *texts;	/* of each: title, headings, text; never empty */
};

/*
 * The next ones, at most LIM_EMBED_AT_ONCE passages together; *n 0: all have
 * vectors, or the service refused them. In a.
 */
int search_embed_next(struct db *db, const struct uuid *base, struct arena *a,
		      struct search_bare **out, size_t *n,
		      struct err *e) MUST_CHECK;

/*
 * Stores the vectors of v's passages, in their order, in one transaction; they are
 * made to have the length 1. Passages that have gone or got theirs meanwhile are
 * left out. ERR_CONFLICT: the base has vectors of another model, or a sentence, public,
 * that says which dimension it has. ERR_NOT_FOUND: the base has gone.
 */
int search_embed_put(struct db *db, const struct uuid *base, struct str model,
		     int dimension, const struct search_bare *v, size_t n,
		     float *vectors, struct err *e) MUST_CHECK;

/* Notes that the service refuses a text of v, and why; it is not asked again. */
int search_embed_refuse(struct db *db, const struct uuid *base,
			const struct search_bare *v, struct str why,
			struct err *e) MUST_CHECK;

/*
 * What was refused is asked again: of one document, or with id NULL all of the base's.
 * In a transaction or not.
 */
int search_embed_retry(struct db *db, const struct uuid *base,
		       const struct uuid *id, struct err *e) MUST_CHECK;

/* Notes why no vectors can be made; p == NULL: they can. */
int search_embed_note(struct db *db, const struct uuid *base, struct str why,
		      struct err *e) MUST_CHECK;

/*
 * Takes all vectors away, until until_ms (monotonic), so that those of another
 * model can come; from the first moment only words are searched. 1: done; 0; -1.
 */
int search_embed_reset(struct db *db, const struct uuid *base, int64_t until_ms,
		       struct err *e) MUST_CHECK;

#endif
