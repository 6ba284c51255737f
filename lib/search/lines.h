/* SPDX-License-Identifier: MIT */
/*
 * The lines of a Markdown text as extraction writes it, or as people do (CommonMark
 * 0.31): what each one is. Nothing in code, HTML that is shown as it is, or front matter
 * is a heading. Each byte is looked at a fixed number of times, whatever the text.
 */
#ifndef SEARCH_LINES_H
#define SEARCH_LINES_H

#include <stdbool.h>

#include "base/str.h"

enum line_kind {
	LINE_BLANK,
	LINE_FEED,		/* a form feed, which ends a page and its line */
	LINE_PAGE,		/* <!-- page N --> */
	LINE_HEADING,		/* # Heading */
	LINE_RULE,		/* === or ---: the lines above are a heading, perhaps */
	LINE_ROW,		/* of a table: it begins with '|' */
	LINE_TEXT,
};

struct text_line {
	enum line_kind kind;
	size_t at;		/* byte offset in the text */
	struct str text;	/* with its line end */
	size_t level;		/* HEADING, RULE: 1 to 6 */
	struct str heading;	/* HEADING: its words, at most LIM_HEADING_CHARS */
	int page;		/* PAGE: N */
	bool raw;		/* TEXT: code, HTML or front matter */
};

/* Where one is in the text. Begin with { .text = … }. */
struct lines {
	struct str text;
	size_t at;		/* of the next line */
	size_t end;		/* of the text up to its line feed; 0: not looked for */
	char fence;		/* code ends with fence_n of it; 0: not in code */
	size_t fence_n;
	const char *html;	/* what ends the HTML that is shown as it is; NULL: none */
	char front;		/* of the rule that ends the front matter; 0: none */
};

/* Returns the next line; false: there is none. */
bool lines_next(struct lines *l, struct text_line *out);

/*
 * Returns N if the line is "<!-- page N -->" and N is at most LIM_PAGE_MARK,
 * else 0.
 */
int line_page_mark(struct str line);

#endif
