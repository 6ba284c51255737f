/* SPDX-License-Identifier: MIT */
/*
 * Lists: {items, totalCount, nextCursor} by keyset.
 */
#ifndef API_PAGE_H
#define API_PAGE_H

#include "request.h"
#include "response.h"

/* Begins a list with status 200, up to its first item. */
struct jw api_page_items(struct response *rs);

/* Ends a complete list: "]", totalCount n, nextCursor null, "}". */
void api_page_items_end(struct jw *w, int64_t n);

/*
 * The query's pageSize: LIM_PAGE_DEFAULT if absent, at most LIM_PAGE_MAX.
 * ERR_INVALID_FIELD.
 */
int api_page_size(struct request *rq, size_t *out, struct err *e) MUST_CHECK;

/* The query's cursor (base/cursor.h); empty if it is absent. ERR_INVALID_CURSOR. */
int api_page_cursor_text(struct request *rq, struct str *out,
			 struct err *e) MUST_CHECK;

/* The same, read: its object, or NULL. */
int api_page_cursor(struct request *rq, json_t **out, struct err *e) MUST_CHECK;

/*
 * Cursors of lists that are ordered by a number: {"id":"NUMBER"}. *seq is 0 for the
 * first page; 0 is written as null. ERR_INVALID_CURSOR.
 */
int api_page_seq(struct request *rq, int64_t *seq, struct err *e) MUST_CHECK;
void api_page_write_next_seq(struct jw *w, int64_t seq);

/*
 * A page of a list in memory (of the configuration), in its order; the cursor is
 * the id of the last item before the page.
 */
struct page_walk {
	size_t size;		/* maximum number of items on the page */
	struct str after;	/* id; p == NULL: the first page */
	struct str last;	/* id of the last item on the page so far */
	size_t n_taken, n_seen;
	bool more;
};

#endif
