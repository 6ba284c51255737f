/*
 * Keys of the deployment: random bytes that all its processes and nodes share
 * through the database, so that what one of them signed another one knows.
 * Nothing is configured; the first who needs a key makes it.
 */
#ifndef STORE_KEY_H
#define STORE_KEY_H

#include "store/store.h"

#define KEY_BYTES 32

/*
 * The key for purpose ("form"), made now when there is none. out: KEY_BYTES.
 * Two round trips the first time, then one; callers keep it. Errors of the
 * database.
 */
int key_get(struct db *db, const char *purpose, unsigned char *out,
	    struct err *e) MUST_CHECK;

#endif
