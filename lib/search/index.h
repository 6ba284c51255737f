/* SPDX-License-Identifier: MIT */
/*
 * The search index: bases and their documents. A base is a separate index with one
 * language and at most one vector model. Writes use transactions of bounded size, and
 * the index is consistent after each of them: the new rows of a document are invisible
 * to searches until a single transaction makes all its chunks visible and those of its
 * last version invisible. If a writer dies, search_tidy deletes its rows.
 */
#ifndef SEARCH_INDEX_H
#define SEARCH_INDEX_H

#include "db/db.h"
#include "search/chunk.h"

struct search_base {
	struct str language;
	int64_t next_chunk, version, parts;
	int64_t merge_term;	/* where merging continues; -1: not merging */
	struct str model;	/* of the vectors; p == NULL: none */
	int64_t dimension, vectors;
	int64_t stale;		/* 1: vectors of another model are being deleted */
	struct str embed_error;	/* why it gets no vectors; p == NULL: it does */
};

/* Creates a base, in the transaction that creates what it belongs to. */
int search_base_make(struct db *tx, const struct uuid *id, struct str tenant_id,
		     struct str language, struct err *e) MUST_CHECK;

/* Reads a base; text in a. ERR_NOT_FOUND. */
int search_base_get(struct db *db, const struct uuid *id, struct arena *a,
		    struct search_base *out, struct err *e) MUST_CHECK;

/*
 * Locks the base so that it cannot be deleted before tx commits. ERR_NOT_FOUND.
 */
int search_base_hold(struct db *tx, const struct uuid *id,
		     struct err *e) MUST_CHECK;

/*
 * Deletes the base: nothing in it is found after the commit. search_base_purge deletes
 * its rows. Succeeds if the base does not exist.
 */
int search_base_hide(struct db *tx, const struct uuid *id,
		     struct err *e) MUST_CHECK;

/*
 * Deletes all rows of a hidden base. Returns 1 if done, 0 if until_ms (monotonic) was
 * reached first, -1 on error.
 */
int search_base_purge(struct db *db, const struct uuid *id, int64_t until_ms,
		      struct err *e) MUST_CHECK;

/*
 * Returns in *no the number of an audience, which is created if needed: the users in at
 * least one of the groups (a sorted JSON array of names), or all who see the base
 * ("[]", number 0). ERR_TOO_BIG, public, if the base has LIM_AUDIENCES others. Inside a
 * transaction.
 */
int search_audience(struct db *tx, const struct uuid *base, struct str groups,
		    int64_t *no, struct err *e) MUST_CHECK;

/* A document to index; everything is borrowed. */
struct search_put {
	struct uuid id;
	int64_t audience;
	struct str title;	/* its words have the weight of headings */
	const struct chunk *chunks;
	size_t n;
	const float *vectors;	/* n times the dimension; NULL: none */
	bool found;		/* out: the document can be found now */
	int64_t bytes;		/* out: of its rows so far, without vectors */
};

/* How to write them. */
struct search_how {
	struct str model;	/* of the vectors */
	int dimension;
	/*
	 * Append the chunks to the document instead of replacing it; at most
	 * SEARCH_SLICE chunks per document.
	 */
	bool append;
	/*
	 * Called in the transaction that makes the document visible. Returns 1, 0
	 * to discard the new version, or -1. May be NULL.
	 */
	int (*ready)(struct db *tx, const struct search_put *doc, void *ctx,
		     struct err *e);
	void *ctx;
};

/*
 * Indexes documents, replacing their last versions. Each transaction writes at most
 * SEARCH_SLICE chunks, of one or several documents. Vectors need not have length 1.
 * ERR_NOT_FOUND if the base was deleted; ERR_CONFLICT if another writer indexes the
 * same document, or the vectors are of another model; ERR_TOO_BIG; database errors. Any
 * thread; writers of one base take turns, transaction by transaction.
 */
enum { SEARCH_SLICE = 512 };
int search_write(struct db *db, const struct uuid *base, struct search_put *docs,
		 size_t n, const struct search_how *how,
		 struct err *e) MUST_CHECK;

/*
 * Removes a document: it is not found after the commit. search_tidy deletes its rows.
 * Returns 1 if it had any, else 0, or -1. Inside a transaction.
 */
int search_drop(struct db *tx, const struct uuid *base, const struct uuid *document,
		struct err *e) MUST_CHECK;

/*
 * Deletes the rows of removed documents and merges small blocks; soon: after a few
 * batches, for a base that is searched more often than it changes. Returns 1 if nothing
 * is left to do, 0 if until_ms (monotonic) was reached first, -1 on error. Can run
 * concurrently.
 */
int search_tidy(struct db *db, const struct uuid *base, bool soon, int64_t until_ms,
		struct err *e) MUST_CHECK;

#endif
