/* People who used the system: written for listings and token commands. */
#ifndef STORE_USER_H
#define STORE_USER_H

#include "store/store.h"

/*
 * Notes that the user is here: inserts or updates name and last_seen_us. One
 * round trip; call it off the latency path (after a turn's begin, or after the
 * response), and not more often than every few minutes per user.
 */
int store_user_touch(struct db *db, const struct owner *o, struct str login,
		     struct str name, struct err *e) MUST_CHECK;

#endif
