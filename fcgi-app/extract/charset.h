/* SPDX-License-Identifier: MIT */
/* Converts text to UTF-8, in two steps: before and after the process confines itself. */
#ifndef EXTRACT_CHARSET_H
#define EXTRACT_CHARSET_H

#include "base/buf.h"

/*
 * Chooses the charset of the page like browsers do: by its byte order mark, else as
 * the sender declared it (ignored if NULL or unknown), else UTF-8 if valid,
 * else by its <meta>, else windows-1252. Loads the C library's converter from
 * files, so call it before confining. The choice is kept in the process until
 * charset_convert.
 */
void charset_select(struct str page, const char *declared);

/* Converts b to valid UTF-8; invalid bytes become U+FFFD. */
void charset_convert(struct buf *b);

/* The first charset that a page of HTML, or XML, names itself; p == NULL: none. */
struct str charset_own_word(struct str page);

#endif
