/*
 * API tokens that were looked up within the last second, so that a page is not
 * asked for twice. By the hash of their text; what is not in force is never
 * kept. So a token that was revoked, by whichever process, is refused a second
 * later at the latest; at once where app_token_cache_forget is told.
 */
#ifndef APP_TOKEN_CACHE_H
#define APP_TOKEN_CACHE_H

#include "store/token.h"

struct token_cache;

/* Empty. Owned: app_token_cache_free, which takes NULL. */
struct token_cache *app_token_cache_new(void);
void app_token_cache_free(struct token_cache *c);

/* As token_find, which it asks for what it does not know. Any thread. */
int app_token_cache_find(struct token_cache *c, struct db *db, struct str text,
			 struct arena *a, struct token *out,
			 struct err *e) MUST_CHECK;

/* A token was revoked here: nothing that is known now holds. Any thread. */
void app_token_cache_forget(struct token_cache *c);

#endif
