/* SPDX-License-Identifier: MIT */
/*
 * Inside lib/search: the state of a search in several bases, and what its steps share:
 * find.c and near.c. Each step sends one statement for all bases. Used by one thread.
 */
#ifndef SEARCH_FINDING_H
#define SEARCH_FINDING_H

#include "base/json.h"
#include "base/limits.h"
#include "search/find.h"
#include "search/rank.h"
#include "search/sure.h"
#include "search/tokens.h"

enum {
	PHRASES = 8,
	PHRASE_WORDS = 32,
};

struct phrase {
	int64_t terms[PHRASE_WORDS];
	size_t n;
};

/* A query analysed for bases of one language. */
struct question {
	struct str language, text;
	struct tokens *words;
	struct {
		int64_t term;
		int times;
		bool common;	/* sure.h */
	} terms[LIM_QUESTION_WORDS];
	size_t n_terms;
	struct phrase phrases[PHRASES];
	size_t n_phrases;
	struct question *next;
};

/* The postings of one of the question's terms. */
struct term {
	struct rank_list list;
	struct post *v;		/* allocated with xrealloc */
	size_t n, room;
	bool left;		/* not chosen: its postings are not read */
};

struct search_hits {
	struct rank_hit *v;	/* best first */
	size_t n;
};

/* One base. */
struct search {
	struct search_in *in;
	const struct search_ask *ask;
	bool there;		/* the base exists */
	struct search_base info;
	bool sees[LIM_AUDIENCES + 1];
	struct rank_stats stats;
	struct search_range *hidden, *wanted;	/* sorted by first */
	size_t n_hidden, n_wanted, hidden_room, wanted_room;
	struct question *question;	/* NULL: no words are searched */
	bool *selected;			/* the question's terms that are read, as not
					 * all fit into memory; NULL: all */
	bool ranked;			/* words is complete */
	struct term *terms;		/* one per term of the question, while its postings are
					 * read */
	struct search_hits words;
	/* vectors */
	bool near;		/* search them */
	bool whole;		/* read all vectors, without a scan of signs */
	struct search_hits vectors;
	struct sure_near usual;	/* how near passages are in general */
	struct rank_hit *sample;	/* those that were chosen for it; NULL: all that are read */
	size_t n_sample;
	struct rank_hit *best;	/* a heap of at most max_best */
	size_t n_best, max_best;
	bool reads;		/* the next statement over bases includes it; at first all */
	/* the hits whose vectors are read next; finally those that were selected */
	struct search_hits list;
};

struct searches {
	struct db *db;
	struct arena *a;
	struct search *v;
	size_t n;
	struct question *questions;
	size_t max;		/* hits of each base and kind, before they are fused */
	struct arena_mark row;	/* memory of the current row begins here */
};

/* Whether the caller may see the chunk, regardless of filters. */
bool finding_visible(const struct search *s, int64_t chunk);

/* Whether the filters of the query include the chunk. */
bool finding_wanted(const struct search *s, int64_t chunk);

/* Whether the caller belongs to the audience; any number is allowed. */
bool finding_sees(const struct search *s, int64_t audience);

/*
 * The ids of the bases as a JSON array, for SEARCH_BASES; null for bases whose
 * `reads` is false. In f->a.
 */
struct str finding_bases(const struct searches *f);

/* The lists that `items` writes for each base, for SEARCH_LISTS. In f->a. */
struct str finding_lists(const struct searches *f,
			 void (*items)(struct jw *w, const struct search *s));
void finding_chunks(struct jw *w, const struct search *s);	/* Writes s->list. */

/*
 * n passages for a statement over SEARCH_LISTS, in a; finding_found takes what it says of
 * one from the first columns of a row (SEARCH_CHUNK_FIND).
 */
struct str finding_picks(const struct search_pick *v, size_t n, struct arena *a);
void finding_found(struct search_found *to, const struct db_val *row);

/* Blocks of postings, base by base, whose best hits become s->words. */
struct posts_read {
	struct searches *f;
	struct search *now;	/* the base whose postings are being read */
	size_t n;		/* postings in memory */
	bool over;		/* they do not fit into memory */
	bool again;		/* read once more: terms of a base were chosen */
	struct arena posts, row;	/* of now; of a row */
};

/*
 * For bases with near set: finds the passages with the vectors nearest to the query's,
 * which has the base's dimension, at most max each, into s->vectors.
 */
int finding_near(struct searches *f, size_t max, struct err *e) MUST_CHECK;

#endif
