/* A search that is under way: what find.c and near.c share. Of one thread. */
#ifndef SEARCH_FINDING_H
#define SEARCH_FINDING_H

#include "base/limits.h"
#include "search/find.h"
#include "search/rank.h"
#include "search/tokens.h"

enum {
	PHRASES = 8,
	PHRASE_WORDS = 32,
};

struct phrase {
	int64_t terms[PHRASE_WORDS];
	size_t n;
};

struct term {
	int64_t term;
	struct rank_list list;
	struct post *v;
	size_t n, room;
};

struct search {
	struct db *db;
	const struct uuid *base;
	const struct search_ask *ask;
	struct arena *a;
	struct search_base info;
	bool sees[LIM_AUDIENCES + 1];
	struct rank_stats stats;
	struct search_range *hidden, *wanted;	/* by first */
	size_t n_hidden, n_wanted, hidden_room, wanted_room;
	struct term terms[LIM_QUESTION_WORDS];
	size_t n_terms;
	struct phrase phrases[PHRASES];
	size_t n_phrases;
	struct tokens *words;
	/* vectors */
	struct rank_hit *best;
	size_t n_best, max_best;
	struct arena_mark row;	/* where the memory of a row begins */
};

/* Whether the caller sees the chunk, whatever they asked for. */
bool finding_visible(const struct search *s, int64_t chunk);

/* Whether it is of what they asked for. */
bool finding_wanted(const struct search *s, int64_t chunk);

/* Whether they are of the audience of that number; any number. */
bool finding_sees(const struct search *s, int64_t audience);

/* The chunks of n hits as a JSON list, for statements. In a. */
struct str finding_list(struct arena *a, const struct rank_hit *v, size_t n);

/*
 * The max passages whose vectors are nearest to the question's, which is of the
 * base's dimension, best first. In s->a.
 */
int finding_near(struct search *s, size_t max, struct rank_hit **hits, size_t *n,
		 struct err *e) MUST_CHECK;

#endif
