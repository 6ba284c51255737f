/* SPDX-License-Identifier: MIT */
/*
 * Forms of plain pages: their fields, and the proof that a form is ours.
 *
 * Text browsers send no headers with the origin of a request (Sec-Fetch-Site,
 * Origin) and cannot add others, and any site can send a form here, unlike JSON. So
 * each of our forms has a token that no other site can know: the time at which it
 * was made, and the HMAC of that time and the caller's identity with a key of the
 * deployment (store/key.h). Nothing is stored per form or session, and any process
 * can verify the tokens of any other. The time is in microseconds, so each page has
 * its own token, which identifies a form that is sent twice (idempotent_key).
 */
#ifndef APP_FORM_H
#define APP_FORM_H

#include "request.h"

#define FORM_TOKEN_FIELD  "token"
#define FORM_TOKEN_BYTES  64	/* text, including NUL */
#define FORM_TOKEN_AGE_S  172800	/* two days */

/*
 * Reads application/x-www-form-urlencoded text into rq->form: at most
 * LIM_FORM_FIELDS fields, line ends as LF. ERR_BAD_REQUEST, ERR_INVALID_UTF8.
 */
int form_read(struct request *rq, struct str body, struct err *e) MUST_CHECK;

/*
 * Reads the fields of a multipart form, at most max_bytes, up to its first file:
 * sets rq->parts and rq->file_name. Files come last in our forms; fields after one
 * are not read. ERR_BAD_REQUEST, ERR_INVALID_UTF8, ERR_TOO_BIG.
 */
int form_read_parts(struct request *rq, size_t max_bytes,
		    struct err *e) MUST_CHECK;

/* Adds a field to those that were sent. Both strings are in the arena, NUL-terminated. */
void form_add(struct request *rq, struct str name, struct str value);

/* A field's value; p == NULL if it was not sent. Borrowed. */
struct str form_field(const struct request *rq, const char *name);

/* Makes a new token for the caller. Database errors. */
int form_token(struct request *rq, char out[FORM_TOKEN_BYTES],
	       struct err *e) MUST_CHECK;

/*
 * Checks that the form is one of ours: 0, or -1 with ERR_CSRF if the token is
 * missing, wrong, another caller's or too old.
 */
int form_check(struct request *rq, struct err *e) MUST_CHECK;

#endif
