/* SPDX-License-Identifier: MIT */
/*
 * Idempotency-Key (DESIGN 6): a repeated key gets the first answer.
 *
 * The id of the record that a request creates is derived from its key, the caller
 * and the kind of record. So the record is found by its id, whichever process
 * created it, and a key is valid as long as its record exists. The alternative, a
 * table of keys and answers, has rows that must expire and that must be written in
 * the same transaction as the record.
 *
 * draft-ietf-httpapi-idempotency-key-header: another request with a used key is
 * 422; a repetition while the first request is running may be a 409.
 *
 * In a form of the plain pages, the token is the key.
 */
#ifndef API_IDEMPOTENT_H
#define API_IDEMPOTENT_H

#include "request.h"
#include "store/conversation.h"
#include "turn/turn.h"

/*
 * 1 and the id for a record of kind ("fork"), derived from the request's key; 0 and
 * nil if it has no key; -1 with ERR_INVALID_FIELD if the key is not 1 to
 * LIM_KEY_BYTES visible characters.
 */
int idempotent_id(const struct request *rq, const char *kind, struct uuid *id,
		  struct err *e) MUST_CHECK;

/* 1 and the caller's conversation with that id; 0 if there is none; -1. */
int idempotent_conversation(struct request *rq, const struct uuid *id,
			    struct conversation *out, struct err *e) MUST_CHECK;

/*
 * Sets in->key and in->id for a request that starts a turn. Forms with the same
 * path, token and fields are the same request; a form without a token, from a
 * program, is always a new one. ERR_INVALID_FIELD as above.
 */
int idempotent_key(const struct request *rq, struct turn_request *in,
		   struct err *e) MUST_CHECK;

#endif
