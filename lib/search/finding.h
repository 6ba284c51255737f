/*
 * Searches that are under way, of several bases at once: what find.c, words.c and
 * near.c share. Each step asks the database once for all of them. Of one thread.
 */
#ifndef SEARCH_FINDING_H
#define SEARCH_FINDING_H

#include "base/json.h"
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

/* A text as it is asked of bases of one language. */
struct question {
	struct str language, text;
	struct tokens *words;
	struct {
		int64_t term;
		int times;
	} terms[LIM_QUESTION_WORDS];
	size_t n_terms;
	struct phrase phrases[PHRASES];
	size_t n_phrases;
	struct question *next;
};

/* The postings of one of the question's terms. */
struct term {
	struct rank_list list;
	struct post *v;
	size_t n, room;
};

struct search_hits {
	struct rank_hit *v;	/* best first */
	size_t n;
};

/* One base. */
struct search {
	struct search_in *in;
	const struct search_ask *ask;
	bool there;		/* the base is */
	struct search_base info;
	bool sees[LIM_AUDIENCES + 1];
	struct rank_stats stats;
	struct search_range *hidden, *wanted;	/* by first */
	size_t n_hidden, n_wanted, hidden_room, wanted_room;
	struct question *question;	/* NULL: no words are searched */
	struct term *terms;		/* as many as the question has; while its
					   postings are read */
	struct search_hits words;
	/* vectors */
	bool near;		/* are searched */
	bool whole;		/* and all of them are read */
	struct search_hits vectors;
	struct rank_hit *best;	/* a heap of max_best */
	size_t n_best, max_best;
	bool reads;		/* the next statement over bases is for it too */
	/* the hits whose vectors are read next; in the end those that are chosen */
	struct search_hits list;
};

struct searches {
	struct db *db;
	struct arena *a;
	struct search *v;
	size_t n;
	struct question *questions;
	struct arena_mark row;	/* where the memory of a row begins */
};

/* Whether the caller sees the chunk, whatever they asked for. */
bool finding_visible(const struct search *s, int64_t chunk);

/* Whether it is of what they asked for. */
bool finding_wanted(const struct search *s, int64_t chunk);

/* Whether they are of the audience of that number; any number. */
bool finding_sees(const struct search *s, int64_t audience);

/* The bases as a JSON array, for SEARCH_BASES; only those that read: others null. */
struct str finding_bases(const struct searches *f, bool all);

/* What items writes of each, for SEARCH_LISTS. In f->a. */
struct str finding_lists(const struct searches *f,
			 void (*items)(struct jw *w, const struct search *s));
void finding_chunks(struct jw *w, const struct search *s);	/* s->list */

/* The best passages of each by words, into its words, at most max of each. */
int finding_words(struct searches *f, size_t max, struct err *e) MUST_CHECK;
void finding_end_words(struct searches *f);

/*
 * The passages of each that is near, by how near their vectors are to the
 * question's, which is of the base's dimension: into its vectors, at most max.
 */
int finding_near(struct searches *f, size_t max, struct err *e) MUST_CHECK;

#endif
