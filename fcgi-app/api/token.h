/* SPDX-License-Identifier: MIT */
/* API tokens as a resource: their special handling. */
#ifndef API_TOKEN_H
#define API_TOKEN_H

#include "request.h"
#include "resource/resource.h"

/*
 * Gives a new token its secret and the rights of the caller: their login and their
 * current groups. ERR_FORBIDDEN for callers who did not sign in, because a token
 * must not create others that outlive it; ERR_INVALID_FIELD; ERR_CONFLICT beyond
 * about LIM_TOKENS: two concurrent requests may both find room.
 */
int api_token_made(struct request *rq, struct resource_row *row,
		   struct str *secret, struct err *e) MUST_CHECK;

#endif
