/* SPDX-License-Identifier: MIT */
/*
 * Whether a text reads better in another charset of one byte than in the one that was
 * detected: uchardet does not know Mac OS Roman, and takes it and DOS for charsets of
 * Central Europe. The shape of words decides, not a list of languages: a capital is the
 * first of its word or one of several, and no sign stands within a word. So this tells
 * apart charsets whose letters lie at bytes of other kinds, and leaves all others: a text
 * with few letters that are not ASCII, all of them small in both, stays as detected.
 */
#ifndef EXTRACT_CHARMAP_H
#define EXTRACT_CHARMAP_H

#include <stdint.h>

#include "base/str.h"

enum { CHARMAP_BYTES = 128 };

/* The code points of the bytes from 0x80 on; 0: not a character by itself. */
struct charmap {
	uint32_t code[CHARMAP_BYTES];
};

/*
 * Whether other is clearly better: where both differ, most of is's characters stand
 * where no word has them, and hardly any of other's. *margin: how many more; for the
 * best of several. False if is has characters of several bytes.
 */
bool charmap_is_better(struct str s, const struct charmap *is,
		       const struct charmap *other, size_t *margin);

/*
 * Number of characters that are another one in other; 0 if one of those stands where no
 * word has it. From CHARMAP_SEVERAL on this says something about other.
 */
enum { CHARMAP_SEVERAL = 4 };
size_t charmap_fits(struct str s, const struct charmap *is, const struct charmap *other);

/* Whether letters that end words in Hebrew stand within words. */
bool charmap_no_hebrew(struct str s, const struct charmap *m);

/*
 * How well the text reads as Cyrillic: the frequency of its letters in Russian, in
 * thousandths on average, small or capital. Text has CHARMAP_LIKELY and more, that in
 * another charset of Cyrillic much less. 0: it has few such letters, or words with Latin
 * ones.
 */
enum { CHARMAP_LIKELY = 40 };
size_t charmap_cyrillic(struct str s, const struct charmap *m);

#endif
