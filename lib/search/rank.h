/*
 * BM25 over postings in memory. Every term has a list of postings by chunk; the
 * best chunks come out. k1 and b are the usual ones; a word of the title or a
 * heading counts as two of the text. What a caller may not see is not in the lists,
 * so it moves no score: not through how often a term occurs, nor how long texts are.
 */
#ifndef SEARCH_RANK_H
#define SEARCH_RANK_H

#include <stddef.h>

#include "base/arena.h"
#include "search/post.h"

struct rank_list {
	const struct post *v;	/* by chunk, none twice */
	size_t n;
	size_t seen;		/* how many chunks that the caller may see have it,
				   those that were not asked for among them */
	int times;		/* how often the question has the term */
};

struct rank_hit {
	uint32_t chunk;
	float score;
};

/* Of all that the caller may see. */
struct rank_stats {
	int64_t chunks, words;
};

/*
 * The best chunks, at most max, by score; those of the same score by chunk. *n:
 * how many. In a.
 */
struct rank_hit *rank_best(const struct rank_list *lists, size_t n_lists,
			   const struct rank_stats *stats, size_t max,
			   struct arena *a, size_t *n);

/*
 * Puts hit among the best, a heap of at most max whose worst is first. For other
 * ways to score.
 */
void rank_offer(struct rank_hit *best, size_t *n, size_t max,
		struct rank_hit hit);

/* Orders what was offered, best first. */
void rank_order(struct rank_hit *best, size_t n);

/*
 * Two lists as one, best first: the score is the sum of 1 / (60 + rank) in each
 * (Cormack, Clarke, Buettcher, SIGIR 2009). *n: how many. In a.
 */
enum { RRF_K = 60 };
struct rank_hit *rank_fuse(const struct rank_hit *x, size_t n_x,
			   const struct rank_hit *y, size_t n_y,
			   struct arena *a, size_t *n);

#endif
