/* SPDX-License-Identifier: MIT */
/* Resources over HTTP, for handlers with routes of their own. */
#ifndef API_RESOURCE_H
#define API_RESOURCE_H

#include "request.h"
#include "resource/call.h"
#include "response.h"

/*
 * Calls the verb, and answers with the record or the page: status, ETag, and for
 * 201 also Location. A request's Idempotency-Key becomes the id of a new row.
 * VERB_CREATE, VERB_PATCH: ERR_TOO_BIG if the user stores too much already (hold/stored.h).
 */
int api_resource_answer(struct request *rq, struct response *rs,
			const struct resource_call *c,
			struct err *e) MUST_CHECK;

/*
 * Answers with a row that the caller sees: its record, ETag, and for 201 also
 * Location. ERR_NOT_FOUND.
 */
int api_resource_show(struct request *rq, struct response *rs, int status,
		      const struct resource *r, const struct uuid *id,
		      struct err *e) MUST_CHECK;

/* The page of a list that the query asks for. */
int api_resource_query(struct request *rq, const struct resource *r,
		       struct resource_query *q, struct err *e) MUST_CHECK;

/* 1 and the id of a new row by the Idempotency-Key; 0: there is none; -1. */
int api_resource_key(struct request *rq, const struct resource *r,
		     struct uuid *key, struct err *e) MUST_CHECK;

/* What the confined reader says of a body is a fault of the body. Returns -1. */
int api_unreadable(struct err *e);

#endif
