/* SPDX-License-Identifier: MIT */
#include "search/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "resource/purge.h"
#include "search/post.h"
#include "search/tokens.h"
#include "search/vector.h"
#include "store/list.h"
#include "store/stmt.h"

#include "base/banned.h"

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

/* -- the rows for a batch of chunks, built outside a transaction -------------- */

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

/*
 * Starts a batch. Its memory is in a, except what tokens_split allocates.
 * batch_release must follow.
 */
static void batch_begin(struct post_batch *b, struct tokens *words, struct arena *a)
{
	*b = (struct post_batch){
		.a = a, .words = words, .data = BUF_INIT(LIM_BATCH_BYTES),
	};
}

static void batch_release(struct post_batch *b)
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

/* Adds n chunks of the document, starting with chunk `from`. ERR_TOO_BIG. */
static int batch_add(struct post_batch *b, struct search_put *doc, size_t from, size_t n,
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

/* Builds the blocks and the terms of the parts. */
static void batch_end(struct post_batch *b)
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

/* -- bases ------------------------------------------------------------------- */

static const struct db_field base_fields[] = {
#define F(m, t, sql) FIELD_OF(struct search_base, m, t)
	SEARCH_BASE_FIELDS(F, COMMA)
#undef F
};

int search_base_make(struct db *tx, const struct uuid *id, struct str tenant_id,
		     struct str language, struct err *e)
{
	return db_exec(tx, STMT_SEARCH_BASE_INSERT,
		       DB_ARGS(DB_U(id), DB_S(tenant_id), DB_S(language)), NULL,
		       e);
}

static int base_by(struct db *db, unsigned stmt, const struct uuid *id,
		   struct arena *a, struct search_base *out, struct err *e)
{
	int rc = db_get(db, stmt, DB_ARGS(DB_U(id)), a, base_fields, out, e);

	if (rc < 0)
		return -1;
	return rc ? 0 : err_set(e, ERR_NOT_FOUND, "no such search base");
}

int search_base_get(struct db *db, const struct uuid *id, struct arena *a,
		    struct search_base *out, struct err *e)
{
	return base_by(db, STMT_SEARCH_BASE_GET, id, a, out, e);
}

int search_base_hold(struct db *tx, const struct uuid *id, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct search_base b;
	int rc = base_by(tx, STMT_SEARCH_BASE_SHARE, id, &a, &b, e);

	arena_release(&a);
	return rc;
}

int search_base_hide(struct db *tx, const struct uuid *id, struct err *e)
{
	return db_exec(tx, STMT_SEARCH_BASE_HIDE, DB_ARGS(DB_U(id)), NULL, e);
}

/* Whether the base is hidden; only hidden bases may be purged. */
static int is_dead(struct db *tx, const struct uuid *id, struct err *e)
{
	int64_t dead = 0;
	int rc = db_int(tx, STMT_SEARCH_BASE_DEAD, DB_ARGS(DB_U(id)), &dead, e);

	return rc < 0 ? -1 : dead != 0;
}

int search_base_purge(struct db *db, const struct uuid *id, int64_t until_ms,
		      struct err *e)
{
	int rc = resource_purge(db, ROOT_SEARCH_BASE, id, is_dead, until_ms, e);

	if (rc > 0 && db_exec(db, STMT_SEARCH_BASE_DELETE, DB_ARGS(DB_U(id)),
			      NULL, e))
		return -1;
	return rc;
}

/* -- audiences ------------------------------------------------------------------- */

struct audience_look {
	struct str groups;
	int64_t found, next;
};

static int note_audience(void *ctx, const struct db_val *row, struct err *e)
{
	struct audience_look *f = ctx;

	(void)e;
	if (str_eq(row[1].s, f->groups))
		f->found = row[0].i;
	/* Find the lowest free number; rows are sorted by number. */
	if (row[0].i == f->next)
		f->next++;
	return 0;
}

int search_audience(struct db *tx, const struct uuid *base, struct str groups,
		    int64_t *no, struct err *e)
{
	bool everybody = str_is(groups, "[]");
	struct audience_look f = { .groups = groups, .found = -1, .next = 1 };
	struct arena a = ARENA_INIT;
	int rc;

	*no = 0;
	rc = base_by(tx, STMT_SEARCH_BASE_LOCK, base, &a,
		     &(struct search_base){ .next_chunk = 0 }, e);
	if (!rc)
		rc = db_each(tx, STMT_SEARCH_AUDIENCES, DB_ARGS(DB_U(base)), &a,
			     note_audience, &f, e);
	arena_release(&a);
	if (rc)
		return -1;
	if (f.found >= 0) {
		*no = f.found;
		return 0;
	}
	if (!everybody && f.next > LIM_AUDIENCES)
		return err_public(e, ERR_TOO_BIG, "The documents of this "
				  "knowledge base are already for %d different "
				  "sets of groups.",
				  LIM_AUDIENCES);
	*no = everybody ? 0 : f.next;
	return db_exec(tx, STMT_SEARCH_AUDIENCE_INSERT,
		       DB_ARGS(DB_U(base), DB_I(*no), DB_S(groups)), NULL, e);
}

/* -- writing ------------------------------------------------------------------------ */

/* The signs of a batch's vectors for one audience. */
struct bits {
	uint32_t first, last, n;
	struct str data;
};

struct index_write {
	const struct uuid *base;
	const struct search_how *how;
	struct post_batch *b;
	struct bits bits[LIM_AUDIENCES + 1];
	bool last;		/* last batch of its document, which may have several */
	bool *there;		/* for each part: whether it has older rows */
	int64_t chunks[LIM_AUDIENCES + 1], words[LIM_AUDIENCES + 1];
	int64_t n_vectors, bytes;
	struct arena *a;
};

static bool is_whole(const struct batch_part *p)
{
	return p->n == p->doc->n;
}

static int note_there(void *ctx, const struct db_val *row, struct err *e)
{
	struct index_write *k = ctx;

	(void)e;
	for (size_t i = 0; i < k->b->n_parts; i++)
		if (!memcmp(k->b->parts[i].doc->id.b, row[0].s.p, 16))
			k->there[i] = true;
	return 0;
}

static int look_there(struct db *tx, struct index_write *k, struct err *e)
{
	struct buf list = BUF_INIT(LIM_BATCH_BYTES);
	struct jw w = jw_on(&list);
	int rc;

	jw_arr(&w);
	for (size_t i = 0; i < k->b->n_parts; i++)
		store_list_id(&w, &k->b->parts[i].doc->id);
	jw_end_arr(&w);
	memset(k->there, 0, k->b->n_parts * sizeof(*k->there));
	rc = db_each(tx, STMT_SEARCH_DOCUMENT_THERE,
		     DB_ARGS(DB_S(buf_str(&list)), DB_U(k->base)), k->a,
		     note_there, k, e);
	buf_release(&list);
	return rc;
}

static int note_sums(void *ctx, const struct db_val *row, struct err *e)
{
	struct index_write *k = ctx;
	int64_t sign = row[0].i ? -1 : 1, no = row[1].i;

	(void)e;
	if (no >= 0 && no <= LIM_AUDIENCES) {
		k->chunks[no] += sign * row[2].i;
		k->words[no] += sign * row[3].i;
	}
	return 0;
}

struct written {
	int64_t n;
};

static int count_written(void *ctx, const struct db_val *row, struct err *e)
{
	(void)e;
	if (!row[0].i)
		((struct written *)ctx)->n += row[2].i;
	return 0;
}

/* Makes the new chunks of the document visible and the older ones invisible. */
static int switch_over(struct db *tx, struct index_write *k,
		       const struct search_put *doc, struct err *e)
{
	struct written w = { 0 };
	const struct db_val args[] = { DB_U(k->base), DB_U(&doc->id) };

	if (db_each(tx, STMT_SEARCH_DOCUMENT_SUMS, args, k->a, count_written, &w,
		    e) ||
	    db_each(tx, STMT_SEARCH_DOCUMENT_SUMS, args, k->a, note_sums, k, e))
		return -1;
	if (w.n != (int64_t)doc->n)
		return err_set(e, ERR_CONFLICT, "another writer changed the document");
	return db_exec(tx, STMT_SEARCH_DOCUMENT_SWITCH, args, NULL, e);
}

static int ask_ready(struct db *tx, struct index_write *k, struct search_put *doc,
		     struct err *e)
{
	int rc = k->how->ready ? k->how->ready(tx, doc, k->how->ctx, e) : 1;

	doc->found = rc > 0;
	return rc;
}

/* Inserts the rows of search_document; complete new documents become visible. */
static int write_documents(struct db *tx, struct index_write *k, int64_t first,
			   struct err *e)
{
	struct post_batch *b = k->b;
	struct db_val *v = arena_zalloc(k->a, b->n_parts * 11, sizeof(*v));

	k->bytes = 0;

	for (size_t i = 0; i < b->n_parts; i++) {
		struct batch_part *p = &b->parts[i];
		int64_t no = p->doc->audience, state = 0;
		int rc;

		if (k->there[i] && !p->from &&
		    db_exec(tx, STMT_SEARCH_DOCUMENT_ABANDON,
			    DB_ARGS(DB_U(k->base), DB_U(&p->doc->id)), NULL, e))
			return -1;
		if (is_whole(p) && !k->there[i]) {
			rc = ask_ready(tx, k, p->doc, e);
			if (rc < 0)
				return -1;
			/* One that is not wanted any more goes with the next tidying. */
			state = rc ? 1 : 2;
			k->chunks[no] += rc ? (int64_t)p->n : 0;
			k->words[no] += rc ? p->words : 0;
		}
		memcpy(&v[i * 11], DB_ARGS(DB_U(k->base), DB_I(first + p->first),
			DB_I((int64_t)p->n), DB_I(state), DB_I(no),
			DB_U(&p->doc->id), DB_I(p->words), DB_B(p->terms),
			DB_I(p->doc->vectors != NULL),
			DB_I(p->doc->vectors ? (int64_t)p->n : 0),
			DB_I(p->bytes)), 11 * sizeof(*v));
		k->bytes += p->bytes;
	}
	return db_exec_rows(tx, STMT_SEARCH_DOCUMENT_INSERT, v, b->n_parts, NULL,
			    e);
}

/* Makes complete documents that have older rows visible. */
static int finish_documents(struct db *tx, struct index_write *k, struct err *e)
{
	for (size_t i = 0; i < k->b->n_parts; i++) {
		struct batch_part *p = &k->b->parts[i];
		int rc;

		if (is_whole(p) ? !k->there[i] : !k->last)
			continue;
		rc = ask_ready(tx, k, p->doc, e);
		if (rc < 0 ||
		    (rc && switch_over(tx, k, p->doc, e)) ||
		    (!rc && db_exec(tx, STMT_SEARCH_DOCUMENT_ABANDON,
				    DB_ARGS(DB_U(k->base), DB_U(&p->doc->id)),
				    NULL, e)))
			return -1;
	}
	return 0;
}

/* Chunks in a row that have the same headings refer to the first one's. */
static int write_chunks(struct db *tx, struct index_write *k, int64_t first,
			struct err *e)
{
	struct post_batch *b = k->b;
	struct db_val *v = arena_zalloc(k->a, (size_t)b->n_chunks * 7,
					sizeof(*v));
	struct db_val *h = arena_zalloc(k->a, (size_t)b->n_chunks * 3,
					sizeof(*h));
	size_t n = 0, n_headings = 0;

	for (size_t i = 0; i < b->n_parts; i++) {
		const char *last = NULL;
		int64_t of = 0;

		for (size_t c = 0; c < b->parts[i].n; c++, n++) {
			const struct chunk *ch =
				&b->parts[i].doc->chunks[b->parts[i].from + c];

			if (ch->heading.n && ch->heading.p != last) {
				last = ch->heading.p;
				of = first + (int64_t)n;
				memcpy(&h[n_headings++ * 3],
				       DB_ARGS(DB_U(k->base), DB_I(of),
					       DB_S(ch->heading)), 3 * sizeof(*h));
			}
			memcpy(&v[n * 7], DB_ARGS(DB_U(k->base),
				DB_I(first + (int64_t)n),
				DB_I(first + b->parts[i].first), DB_I(ch->page),
				DB_I((int64_t)ch->at),
				DB_I_IF(ch->heading.n, of),
				DB_S(ch->text)), 7 * sizeof(*v));
		}
	}
	return db_exec_rows(tx, STMT_SEARCH_CHUNK_INSERT, v, n, NULL, e) ||
		db_exec_rows(tx, STMT_SEARCH_HEADING_INSERT, h, n_headings, NULL,
			     e) ? -1 : 0;
}

static int write_posts(struct db *tx, struct index_write *k, int64_t first,
		       struct err *e)
{
	struct post_batch *b = k->b;
	struct db_val *v = arena_zalloc(k->a, b->n_blocks * 7, sizeof(*v));

	for (size_t i = 0; i < b->n_blocks; i++) {
		const struct batch_block *p = &b->blocks[i];

		memcpy(&v[i * 7], DB_ARGS(DB_U(k->base), DB_I(p->key),
			DB_I(p->audience), DB_I(first + p->first),
			DB_I(first + p->last), DB_I(p->n),
			DB_B(((struct str){ b->data.p + p->at, p->n_bytes }))),
		       7 * sizeof(*v));
	}
	return db_exec_rows(tx, STMT_SEARCH_POST_INSERT, v, b->n_blocks, NULL, e);
}

static int write_vectors(struct db *tx, struct index_write *k, int64_t first,
			 struct err *e)
{
	struct post_batch *b = k->b;
	size_t d = (size_t)k->how->dimension, n = 0;
	struct db_val *v = arena_zalloc(k->a, (size_t)b->n_chunks * 4, sizeof(*v));

	for (size_t i = 0; i < b->n_parts; i++) {
		const struct batch_part *p = &b->parts[i];

		for (size_t c = 0; p->doc->vectors && c < p->n; c++, n++)
			memcpy(&v[n * 4], DB_ARGS(DB_U(k->base),
				DB_I(first + p->first + (int64_t)c),
				DB_I(p->doc->audience),
				DB_B(((struct str){
					(const char *)(p->doc->vectors +
						       (p->from + c) * d),
					d * sizeof(float) }))), 4 * sizeof(*v));
	}
	k->n_vectors = (int64_t)n;
	if (db_exec_rows(tx, STMT_SEARCH_VECTOR_INSERT, v, n, NULL, e))
		return -1;
	for (int64_t no = 0; no <= LIM_AUDIENCES; no++) {
		const struct bits *bits = &k->bits[no];

		if (bits->n && db_exec(tx, STMT_SEARCH_BITS_INSERT,
				       DB_ARGS(DB_U(k->base), DB_I(no),
					       DB_I(first + bits->first),
					       DB_I(first + bits->last),
					       DB_I(bits->n), DB_B(bits->data)),
				       NULL, e))
			return -1;
	}
	return 0;
}

static int check_model(const struct search_base *base,
		       const struct search_how *how, struct err *e)
{
	if (!how->model.p || !base->model.p ||
	    (str_eq(how->model, base->model) &&
	     how->dimension == base->dimension))
		return 0;
	return err_set(e, ERR_CONFLICT, "the base has vectors of another model");
}

static int write_tx(struct db *tx, void *ctx, struct err *e)
{
	struct index_write *k = ctx;
	struct arena_mark mark = arena_mark(k->a);
	struct search_base base;
	int rc;

	memset(k->chunks, 0, sizeof(k->chunks));
	memset(k->words, 0, sizeof(k->words));
	rc = base_by(tx, STMT_SEARCH_BASE_LOCK, k->base, k->a, &base, e);
	if (!rc)
		rc = check_model(&base, k->how, e);
	if (!rc && base.next_chunk + k->b->n_chunks > LIM_BASE_CHUNKS)
		rc = err_public(e, ERR_TOO_BIG, "The knowledge base is full.");
	if (!rc && !k->how->append)
		rc = look_there(tx, k, e);
	if (!rc)
		rc = write_documents(tx, k, base.next_chunk, e);
	if (!rc)
		rc = write_chunks(tx, k, base.next_chunk, e);
	if (!rc)
		rc = write_posts(tx, k, base.next_chunk, e);
	if (!rc)
		rc = write_vectors(tx, k, base.next_chunk, e);
	if (!rc)
		rc = finish_documents(tx, k, e);
	for (int64_t no = 0; !rc && no <= LIM_AUDIENCES; no++)
		if (k->chunks[no] || k->words[no])
			rc = db_exec(tx, STMT_SEARCH_AUDIENCE_COUNT,
				     DB_ARGS(DB_I(k->chunks[no]),
					     DB_I(k->words[no]), DB_U(k->base),
					     DB_I(no)), NULL, e);
	if (!rc)
		rc = db_exec(tx, STMT_SEARCH_BASE_WROTE,
			     DB_ARGS(DB_I(k->b->n_chunks), DB_I(k->bytes),
				     DB_S_IF(k->how->model),
				     DB_I_IF(k->how->model.p, k->how->dimension),
				     DB_I(k->n_vectors), DB_U(k->base)), NULL, e);
	arena_rewind(k->a, mark);
	return rc;
}

/* Computes the signs of the batch's vectors, by audience. */
static void make_bits(struct index_write *k)
{
	struct post_batch *b = k->b;
	size_t d = (size_t)k->how->dimension;
	size_t words = vector_bits_bytes((int)d) / 8;

	memset(k->bits, 0, sizeof(k->bits));
	for (int64_t no = 0; no <= LIM_AUDIENCES; no++) {
		struct bits *bits = &k->bits[no];
		uint32_t *chunks = NULL;
		uint64_t *signs = NULL;
		size_t head;

		for (size_t i = 0; i < b->n_parts; i++)
			if (b->parts[i].doc->audience == no &&
			    b->parts[i].doc->vectors)
				bits->n += (uint32_t)b->parts[i].n;
		if (!bits->n)
			continue;
		head = align_up(bits->n * sizeof(*chunks), 8);
		chunks = arena_zalloc(k->a, 1, head + bits->n * words * 8);
		signs = (void *)((char *)chunks + head);
		bits->data = (struct str){ (char *)chunks,
					   head + bits->n * words * 8 };
		bits->n = 0;
		for (size_t i = 0; i < b->n_parts; i++) {
			const struct batch_part *p = &b->parts[i];

			for (size_t c = 0; c < p->n; c++) {
				if (p->doc->audience != no || !p->doc->vectors)
					break;
				if (!bits->n)
					bits->first = p->first;
				bits->last = p->first + (uint32_t)c;
				chunks[bits->n] = bits->last - bits->first;
				vector_signs(p->doc->vectors + (p->from + c) * d,
					     (int)d, signs + bits->n * words);
				bits->n++;
			}
		}
	}
}

static int write_batch(struct db *db, struct index_write *k, struct err *e)
{
	batch_end(k->b);
	make_bits(k);
	k->there = arena_zalloc(k->a, k->b->n_parts, sizeof(*k->there));
	if (!buf_ok(&k->b->data))
		return err_set(e, ERR_TOO_BIG, "postings of a batch");
	return db_tx(db, write_tx, k, e);
}

/* Writes a document that needs several batches. */
static int write_long(struct db *db, struct index_write *k, struct tokens *words,
		      struct search_put *doc, struct err *e)
{
	int rc = 0;

	for (size_t from = 0; !rc && from < doc->n; from += SEARCH_SLICE) {
		struct arena a = ARENA_INIT;
		struct post_batch b;
		size_t n = MIN(doc->n - from, (size_t)SEARCH_SLICE);

		batch_begin(&b, words, &a);
		k->b = &b;
		k->a = &a;
		k->last = from + n == doc->n;
		rc = batch_add(&b, doc, from, n, e);
		if (!rc)
			rc = write_batch(db, k, e);
		batch_release(&b);
		arena_release(&a);
	}
	return rc;
}

/* Writes as many documents as fit in one batch; *done: their number. */
static int write_some(struct db *db, struct index_write *k, struct tokens *words,
		      struct search_put *docs, size_t n, size_t *done,
		      struct err *e)
{
	struct arena a = ARENA_INIT;
	struct post_batch b;
	size_t chunks = 0, i;
	int rc = 0;

	batch_begin(&b, words, &a);
	k->b = &b;
	k->a = &a;
	k->last = true;
	for (i = 0; !rc && i < n && chunks + docs[i].n <= SEARCH_SLICE; i++) {
		chunks += docs[i].n;
		rc = batch_add(&b, &docs[i], 0, docs[i].n, e);
	}
	*done = i;
	if (!rc)
		rc = write_batch(db, k, e);
	batch_release(&b);
	arena_release(&a);
	return rc;
}

int search_write(struct db *db, const struct uuid *base, struct search_put *docs,
		 size_t n, const struct search_how *how, struct err *e)
{
	struct index_write *k = xcalloc(1, sizeof(*k));
	struct arena a = ARENA_INIT;
	struct search_base found;
	struct tokens *words = NULL;
	int rc = how->dimension < 0 || how->dimension > LIM_DIMENSION
		? err_set(e, ERR_INVALID_FIELD, "vectors of %d", how->dimension)
		: search_base_get(db, base, &a, &found, e);

	k->base = base;
	k->how = how;
	if (!rc) {
		words = tokens_open(found.language, e);
		rc = words ? 0 : -1;
	}
	/* A writer that tries again has the bytes of before in them. */
	for (size_t i = 0; i < n; i++)
		docs[i].bytes = 0;
	for (size_t i = 0, done; !rc && i < n; i += done) {
		done = 1;
		rc = docs[i].n > SEARCH_SLICE
			? write_long(db, k, words, &docs[i], e)
			: write_some(db, k, words, docs + i, n - i, &done, e);
	}
	tokens_close(words);
	arena_release(&a);
	free(k);
	return rc;
}

/* -- deleting ------------------------------------------------------------------------- */

int search_drop(struct db *tx, const struct uuid *base, const struct uuid *document,
		struct err *e)
{
	const struct db_val args[] = { DB_U(base), DB_U(document) };
	struct arena a = ARENA_INIT;
	struct search_base b;
	struct index_write *k = xcalloc(1, sizeof(*k));
	struct db_result r = { 0 };
	int rc = base_by(tx, STMT_SEARCH_BASE_LOCK, base, &a, &b, e);

	if (!rc)	/* rows of an unfinished write are not in the counts yet */
		rc = db_exec(tx, STMT_SEARCH_DOCUMENT_ABANDON, args, NULL, e);
	if (!rc)
		rc = db_each(tx, STMT_SEARCH_DOCUMENT_SUMS, args, &a, note_sums, k,
			     e);
	for (int64_t no = 0; !rc && no <= LIM_AUDIENCES; no++)
		if (k->chunks[no] || k->words[no])
			rc = db_exec(tx, STMT_SEARCH_AUDIENCE_COUNT,
				     DB_ARGS(DB_I(k->chunks[no]),
					     DB_I(k->words[no]), DB_U(base),
					     DB_I(no)), NULL, e);
	if (!rc)
		rc = db_exec(tx, STMT_SEARCH_DOCUMENT_DROP, args, &r, e);
	if (!rc)
		rc = db_exec(tx, STMT_SEARCH_BASE_MOVED, DB_ARGS(DB_U(base)), NULL,
			     e);
	free(k);
	arena_release(&a);
	return rc ? -1 : r.affected > 0;
}
