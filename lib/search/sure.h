/* SPDX-License-Identifier: MIT */
/*
 * How sure it is that a passage answers a question: a number from 0 to 1 that means the
 * same whether words, vectors or both found the passage, and in bases of any size. It is
 * independent of the ranking, whose scores mean nothing by themselves (BM25, fused ranks)
 * or depend on the model (cosines).
 *
 * Evidence of words: how many of the question's words the passage has, how much of the
 * weight of all of them that is, and how rare they are. Common words ("what", "you",
 * "thanks") are no evidence, and one word alone is little: else small talk, which has a
 * word in common with some passage of any base, would find something. Evidence of vectors:
 * how near the passage is to the question, where 0 is as near as the base's passages are to
 * each other, which differs by model as cosines do, and 1 is the same. Either is enough.
 *
 * The weights were fitted by logistic regression to the headings of FAQs and manuals as
 * questions, with the section below each as the answer, against small talk and questions
 * about other subjects, both sides weighing the same (docs/knowledge.md).
 */
#ifndef SEARCH_SURE_H
#define SEARCH_SURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Whether a word says nothing of what a question is about; in any case of ASCII. */
bool sure_is_common(struct str word);

/*
 * Whether a text has a word that is not common. Others ("OK", "How are you?") ask for
 * nothing, and models put them near any short passage.
 */
bool sure_asks(struct str text);

/* What a passage has of a question's words that are not common. */
struct sure_words {
	int n;			/* distinct ones */
	double weight;		/* of them: their idf, less if the passage has them once */
	double all;		/* sum of the idf of the question's words */
	int64_t chunks;		/* that were searched */
};
double sure_of_words(const struct sure_words *w);

/* Vectors of passages, of length 1, that tell how near those of a base are. */
struct sure_near {
	double *sum;		/* of each dimension */
	size_t n;
};
void sure_note(struct sure_near *s, const void *vector, int dimension);

/* The mean of the cosines of each two of them; with few of them, rather 0.2. */
double sure_usual(const struct sure_near *s, int dimension);
double sure_of_vector(double cosine, double usual);

/* What both say together. */
double sure_of_both(double x, double y);

#endif
