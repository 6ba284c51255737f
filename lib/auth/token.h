/*
 * API tokens: `lamp_` and 32 random bytes as base64url. The text is shown once
 * when it is made; stored is its BLAKE2b-256 hash, which needs no salt since
 * the text is no password but 256 random bits. Storing is lib/store's.
 */
#ifndef AUTH_TOKEN_H
#define AUTH_TOKEN_H

#include <stdbool.h>

#include "base/str.h"

#define AUTH_TOKEN_PREFIX "lamp_"
#define AUTH_TOKEN_TEXT_BYTES 49	/* prefix, 43 characters, NUL */
#define AUTH_TOKEN_HASH_BYTES 32

/* A new token's text. Any thread. */
void auth_token_make(char out[AUTH_TOKEN_TEXT_BYTES]);

/* Whether s can be a token at all: prefix, length, characters. */
bool auth_token_shape(struct str s);

/* The hash that is stored and looked up. */
void auth_token_hash(struct str text, unsigned char out[AUTH_TOKEN_HASH_BYTES]);

#endif
