/* SPDX-License-Identifier: MIT */
#include "search/embed.h"

#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "search/vector.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	PARTS = 64,		/* rows of search_document per query */
	ERROR_CHARS = 300,
	GONE_VECTORS = 1000, GONE_BITS = 50, GONE_ROWS = 10000,	/* at a time */
};

/*
 * -- passages without vectors
 * ---------------------------------------------------------
 */

struct bare_list {
	struct arena *a;
	struct search_bare *v;
	struct str *titles;
	size_t n, chunks;
};

static int note_part(void *ctx, const struct db_val *row, struct err *e)
{
	struct bare_list *l = ctx;
	size_t room = LIM_EMBED_AT_ONCE - l->chunks;
	struct search_bare *b = &l->v[l->n];

	(void)e;
	if (!room || l->n == PARTS)
		return 0;
	*b = (struct search_bare){
		.first = row[0].i, .audience = row[2].i, .had = row[3].i,
		.n = MIN((size_t)MAX(row[1].i - row[3].i, 0), room),
	};
	memcpy(b->document_id.b, row[4].s.p, 16);
	b->texts = arena_zalloc(l->a, b->n + 1, sizeof(*b->texts));
	l->titles[l->n++] = row[5].s;
	l->chunks += b->n;
	return 0;
}

static struct str passage_of(struct arena *a, struct str title,
			     struct str heading, struct str text)
{
	return str_of(arena_printf(a, "%.*s%s%.*s%s%.*s", STR_ARG(title),
				   title.n ? "\n" : "", STR_ARG(heading),
				   heading.n ? "\n" : "", STR_ARG(text)));
}

static int note_text(void *ctx, const struct db_val *row, struct err *e)
{
	struct bare_list *l = ctx;

	for (size_t i = 0; i < l->n; i++) {
		const struct search_bare *b = &l->v[i];
		int64_t at = row[0].i - b->first - b->had;

		if (at >= 0 && at < (int64_t)b->n)
			b->texts[at] = passage_of(l->a, l->titles[i], row[4].s,
						  row[5].s);
	}
	return arena_check(l->a, e);
}

static int read_texts(struct db *db, const struct uuid *base,
		      struct bare_list *l, struct err *e)
{
	struct buf list = BUF_INIT(LIM_EMBED_AT_ONCE * 12 + 16);
	struct jw w = jw_on(&list);
	int rc;

	jw_arr(&w);
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->v[i].n; k++)
			jw_int(&w, l->v[i].first + l->v[i].had + (int64_t)k);
	jw_end_arr(&w);
	rc = db_each(db, STMT_SEARCH_CHUNK_GET,
		     DB_ARGS(DB_S(buf_str(&list)), DB_U(base)), l->a, note_text,
		     l, e);
	buf_release(&list);
	/* Passages that were deleted meanwhile; their vectors are not stored. */
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->v[i].n; k++)
			if (!str_trim(l->v[i].texts[k]).n)
				l->v[i].texts[k] = STR("-");
	return rc;
}

int search_embed_next(struct db *db, const struct uuid *base, struct arena *a,
		      struct search_bare **out, size_t *n, struct err *e)
{
	struct bare_list l = {
		.a = a, .v = arena_zalloc(a, PARTS, sizeof(*l.v)),
		.titles = arena_zalloc(a, PARTS, sizeof(*l.titles)),
	};

	if (db_each(db, STMT_SEARCH_EMBED_NEXT, DB_ARGS(DB_U(base), DB_I(PARTS)),
		    a, note_part, &l, e))
		return -1;
	*out = l.v;
	*n = l.n;
	return l.n ? read_texts(db, base, &l, e) : 0;
}

/* -- storing vectors ----------------------------------------------------------------- */

struct putting {
	const struct uuid *base;
	struct str model;
	int dimension;
	const struct search_bare *v;
	size_t n;
	const float *vectors;
	bool *takes;		/* for each of v: whether it still needs vectors */
};

static int lock(struct db *tx, const struct uuid *base, struct arena *a,
		struct search_base *out, struct err *e)
{
	static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct search_base, m, t)
		SEARCH_BASE_FIELDS(F, COMMA)
#undef F
	};
	int rc = db_get(tx, STMT_SEARCH_BASE_LOCK, DB_ARGS(DB_U(base)), a, fields,
			out, e);

	return rc > 0 ? 0 : rc < 0 ? -1
		: err_set(e, ERR_NOT_FOUND, "no such search base");
}

static int check_model(const struct putting *k, const struct search_base *b,
		       struct err *e)
{
	if (b->stale || (b->model.p && !str_eq(b->model, k->model)))
		return err_set(e, ERR_CONFLICT, "vectors of another model");
	if (b->model.p && b->dimension != k->dimension)
		return err_public(e, ERR_CONFLICT, "The embedding service gave "
				  "vectors of %d dimensions, but this knowledge "
				  "base has vectors of %lld dimensions from the "
				  "same model.", k->dimension,
				  (long long)b->dimension);
	return 0;
}

static int put_vectors(struct db *tx, const struct putting *k, struct arena *a,
		       size_t *n_put, struct err *e)
{
	size_t d = (size_t)k->dimension, n = 0, at = 0;
	struct db_val *v = arena_zalloc(a, LIM_EMBED_AT_ONCE * 4, sizeof(*v));

	for (size_t i = 0; i < k->n; at += k->v[i++].n)
		for (size_t c = 0; k->takes[i] && c < k->v[i].n; c++, n++)
			memcpy(&v[n * 4], DB_ARGS(DB_U(k->base),
				DB_I(k->v[i].first + k->v[i].had + (int64_t)c),
				DB_I(k->v[i].audience),
				DB_B(((struct str){
					(const char *)(k->vectors + (at + c) * d),
					d * sizeof(float) }))), 4 * sizeof(*v));
	*n_put = n;
	return db_exec_rows(tx, STMT_SEARCH_VECTOR_INSERT, v, n, NULL, e);
}

/* Stores the signs of one audience's vectors as a block. */
static int put_signs(struct db *tx, const struct putting *k, int64_t audience,
		     struct arena *a, struct err *e)
{
	size_t d = (size_t)k->dimension, words = vector_bits_bytes((int)d) / 8;
	size_t n = 0, at = 0, head;
	int64_t chunks[LIM_EMBED_AT_ONCE];
	uint64_t *signs = arena_zalloc(a, LIM_EMBED_AT_ONCE, words * 8);
	char *data;

	for (size_t i = 0; i < k->n; at += k->v[i++].n) {
		if (!k->takes[i] || k->v[i].audience != audience)
			continue;
		for (size_t c = 0; c < k->v[i].n; c++, n++) {
			chunks[n] = k->v[i].first + k->v[i].had + (int64_t)c;
			vector_signs(k->vectors + (at + c) * d, (int)d,
				     signs + n * words);
		}
	}
	if (!n)
		return 0;
	head = align_up(n * sizeof(uint32_t), 8);
	data = arena_zalloc(a, 1, head + n * words * 8);
	for (size_t i = 0; i < n; i++) {
		uint32_t from = (uint32_t)(chunks[i] - chunks[0]);

		memcpy(data + i * sizeof(from), &from, sizeof(from));
	}
	memcpy(data + head, signs, n * words * 8);
	return db_exec(tx, STMT_SEARCH_BITS_INSERT,
		       DB_ARGS(DB_U(k->base), DB_I(audience), DB_I(chunks[0]),
			       DB_I(chunks[n - 1]), DB_I((int64_t)n),
			       DB_B(((struct str){ data, head + n * words * 8 }))),
		       NULL, e);
}

/* Claims the passages that get vectors now, so that no other writer adds theirs. */
static int take_parts(struct db *tx, struct putting *k, struct err *e)
{
	for (size_t i = 0; i < k->n; i++) {
		const struct search_bare *b = &k->v[i];
		struct db_result r = { 0 };

		if (db_exec(tx, STMT_SEARCH_EMBED_TAKE,
			    DB_ARGS(DB_I((int64_t)b->n), DB_I((int64_t)b->n),
				    DB_U(k->base), DB_I(b->first), DB_I(b->had)),
			    &r, e))
			return -1;
		k->takes[i] = r.affected > 0;
	}
	return 0;
}

static int put_tx(struct db *tx, void *ctx, struct err *e)
{
	struct putting *k = ctx;
	struct arena a = ARENA_INIT;
	struct search_base base;
	bool done[LIM_AUDIENCES + 1] = { false };
	size_t n = 0;
	int rc = lock(tx, k->base, &a, &base, e);

	if (!rc)
		/* The service may have been changed while it was asked. */
		rc = check_model(k, &base, e);
	if (!rc)
		rc = take_parts(tx, k, e);
	if (!rc)
		rc = put_vectors(tx, k, &a, &n, e);
	for (size_t i = 0; !rc && i < k->n; i++) {
		int64_t no = k->v[i].audience;

		if (no < 0 || no > LIM_AUDIENCES || done[no])
			continue;
		done[no] = true;
		rc = put_signs(tx, k, no, &a, e);
	}
	if (!rc && n)
		rc = db_exec(tx, STMT_SEARCH_EMBED_WROTE,
			     DB_ARGS(DB_S(k->model), DB_I(k->dimension),
				     DB_I((int64_t)n), DB_U(k->base)), NULL, e);
	arena_release(&a);
	return rc;
}

int search_embed_put(struct db *db, const struct uuid *base, struct str model,
		     int dimension, const struct search_bare *v, size_t n,
		     float *vectors, struct err *e)
{
	bool takes[PARTS];
	struct putting k = {
		.base = base, .model = model, .dimension = dimension, .v = v,
		.n = MIN(n, (size_t)PARTS), .vectors = vectors, .takes = takes,
	};
	size_t all = 0;

	for (size_t i = 0; i < k.n; i++)
		all += v[i].n;
	for (size_t i = 0; i < all; i++)
		if (vector_normalise(vectors + i * (size_t)dimension, dimension,
				     e))
			return -1;
	return db_tx(db, put_tx, &k, e);
}

/* -- errors -------------------------------------------------------------------------- */

int search_embed_refuse(struct db *db, const struct uuid *base,
			const struct search_bare *v, struct str why,
			struct err *e)
{
	if (db_exec(db, STMT_SEARCH_EMBED_REFUSE,
		    DB_ARGS(DB_U(base), DB_I(v->first)), NULL, e))
		return -1;
	return db_exec(db, STMT_KB_EMBED_ERROR,
		       DB_ARGS(DB_S(utf8_head(why, ERROR_CHARS)),
			       DB_U(&v->document_id)), NULL, e);
}

int search_embed_retry(struct db *db, const struct uuid *base,
		       const struct uuid *id, struct err *e)
{
	static const struct uuid none;

	if (db_exec(db, STMT_SEARCH_EMBED_RETRY,
		    DB_ARGS(DB_U(base), DB_I(!id), DB_U(id ? id : &none)), NULL,
		    e))
		return -1;
	return id ? 0 : db_exec(db, STMT_KB_EMBED_ERRORS_GONE,
				DB_ARGS(DB_U(base)), NULL, e);
}

int search_embed_note(struct db *db, const struct uuid *base, struct str why,
		      struct err *e)
{
	return db_exec(db, STMT_SEARCH_EMBED_NOTE,
		       DB_ARGS(DB_S_IF(utf8_head(why, ERROR_CHARS)), DB_U(base)),
		       NULL, e);
}

/* -- another model --------------------------------------------------------------------- */

struct resetting {
	const struct uuid *base;
	bool more;
};

/* Deletes one slice; the last slice ends the reset. */
static int reset_tx(struct db *tx, void *ctx, struct err *e)
{
	static const struct {
		unsigned stmt;
		int most;
	} slices[] = {
		{ STMT_SEARCH_EMBED_LESS_VECTORS, GONE_VECTORS },
		{ STMT_SEARCH_EMBED_LESS_BITS, GONE_BITS },
		{ STMT_SEARCH_EMBED_AGAIN, GONE_ROWS },
	};
	struct resetting *k = ctx;
	struct arena a = ARENA_INIT;
	struct search_base base;
	int rc = lock(tx, k->base, &a, &base, e);

	arena_release(&a);
	k->more = true;
	if (!rc && !base.stale)
		return db_exec(tx, STMT_SEARCH_EMBED_STALE, DB_ARGS(DB_U(k->base)),
			       NULL, e);
	for (size_t i = 0; !rc && i < ARRAY_LEN(slices); i++) {
		struct db_result r = { 0 };

		rc = db_exec(tx, slices[i].stmt,
			     DB_ARGS(DB_U(k->base), DB_I(slices[i].most)), &r, e);
		if (!rc && r.affected)
			return 0;
	}
	k->more = false;
	if (!rc)
		rc = db_exec(tx, STMT_KB_EMBED_ERRORS_GONE,
			     DB_ARGS(DB_U(k->base)), NULL, e);
	return rc ? rc : db_exec(tx, STMT_SEARCH_EMBED_FRESH,
				 DB_ARGS(DB_U(k->base)), NULL, e);
}

int search_embed_reset(struct db *db, const struct uuid *base, int64_t until_ms,
		       struct err *e)
{
	struct resetting k = { .base = base, .more = true };

	while (k.more) {
		if (clock_mono_ms() >= until_ms)
			return 0;
		if (db_tx(db, reset_tx, &k, e))
			return -1;
	}
	return 1;
}
