/*
 * Checking what an answer cites: the numbers in brackets, and the words in quotation
 * marks. The same answer and sources always give the same result; no model is asked.
 */
#ifndef TURN_QUOTE_H
#define TURN_QUOTE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

enum {
	QUOTE_NUMBER_MAX = 999,		/* that a citation may have */
	QUOTE_MARKED = 16,		/* of each kind; the others are not marked */
};

struct quote_marks {
	bool cited[QUOTE_NUMBER_MAX + 1];
	struct str v[QUOTE_MARKED];	/* in quotation marks, as in the answer */
	size_t n;
	size_t steps;			/* looks at what may close, to be bounded */
};

/*
 * Looks through an answer (valid UTF-8, Markdown; code is skipped): numbers as in
 * [1], [1, 2] and [1][2], and what stands in quotation marks of any usual kind and
 * has at least four words. The texts point into text.
 */
void quote_find(struct str text, struct arena *a, struct quote_marks *out);

/*
 * Leaves in marks what stands in none of n texts. Case, blanks, punctuation and
 * Markdown do not count; parts around an ellipsis must follow one another in one text.
 */
void quote_check(struct quote_marks *marks, const struct str *texts, size_t n);

#endif
