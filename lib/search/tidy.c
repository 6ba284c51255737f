/* SPDX-License-Identifier: MIT */
/* Deletes the rows of removed documents from the index and merges small blocks. */
#include "search/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "search/post.h"
#include "search/vector.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	TERMS = 500,		/* terms whose blocks one transaction changes */
	MERGE_FROM = 4,		/* fewer blocks of a term are not merged */
	MERGE_ROWS = 4000,	/* rows that one transaction reads */
	PARTS_MIN = 128,		/* batches before blocks are merged */
	CHUNKS_PER_PART = 2048,	/* of larger bases: one more part per this many chunks */
	PARTS_FEW = 8,		/* the same where merging pays sooner: as much is written */
	CHUNKS_PER_FEW = 256,	/* again for a batch, however many chunks there are */
};

/* A row of search_post or search_bits. */
struct block {
	int64_t term, audience, first, last, n;
	struct str data;
};

struct blocks {
	struct arena *a;
	struct block *v;
	size_t n, room;
};

static int add_block(void *ctx, const struct db_val *row, struct err *e)
{
	struct blocks *b = ctx;

	b->v = arena_room(b->a, b->v, b->n, 1, &b->room, sizeof(*b->v));
	b->v[b->n++] = (struct block){
		row[0].i, row[1].i, row[2].i, row[3].i, row[4].i, row[5].s,
	};
	return arena_check(b->a, e);
}

/* Rows of search_post to delete and to insert. */
struct merging {
	const struct uuid *base;
	struct arena *a;
	struct db_val *gone, *merged;
	size_t n_gone, gone_room, n_merged, merged_room;
};

/* Deletes n consecutive rows of one term and audience. */
static void remove_rows(struct merging *c, const struct block *b, size_t n)
{
	c->gone = arena_room(c->a, c->gone, c->n_gone * 5, 5, &c->gone_room,
			     sizeof(*c->gone));
	memcpy(&c->gone[c->n_gone++ * 5],
	       DB_ARGS(DB_U(c->base), DB_I(b->term), DB_I(b->audience),
		       DB_I(b->first), DB_I(b[n - 1].first)),
	       5 * sizeof(*c->gone));
}

static void make_row(struct merging *c, const struct block *like,
		     const struct posting *v, size_t n)
{
	struct buf data = BUF_INIT(2 * POST_BLOCK * POST_BYTES_MAX);

	if (!n)
		return;
	post_write(&data, like->term, v, n);
	c->merged = arena_room(c->a, c->merged, c->n_merged * 7, 7, &c->merged_room,
			       sizeof(*c->merged));
	memcpy(&c->merged[c->n_merged++ * 7],
	       DB_ARGS(DB_U(c->base), DB_I(like->term), DB_I(like->audience),
		       DB_I(v[0].at.chunk), DB_I(v[n - 1].at.chunk), DB_I((int64_t)n),
		       DB_B(arena_str(c->a, buf_str(&data)))),
	       7 * sizeof(*c->merged));
	buf_release(&data);
}

static int apply(struct db *tx, const struct merging *c, struct err *e)
{
	if (db_exec_rows(tx, STMT_SEARCH_POST_DELETE, c->gone, c->n_gone, NULL, e))
		return -1;
	return db_exec_rows(tx, STMT_SEARCH_POST_INSERT, c->merged, c->n_merged, NULL,
			    e);
}

static int broken(struct err *e)
{
	return err_set(e, ERR_INTERNAL, "a block of postings is damaged");
}

/* -- deleting --------------------------------------------------------------------- */

struct dead {
	int64_t first, n, bytes;
	struct str terms;
};

static const struct db_field dead_fields[] = {
	{ .column = "first", .type = 'i', .offset = offsetof(struct dead, first) },
	{ .column = "n", .type = 'i', .offset = offsetof(struct dead, n) },
	{ .column = "terms", .type = 'b', .offset = offsetof(struct dead, terms) },
	{ .column = "bytes", .type = 'i', .offset = offsetof(struct dead, bytes) },
};

struct tidying {
	const struct uuid *base;
	struct arena *a;
	bool soon;		/* merges after a few batches */
	bool more;		/* out */
};

static int lock(struct db *tx, struct tidying *t, struct search_base *b,
		struct err *e)
{
	static const struct db_field fields[] = {
#define F(m, ty, sql) FIELD_OF(struct search_base, m, ty)
		SEARCH_BASE_FIELDS(F, COMMA)
#undef F
	};
	int rc = db_get(tx, STMT_SEARCH_BASE_LOCK, DB_ARGS(DB_U(t->base)), t->a,
			fields, b, e);

	return rc;
}

/* The terms as a JSON array of numbers. */
static struct str list_terms(struct arena *a, struct str terms)
{
	struct buf b = BUF_INIT(TERMS * 24 + 16);
	struct jw w = jw_on(&b);
	struct str out;

	jw_arr(&w);
	for (size_t i = 0; i + 8 <= terms.n; i += 8) {
		int64_t term;

		memcpy(&term, terms.p + i, 8);
		jw_int(&w, term);
	}
	jw_end_arr(&w);
	out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return out;
}

/* Removes the document's postings of some terms. */
static int drop_posts(struct db *tx, struct tidying *t, const struct dead *d,
		      struct str terms, struct err *e)
{
	struct blocks b = { .a = t->a };
	struct merging c = { .base = t->base, .a = t->a };
	struct posting v[2 * POST_BLOCK];

	if (db_each(tx, STMT_SEARCH_POST_OF_TERMS,
		    DB_ARGS(DB_S(list_terms(t->a, terms)), DB_U(t->base),
			    DB_I(d->first + d->n - 1), DB_I(d->first)),
		    t->a, add_block, &b, e))
		return -1;
	for (size_t i = 0; i < b.n; i++) {
		int n = post_read(b.v[i].data, b.v[i].term,
				  (uint32_t)b.v[i].first, v);
		int kept = 0;

		if (n < 0)
			return broken(e);
		for (int k = 0; k < n; k++)
			if (v[k].at.chunk < d->first ||
			    v[k].at.chunk >= d->first + d->n)
				v[kept++] = v[k];
		if (kept == n)
			continue;
		remove_rows(&c, &b.v[i], 1);
		make_row(&c, &b.v[i], v, (size_t)kept);
	}
	return apply(tx, &c, e);
}

/* Removes its vectors from a block of bits. */
static int drop_signs(struct db *tx, struct tidying *t, const struct dead *d,
		      const struct block *b, struct err *e)
{
	size_t n = (size_t)b->n, head = align_up(n * 4, 8), kept = 0;
	size_t each = n ? (b->data.n - MIN(head, b->data.n)) / n : 0;
	uint32_t *chunks = arena_zalloc(t->a, n + 2, sizeof(*chunks));
	char *signs = arena_zalloc(t->a, n + 1, each + 1), *data;
	int64_t first = 0;

	if (db_exec(tx, STMT_SEARCH_BITS_DELETE,
		    DB_ARGS(DB_U(t->base), DB_I(b->audience), DB_I(b->first)),
		    NULL, e))
		return -1;
	for (size_t i = 0; i < n && head + each * n <= b->data.n; i++) {
		uint32_t at;
		int64_t chunk;

		memcpy(&at, b->data.p + i * 4, 4);
		chunk = b->first + at;
		if (chunk >= d->first && chunk < d->first + d->n)
			continue;
		if (!kept)
			first = chunk;
		chunks[kept] = (uint32_t)(chunk - first);
		memcpy(signs + kept * each, b->data.p + head + i * each, each);
		kept++;
	}
	if (!kept)
		return 0;
	head = align_up(kept * 4, 8);
	data = arena_zalloc(t->a, 1, head + kept * each);
	memcpy(data, chunks, kept * 4);
	memcpy(data + head, signs, kept * each);
	return db_exec(tx, STMT_SEARCH_BITS_INSERT,
		       DB_ARGS(DB_U(t->base), DB_I(b->audience), DB_I(first),
			       DB_I(first + chunks[kept - 1]), DB_I((int64_t)kept),
			       DB_B(((struct str){ data, head + kept * each }))),
		       NULL, e);
}

static int drop_rest(struct db *tx, struct tidying *t, const struct dead *d,
		     struct err *e)
{
	const struct db_val range[] = {
		DB_U(t->base), DB_I(d->first), DB_I(d->first + d->n - 1),
	};
	struct blocks b = { .a = t->a };
	struct db_result r;

	if (db_each(tx, STMT_SEARCH_BITS_OF_RANGE,
		    DB_ARGS(DB_U(t->base), DB_I(d->first + d->n - 1),
			    DB_I(d->first)), t->a, add_block, &b, e))
		return -1;
	for (size_t i = 0; i < b.n; i++)
		if (drop_signs(tx, t, d, &b.v[i], e))
			return -1;
	if (db_exec(tx, STMT_SEARCH_VECTOR_DELETE, range, &r, e) ||
	    db_exec(tx, STMT_SEARCH_HEADING_DELETE, range, NULL, e) ||
	    db_exec(tx, STMT_SEARCH_CHUNK_DELETE, range, NULL, e))
		return -1;
	if (db_exec(tx, STMT_SEARCH_BASE_LOST,
		    DB_ARGS(DB_I(r.affected), DB_I(r.affected), DB_I(d->bytes),
			    DB_U(t->base)), NULL, e))
		return -1;
	return db_exec(tx, STMT_SEARCH_DOCUMENT_DELETE,
		       DB_ARGS(DB_U(t->base), DB_I(d->first)), NULL, e);
}

/* Deletes a part of the rows of one removed document. */
static int drop_tx(struct db *tx, void *ctx, struct err *e)
{
	struct tidying *t = ctx;
	struct search_base base;
	struct dead d;
	size_t some;
	int rc = lock(tx, t, &base, e);

	t->more = false;
	if (rc <= 0)
		return rc;
	rc = db_get(tx, STMT_SEARCH_DOCUMENT_DEAD, DB_ARGS(DB_U(t->base)), t->a,
		    dead_fields, &d, e);
	if (rc <= 0)
		return rc;
	t->more = true;
	if (!d.terms.n)
		return drop_rest(tx, t, &d, e);
	some = MIN(d.terms.n, (size_t)TERMS * 8);
	if (drop_posts(tx, t, &d, (struct str){ d.terms.p, some }, e))
		return -1;
	d.terms.p += some;
	d.terms.n -= some;
	if (!d.terms.n)
		return drop_rest(tx, t, &d, e);
	return db_exec(tx, STMT_SEARCH_DOCUMENT_LEFT,
		       DB_ARGS(DB_B(d.terms), DB_U(t->base), DB_I(d.first)), NULL,
		       e);
}

/* -- merging -------------------------------------------------------------------------- */

/* Merges consecutive blocks of one term and audience into as few as possible. */
static int merge_group(struct merging *c, const struct block *v, size_t n,
		       struct err *e)
{
	/*
	 * What is held is at most one block; the next is read behind it, which may have
	 * twice that.
	 */
	struct posting *p = arena_alloc(c->a, 3 * POST_BLOCK * sizeof(*p));
	size_t from = 0, held = 0;

	for (size_t i = 0; i <= n; i++) {
		int got;

		if (i == n || held + (size_t)v[i].n > POST_BLOCK) {
			if (i - from > 1) {
				remove_rows(c, v + from, i - from);
				make_row(c, v, p, held);
			}
			from = i;
			held = 0;
		}
		if (i == n)
			break;
		got = post_read(v[i].data, v[i].term, (uint32_t)v[i].first,
				p + held);
		if (got < 0 || (held && held + (size_t)got > POST_BLOCK))
			return broken(e);
		held += (size_t)got;
	}
	return 0;
}

static bool is_due(const struct tidying *t, const struct search_base *b)
{
	const int64_t few = MIN((int64_t)PARTS_MIN,
				PARTS_FEW + b->next_chunk / CHUNKS_PER_FEW);

	return b->merge_term >= 0 ||
	       b->parts >= MAX(t->soon ? few : PARTS_MIN,
			       b->next_chunk / CHUNKS_PER_PART);
}

static int merge_tx(struct db *tx, void *ctx, struct err *e)
{
	struct tidying *t = ctx;
	struct search_base base;
	struct blocks b = { .a = t->a };
	struct merging c = { .base = t->base, .a = t->a };
	size_t end;
	int rc = lock(tx, t, &base, e);

	t->more = false;
	if (rc <= 0 || !is_due(t, &base))
		return rc < 0 ? -1 : 0;
	if (db_each(tx, STMT_SEARCH_POST_FROM,
		    DB_ARGS(DB_U(t->base), DB_I(base.merge_term),
			    DB_I(MERGE_ROWS)), t->a, add_block, &b, e))
		return -1;
	end = b.n;
	if (b.n == MERGE_ROWS)	/* the last term may have more */
		while (end && b.v[end - 1].term == b.v[b.n - 1].term)
			end--;
	end = end ? end : b.n;
	for (size_t i = 0, k; i < end; i = k) {
		for (k = i + 1; k < end && b.v[k].term == b.v[i].term &&
		     b.v[k].audience == b.v[i].audience; k++)
			;
		if (k - i >= MERGE_FROM && merge_group(&c, b.v + i, k - i, e))
			return -1;
	}
	if (apply(tx, &c, e))
		return -1;
	t->more = b.n == MERGE_ROWS;
	return db_exec(tx, t->more ? STMT_SEARCH_BASE_MERGING :
		       STMT_SEARCH_BASE_MERGED,
		       t->more ? DB_ARGS(DB_I(b.v[end - 1].term), DB_U(t->base))
		       : DB_ARGS(DB_U(t->base)), NULL, e);
}

/* Under the lock, because a document being written may depend on the row. */
static int forget_tx(struct db *tx, void *ctx, struct err *e)
{
	struct tidying *t = ctx;
	struct search_base base;
	int rc = lock(tx, t, &base, e);

	t->more = false;
	return rc <= 0 ? rc : db_exec(tx, STMT_SEARCH_AUDIENCE_FORGET,
				      DB_ARGS(DB_U(t->base)), NULL, e);
}

/* -- the run ------------------------------------------------------------------------ */

static int step(struct db *db, struct tidying *t, db_tx_fn *fn,
		int64_t until_ms, struct err *e)
{
	int rc = 0;

	do {
		struct arena a = ARENA_INIT;
		const int64_t began_us = clock_mono_us();

		if (began_us / 1000 >= until_ms)
			return 0;
		t->a = &a;
		rc = db_tx(db, fn, t, e);
		arena_release(&a);
		if (t->more)
			clock_give_way(began_us);
	} while (!rc && t->more);
	return rc ? -1 : 1;
}

int search_tidy(struct db *db, const struct uuid *base, bool soon, int64_t until_ms,
		struct err *e)
{
	struct tidying t = { .base = base, .soon = soon };
	int rc = step(db, &t, drop_tx, until_ms, e);

	if (rc > 0)
		rc = step(db, &t, merge_tx, until_ms, e);
	if (rc > 0)
		rc = step(db, &t, forget_tx, until_ms, e);
	return rc;
}
