/* SPDX-License-Identifier: MIT */
/*
 * Cache of the sign bits of vectors, by base, so that a scan needs no database. An
 * entry is valid for one version of the base: callers read search_base.version first
 * and get an entry of that version only. Entries contain the bits of all audiences;
 * the scan checks which of them the caller may see. Any thread.
 */
#ifndef SEARCH_CACHE_H
#define SEARCH_CACHE_H

#include "base/uuid.h"

struct search_signs {		/* of one audience, unordered */
	int64_t audience;
	size_t n, room;
	uint32_t *chunks;
	uint64_t *bits;		/* search_cached.words for each chunk */
};

struct search_cached {		/* immutable once it is in the cache */
	struct uuid base;
	int64_t version;
	size_t words;		/* 64-bit words per vector */
	struct search_signs *v;
	size_t n;
};

/* Sets the size limit of the cache, for all bases; 0 disables it. */
void search_cache_limit(size_t bytes);

/*
 * Returns the entry of this base and version, to be released with
 * search_cache_done; NULL if there is none.
 */
const struct search_cached *search_cache_get(const struct uuid *base,
					     int64_t version);
void search_cache_done(const struct search_cached *c);

/* Creates an empty entry, owned by the caller until search_cache_put or _drop. */
struct search_cached *search_cache_new(const struct uuid *base, int64_t version,
				       size_t words);

/*
 * Adds n vectors of an audience. chunks: their chunk numbers relative to first.
 * Copies its input.
 */
void search_cache_add(struct search_cached *c, int64_t audience, uint32_t first,
		      const char *chunks, const char *bits, size_t n);

/*
 * Adds the entry to the cache and returns it like search_cache_get. Replaces another
 * version of it and evicts the least recently used entries. An entry that is too large
 * is not cached; the caller can use it until search_cache_done.
 */
const struct search_cached *search_cache_put(struct search_cached *c);
void search_cache_drop(struct search_cached *c);

#endif
