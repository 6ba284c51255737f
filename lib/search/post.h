/* SPDX-License-Identifier: MIT */
/*
 * Postings: which chunks contain a term, how often, and the lengths of the chunks. A
 * block is a row of search_post with the postings of one term and one audience, in the
 * order of chunks. A posting takes about three bytes: the difference from the previous
 * chunk number as a variable-length integer, both counts in one byte, and the chunk's
 * length in one byte.
 *
 * Long numbers and ids hardly come twice. With a row each they would be most of the
 * index, so the postings of all such words (their terms are negative) share the rows of
 * POST_SHARED keys, and each has four bytes more, which tell whose it is.
 */
#ifndef SEARCH_POST_H
#define SEARCH_POST_H

#include <stdint.h>

#include "base/buf.h"

enum {
	POST_BLOCK = 1024,	/* postings of a full block */
	POST_COUNT_MAX = 15,	/* higher counts are stored as this */
	POST_BYTES_MAX = 11,	/* size of one posting */
	POST_SHARED = 256,	/* keys of shared blocks: those below it */
};

/* The key of the rows that have the term's postings. */
static inline int64_t post_key(int64_t term)
{
	return term < 0 ? -term % POST_SHARED : term;
}

/* Whose the posting of a shared block is; 0 for other terms. */
static inline uint32_t post_tail(int64_t term)
{
	return term < 0 ? (uint32_t)(-term / POST_SHARED) : 0;
}

struct post {
	uint32_t chunk;
	uint8_t body, head;	/* counts in the text, in title and headings */
	uint8_t length;		/* of the chunk, see post_length */
};

/* A posting of a block. */
struct posting {
	struct post at;
	uint32_t tail;		/* post_tail of its term */
};

/*
 * Encode a number of words as a byte and decode it: exact up to 64, then with an error
 * of at most 3 percent, up to 30,000.
 */
uint8_t post_length(uint32_t words);
uint32_t post_words(uint8_t length);

/*
 * Appends a block of n postings, which must be sorted by chunk (and tail) without
 * duplicates. v[0].chunk is not stored. key: of its row.
 */
void post_write(struct buf *out, int64_t key, const struct posting *v, size_t n);

/*
 * Decodes the block of the row with this key, whose first chunk is `first`, into v,
 * which must have room for POST_BLOCK * 2 postings. Returns their number, or -1 if the
 * block is invalid.
 */
int post_read(struct str block, int64_t key, uint32_t first, struct posting *v);

#endif
