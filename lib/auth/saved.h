/* SPDX-License-Identifier: MIT */
/*
 * An identity kept for later: for work of a user that goes on without a request of theirs.
 * What is kept is what the web server said: login, name and groups. Roles, permissions and
 * the groups of the configuration are those of the time when it is used.
 */
#ifndef AUTH_SAVED_H
#define AUTH_SAVED_H

#include "auth/identity.h"

/*
 * As JSON, in a; p == NULL for that of an API token, which may be revoked at any time: only
 * a request that shows it has its rights.
 */
struct str identity_save(const struct conf *c, const struct identity *who,
			 struct arena *a);

/*
 * The identity of such a text. In a, as identity_make. ERR_UNAUTHENTICATED: it is none of
 * this configuration, whose chain may not have its kind any more.
 */
int identity_restore(const struct conf *c, struct str kept, struct arena *a,
		  struct identity *out, struct err *e) MUST_CHECK;

#endif
