/* SPDX-License-Identifier: MIT */
/*
 * How texts are compared where people search: without case and accents, in compatibility
 * forms (full width, ligatures), as the terms of the index (search/tokens.h) are, too.
 */
#ifndef BASE_FOLD_H
#define BASE_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/*
 * Folds valid UTF-8 into one line, words separated by one space. Part of a folded text is
 * found by comparing bytes. Without libunistring only ASCII letters are folded. In a. Any
 * thread.
 */
struct str utf8_fold(struct arena *a, struct str text);

/* Characters within words that are ignored: joiners, soft hyphens. */
bool utf8_is_nothing(uint32_t c);

/* A letter without a decomposition that is also written without its stroke: so; or NULL. */
const char *utf8_stroke(uint32_t c);

/*
 * Whether the mark is an accent that people omit when they search. Other marks make a
 * different letter (the breve in Cyrillic, vowel signs in Indic scripts).
 */
bool utf8_is_accent(uint32_t mark, uint32_t base);

#endif
