/* SPDX-License-Identifier: MIT */
#include "search/batch.h"

#include <stdlib.h>

#include "base/limits.h"
#include "search/post.h"

#include "base/banned.h"

enum {
	HEAD_WORDS = 24,	/* of a passage that has fewer words itself */
	ROW_BYTES = 64,		/* of a row, besides its text or data */
};

struct occurrence {
	int64_t key;		/* post.h */
	uint32_t tail, chunk;
	uint16_t part;
	uint16_t head;		/* 1: in the title or a heading */
};

void batch_begin(struct post_batch *b, struct tokens *words, struct arena *a)
{
	*b = (struct post_batch){
		.a = a, .words = words, .data = BUF_INIT(LIM_BATCH_BYTES),
	};
}

void batch_release(struct post_batch *b)
{
	free(b->seen);
	buf_release(&b->data);
	b->seen = NULL;
}

/*
 * Adds up to max words. Returns the number of words that count towards the chunk's
 * length.
 */
static uint32_t note_words(struct post_batch *b, struct str text, bool head,
			   size_t max)
{
	size_t n;
	uint32_t counted = 0;
	const struct word *v = tokens_split(b->words, text, false, &n);

	n = MIN(n, max);
	if (b->seen_room - b->n_seen < n) {
		b->seen_room = 2 * b->seen_room + n;
		b->seen = xrealloc(b->seen, b->seen_room * sizeof(*b->seen));
	}
	for (size_t i = 0; i < n; i++) {
		b->seen[b->n_seen++] = (struct occurrence){
			.key = post_key(v[i].term),
			.tail = post_tail(v[i].term), .chunk = b->n_chunks,
			.part = (uint16_t)b->n_parts, .head = head,
		};
		counted += !v[i].extra;
	}
	return counted;
}

int batch_add(struct post_batch *b, struct search_put *doc, size_t from, size_t n,
	      struct err *e)
{
	struct batch_part *p;

	b->parts = arena_room(b->a, b->parts, b->n_parts, 1, &b->parts_room,
			      sizeof(*b->parts));
	b->lengths = arena_room(b->a, b->lengths, b->n_chunks, n,
				&b->lengths_room, sizeof(*b->lengths));
	p = &b->parts[b->n_parts];
	*p = (struct batch_part){
		.doc = doc, .from = from, .n = n, .first = b->n_chunks,
	};
	for (size_t i = from; i < from + n; i++) {
		const size_t before = b->n_seen;
		uint32_t words = note_words(b, doc->chunks[i].text, false,
					    SIZE_MAX);
		size_t most = MAX(b->n_seen - before, (size_t)HEAD_WORDS);

		/* Title and headings come with each passage, however short. */
		words += note_words(b, doc->title, true, most);
		words += note_words(b, doc->chunks[i].heading, true, most);
		b->lengths[b->n_chunks++] = words;
		p->words += words;
		if (b->n_seen > LIM_BATCH_WORDS)
			return err_public(e, ERR_TOO_BIG,
					  "The text has too many words.");
	}
	b->n_parts++;
	return 0;
}

/* Order by key, chunk and tail. */
static int by_key(const void *a, const void *b)
{
	const struct occurrence *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->chunk != y->chunk)
		return x->chunk < y->chunk ? -1 : 1;
	return x->tail < y->tail ? -1 : x->tail > y->tail;
}

static void end_block(struct post_batch *b, struct batch_block *block,
		      const struct posting *v)
{
	if (!block->n)
		return;
	block->first = v[0].at.chunk;
	block->last = v[block->n - 1].at.chunk;
	block->at = b->data.n;
	post_write(&b->data, block->key, v, block->n);
	block->n_bytes = b->data.n - block->at;
	b->blocks = arena_room(b->a, b->blocks, b->n_blocks, 1,
			       &b->blocks_room, sizeof(*b->blocks));
	b->blocks[b->n_blocks++] = *block;
	block->n = 0;
}

/* Builds the blocks of one audience. */
static void make_blocks(struct post_batch *b, int64_t audience)
{
	struct batch_block block = { .key = -1 };
	struct posting v[2 * POST_BLOCK];

	for (size_t i = 0; i < b->n_seen; i++) {
		const struct occurrence *o = &b->seen[i];
		struct post *p;

		if (b->parts[o->part].doc->audience != audience)
			continue;
		/* A full block ends with its last chunk, not within it. */
		if (o->key != block.key || (block.n >= POST_BLOCK &&
					    v[block.n - 1].at.chunk != o->chunk)) {
			end_block(b, &block, v);
			block.key = o->key;
			block.audience = audience;
		}
		if (!block.n || v[block.n - 1].at.chunk != o->chunk ||
		    v[block.n - 1].tail != o->tail) {
			if (block.n == ARRAY_LEN(v))
				continue;	/* a chunk of ids that were sought out */
			v[block.n++] = (struct posting){
				.at.chunk = o->chunk, .tail = o->tail,
				.at.length = post_length(b->lengths[o->chunk]),
			};
		}
		p = &v[block.n - 1].at;
		if (o->head)
			p->head += p->head < POST_COUNT_MAX;
		else
			p->body += p->body < POST_COUNT_MAX;
	}
	end_block(b, &block, v);
}

/* Lists the keys of each part, which deleting it needs to find its postings. */
static void list_terms(struct post_batch *b)
{
	int64_t *last = arena_zalloc(b->a, b->n_parts, sizeof(*last));
	int64_t **terms = arena_zalloc(b->a, b->n_parts, sizeof(*terms));

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < b->n_parts; i++) {
			if (round)
				terms[i] = arena_alloc(b->a, b->parts[i].terms.n +
						       1);
			last[i] = -1;
			b->parts[i].terms = (struct str){ (char *)terms[i], 0 };
		}
		for (size_t i = 0; i < b->n_seen; i++) {
			size_t part = b->seen[i].part;
			struct str *s = &b->parts[part].terms;

			if (last[part] == b->seen[i].key)
				continue;
			last[part] = b->seen[i].key;
			if (round)
				terms[part][s->n / sizeof(int64_t)] = last[part];
			s->n += sizeof(int64_t);
		}
	}
}

/* What the rows of the parts take. The blocks of postings belong to several of them. */
static void count_bytes(struct post_batch *b)
{
	int64_t words = 0;

	for (size_t i = 0; i < b->n_parts; i++)
		words += b->parts[i].words;
	for (size_t i = 0; i < b->n_parts; i++) {
		struct batch_part *p = &b->parts[i];
		const char *last = NULL;

		p->bytes = (int64_t)(p->terms.n + p->n * ROW_BYTES);
		for (size_t c = p->from; c < p->from + p->n; c++) {
			const struct chunk *ch = &p->doc->chunks[c];

			p->bytes += (int64_t)ch->text.n;
			if (ch->heading.p != last)
				p->bytes += (int64_t)ch->heading.n;
			last = ch->heading.p;
		}
		if (words)
			p->bytes += (int64_t)(b->data.n + b->n_blocks * ROW_BYTES) *
				p->words / words;
		p->doc->bytes += p->bytes;
	}
}

void batch_end(struct post_batch *b)
{
	bool audiences[LIM_AUDIENCES + 1] = { false };

	if (b->n_seen)
		qsort(b->seen, b->n_seen, sizeof(*b->seen), by_key);
	list_terms(b);
	for (size_t i = 0; i < b->n_parts; i++) {
		int64_t no = b->parts[i].doc->audience;

		if (no >= 0 && no <= LIM_AUDIENCES && !audiences[no]) {
			audiences[no] = true;
			make_blocks(b, no);
		}
	}
	count_bytes(b);
}
