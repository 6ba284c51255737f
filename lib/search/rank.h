/* SPDX-License-Identifier: MIT */
/*
 * BM25 ranking of postings in memory. Each term has a list of postings in the order of
 * chunks. k1 and b have their usual values; a word of the title or a heading counts
 * twice. Chunks that the caller may not see are not in the lists, so they do not affect
 * any score, neither by term frequencies nor by text lengths.
 */
#ifndef SEARCH_RANK_H
#define SEARCH_RANK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "search/post.h"

struct rank_list {
	const struct post *v;	/* sorted by chunk, no duplicates */
	size_t n;
	size_t seen;		/* chunks with the term that the caller may see,
				   including those that a filter excludes */
	int times;		/* occurrences in the query */
	bool common;		/* no evidence that a chunk is about the question */
};

struct rank_hit {
	uint32_t chunk;
	float score;
	float sure;		/* that it answers the question (sure.h); 0: not known */
};

/* Totals over all chunks that the caller may see. */
struct rank_stats {
	int64_t chunks, words;
};

/*
 * Returns the best chunks, at most max, by score; equal scores by chunk. *n: their
 * number. In a.
 */
struct rank_hit *rank_best(const struct rank_list *lists, size_t n_lists,
			   const struct rank_stats *stats, size_t max,
			   struct arena *a, size_t *n);

/* Sets how sure it is that each of n hits answers the question of the lists. */
void rank_sure(struct rank_hit *hits, size_t n, const struct rank_list *lists,
	       size_t n_lists, const struct rank_stats *stats);

/*
 * Adds hit to best, a heap of at most max hits with the worst one first, if it is good
 * enough. For other scoring functions.
 */
void rank_offer(struct rank_hit *best, size_t *n, size_t max,
		struct rank_hit hit);

/* Sorts the heap, best first. */
void rank_order(struct rank_hit *best, size_t n);

/*
 * Reciprocal rank fusion of two lists, best first: the score of a hit is the sum of
 * 1 / (60 + rank) over the lists (Cormack, Clarke, Buettcher, SIGIR 2009); it is as sure
 * as both say. *n: the number of hits. In a.
 */
enum { RRF_K = 60 };
struct rank_hit *rank_fuse(const struct rank_hit *x, size_t n_x,
			   const struct rank_hit *y, size_t n_y,
			   struct arena *a, size_t *n);

#endif
