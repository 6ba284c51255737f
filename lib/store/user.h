/* SPDX-License-Identifier: MIT */
/* Users, as seen at their last visit: for listings and token commands. */
#ifndef STORE_USER_H
#define STORE_USER_H

#include "store/store.h"

/*
 * Updates (or inserts) the user's name and last_seen_us. One round trip; call
 * it off the latency path (after a turn's begin, or after the response), and at
 * most every few minutes per user.
 */
int store_user_touch(struct db *db, const struct owner *o, struct str login,
		     struct str name, struct err *e) MUST_CHECK;

struct user_seen {
	struct str login, name;		/* name.p == NULL: none known */
};

/*
 * Finds users of the tenant whose name (in any case) or login begins with q,
 * which is not empty: at most max, by name. Reads some keys of two indexes.
 * Texts in a.
 */
int store_user_find(struct db *db, struct str tenant_id, struct str q, size_t max,
		    struct arena *a, struct user_seen **out, size_t *n,
		    struct err *e) MUST_CHECK;

/* The user with this login. ERR_NOT_FOUND. Texts in a. */
int store_user_named(struct db *db, struct str tenant_id, struct str login,
		     struct arena *a, struct user_seen *out,
		     struct err *e) MUST_CHECK;

#endif
