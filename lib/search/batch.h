/* SPDX-License-Identifier: MIT */
/* Inside lib/search: the rows for a batch of chunks, built outside a transaction. */
#ifndef SEARCH_BATCH_H
#define SEARCH_BATCH_H

#include "search/index.h"
#include "search/tokens.h"

/* Chunks are numbered from 0, in the order in which they were added. */
struct batch_block {
	int64_t key, audience;	/* key: post.h */
	uint32_t first, last, n;
	size_t at, n_bytes;	/* range of post_batch.data */
};

struct batch_part {		/* a document, or a part of a long one */
	struct search_put *doc;
	size_t from, n;		/* its chunks that are in the batch */
	uint32_t first;		/* number of the first of them */
	int64_t words, bytes;	/* bytes: of its rows, without vectors */
	struct str terms;	/* distinct keys of its terms, 8 bytes each */
};

struct post_batch {
	struct arena *a;
	struct tokens *words;
	struct batch_part *parts;
	size_t n_parts, parts_room;
	uint32_t n_chunks;
	struct occurrence *seen;	/* occurrences of words; sorted by batch_end */
	size_t n_seen, seen_room;
	uint32_t *lengths;		/* words of each chunk */
	size_t lengths_room;
	struct batch_block *blocks;
	size_t n_blocks, blocks_room;
	struct buf data;		/* the contents of all blocks */
};

/*
 * Starts a batch. Its memory is in a, except what tokens_split allocates.
 * batch_release must follow.
 */
void batch_begin(struct post_batch *b, struct tokens *words, struct arena *a);
void batch_release(struct post_batch *b);

/* Adds n chunks of the document, starting with chunk `from`. ERR_TOO_BIG. */
int batch_add(struct post_batch *b, struct search_put *doc, size_t from, size_t n,
	      struct err *e) MUST_CHECK;

/* Builds the blocks and the terms of the parts. */
void batch_end(struct post_batch *b);

#endif
