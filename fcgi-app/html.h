/*
 * Text as HTML: all text from outside that becomes part of a page goes through one
 * of these functions; everything else in a page is constant markup.
 */
#ifndef APP_HTML_H
#define APP_HTML_H

#include "base/buf.h"

/*
 * Text of an element, or of an attribute in double quotes. Control characters
 * but tab and line end become U+FFFD. s must be valid UTF-8.
 */
void html_text(struct buf *b, struct str s);

/* The same with line ends as <br>, for text that grows piece by piece. */
void html_lines(struct buf *b, struct str s);

/*
 * Markdown (CommonMark with tables, strike-through and bare addresses) as
 * markup of a few known elements. HTML in it is shown as text, images become
 * links, and links to anything but http, https and mailto become their text:
 * looking at an answer fetches nothing. Text beyond LIM_MARKDOWN_BYTES, or
 * that would grow out of proportion, is shown as it is. Headings begin at h3.
 */
void html_markdown(struct buf *b, struct str s);

#endif
