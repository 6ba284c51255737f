/* SPDX-License-Identifier: MIT */
/*
 * Postings: which chunks contain a term, how often, and the lengths of the chunks. A
 * block is a row of search_post with the postings of one term and one audience, in the
 * order of chunks. A posting takes about three bytes: the difference from the previous
 * chunk number as a variable-length integer, both counts in one byte, and the chunk's
 * length in one byte.
 */
#ifndef SEARCH_POST_H
#define SEARCH_POST_H

#include <stdint.h>

#include "base/buf.h"

enum {
	POST_BLOCK = 1024,	/* postings of a full block */
	POST_COUNT_MAX = 15,	/* higher counts are stored as this */
	POST_BYTES_MAX = 7,	/* size of one posting */
};

struct post {
	uint32_t chunk;
	uint8_t body, head;	/* counts in the text, in title and headings */
	uint8_t length;		/* of the chunk, see post_length */
};

/*
 * Encode a number of words as a byte and decode it: exact up to 64, then with an error
 * of at most 3 percent, up to 30,000.
 */
uint8_t post_length(uint32_t words);
uint32_t post_words(uint8_t length);

/*
 * Appends a block of n postings, which must be sorted by chunk without duplicates.
 * v[0].chunk is not stored.
 */
void post_write(struct buf *out, const struct post *v, size_t n);

/*
 * Decodes a block whose first chunk is `first` into v, which must have room for
 * POST_BLOCK * 2 postings. Returns their number, or -1 if the block is invalid.
 */
int post_read(struct str block, uint32_t first, struct post *v);

#endif
