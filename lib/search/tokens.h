/*
 * Text into terms, the same way for what is indexed and what is asked: words by
 * Unicode's letters, digits and marks, without case and accents, stemmed by the
 * language of the base. Scripts without blanks between words (Chinese, Japanese,
 * Korean, Thai, …) give pairs of characters. Numbers ("1,000.5") stay whole; codes
 * ("ISO-9001", "foo_bar", "C++") are terms as a whole, and so are their parts.
 *
 * A term is a hash of 63 bits (a signed column compares faster than an unsigned
 * one). Two words of the same hash would be taken for one; among a million words
 * the chance is one in ten million.
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
	uint32_t at, n;		/* bytes of the text that it is from */
	bool extra;		/* another form of the word before: not counted,
				   no part of a phrase */
};

/* One thread at a time. */
struct tokens;

/* Whether texts can be of the language: a code such as "en", or "none". */
bool tokens_knows(struct str language);

/* The codes, with commas between them: for messages. Static. */
const char *tokens_languages(void);

/*
 * Owned: tokens_close (NULL is fine). ERR_INTERNAL when a library is missing. A
 * language that is not known is treated as "none".
 */
struct tokens *tokens_open(struct str language, struct err *e) MUST_CHECK;
void tokens_close(struct tokens *w);

/*
 * Splits valid UTF-8 of less than 4 GiB. The words are w's until the next call.
 * asking: without the extra forms of accented words that exist only to be found.
 */
const struct word *tokens_split(struct tokens *w, struct str text, bool asking,
			       size_t *n);

#endif
