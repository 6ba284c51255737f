/* SPDX-License-Identifier: MIT */
/*
 * multipart/form-data (RFC 7578), read as it arrives: the parts in order, their
 * contents in pieces. Only a window of MULTIPART_WINDOW bytes is in memory.
 */
#ifndef APP_MULTIPART_H
#define APP_MULTIPART_H

#include "request.h"

#define MULTIPART_WINDOW 65536

struct multipart {
	struct request *rq;
	struct str delimiter;	/* CRLF -- boundary */
	char *window;
	size_t n, at;		/* bytes in it; how many of them are used */
	size_t n_parts;		/* so far */
	bool ended;		/* of the body */
	bool in_part;		/* its content was not read completely */
};

struct multipart_part {
	struct str name, filename;	/* as sent; filename.p == NULL: a field */
};

/* Whether the request has such a body. */
bool multipart_is(const struct request *rq);

/* Starts reading. In rq's arena. ERR_BAD_REQUEST without a boundary. */
int multipart_begin(struct multipart *m, struct request *rq,
		    struct err *e) MUST_CHECK;

/*
 * Finds the next part, skipping the rest of the current one: 1, 0 at the end, -1
 * with ERR_BAD_REQUEST or the errors of req_body_some. Text in rq's arena.
 */
int multipart_next(struct multipart *m, struct multipart_part *out,
		   struct err *e) MUST_CHECK;

/* The part's next bytes, borrowed until the next call; n == 0 at its end. */
int multipart_read(struct multipart *m, struct str *out,
		   struct err *e) MUST_CHECK;

#endif
