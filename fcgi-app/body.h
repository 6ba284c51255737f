/* SPDX-License-Identifier: MIT */
/*
 * The body of a request: read once, whole or in pieces, at the pace of pace.h and within a
 * cap, and counted for its user while it is in memory (quota.h).
 */
#ifndef APP_BODY_H
#define APP_BODY_H

#include "request.h"

/* "application/json", in any case, with charset=utf-8 at most. */
bool body_is_json(struct str type);

/* The value of CONTENT_LENGTH; -1 = absent. ERR_BAD_REQUEST. */
int req_length(const struct request *rq, int64_t *out, struct err *e) MUST_CHECK;

/*
 * Reads the whole body, at most cap bytes: ERR_TOO_BIG beyond, ERR_BAD_REQUEST
 * if it is cut off, ERR_SLOW if it arrives too slowly (pace.h). Works with and
 * without a content length. Its bytes (without a length: cap) are counted for the user
 * until the request ends: ERR_SHARE, ERR_OVERLOADED. In the arena.
 */
int req_body(struct request *rq, size_t cap, struct str *out,
	     struct err *e) MUST_CHECK;

enum {
	REQ_JSON_OPTIONAL = 1,	/* an empty body is {} */
	REQ_JSON_REPAIRED = 2,	/* read by jx_load_repaired */
};

/*
 * The same, parsed as JSON, so that the text is not kept. how: REQ_JSON_…. New; the
 * errors of jx_load.
 */
json_t *req_body_json(struct request *rq, size_t cap, unsigned how,
		      struct err *e) MUST_CHECK;

/*
 * Reads the next bytes of the body of a RAW route to p, at most n: their number, 0
 * at the end, -1 with ERR_BAD_REQUEST if the body is cut off, ERR_SLOW. Does not
 * store them.
 */
ssize_t req_body_some(struct request *rq, char *p, size_t n,
		      struct err *e) MUST_CHECK;

/*
 * Counts the bytes of the body for the user until the request ends, before the handler
 * of a RAW route keeps them in memory; without a length, cap. ERR_TOO_BIG beyond cap,
 * ERR_SHARE, ERR_OVERLOADED.
 */
int req_body_hold(struct request *rq, size_t cap, struct err *e) MUST_CHECK;

/* Appends all of it to b; ERR_TOO_BIG, naming what it is, beyond b's cap. */
int req_body_all(struct request *rq, struct buf *b, const char *what,
		 struct err *e) MUST_CHECK;

#endif
