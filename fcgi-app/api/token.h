/* API tokens as a resource: what is odd about them. */
#ifndef API_TOKEN_H
#define API_TOKEN_H

#include "request.h"
#include "resource/resource.h"

/*
 * Gives a new token its secret, and the rights of the caller: their login and
 * the groups that they have now. ERR_FORBIDDEN for who did not sign in: one
 * token must not make others that outlive it; ERR_INVALID_FIELD; ERR_CONFLICT beyond
 * LIM_TOKENS, about: two that come at once may both find room.
 */
int token_made(struct request *rq, struct resource_row *row,
	       struct str *secret, struct err *e) MUST_CHECK;

#endif
