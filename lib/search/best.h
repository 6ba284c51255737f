/* SPDX-License-Identifier: MIT */
/* Finds the chunks of one text that match a question best, without an index. */
#ifndef SEARCH_BEST_H
#define SEARCH_BEST_H

#include "search/chunk.h"

/*
 * Ranks those of n chunks that contain words of the question by BM25 over these
 * chunks, best first. Chunks that score less than a quarter of the best one are left
 * out, because they match common words only. If no chunk matches, all are returned in
 * their order. Case and accents are ignored. *out: *n_out indexes into v, in a.
 * ERR_INTERNAL if a library is missing.
 */
int search_best(const struct chunk *v, size_t n, struct str question,
		struct arena *a, size_t **out, size_t *n_out,
		struct err *e) MUST_CHECK;

#endif
