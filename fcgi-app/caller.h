/* SPDX-License-Identifier: MIT */
/* Identity of the caller, determined by lib/auth from the request. */
#ifndef APP_CALLER_H
#define APP_CALLER_H

#include "auth/csrf.h"
#include "request.h"

/*
 * Runs the identity chain and sets rq->by; from then on the log has the user.
 * ERR_UNAUTHENTICATED, database errors of the token look-up.
 */
int req_identify(struct request *rq, struct err *e) MUST_CHECK;

/* Checks that a write comes from our own site or needs no proof of that. ERR_CSRF. */
int req_check_origin(struct request *rq, struct err *e) MUST_CHECK;

/* What the headers tell about the origin of the request. */
enum csrf_evidence req_origin(struct request *rq);

#endif
