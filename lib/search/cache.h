/*
 * Sign bits of vectors in memory, by base: a scan over them needs no database. What
 * is kept holds for one version of the base, so whoever asks has read that before
 * (search_base.version) and gets nothing else. It has the bits of all audiences:
 * who sees which is the question of the scan. Any thread.
 */
#ifndef SEARCH_CACHE_H
#define SEARCH_CACHE_H

#include "base/uuid.h"

struct search_signs {		/* of one audience, in no order */
	int64_t audience;
	size_t n, room;
	uint32_t *chunks;
	uint64_t *bits;		/* words for each */
};

struct search_cached {		/* never changed once it is kept */
	struct uuid base;
	int64_t version;
	size_t words;		/* of 64 bits, per vector */
	struct search_signs *v;
	size_t n;
};

/* Memory for all bases together, 0: nothing is kept. The last call counts. */
void search_cache_limit(size_t bytes);

/* To be given back with search_cache_done. NULL: they have to be read. */
const struct search_cached *search_cache_get(const struct uuid *base,
					     int64_t version);
void search_cache_done(const struct search_cached *c);

/* An empty one to be filled; the caller's until search_cache_put or _drop. */
struct search_cached *search_cache_new(const struct uuid *base, int64_t version,
				       size_t words);

/* Adds n vectors of an audience; chunks are numbers from first on. Copies. */
void search_cache_add(struct search_cached *c, int64_t audience, uint32_t first,
		      const char *chunks, const char *bits, size_t n);

/*
 * Keeps it, in place of another version and of what was used least recently, and
 * gives it back as search_cache_get. Too large a one is the caller's alone.
 */
const struct search_cached *search_cache_put(struct search_cached *c);
void search_cache_drop(struct search_cached *c);

#endif
