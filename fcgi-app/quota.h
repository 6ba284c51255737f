/* SPDX-License-Identifier: MIT */
/*
 * What a request takes of what all users share, counted for the one who asks: turns,
 * places at the web server, bodies, bytes in memory and in the store. The limits of the
 * process and of one user are here, lib/hold counts.
 */
#ifndef APP_QUOTA_H
#define APP_QUOTA_H

#include "places.h"
#include "request.h"

/* For whom the caller is counted: those who are not signed in, by their address. */
struct uuid quota_user(const struct request *rq);

/*
 * The limits of the process and of one user, by kind. SHARE_STORING has none here: what
 * is stored counts with it (hold/stored.h).
 */
struct share_limit quota_limit(const struct request *rq, enum share_kind kind);

/*
 * Takes one unit for the caller, up to quota_limit; the errors of share_take. The
 * caller returns it. Only after an AUTH gate.
 */
int quota_take(const struct request *rq, enum share_kind kind,
	       struct share_part *part, struct err *e) MUST_CHECK;

/*
 * Takes a place for the caller, at most limits.user_share of those of this process,
 * into *part; false: there is none. Return it with share_give. After an AUTH gate.
 */
bool quota_take_place(struct request *rq, enum place_kind kind,
		 struct share_part *part);

/*
 * Takes room for `more` bytes that the request is going to store, until it ends: the
 * errors of hold_take. Once per request.
 */
int quota_store(struct request *rq, int64_t more, struct err *e) MUST_CHECK;

/*
 * The same for a body of unknown length, of which more has come: takes room for `more`
 * bytes instead. Nothing if the request has taken none, because nothing is limited.
 */
int quota_store_on(struct request *rq, int64_t more, struct err *e) MUST_CHECK;

#endif
