/*
 * Idempotency-Key (DESIGN 6): a repeated key gives the first answer.
 *
 * The id of what a request with a key creates is derived from the key: it is the
 * same for this caller, kind of record and key. So the record is found again by its
 * id, whichever process made it, and a key is valid as long as its record exists.
 * The alternative, a table of keys and answers, has rows that must expire and that
 * must be written in the same transaction as the record.
 *
 * draft-ietf-httpapi-idempotency-key-header: another request with a used key is
 * 422; a repetition while the first request is running may be a 409.
 *
 * A form of the plain pages has its key in it: its token.
 */
#ifndef API_IDEMPOTENT_H
#define API_IDEMPOTENT_H

#include "request.h"
#include "store/conversation.h"
#include "turn/turn.h"

/*
 * 1 and the id for a record of kind ("fork") that follows from the request's key, 0
 * and nil if it has no key; -1 with ERR_INVALID_FIELD if the key is not 1 to
 * LIM_KEY_BYTES visible characters.
 */
int idempotent_id(const struct request *rq, const char *kind, struct uuid *id,
		  struct err *e) MUST_CHECK;

/* 1 and the caller's conversation, 0 when there is none of that id, -1. */
int idempotent_conversation(struct request *rq, const struct uuid *id,
			    struct conversation *out, struct err *e) MUST_CHECK;

/*
 * The key of a request that starts a turn: in->key and in->id. Forms with the same
 * path, token and fields are the same request; a form without a token, from a
 * program, is always new. ERR_INVALID_FIELD as above.
 */
int idempotent_key(const struct request *rq, struct turn_request *in,
		   struct err *e) MUST_CHECK;

#endif
