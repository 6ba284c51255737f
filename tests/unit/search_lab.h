/* SPDX-License-Identifier: MIT */
/* Bases with documents, and searching them, for tests over a real MariaDB. */
#ifndef UNIT_SEARCH_LAB_H
#define UNIT_SEARCH_LAB_H

#include "base/clock.h"
#include "search/find.h"
#include "store_lab.h"

#define SOON (clock_mono_ms() + 60000)

static uint32_t seed = 7;

static inline uint32_t dice(uint32_t sides)
{
	seed = seed * 1664525U + 1013904223U;
	return (seed >> 8) % sides;
}

static int make_base(struct db *tx, void *ctx, struct err *err)
{
	return search_base_make(tx, ctx, S("t"), S("en"), err);
}

static struct uuid new_base(void)
{
	struct uuid id = uuid_new();

	ok(db_tx(db, make_base, &id, &e));
	return id;
}

struct audience_of {
	const struct uuid *base;
	const char *groups;
	int64_t no;
};

static int make_audience(struct db *tx, void *ctx, struct err *err)
{
	struct audience_of *k = ctx;

	return search_audience(tx, k->base, S(k->groups), &k->no, err);
}

static int64_t audience(const struct uuid *base, const char *groups)
{
	struct audience_of k = { base, groups, 0 };

	ok(db_tx(db, make_audience, &k, &e));
	return k.no;
}

static struct search_put doc_of(struct uuid id, const char *title,
				const char *text)
{
	struct search_put p = { .id = id, .title = S(title) };
	struct chunk *v;

	ok(chunk_split(S(text), &a, &v, &p.n, &e));
	p.chunks = v;
	return p;
}

static void put(const struct uuid *base, struct uuid id, const char *title,
		const char *text, const char *groups)
{
	struct search_how how = { .ready = NULL };
	struct search_put p = doc_of(id, title, text);

	p.audience = audience(base, groups);
	ok(search_write(db, base, &p, 1, &how, &e));
	assert_true(p.found);
}

struct dropping {
	const struct uuid *base, *id;
};

static int drop_tx(struct db *tx, void *ctx, struct err *err)
{
	struct dropping *k = ctx;

	return search_drop(tx, k->base, k->id, err) < 0 ? -1 : 0;
}

static void drop(const struct uuid *base, struct uuid id)
{
	struct dropping k = { base, &id };

	ok(db_tx(db, drop_tx, &k, &e));
}

static inline void same_found(const struct search_in *in,
			      const struct search_found *v, size_t n)
{
	assert_int_equal(in->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_true(uuid_eq(&in->v[i].document_id, &v[i].document_id));
		assert_int_equal(in->v[i].chunk, v[i].chunk);
		assert_true(in->v[i].score >= v[i].score &&
			    in->v[i].score <= v[i].score);
	}
}

/* What is found is the same, whether the caller knows the base's language or not. */
static inline size_t find(const struct uuid *base, struct search_ask ask,
		   struct search_found **out)
{
	const struct str said[] = { S("en"), S("de") };
	size_t n;

	ask.max = ask.max ? ask.max : 10;
	ok(search_find(db, base, &ask, &a, out, &n, &e));
	for (size_t i = 0; i < ARRAY_LEN(said); i++) {
		struct search_in in = { .base = base, .ask = &ask,
					.language = said[i] };

		ok(search_find_all(db, &in, 1, &a, &e));
		same_found(&in, *out, n);
	}
	return n;
}

static inline size_t find_text(const struct uuid *base, const char *text,
			struct search_found **out)
{
	struct search_ask ask = { .text = S(text), .all = true };

	return find(base, ask, out);
}

#endif
