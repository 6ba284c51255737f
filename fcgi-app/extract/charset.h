/* Text in any charset as UTF-8, in two steps around the process's confinement. */
#ifndef EXTRACT_CHARSET_H
#define EXTRACT_CHARSET_H

#include "base/buf.h"

/*
 * Chooses how the page is to be read: by its byte order mark, else as said
 * (what the sender said; NULL or unknown: nothing), else as UTF-8 where it is
 * that, else by its own <meta>, else as windows-1252, as browsers do. Loads the
 * C library's converter, which takes files; so it comes first. One at a time:
 * the choice is kept until charset_convert.
 */
void charset_choose(struct str page, const char *said);

/* Replaces b by the same text as valid UTF-8, bad bytes by U+FFFD. */
void charset_convert(struct buf *b);

#endif
