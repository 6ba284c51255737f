/* Inside lib/search: the rows of a batch of chunks, made before any transaction. */
#ifndef SEARCH_BATCH_H
#define SEARCH_BATCH_H

#include "search/index.h"
#include "search/tokens.h"

/* Numbers of chunks are from 0 on, in the order in which they were added. */
struct batch_block {
	int64_t term, audience;
	uint32_t first, last, n;
	size_t at, n_bytes;	/* of data */
};

struct batch_part {		/* a document, or a part of a long one */
	struct search_put *doc;
	size_t from, n;		/* its chunks that are in here */
	uint32_t first;		/* number of the first one */
	int64_t words;
	struct str terms;	/* 8 bytes each */
};

struct post_batch {
	struct arena *a;
	struct tokens *words;
	struct batch_part *parts;
	size_t n_parts, parts_room;
	uint32_t n_chunks;
	struct occurrence *seen;	/* of words, sorted at the end */
	size_t n_seen, seen_room;
	uint32_t *lengths;		/* of chunks, in words */
	size_t lengths_room;
	struct batch_block *blocks;
	size_t n_blocks, blocks_room;
	struct buf data;		/* of blocks */
};

/* In a, which tokens_split's work is not. */
void batch_begin(struct post_batch *b, struct tokens *words, struct arena *a);
void batch_release(struct post_batch *b);

/* Adds n chunks of the document, from the from-th on. ERR_TOO_BIG. */
int batch_add(struct post_batch *b, struct search_put *doc, size_t from, size_t n,
	      struct err *e) MUST_CHECK;

/* Makes blocks and parts complete. */
void batch_end(struct post_batch *b);

#endif
