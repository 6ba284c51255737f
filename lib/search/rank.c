/* SPDX-License-Identifier: MIT */
#include "search/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/sure.h"

#include "base/banned.h"

static const double K1 = 1.2, B = 0.75, HEAD = 2.0;

/* Chunks that are scored together, so that their scores stay in the CPU cache. */
enum { WINDOW = 1 << 14 };

/* Whether a ranks below b. */
static bool worse(struct rank_hit a, struct rank_hit b)
{
	if (a.score < b.score || b.score < a.score)
		return a.score < b.score;
	return a.chunk > b.chunk;
}

static void sink(struct rank_hit *v, size_t n, size_t i)
{
	for (;;) {
		size_t k = 2 * i + 1;
		struct rank_hit t = v[i];

		if (k >= n)
			return;
		if (k + 1 < n && worse(v[k + 1], v[k]))
			k++;
		if (!worse(v[k], t))
			return;
		v[i] = v[k];
		v[k] = t;
		i = k;
	}
}

void rank_offer(struct rank_hit *best, size_t *n, size_t max,
		struct rank_hit hit)
{
	if (*n < max) {
		size_t i = (*n)++;

		for (best[i] = hit; i && worse(best[i], best[(i - 1) / 2]);
		     i = (i - 1) / 2) {
			best[i] = best[(i - 1) / 2];
			best[(i - 1) / 2] = hit;
		}
		return;
	}
	if (max && worse(best[0], hit)) {
		best[0] = hit;
		sink(best, *n, 0);
	}
}

static int better_first(const void *a, const void *b)
{
	const struct rank_hit *x = a, *y = b;

	return worse(*x, *y) ? 1 : worse(*y, *x) ? -1 : 0;
}

void rank_order(struct rank_hit *best, size_t n)
{
	if (n)
		qsort(best, n, sizeof(*best), better_first);
}

struct scoring {
	float *score;		/* WINDOW */
	float norm[256];	/* k1 * (1 - b + b * length / average) */
	size_t *at;		/* for each list: the next posting */
	float *weight;		/* for each list */
};

static double idf(const struct rank_list *l, const struct rank_stats *stats)
{
	double n = (double)stats->chunks, df = (double)MAX(l->seen, l->n);

	return log(1 + (MAX(n - df, 0) + 0.5) / (df + 0.5));
}

static double norm(uint8_t length, double average)
{
	return K1 * (1 - B + B * post_words(length) / average);
}

static double average_of(const struct rank_stats *stats)
{
	return stats->chunks > 0 && stats->words > 0
		? (double)stats->words / (double)stats->chunks : 1;
}

static void prepare_scores(struct scoring *s, const struct rank_list *lists,
			   size_t n_lists, const struct rank_stats *stats,
			   struct arena *a)
{
	double average = average_of(stats);

	s->score = arena_zalloc(a, WINDOW, sizeof(*s->score));
	s->at = arena_zalloc(a, n_lists + 1, sizeof(*s->at));
	s->weight = arena_zalloc(a, n_lists + 1, sizeof(*s->weight));
	for (int i = 0; i < 256; i++)
		s->norm[i] = (float)norm((uint8_t)i, average);
	for (size_t i = 0; i < n_lists; i++)
		s->weight[i] = (float)(lists[i].times * (K1 + 1) *
				       idf(&lists[i], stats));
}

/* The lowest chunk that remains in any list; UINT32_MAX: none. */
static uint32_t next_chunk(const struct scoring *s,
			   const struct rank_list *lists, size_t n_lists)
{
	uint32_t first = UINT32_MAX;

	for (size_t i = 0; i < n_lists; i++)
		if (s->at[i] < lists[i].n)
			first = MIN(first, lists[i].v[s->at[i]].chunk);
	return first;
}

struct rank_hit *rank_best(const struct rank_list *lists, size_t n_lists,
			   const struct rank_stats *stats, size_t max,
			   struct arena *a, size_t *n)
{
	struct rank_hit *best = arena_zalloc(a, max + 1, sizeof(*best));
	const struct arena_mark scratch = arena_mark(a);
	struct scoring s;
	uint32_t first;

	*n = 0;
	prepare_scores(&s, lists, n_lists, stats, a);
	while ((first = next_chunk(&s, lists, n_lists)) != UINT32_MAX) {
		uint32_t base = first - first % WINDOW;
		uint32_t low = WINDOW, high = 0;

		for (size_t i = 0; i < n_lists; i++) {
			const struct rank_list *l = &lists[i];
			size_t k = s.at[i];

			for (; k < l->n && l->v[k].chunk - base < WINDOW; k++) {
				const struct post *p = &l->v[k];
				uint32_t at = p->chunk - base;
				float f = (float)p->body + (float)HEAD * p->head;

				s.score[at] += s.weight[i] * f /
					(f + s.norm[p->length]);
				low = MIN(low, at);
				high = MAX(high, at);
			}
			s.at[i] = k;
		}
		for (uint32_t at = low; at <= high && at < WINDOW; at++)
			if (s.score[at] > 0)
				rank_offer(best, n, max, (struct rank_hit){
					.chunk = base + at, .score = s.score[at] });
		memset(s.score, 0, WINDOW * sizeof(*s.score));
	}
	arena_rewind(a, scratch);
	rank_order(best, *n);
	return best;
}

static const struct post *post_of(const struct rank_list *l, uint32_t chunk)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (l->v[mid].chunk < chunk)
			low = mid + 1;
		else
			high = mid;
	}
	return low < l->n && l->v[low].chunk == chunk ? &l->v[low] : NULL;
}

void rank_sure(struct rank_hit *hits, size_t n, const struct rank_list *lists,
	       size_t n_lists, const struct rank_stats *stats)
{
	const double average = average_of(stats);

	for (size_t h = 0; h < n; h++) {
		struct sure_words w = { .chunks = stats->chunks };

		for (size_t i = 0; i < n_lists; i++) {
			const double all = lists[i].times * idf(&lists[i], stats);
			const struct post *p = post_of(&lists[i], hits[h].chunk);
			double f = p ? p->body + HEAD * p->head : 0;

			if (lists[i].common)
				continue;
			w.all += all;
			w.n += p != NULL;
			w.weight += p ? all * f / (f + norm(p->length, average)) : 0;
		}
		hits[h].sure = (float)sure_of_words(&w);
	}
}

/* -- fusion of two lists ----------------------------------------------------------- */

static int by_chunk(const void *a, const void *b)
{
	const struct rank_hit *x = a, *y = b;

	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

struct rank_hit *rank_fuse(const struct rank_hit *x, size_t n_x,
			   const struct rank_hit *y, size_t n_y,
			   struct arena *a, size_t *n)
{
	struct rank_hit *v = arena_zalloc(a, n_x + n_y + 1, sizeof(*v));
	size_t all = 0, kept = 0;

	for (size_t i = 0; i < n_x; i++)
		v[all++] = (struct rank_hit){
			x[i].chunk, 1.0F / (float)(RRF_K + 1 + i), x[i].sure };
	for (size_t i = 0; i < n_y; i++)
		v[all++] = (struct rank_hit){
			y[i].chunk, 1.0F / (float)(RRF_K + 1 + i), y[i].sure };
	if (all)
		qsort(v, all, sizeof(*v), by_chunk);
	for (size_t i = 0; i < all; i++)
		if (kept && v[kept - 1].chunk == v[i].chunk) {
			v[kept - 1].score += v[i].score;
			v[kept - 1].sure = (float)sure_of_both(
				(double)v[kept - 1].sure, (double)v[i].sure);
		} else {
			v[kept++] = v[i];
		}
	rank_order(v, kept);
	*n = kept;
	return v;
}
