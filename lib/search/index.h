/*
 * What can be searched: bases, and the documents in them. A base is an index of its
 * own with one language and at most one model of vectors. Everything is written in
 * transactions of bounded size, each of which leaves the index right: a document
 * that is being written or deleted has rows, but no search sees them, until the one
 * transaction that makes all its chunks count at once, in place of those of its last
 * version. A writer that dies leaves rows that search_tidy takes away.
 */
#ifndef SEARCH_INDEX_H
#define SEARCH_INDEX_H

#include "db/db.h"
#include "search/chunk.h"

struct search_base {
	struct str language;
	int64_t next_chunk, version, parts;
	int64_t merge_term;	/* -1: merging is not under way */
	struct str model;	/* of the vectors; none (p == NULL) */
	int64_t dimension, vectors;
	int64_t stale;		/* 1: vectors of another model are going */
	struct str embed_error;	/* why there are none; none: p == NULL */
};

/* A new one. Within the transaction that makes what it is for. */
int search_base_make(struct db *tx, const struct uuid *id, struct str tenant_id,
		     struct str language, struct err *e) MUST_CHECK;

/* Text in a. ERR_NOT_FOUND. */
int search_base_get(struct db *db, const struct uuid *id, struct arena *a,
		    struct search_base *out, struct err *e) MUST_CHECK;

/*
 * Locks the base against its end: what is written about it stays right until tx
 * commits. ERR_NOT_FOUND.
 */
int search_base_hold(struct db *tx, const struct uuid *id,
		     struct err *e) MUST_CHECK;

/*
 * Takes the base away: from the commit on nothing in it is found. What it consists
 * of goes with search_base_purge. It may have gone before.
 */
int search_base_doom(struct db *tx, const struct uuid *id,
		     struct err *e) MUST_CHECK;

/* Deletes all rows of a base that was doomed: 1, or 0 at until_ms; -1. */
int search_base_purge(struct db *db, const struct uuid *id, int64_t until_ms,
		      struct err *e) MUST_CHECK;

/*
 * The number of an audience: those who are in one of the groups, a JSON array of
 * sorted names, or all who see the base ("[]", which is 0). ERR_TOO_BIG, public,
 * when the base has LIM_AUDIENCES others. Within a transaction.
 */
int search_audience(struct db *tx, const struct uuid *base, struct str groups,
		    int64_t *no, struct err *e) MUST_CHECK;

/* A document to be indexed. Borrowed. */
struct search_put {
	struct uuid id;
	int64_t audience;
	struct str title;	/* words of it count as those of headings */
	const struct chunk *chunks;
	size_t n;
	const float *vectors;	/* n times the dimension; NULL: none */
	bool found;		/* out: it can be found now */
};

/* How to write them. */
struct search_how {
	struct str model;	/* of the vectors */
	int dimension;
	/*
	 * Behind what the document has already, not in place of it: at most
	 * SEARCH_SLICE chunks of each.
	 */
	bool append;
	/*
	 * In the transaction in which the document begins to be found: 1; or 0
	 * when it is not wanted any more, then it will not be; -1. May be NULL.
	 */
	int (*ready)(struct db *tx, const struct search_put *doc, void *ctx,
		     struct err *e);
	void *ctx;
};

/*
 * Indexes documents, in place of what they were before; at most SEARCH_SLICE chunks
 * of several of them at a time go into one transaction. Vectors are made to have the
 * length 1. ERR_NOT_FOUND: the base has gone; ERR_CONFLICT: somebody else is at the
 * same document, or vectors are of another model; ERR_TOO_BIG. Any thread; those who
 * write to one base wait for each other, a transaction at a time.
 */
enum { SEARCH_SLICE = 512 };
int search_write(struct db *db, const struct uuid *base, struct search_put *docs,
		 size_t n, const struct search_how *how,
		 struct err *e) MUST_CHECK;

/*
 * From the commit on the document is not found. Its rows go with search_tidy.
 * Returns 1 if there were any, 0, -1. Within a transaction.
 */
int search_drop(struct db *tx, const struct uuid *base, const struct uuid *document,
		struct err *e) MUST_CHECK;

/*
 * Takes away what deleted documents left, and merges small blocks, until until_ms
 * (monotonic). 1: there is nothing more to do; 0; -1. Several may be at it.
 */
int search_tidy(struct db *db, const struct uuid *base, int64_t until_ms,
		struct err *e) MUST_CHECK;

#endif
