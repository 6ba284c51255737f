#include <math.h>

#include "base/limits.h"
#include "search/cache.h"
#include "search/finding.h"
#include "search/vector.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	RERANKED = 200,		/* candidates by signs whose vectors decide */
	EXACT = 2000,		/* vectors of a base that is scanned as it is */
};

static void offer_vector(struct search *s, const struct db_val *row)
{
	struct rank_hit hit = { .chunk = (uint32_t)row[0].i };

	if (!finding_sees(s, row[1].i) || !finding_visible(s, row[0].i) ||
	    !finding_wanted(s, row[0].i) ||
	    row[2].s.n != (size_t)s->info.dimension * sizeof(float))
		return;
	hit.score = vector_dot(s->ask->vector, row[2].s.p,
			       (int)s->info.dimension);
	if (isfinite(hit.score))
		rank_offer(s->best, &s->n_best, s->max_best, hit);
}

static int note_vector(void *ctx, const struct db_val *row, struct err *e)
{
	struct search *s = ctx;

	(void)e;
	offer_vector(s, row);
	arena_rewind(s->a, s->row);	/* there may be many, of 16 KiB */
	return 0;
}

static bool keeps(const void *ctx, uint32_t chunk)
{
	const struct search *s = ctx;

	return finding_visible(s, chunk) && finding_wanted(s, chunk);
}

struct signs_read {
	struct search *s;
	struct search_cached *c;
};

static int note_bits(void *ctx, const struct db_val *row, struct err *e)
{
	struct signs_read *r = ctx;
	struct search_cached *c = r->c;
	size_t n = (size_t)row[2].i, head = align_up(n * 4, 8);
	const struct str data = row[3].s;

	if (row[2].i < 0 || data.n != head + n * c->words * 8)
		return err_set(e, ERR_INTERNAL, "a block of signs is damaged");
	search_cache_add(c, row[0].i, (uint32_t)row[1].i, data.p, data.p + head,
			 n);
	arena_rewind(r->s->a, r->s->row);	/* c has a copy */
	return 0;
}

/* The signs of the base as it is now, or a little newer; to be given back. */
static const struct search_cached *read_signs(struct search *s, struct err *e)
{
	const struct search_cached *found = search_cache_get(s->base,
							     s->info.version);
	const size_t words = vector_bits_bytes((int)s->info.dimension) / 8;
	struct signs_read r = { .s = s };

	if (found && found->words == words)
		return found;
	if (found)
		search_cache_done(found);
	r.c = search_cache_new(s->base, s->info.version, words);
	s->row = arena_mark(s->a);
	if (db_each(s->db, STMT_SEARCH_BITS_ALL, DB_ARGS(DB_U(s->base)), s->a,
		    note_bits, &r, e)) {
		search_cache_drop(r.c);
		return NULL;
	}
	return search_cache_put(r.c);
}

/* Those whose signs are nearest, into s->best. */
static int scan_signs(struct search *s, struct err *e)
{
	int dimension = (int)s->info.dimension;
	uint64_t *question = arena_zalloc(s->a, 1, vector_bits_bytes(dimension));
	const struct vector_scan scan = {
		.question = question,
		.words = vector_bits_bytes(dimension) / 8, .best = s->best,
		.n_best = &s->n_best, .max = s->max_best, .keep = keeps,
		.ctx = s,
	};
	const struct search_cached *c = read_signs(s, e);

	if (!c)
		return -1;
	vector_signs(s->ask->vector, dimension, question);
	for (size_t i = 0; i < c->n; i++)
		if (finding_sees(s, c->v[i].audience))
			vector_scan(&scan, c->v[i].bits, c->v[i].chunks,
				    c->v[i].n);
	search_cache_done(c);
	return 0;
}

/* The vectors of these chunks, into s->best. */
static int scan_chunks(struct search *s, const struct rank_hit *v, size_t n,
		       struct err *e)
{
	const struct str list = finding_list(s->a, v, n);

	s->row = arena_mark(s->a);
	return n ? db_each(s->db, STMT_SEARCH_VECTOR_GET,
			   DB_ARGS(DB_S(list), DB_U(s->base)), s->a, note_vector,
			   s, e) : 0;
}

/* All vectors, into s->best. */
static int scan_all(struct search *s, struct err *e)
{
	s->row = arena_mark(s->a);
	return db_each(s->db, STMT_SEARCH_VECTOR_ALL, DB_ARGS(DB_U(s->base)), s->a,
		       note_vector, s, e);
}

/*
 * The chunks of what is asked for, in a; false: it is not limited, or they are so
 * many that signs decide.
 */
static bool few_wanted(struct search *s, struct rank_hit **out, size_t *n)
{
	const bool some = s->ask->n_documents > 0;
	const struct search_range *v = some ? s->wanted : s->ask->ranges;
	const size_t n_ranges = some ? s->n_wanted : s->ask->n_ranges;
	int64_t sum = 0;

	if (!some && !s->ask->limited)
		return false;
	for (size_t i = 0; i < n_ranges && sum <= EXACT; i++)
		sum += MIN(MAX(v[i].n, (int64_t)0), (int64_t)EXACT + 1);
	if (sum > EXACT)
		return false;
	*out = arena_alloc(s->a, ((size_t)sum + 1) * sizeof(**out));
	*n = 0;
	for (size_t i = 0; i < n_ranges; i++)
		/* a document that is named twice has its ranges twice */
		for (int64_t k = 0; (!i || v[i].first != v[i - 1].first) &&
		     k < v[i].n; k++)
			(*out)[(*n)++] = (struct rank_hit){
				.chunk = (uint32_t)(v[i].first + k) };
	return true;
}

int finding_near(struct search *s, size_t max, struct rank_hit **hits, size_t *n,
		 struct err *e)
{
	struct rank_hit *near;
	size_t n_near;
	int rc;

	s->max_best = MAX(max, (size_t)RERANKED);
	s->best = arena_zalloc(s->a, s->max_best + 1, sizeof(*s->best));
	s->n_best = 0;
	if (few_wanted(s, &near, &n_near)) {
		rc = scan_chunks(s, near, n_near, e);
	} else if (s->info.vectors < EXACT) {
		rc = scan_all(s, e);
	} else {
		if (scan_signs(s, e))
			return -1;
		near = s->best;
		n_near = s->n_best;
		s->best = arena_zalloc(s->a, s->max_best + 1, sizeof(*s->best));
		s->n_best = 0;
		rc = scan_chunks(s, near, n_near, e);
	}
	if (rc)
		return -1;
	rank_order(s->best, s->n_best);
	*hits = s->best;
	*n = MIN(s->n_best, max);
	return 0;
}
