/*
 * Lists: {items, totalCount, nextCursor} by keyset. A cursor is base64url of
 * a small JSON object (A51) that says where the next page starts; clients do
 * not look inside.
 */
#ifndef API_PAGE_H
#define API_PAGE_H

#include "request.h"

/* pageSize: LIM_PAGE_DEFAULT, at most LIM_PAGE_MAX. ERR_INVALID_FIELD. */
int page_size(struct request *rq, size_t *out, struct err *e) MUST_CHECK;

/*
 * The cursor's object, borrowed from the arena; NULL when absent or empty: the
 * first page (A53). ERR_INVALID_CURSOR.
 */
int page_cursor(struct request *rq, json_t **out, struct err *e) MUST_CHECK;

/*
 * Writes "nextCursor": the object in json (compact text) as a cursor;
 * json.p == NULL writes null.
 */
void page_write_next(struct jw *w, struct str json);

#endif
