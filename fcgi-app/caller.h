/* Who calls: the request as lib/auth sees it. */
#ifndef APP_CALLER_H
#define APP_CALLER_H

#include "auth/csrf.h"
#include "request.h"

/*
 * Runs the identity chain and sets rq->by; the log knows the user from here
 * on. ERR_UNAUTHENTICATED, database errors of the token look-up.
 */
int req_identify(struct request *rq, struct err *e) MUST_CHECK;

/* Whether a write comes from our own site, or needs no proof. ERR_CSRF. */
int req_check_origin(struct request *rq, struct err *e) MUST_CHECK;

/* The headers that tell where the request comes from. */
enum csrf_evidence req_origin(struct request *rq);

#endif
