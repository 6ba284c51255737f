/* SPDX-License-Identifier: MIT */
#include "store/key.h"

#include <sodium.h>
#include <string.h>

#include "base/clock.h"
#include "store/stmt.h"

#include "base/banned.h"

/* Returns 1 if the key was found; 0 if there is none; -1. */
static int load_key(struct db *db, const char *purpose, unsigned char *out,
		    struct err *e)
{
	struct arena a = ARENA_INIT;
	struct str secret;
	int n = db_text(db, STMT_KEY_GET, DB_ARGS(DB_S(str_of(purpose))), &a,
			&secret, e);

	if (n == 1 && secret.n != KEY_BYTES)
		n = err_set(e, ERR_DB, "the key %s has %zu bytes", purpose,
			    secret.n);
	if (n == 1)
		memcpy(out, secret.p, KEY_BYTES);
	arena_release(&a);
	return n;
}

static int read_or_make(struct db *db, const char *purpose, unsigned char *out,
			struct err *e)
{
	unsigned char fresh[KEY_BYTES];
	struct str secret = { (const char *)fresh, sizeof(fresh) };
	int n = load_key(db, purpose, out, e);

	if (n)
		return n < 0 ? -1 : 0;
	randombytes_buf(fresh, sizeof(fresh));
	/* The first process to insert makes the key for all. */
	if (db_exec(db, STMT_KEY_INSERT,
		    DB_ARGS(DB_S(str_of(purpose)), DB_B(secret),
			    DB_I(clock_now_us())), NULL, e) < 0) {
		if (e->code != ERR_DB_DUPLICATE)
			return -1;
		err_clear(e);
	}
	sodium_memzero(fresh, sizeof(fresh));
	n = load_key(db, purpose, out, e);
	if (n == 0)
		return err_set(e, ERR_DB_RETRY, "the key %s comes and goes",
			       purpose);
	return n < 0 ? -1 : 0;
}

bool key_peek(struct key_cache *c, unsigned char *out)
{
	bool known;

	pthread_mutex_lock(&c->lock);
	known = c->known;
	if (known)
		memcpy(out, c->key, KEY_BYTES);
	pthread_mutex_unlock(&c->lock);
	return known;
}

int key_cached(struct key_cache *c, struct db *db, unsigned char *out,
	       struct err *e)
{
	if (key_peek(c, out))
		return 0;
	if (read_or_make(db, c->purpose, out, e) < 0)
		return -1;
	pthread_mutex_lock(&c->lock);
	memcpy(c->key, out, KEY_BYTES);
	c->known = true;
	pthread_mutex_unlock(&c->lock);
	return 0;
}
