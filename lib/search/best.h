/* The best parts of one text for a question, without an index. */
#ifndef SEARCH_BEST_H
#define SEARCH_BEST_H

#include "search/chunk.h"

/*
 * Of n chunks of a text, those that have words of a question, best first by BM25 over
 * these chunks; without those that score less than a quarter of the best one, which
 * have but its common words. If none has any, all as they stand. Words are compared
 * without case and accents. *out: *n_out numbers of chunks, in a.
 */
int search_best(const struct chunk *v, size_t n, struct str question,
		struct arena *a, size_t **out, size_t *n_out,
		struct err *e) MUST_CHECK;

#endif
