/* SPDX-License-Identifier: MIT */
/*
 * question.h - a question about the datasets as a query. question.c chooses
 * the dataset and the shape of the answer, filters.c finds the conditions.
 */
#ifndef DEMO_QUESTION_H
#define DEMO_QUESTION_H

#include "demo-llm/catalogue.h"
#include "demo-llm/dates.h"

#define FILTERS_MAX 12
#define SHOW_MAX 7

enum shape { SHAPE_COUNT, SHAPE_GROUP, SHAPE_AGGREGATE, SHAPE_LIST };

struct filter {
	struct column *column;
	const char *op;		/* of query_data */
	json_t *value;		/* in the arena; NULL for is_null */
	const char *text;	/* how a sentence says it */
	bool adjective;		/* text goes before the noun */
	bool name;		/* a name: matched in part */
	struct dataset *via;	/* the value is the title of a row of it, the
				 * column holds its id; NULL usually */
};

struct question {
	struct dataset *dataset;
	enum shape shape;
	struct filter filter[FILTERS_MAX];
	size_t n_filters;
	struct column *group;
	const char *fn;		/* of an aggregate */
	struct column *measure;
	struct column *sort;
	bool desc;
	const char *rank;	/* "newest", ... as the question said, or NULL */
	long limit;		/* 0: the tool's own */
	bool most, least;	/* of the groups */
	const char *lost;	/* words that say what to do, but not to us, or
				 * NULL; then nothing is asked */
	struct column *show[SHOW_MAX];
	size_t n_show;
};

/*
 * Understands the words (marking them). previous: the question before, whose
 * dataset is meant when this one names none, or NULL. False when no dataset is
 * asked for.
 */
bool question_read(struct question *q, const struct catalogue *c,
		   struct words *w, struct words *previous);

/* Finds the conditions of q->dataset in w. */
void question_filters(struct question *q, const struct catalogue *c,
		      struct words *w);

/* The column of persons that "who opened ..." or "who has ..." asks for, or NULL. */
struct column *person_column(const struct dataset *d, const struct words *w);

/* The condition that the column has a value. */
void question_present(struct question *q, struct column *c);

/* The date column the words point to, else the most usual one, or NULL. */
struct column *date_column(const struct dataset *d, const struct words *w);

/* The number column named in w, else the most likely one, or NULL. */
struct column *number_column(const struct dataset *d, const struct words *w);

/*
 * The arguments for query_data, in the arena. Without loose
 * a short name must match exactly ("IT" is in "facilities" too).
 */
json_t *question_query(const struct question *q, struct arena *a, bool loose);

/* The query that finds the ids of a filter with via. */
json_t *question_lookup(const struct filter *f, struct arena *a);

#endif
