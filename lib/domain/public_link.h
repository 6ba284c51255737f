/* SPDX-License-Identifier: MIT */
/*
 * Links by which a conversation is read without sign-on (shares of the kind link). A link
 * has the id of its share and a mark over tenant and id, HMAC-SHA-512-256 by a key of the
 * deployment (store/key.h): nobody can make one but the server, and nothing has to be
 * stored to recognise it, so that what is not a link costs no look into the database.
 * Everything else about it is in the row, which is read each time: whether it was revoked,
 * until when it holds, how much of the conversation it shows. So it can be given a later
 * end, and ends at once.
 */
#ifndef DOMAIN_PUBLIC_LINK_H
#define DOMAIN_PUBLIC_LINK_H

#include "auth/caller.h"

/* base64url of an id and a mark, and NUL. */
#define PUBLIC_LINK_BYTES 65

/* Makes the link of a share. Errors of the database. Any thread. */
int public_link_text(struct db *db, struct str tenant_id, const struct uuid *share,
		     char out[PUBLIC_LINK_BYTES], struct err *e) MUST_CHECK;

/* The share of a link. ERR_NOT_FOUND if it is not one of ours, and of this tenant. */
int public_link_read(struct db *db, struct str tenant_id, struct str text,
		     struct uuid *share, struct err *e) MUST_CHECK;

/*
 * For how many days a link may hold, by the settings of the tenant and the installation;
 * 0: there are no links. Errors of the database.
 */
int public_link_days(const struct conf *conf, struct db *db, struct arena *a,
		     int64_t *days, struct err *e) MUST_CHECK;

#endif
