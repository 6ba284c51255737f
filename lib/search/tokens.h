/* SPDX-License-Identifier: MIT */
/*
 * Converts text to terms, in the same way for documents and queries. Words consist of
 * Unicode letters, digits and marks; case and accents are removed and the words are
 * stemmed in the language of the base. Scripts without spaces between words (Chinese,
 * Japanese, Korean, Thai, …) are indexed as pairs of characters. Numbers ("1,000.5") are
 * one term; codes ("ISO-9001", "foo_bar", "C++") are terms as a whole and by parts.
 *
 * A term is a 63-bit hash (signed columns compare faster than unsigned ones). Words
 * with the same hash are not distinguished; the probability of a collision among a
 * million words is one in ten million. The terms of words that hardly come twice, long
 * numbers and ids, are negative: their postings share rows (post.h).
 */
#ifndef SEARCH_TOKENS_H
#define SEARCH_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct word {
	int64_t term;
	uint32_t at, n;		/* byte range in the text */
	bool extra;		/* another form of the previous word: not counted
				   and not part of phrases */
};

/* A tokeniser; used by one thread at a time. */
struct tokens;

/*
 * Creates a tokeniser, to be freed with tokens_close (which accepts NULL). language: a
 * code such as "en", or "none", as which an unknown one is treated. ERR_INTERNAL if a
 * library is missing.
 */
struct tokens *tokens_open(struct str language, struct err *e) MUST_CHECK;
void tokens_close(struct tokens *w);

/*
 * Splits valid UTF-8 of less than 4 GiB. The result is valid until the next call with w.
 * asking: text is a query; the extra forms of accented words, which only documents need,
 * are left out.
 */
const struct word *tokens_split(struct tokens *w, struct str text, bool asking,
				size_t *n);

#endif
