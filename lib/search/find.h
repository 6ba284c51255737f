/*
 * Searching bases: by words (BM25), by vectors (cosine), or by both, fused by
 * reciprocal rank. What the caller may not see, or did not ask for, is left out
 * before anything is counted or ranked.
 */
#ifndef SEARCH_FIND_H
#define SEARCH_FIND_H

#include "search/index.h"

enum search_mode { SEARCH_WORDS, SEARCH_VECTORS, SEARCH_FUSED };

/* Chunks in a row. */
struct search_range {
	int64_t first, n;
};

/* What is asked. Borrowed. */
struct search_ask {
	enum search_mode mode;
	struct str text;	/* words; phrases in double quotes must be there */
	const float *vector;	/* of length 1; NULL: none, then only words are
				   searched */
	int dimension;		/* of vector */
	struct str model;	/* that made it */
	bool all;		/* the caller sees all documents of the base */
	const struct str *groups;	/* else these, and those for everybody */
	size_t n_groups;
	const struct uuid *documents;	/* only in these; n_documents 0: in all */
	size_t n_documents;
	/* Only in these chunks, by first: what a caller knows by other means. */
	bool limited;
	const struct search_range *ranges;
	size_t n_ranges;
	size_t max;		/* 1 to LIM_FOUND; of words more may be asked for */
};

struct search_found {
	struct uuid document_id;
	uint32_t chunk;
	int page;		/* 0: the document has no pages */
	int64_t at;		/* byte of the document's text */
	double score;		/* of BM25, the cosine, or of ranks; by mode */
	struct str heading, text;
};

/* A base, and what it is asked. Borrowed. */
struct search_in {
	const struct uuid *base;
	const struct search_ask *ask;
	/* out: the best passages, best first */
	struct search_found *v;
	size_t n;
	/*
	 * The question's vector was not used, since the base's are of another model
	 * or dimension by now: only words were searched.
	 */
	bool unused;
};

/*
 * Searches each of n bases by itself, with as many statements as for one. In a. A
 * base that has gone or is empty has no passages. A phrase is looked for in the 500
 * best passages that have all its words; of many bases, in 50,000 of all of them
 * together, but at least 100 of each.
 */
int search_find_all(struct db *db, struct search_in *in, size_t n,
		    struct arena *a, struct err *e) MUST_CHECK;

enum { SEARCH_SPARE = 20 };	/* more than asked: some may go meanwhile */

/*
 * The first half of search_find_all: chunks and scores only, and up to SEARCH_SPARE
 * passages of each base beyond ask->max.
 */
int search_rank_all(struct db *db, struct search_in *in, size_t n,
		    struct arena *a, struct err *e) MUST_CHECK;

/*
 * The other half, for n passages of any bases, with one statement: completes those
 * that are still there. In a; the rest is borrowed.
 */
struct search_pick {
	const struct uuid *base;
	struct search_found *found;
};
int search_read(struct db *db, struct search_pick *v, size_t n, struct arena *a,
		struct err *e) MUST_CHECK;

/* Whether search_read found it. */
static inline bool search_is_there(const struct search_found *f)
{
	return !uuid_is_nil(&f->document_id);
}

/* What the bases are, by their places; those that have gone: language.p == NULL. */
int search_look(struct db *db, const struct search_in *in, size_t n,
		struct arena *a, struct search_base **out,
		struct err *e) MUST_CHECK;

/* search_find_all of one base. */
int search_find(struct db *db, const struct uuid *base,
		const struct search_ask *ask, struct arena *a,
		struct search_found **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * The numbers of the audiences that ask->all or its groups see, with commas between
 * them ("0,3"), for statements. In a.
 */
int search_audiences(struct db *db, const struct uuid *base,
		     const struct search_ask *ask, struct arena *a,
		     struct str *out, struct err *e) MUST_CHECK;

/* Whether what is for groups (JSON; "[]": everybody) is for one who is in these. */
bool search_is_for(struct str groups, const struct str *v, size_t n);

#endif
