/* SPDX-License-Identifier: MIT */
/*
 * Tokens that identify the user to a service of the intranet: JWT (RFC 7519,
 * compact JWS of RFC 7515), new for each call and valid for about a minute.
 *
 *   {"alg":"HS256","typ":"JWT"[,"kid":…]}
 *   {"iss","aud","sub": login,"uid","tenant","name","groups":[…],
 *    "iat","exp","jti"}
 *
 * HS256 is signed with a secret of both sides; EdDSA (RFC 8037) with an
 * Ed25519 key, so that a service that only verifies cannot make tokens.
 */
#ifndef AUTH_USER_TOKEN_H
#define AUTH_USER_TOKEN_H

#include "auth/identity.h"

/* ERR_CONFIG (public text) if the key is not valid for its algorithm. */
int user_token_check(const struct conf_user_token *c, struct err *e) MUST_CHECK;

/*
 * A token for who, from now_us on (wall clock). In a. ERR_CONFIG as above;
 * needs libsodium initialised. Any thread.
 */
int user_token_make(const struct conf_user_token *c,
		    const struct identity *who, int64_t now_us, struct arena *a,
		    struct str *out, struct err *e) MUST_CHECK;

/*
 * EdDSA: the public key, base64url, as `x` of a JWK has it. In a. An HS256
 * key has none: out->p is NULL.
 */
int user_token_public(const struct conf_user_token *c, struct arena *a,
		      struct str *out, struct err *e) MUST_CHECK;

#endif
