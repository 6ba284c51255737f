/*
 * Postings: which chunks have a term, how often, and how long they are. A block is
 * a row of search_post: postings of one term and one audience in the order of their
 * chunks, about three bytes each: the distance to the chunk before as a variable
 * integer, the two counts in a byte, the length of the chunk in another.
 */
#ifndef SEARCH_POST_H
#define SEARCH_POST_H

#include <stdint.h>

#include "base/buf.h"

enum {
	POST_BLOCK = 1024,	/* postings of a full block */
	POST_COUNT_MAX = 15,	/* a word that comes oftener counts so often */
	POST_BYTES_MAX = 7,	/* of one */
};

struct post {
	uint32_t chunk;
	uint8_t body, head;	/* how often: in the text, in title and headings */
	uint8_t length;		/* of the chunk: post_length */
};

/*
 * A number of words as a byte, and back: exact up to 64, then with an error of at
 * most 3 percent, up to 30,000.
 */
uint8_t post_length(uint32_t words);
uint32_t post_words(uint8_t length);

/* Appends a block of n postings in order, none twice; first: v[0].chunk. */
void post_write(struct buf *out, const struct post *v, size_t n);

/*
 * Reads a block whose first chunk is `first` into v (room for POST_BLOCK * 2).
 * Returns how many; -1 if the bytes are no block.
 */
int post_read(struct str block, uint32_t first, struct post *v);

#endif
