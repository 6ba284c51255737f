/* SPDX-License-Identifier: MIT */
#include "search/best.h"

#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "search/rank.h"
#include "search/tokens.h"

#include "base/banned.h"

#define LEAST_SHARE 0.25f	/* of the best score; chunks below it are dropped */

struct best_term {
	int64_t term;
	struct rank_list list;
	struct post *v;
	size_t room;
	struct post now;	/* of the current chunk */
};

struct ranking {
	struct arena *a;
	struct tokens *words;
	struct best_term terms[LIM_QUESTION_WORDS];
	size_t n_terms;
	struct rank_stats stats;
};

static struct best_term *term_of(struct ranking *r, int64_t term)
{
	for (size_t i = 0; i < r->n_terms; i++)
		if (r->terms[i].term == term)
			return &r->terms[i];
	return NULL;
}

static void read_question(struct ranking *r, struct str question)
{
	size_t n;
	const struct word *w = tokens_split(
		r->words, utf8_head(question, LIM_QUESTION_CHARS), true, &n);

	for (size_t i = 0; i < n; i++) {
		struct best_term *t = term_of(r, w[i].term);

		if (!t && r->n_terms == LIM_QUESTION_WORDS)
			continue;
		if (!t) {
			t = &r->terms[r->n_terms++];
			*t = (struct best_term){ .term = w[i].term };
		}
		t->list.times++;
	}
}

/* Counts the question's terms in the text. Returns the number of all its words. */
static uint32_t count_words(struct ranking *r, struct str text, bool head)
{
	size_t n;
	const struct word *w = tokens_split(r->words, text, false, &n);
	uint32_t words = 0;

	for (size_t i = 0; i < n; i++) {
		struct best_term *t = term_of(r, w[i].term);
		uint8_t *times = !t ? NULL : head ? &t->now.head : &t->now.body;

		words += !w[i].extra;
		if (times && *times < POST_COUNT_MAX)
			++*times;
	}
	return words;
}

static void note_chunk(struct ranking *r, uint32_t no, const struct chunk *c)
{
	uint32_t words;

	for (size_t i = 0; i < r->n_terms; i++)
		r->terms[i].now = (struct post){ .chunk = no };
	words = count_words(r, c->heading, true);
	words += count_words(r, c->text, false);
	r->stats.chunks++;
	r->stats.words += words;
	for (size_t i = 0; i < r->n_terms; i++) {
		struct best_term *t = &r->terms[i];

		if (!t->now.body && !t->now.head)
			continue;
		t->now.length = post_length(words);
		t->v = arena_room(r->a, t->v, t->list.n, 1, &t->room,
				  sizeof(*t->v));
		t->v[t->list.n++] = t->now;
	}
}

int search_best(const struct chunk *v, size_t n, struct str question,
		struct arena *a, size_t **out, size_t *n_out, struct err *e)
{
	struct ranking *r = arena_zalloc(a, 1, sizeof(*r));
	struct rank_list *lists;
	struct rank_hit *best;
	size_t n_best;

	r->a = a;
	r->words = tokens_open(STR("none"), e);
	if (!r->words)
		return -1;
	read_question(r, question);
	for (size_t i = 0; i < n; i++)
		note_chunk(r, (uint32_t)i, &v[i]);
	tokens_close(r->words);
	lists = arena_zalloc(a, r->n_terms + 1, sizeof(*lists));
	for (size_t i = 0; i < r->n_terms; i++) {
		lists[i] = r->terms[i].list;
		lists[i].v = r->terms[i].v;
		lists[i].seen = lists[i].n;
	}
	best = rank_best(lists, r->n_terms, &r->stats, n, a, &n_best);
	while (n_best && best[n_best - 1].score < best[0].score * LEAST_SHARE)
		n_best--;
	*out = arena_zalloc(a, n + 1, sizeof(**out));
	*n_out = n_best ? n_best : n;
	for (size_t i = 0; i < *n_out; i++)
		(*out)[i] = n_best ? best[i].chunk : i;
	return 0;
}
