/* SPDX-License-Identifier: MIT */
/* UTF-8 where bytes enter: validate what must be right, repair what may not. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Well-formed UTF-8 (no overlong forms, surrogates, nor beyond U+10FFFF). */
bool utf8_valid(struct str s);

/*
 * Bytes of the sequence that s (n > 0) begins with: 1 to 4; 0: it is never valid, -1: it
 * is cut off.
 */
int utf8_sequence(struct str s);

/*
 * Length of the longest prefix of s that does not end inside a sequence:
 * the rest (at most 3 bytes) is to be carried to the next chunk. Bytes that
 * can never become valid are not held back.
 */
size_t utf8_complete(struct str s);

/* Appends s with every bad byte and every NUL replaced by U+FFFD. */
void utf8_scrub(struct buf *out, struct str s);

/* Number of code points in valid text. */
size_t utf8_chars(struct str s);

/* The first max_chars code points of valid text. */
struct str utf8_head(struct str s, size_t max_chars);

/*
 * Appends valid text in lower case: each letter by itself, of any script, as the C
 * library knows it; without its locale C.UTF-8, ASCII letters only. Any thread.
 */
void utf8_lower(struct buf *out, struct str s);

#endif
