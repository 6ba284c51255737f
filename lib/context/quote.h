/* SPDX-License-Identifier: MIT */
/*
 * Checks the citations of an answer: numbers in brackets, and text in quotation marks.
 * Deterministic; no model is involved.
 */
#ifndef CONTEXT_QUOTE_H
#define CONTEXT_QUOTE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

enum {
	QUOTE_NUMBER_MAX = 999,		/* highest number of a citation */
	QUOTE_MARKED = 16,		/* of each kind; further ones are not marked */
};

struct quote_marks {
	bool cited[QUOTE_NUMBER_MAX + 1];	/* by number */
	struct str v[QUOTE_MARKED];	/* quotations, as in the answer */
	size_t n;
	size_t steps;			/* work done, for tests of its bound */
};

/*
 * Finds the citations of an answer (valid UTF-8, Markdown; code is skipped): numbers as
 * in [1], [1, 2] and [1][2], and quotations of at least four words in quotation marks
 * of any usual kind, which point into text. a: working memory.
 */
void quote_find(struct str text, struct arena *a, struct quote_marks *out);

struct quote_place {
	size_t at, n;		/* bytes of the text: from its "[" to its "]" */
	int number;
};

/* Where the text cites which number, in order (quote_find), in a. Returns how often. */
size_t quote_places(struct str text, struct arena *a, struct quote_place **out);

/*
 * Removes the quotations from marks that are in one of n texts. Case, whitespace,
 * punctuation and Markdown are ignored; parts around an ellipsis must be in the same
 * text, in order.
 */
void quote_check(struct quote_marks *marks, const struct str *texts, size_t n);

#endif
