/*
 * Keys of the deployment: random bytes that all its processes and nodes share
 * through the database, so that each can verify what another one signed. Nothing
 * is configured; a key is made when it is first needed.
 */
#ifndef STORE_KEY_H
#define STORE_KEY_H

#include <pthread.h>

#include "store/store.h"

#define KEY_BYTES 32

/*
 * The key for purpose ("form"), made now if there is none. out: KEY_BYTES.
 * Two round trips the first time, then one; callers keep it. Errors of the
 * database.
 */
int key_get(struct db *db, const char *purpose, unsigned char *out,
	    struct err *e) MUST_CHECK;

/* A key that a process keeps. Its purpose is set once, before threads. */
struct key_cache {
	const char *purpose;
	pthread_mutex_t lock;	/* over the rest; never held across I/O */
	bool known;
	unsigned char key[KEY_BYTES];
};
#define KEY_CACHE(purpose_) \
	{ .purpose = (purpose_), .lock = PTHREAD_MUTEX_INITIALIZER }

/* key_get, asked for once per process. Any thread. */
int key_cached(struct key_cache *c, struct db *db, unsigned char *out,
	       struct err *e) MUST_CHECK;

/* The same without the database: false if it has not been read yet. */
bool key_peek(struct key_cache *c, unsigned char *out);

#endif
