/* People who used the system: written for listings and token commands. */
#ifndef STORE_USER_H
#define STORE_USER_H

#include "store/store.h"

struct user {
	struct uuid id;
	struct str login;	/* as the web server or the token says */
	struct str name;	/* display name; p == NULL: none known */
	int64_t first_seen_us, last_seen_us;
};

/* The owner of a login name in a tenant. tenant_id stays borrowed. */
struct owner owner_of(struct str tenant_id, struct str login);

/*
 * Notes that the user is here: inserts or updates name and last_seen_us. One
 * round trip; call it off the latency path (after a turn's begin, or after the
 * response), and not more often than every few minutes per user.
 */
int user_touch(struct db *db, const struct owner *o, struct str login,
	       struct str name, struct err *e) MUST_CHECK;

/* By id. ERR_NOT_FOUND. Text in a. */
int user_get(struct db *db, const struct owner *o, struct arena *a,
	     struct user *out, struct err *e) MUST_CHECK;

#endif
