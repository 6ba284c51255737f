/* SPDX-License-Identifier: MIT */
/*
 * Keys of the deployment: random bytes that all processes and nodes share
 * through the database, so that each can verify what another one signed. They
 * need no configuration; a key is made when it is first needed.
 */
#ifndef STORE_KEY_H
#define STORE_KEY_H

#include <pthread.h>

#include "store/store.h"

#define KEY_BYTES 32

/* A key cached by the process. Its purpose is set once, before threads start. */
struct key_cache {
	const char *purpose;
	pthread_mutex_t lock;	/* over the rest; never held across I/O */
	bool known;
	unsigned char key[KEY_BYTES];
};
#define KEY_CACHE(purpose_) \
	{ .purpose = (purpose_), .lock = PTHREAD_MUTEX_INITIALIZER }

/*
 * The key for the purpose ("form"), made if there is none; at most one read per
 * process. out: KEY_BYTES. Database errors. Any thread.
 */
int key_cached(struct key_cache *c, struct db *db, unsigned char *out,
	       struct err *e) MUST_CHECK;

/* The same without a read: false if the key is not cached yet. */
bool key_peek(struct key_cache *c, unsigned char *out);

#endif
