/* SPDX-License-Identifier: MIT */
/*
 * Cursors of lists (A51): base64url of a small JSON object with the position of
 * the next page; clients must treat them as opaque.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include "base/json.h"

/*
 * The object of a cursor, borrowed from a; NULL if the text is empty: the first
 * page (A53). ERR_INVALID_CURSOR.
 */
int cursor_read(struct str text, struct arena *a, json_t **out,
		struct err *e) MUST_CHECK;

/*
 * Writes "nextCursor": the object in json (compact text) as a cursor; null if
 * json.p == NULL.
 */
void cursor_write(struct jw *w, struct str json);

#endif
