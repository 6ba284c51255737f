/* Text in any charset as UTF-8, in two steps around the process's confinement. */
#ifndef EXTRACT_CHARSET_H
#define EXTRACT_CHARSET_H

#include "base/buf.h"

/*
 * Chooses the charset of the page: by its byte order mark, else as the sender said
 * (said; NULL or unknown: nothing), else UTF-8 if it is valid, else by its own
 * <meta>, else windows-1252, as browsers do. Loads the C library's converter, which
 * needs files, so it must come first. One at a time: the choice is kept until
 * charset_convert.
 */
void charset_choose(struct str page, const char *said);

/* Replaces b by the same text as valid UTF-8, bad bytes by U+FFFD. */
void charset_convert(struct buf *b);

#endif
