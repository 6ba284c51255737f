/* SPDX-License-Identifier: MIT */
/*
 * API tokens that were looked up within the last second, by the hash of their text,
 * so that a page does not look up its token for each request. Only valid tokens are
 * kept. So a token that any process revoked is refused after at most a second;
 * immediately in a process that calls token_cache_forget.
 */
#ifndef STORE_TOKEN_CACHE_H
#define STORE_TOKEN_CACHE_H

#include "store/token.h"

struct token_cache;

/* An empty cache. Owned: token_cache_free, which accepts NULL. */
struct token_cache *token_cache_new(void);
void token_cache_free(struct token_cache *c);

/* Like token_find, which it calls if the token is not cached. Any thread. */
int token_cache_find(struct token_cache *c, struct db *db, struct str text,
		     struct arena *a, struct token *out,
		     struct err *e) MUST_CHECK;

#endif
