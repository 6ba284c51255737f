/* HTML as text for a model. The only room of libxml2. */
#ifndef TOOL_HTML_H
#define TOOL_HTML_H

#include "base/buf.h"
#include "base/err.h"

enum {
	HTML_LINKS = 1,		/* "text (URL)" instead of "text" */
};

/*
 * Appends the readable text of a page: its title, headings with #, items of
 * lists with -, cells of tables with |, preformatted text as it is; no
 * scripts, styles, forms' templates or comments. What is not well-formed is
 * read as a browser would. charset: what the server said ("utf-8"), or NULL;
 * else the page's own word counts. Nothing is loaded from anywhere.
 * ERR_UPSTREAM_PROTOCOL when it cannot be read at all. Any thread.
 */
int html_text(struct str html, const char *charset, unsigned flags,
	      struct buf *out, struct err *e) MUST_CHECK;

#endif
