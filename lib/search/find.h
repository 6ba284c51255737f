/* SPDX-License-Identifier: MIT */
/*
 * Searches bases by words (BM25), by vectors (cosine), or by both, fused by
 * reciprocal rank. Chunks that the caller may not see are excluded before anything
 * is counted or ranked; chunks that a filter excludes are not ranked.
 */
#ifndef SEARCH_FIND_H
#define SEARCH_FIND_H

#include "search/index.h"

enum search_mode { SEARCH_WORDS, SEARCH_VECTORS, SEARCH_FUSED };

/* Consecutive chunks. */
struct search_range {
	int64_t first, n;
};

/* A query; everything is borrowed. */
struct search_ask {
	enum search_mode mode;
	struct str text;	/* words; phrases in double quotes must match */
	const float *vector;	/* of length 1; NULL: only words are searched */
	int dimension;		/* of vector */
	struct str model;	/* that computed vector */
	bool all;		/* the caller sees all documents of the base */
	const struct str *groups;	/* else those for these groups or everybody */
	size_t n_groups;
	const struct uuid *documents;	/* search only these; n_documents 0: all */
	size_t n_documents;
	/* limited: search only the chunks in ranges, which are sorted by first. */
	bool limited;
	const struct search_range *ranges;
	size_t n_ranges;
	size_t max;		/* 1 to LIM_FOUND; may be more in SEARCH_WORDS */
	/* Postings in memory; above it the most frequent words do not count, but
	   the rarest always does. 0: LIM_QUESTION_POSTS. */
	size_t max_posts;
};

struct search_found {
	struct uuid document_id;
	uint32_t chunk;
	int page;		/* 0: the document has no pages */
	int64_t at;		/* byte offset in the document's text */
	double score;		/* BM25, cosine or fused ranks, by mode */
	double sure;		/* from 0 to 1: that it answers the question (sure.h) */
	struct str heading, text;
};

/* A base and the query for it; both are borrowed. */
struct search_in {
	const struct uuid *base;
	const struct search_ask *ask;
	/*
	 * The base's language, if the caller knows it: then the postings of the
	 * question's words are read together with what the base is, which saves a
	 * statement. p == NULL: it is not known.
	 */
	struct str language;
	/* out: the best passages, best first */
	struct search_found *v;
	size_t n;
	/*
	 * Only words were searched, because the base now has vectors of another
	 * model or dimension than the query.
	 */
	bool unused;
};

/*
 * Searches each of n bases separately, with as many statements as for one. In a. A
 * base that was deleted or is empty has no passages. Phrases are checked in the 500
 * best passages that have all their words; with many bases, in 50,000 of all bases
 * together, but at least 100 of each.
 */
int search_find_all(struct db *db, struct search_in *in, size_t n,
		    struct arena *a, struct err *e) MUST_CHECK;

enum { SEARCH_SPARE = 20 };	/* extra candidates, because some may be deleted meanwhile */

/*
 * What n bases are, who sees how much of them, and where the question's words are: read by
 * search_look, in a, for search_rank_all. in and its queries are borrowed until
 * search_looked_end, which must follow, also after an error. Until search_rank_all, a
 * query may get another vector.
 */
struct search_looked {
	struct search_base *bases;	/* by their index; deleted ones: language.p == NULL */
	struct searches *of;
};
int search_look(struct db *db, struct search_in *in, size_t n,
		struct arena *a, struct search_looked *out,
		struct err *e) MUST_CHECK;
void search_looked_end(struct search_looked *k);	/* accepts all zero */

/*
 * The first half of search_find_all: only chunks and scores, and up to SEARCH_SPARE
 * passages of each base beyond ask->max. looked: what search_look has just read of the
 * same bases, which saves reading it; NULL: it is read.
 */
int search_rank_all(struct db *db, struct search_in *in, size_t n,
		    const struct search_looked *looked, struct arena *a,
		    struct err *e) MUST_CHECK;

/*
 * The second half, for n passages of any bases, with one statement: completes those
 * that still exist. In a; the rest is borrowed.
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

/* search_find_all for one base. */
int search_find(struct db *db, const struct uuid *base,
		const struct search_ask *ask, struct arena *a,
		struct search_found **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * Returns in *out the numbers of the audiences that the caller (ask->all, ask->groups)
 * belongs to, separated by commas ("0,3"), for statements. In a.
 */
int search_audiences(struct db *db, const struct uuid *base,
		     const struct search_ask *ask, struct arena *a,
		     struct str *out, struct err *e) MUST_CHECK;

/*
 * Whether something for groups (a JSON array; "[]": everybody) is for a user in the n
 * groups v.
 */
bool search_is_for(struct str groups, const struct str *v, size_t n);

#endif
