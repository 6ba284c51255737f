/* SPDX-License-Identifier: MIT */
/*
 * Text as HTML: all text from outside that becomes part of a page goes through one
 * of these functions; everything else in a page is constant markup.
 */
#ifndef APP_HTML_H
#define APP_HTML_H

#include "base/buf.h"

/*
 * Escapes the text of an element, or of an attribute in double quotes. Control
 * characters except tab and line end become U+FFFD. s must be valid UTF-8.
 */
void html_text(struct buf *b, struct str s);

/* The same with line ends as <br>, for text that grows piece by piece. */
void html_lines(struct buf *b, struct str s);

/*
 * Converts Markdown (CommonMark with tables, strike-through and bare addresses) to
 * a few known elements. HTML in it is shown as text, images become links, and links
 * to anything except http, https and mailto become their text, so displaying an
 * answer requests nothing. Text beyond LIM_MARKDOWN_BYTES, or whose markup would be
 * disproportionately large or slow to find, is shown unformatted. Headings begin at h3.
 */
void html_markdown(struct buf *b, struct str s);

#endif
