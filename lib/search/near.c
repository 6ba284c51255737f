/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "search/cache.h"
#include "search/finding.h"
#include "search/vector.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	RERANKED = 160,		/* candidates by signs that are ranked by vectors */
	EXACT = 2000,		/* largest number of vectors compared without signs */
	SAMPLE = 64,		/* of more, these tell how near passages usually are */
};

static int by_chunk(const void *a, const void *b)
{
	const struct rank_hit *x = a, *y = b;

	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

static void offer_vector(struct search *s, const struct db_val *row)
{
	struct rank_hit hit = { .chunk = (uint32_t)row[0].i };

	if (!finding_sees(s, row[1].i) || !finding_visible(s, row[0].i) ||
	    !finding_wanted(s, row[0].i) ||
	    row[2].s.n != (size_t)s->info.dimension * sizeof(float))
		return;
	hit.score = vector_dot(s->ask->vector, row[2].s.p,
			       (int)s->info.dimension);
	if (!isfinite(hit.score))
		return;
	rank_offer(s->best, &s->n_best, s->max_best, hit);
	if (!s->sample || bsearch(&hit, s->sample, s->n_sample, sizeof(hit), by_chunk))
		sure_note(&s->usual, row[2].s.p, (int)s->info.dimension);
}

static int note_vector(void *ctx, const struct db_val *row, struct err *e)
{
	struct searches *f = ctx;

	(void)e;
	offer_vector(&f->v[row[0].i - 1], row + 1);
	arena_rewind(f->a, f->row);	/* there may be many rows of 16 KiB */
	return 0;
}

/* Allocates the empty heap for the nearest chunks. */
static void begin_best(struct search *s, struct arena *a)
{
	s->best = arena_zalloc(a, s->max_best + 1, sizeof(*s->best));
	s->n_best = 0;
}

static bool keeps(const void *ctx, uint32_t chunk)
{
	const struct search *s = ctx;

	return finding_visible(s, chunk) && finding_wanted(s, chunk);
}

/* -- signs ------------------------------------------------------------------------- */

struct signs_read {
	struct searches *f;
	struct search_cached **c;	/* for each base that is read */
};

static int note_bits(void *ctx, const struct db_val *row, struct err *e)
{
	struct signs_read *r = ctx;
	struct search_cached *c = r->c[row[0].i - 1];
	size_t n = (size_t)row[3].i, head = align_up(n * 4, 8);
	const struct str data = row[4].s;

	if (row[3].i < 0 || data.n != head + n * c->words * 8)
		return err_set(e, ERR_INTERNAL, "a block of signs is damaged");
	search_cache_add(c, row[1].i, (uint32_t)row[2].i, data.p, data.p + head,
			 n);
	arena_rewind(r->f->a, r->f->row);	/* c has a copy */
	return 0;
}

/* Adds passages from everywhere in the base to s->list, whose vectors are read. */
static void add_sample(struct search *s, const struct search_cached *c, struct arena *a)
{
	struct rank_hit *v = arena_zalloc(a, s->list.n + SAMPLE, sizeof(*v));
	size_t all = 0, at = 0;

	for (size_t i = 0; i < c->n; i++)
		all += c->v[i].n;
	s->sample = arena_zalloc(a, SAMPLE, sizeof(*s->sample));
	for (size_t i = 0; i < c->n; at += c->v[i].n, i++)
		while (s->n_sample < SAMPLE && all * s->n_sample / SAMPLE < at + c->v[i].n) {
			const size_t k = all * s->n_sample / SAMPLE - at;

			s->sample[s->n_sample++].chunk = c->v[i].chunks[k];
		}
	qsort(s->sample, s->n_sample, sizeof(*s->sample), by_chunk);
	memcpy(v, s->list.v, s->list.n * sizeof(*v));
	for (size_t i = 0; i < s->n_sample; i++) {
		bool listed = false;

		for (size_t k = 0; k < s->list.n && !listed; k++)
			listed = s->list.v[k].chunk == s->sample[i].chunk;
		if (!listed)
			v[s->list.n++] = s->sample[i];
	}
	s->list.v = v;
}

/* Adds the chunks with the nearest signs to s->best. Releases c. */
static void scan_signs(struct search *s, const struct search_cached *c,
		       struct arena *a)
{
	int dimension = (int)s->info.dimension;
	uint64_t *question = arena_zalloc(a, 1, vector_bits_bytes(dimension));
	const struct vector_scan scan = {
		.question = question,
		.words = vector_bits_bytes(dimension) / 8, .best = s->best,
		.n_best = &s->n_best, .max = s->max_best, .keep = keeps,
		.ctx = s,
	};

	vector_signs(s->ask->vector, dimension, question);
	for (size_t i = 0; i < c->n; i++)
		if (finding_sees(s, c->v[i].audience))
			vector_scan(&scan, c->v[i].bits, c->v[i].chunks,
				    c->v[i].n);
	s->list = (struct search_hits){ s->best, s->n_best };
	add_sample(s, c, a);
	search_cache_done(c);
	begin_best(s, a);
}

/* Scans the cached signs; false if the signs must be read into *c. */
static bool scan_cached(struct search *s, struct search_cached **c,
			struct arena *a)
{
	const struct search_cached *found = search_cache_get(s->in->base,
							     s->info.version);
	const size_t words = vector_bits_bytes((int)s->info.dimension) / 8;

	if (found && found->words == words) {
		scan_signs(s, found, a);
		return true;
	}
	search_cache_done(found);
	*c = search_cache_new(s->in->base, s->info.version, words);
	return false;
}

/*
 * Reads and scans the signs of the bases whose `reads` is set; may include newer
 * vectors.
 */
static int scan_read(struct searches *f, struct search_cached **c, struct err *e)
{
	struct signs_read r = { f, c };
	struct str list = finding_bases(f);
	int rc;

	f->row = arena_mark(f->a);
	rc = db_each(f->db, STMT_SEARCH_BITS_ALL, DB_ARGS(DB_S(list)), f->a,
		     note_bits, &r, e);
	for (size_t i = 0; i < f->n; i++)
		if (c[i] && rc)
			search_cache_drop(c[i]);
		else if (c[i])
			scan_signs(&f->v[i], search_cache_put(c[i]), f->a);
	return rc;
}

/* -- vectors ----------------------------------------------------------------------- */

/*
 * Sets s->list to the chunks that the filters include; false if there is no filter,
 * or they are so many that signs must be scanned.
 */
static bool few_wanted(struct search *s, struct arena *a)
{
	const bool some = s->ask->n_documents > 0;
	const struct search_range *v = some ? s->wanted : s->ask->ranges;
	const size_t n_ranges = some ? s->n_wanted : s->ask->n_ranges;
	struct search_hits *out = &s->list;
	int64_t sum = 0;

	if (!some && !s->ask->limited)
		return false;
	for (size_t i = 0; i < n_ranges && sum <= EXACT; i++)
		sum += MIN(MAX(v[i].n, (int64_t)0), (int64_t)EXACT + 1);
	if (sum > EXACT)
		return false;
	out->v = arena_alloc(a, ((size_t)sum + 1) * sizeof(*out->v));
	for (size_t i = 0; i < n_ranges; i++)
		/* a document that is named twice has its ranges twice: skip them */
		for (int64_t k = 0; (!i || v[i].first != v[i - 1].first) &&
		     k < v[i].n; k++)
			out->v[out->n++] = (struct rank_hit){
				.chunk = (uint32_t)(v[i].first + k) };
	return true;
}

static int read_vectors(struct searches *f, unsigned stmt, struct str list,
			struct err *e)
{
	f->row = arena_mark(f->a);
	return db_each(f->db, stmt, DB_ARGS(DB_S(list)), f->a, note_vector, f, e);
}

int finding_near(struct searches *f, size_t max, struct err *e)
{
	struct search_cached **c = arena_zalloc(f->a, f->n, sizeof(*c));
	bool by_signs = false, whole = false, listed = false;
	double usual;

	for (size_t i = 0; i < f->n; i++) {
		struct search *s = &f->v[i];

		s->list.n = 0;
		if (!s->near)
			continue;
		s->max_best = MAX(max, (size_t)RERANKED);
		begin_best(s, f->a);
		s->usual.sum = arena_zalloc(f->a, (size_t)s->info.dimension,
					    sizeof(*s->usual.sum));
		if (few_wanted(s, f->a))
			continue;
		s->whole = s->info.vectors < EXACT;
		s->reads = !s->whole && !scan_cached(s, &c[i], f->a);
		by_signs |= s->reads;
	}
	if (by_signs && scan_read(f, c, e))
		return -1;
	for (size_t i = 0; i < f->n; i++) {
		struct search *s = &f->v[i];

		s->reads = s->whole;
		whole |= s->whole;
		listed |= s->list.n > 0;
	}
	if (whole && read_vectors(f, STMT_SEARCH_VECTOR_ALL,
				  finding_bases(f), e))
		return -1;
	if (listed && read_vectors(f, STMT_SEARCH_VECTOR_GET,
				   finding_lists(f, finding_chunks), e))
		return -1;
	for (size_t i = 0; i < f->n; i++) {
		struct search *s = &f->v[i];

		rank_order(s->best, s->n_best);
		s->vectors = (struct search_hits){ s->best, MIN(s->n_best, max) };
		if (!s->vectors.n || !sure_asks(s->ask->text))
			continue;
		usual = sure_usual(&s->usual, (int)s->info.dimension);
		for (size_t k = 0; k < s->vectors.n; k++)
			s->best[k].sure = (float)sure_of_vector(
				(double)s->best[k].score, usual);
	}
	return arena_check(f->a, e);
}
