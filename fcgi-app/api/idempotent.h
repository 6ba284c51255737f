/*
 * Idempotency-Key (DESIGN 6): a repeated key gives the first answer.
 *
 * What a request with a key creates has its id from the key: the same for this
 * caller, kind of thing and key. So it is found again by its id, whichever
 * process made it, and a key is good for as long as that is there. The other
 * way, a table of keys and answers, has rows that must expire, and still must
 * be written in the transaction of what they stand for.
 *
 * draft-ietf-httpapi-idempotency-key-header: another request under a key that
 * was used is 422; one that comes while the first is at work may be a 409.
 *
 * A form of the plain pages has its key in it: its token.
 */
#ifndef API_IDEMPOTENT_H
#define API_IDEMPOTENT_H

#include "request.h"
#include "store/conversation.h"
#include "turn/turn.h"

/*
 * 1 and the id that the request's key gives to a thing of kind ("fork"), 0 and
 * nil when it has no key; -1 with ERR_INVALID_FIELD when the key is not 1 to
 * LIM_KEY_BYTES visible characters.
 */
int idempotent_id(const struct request *rq, const char *kind, struct uuid *id,
		  struct err *e) MUST_CHECK;

/* 1 and the caller's conversation, 0 when there is none of that id, -1. */
int idempotent_conversation(struct request *rq, const struct uuid *id,
			    struct conversation *out, struct err *e) MUST_CHECK;

/*
 * The key of a request that starts a turn: in->key and in->id. A form is the
 * same one with the same path, token and fields; without a token, of a program,
 * it is always new. ERR_INVALID_FIELD as above.
 */
int idempotent_key(const struct request *rq, struct turn_request *in,
		   struct err *e) MUST_CHECK;

#endif
