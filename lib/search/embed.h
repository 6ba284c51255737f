/* SPDX-License-Identifier: MIT */
/*
 * Adds vectors to passages that are already indexed. knowledge/embed.h requests them
 * from a service. Passages without vectors can be found by words only.
 */
#ifndef SEARCH_EMBED_H
#define SEARCH_EMBED_H

#include "search/index.h"

/* Passages without vectors, from one row of search_document. */
struct search_bare {
	struct uuid document_id;
	int64_t first, had;	/* key of the row; its passages with vectors */
	int64_t audience;
	size_t n;		/* passages, beginning with chunk first + had */
	struct str *texts;	/* title, headings and text of each; not empty */
};

/*
 * Reads the next passages without vectors, at most LIM_EMBED_AT_ONCE in total. *n is
 * 0 if all have vectors or were refused by the service. In a. Database errors.
 */
int search_embed_next(struct db *db, const struct uuid *base, struct arena *a,
		      struct search_bare **out, size_t *n,
		      struct err *e) MUST_CHECK;

/*
 * Stores the vectors of v's passages, in the same order, in one transaction, and
 * normalises them in place. Passages that were deleted or got vectors meanwhile are
 * skipped. ERR_CONFLICT if the base has vectors of another model, or (public) of
 * another dimension; ERR_NOT_FOUND if the base was deleted; database errors.
 */
int search_embed_put(struct db *db, const struct uuid *base, struct str model,
		     int dimension, const struct search_bare *v, size_t n,
		     float *vectors, struct err *e) MUST_CHECK;

/*
 * Records that the service refuses a text of v, and the reason. These passages are
 * not tried again until search_embed_retry.
 */
int search_embed_refuse(struct db *db, const struct uuid *base,
			const struct search_bare *v, struct str why,
			struct err *e) MUST_CHECK;

/*
 * Allows refused passages to be tried again: those of a document, or all of the base
 * if id is NULL. Inside or outside a transaction.
 */
int search_embed_retry(struct db *db, const struct uuid *base,
		       const struct uuid *id, struct err *e) MUST_CHECK;

/* Records why the base gets no vectors; why.p == NULL clears it. */
int search_embed_note(struct db *db, const struct uuid *base, struct str why,
		      struct err *e) MUST_CHECK;

/*
 * Deletes all vectors of the base, so that it can get those of another model. Only
 * words are searched as soon as this begins. Returns 1 if done, 0 if until_ms
 * (monotonic) was reached first, -1 on error.
 */
int search_embed_reset(struct db *db, const struct uuid *base, int64_t until_ms,
		       struct err *e) MUST_CHECK;

#endif
