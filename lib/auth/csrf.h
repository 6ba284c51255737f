/* SPDX-License-Identifier: MIT */
/*
 * Whether a write really comes from our page.
 *
 * A browser adds what the web server authenticates (Basic, Kerberos, client
 * certificates, a proxy's session) to any request, also to one that a foreign
 * site made. So a write of such an identity needs a proof that a foreign page
 * cannot give. A bearer token is never added by a browser by itself: no proof.
 * An anonymous caller has nothing to steal, but a foreign site still may not
 * write on their behalf if the browser reports it as foreign.
 *
 * Evidence, in this order: an Origin equal to the configured server.origin is
 * ours. Sec-Fetch-Site: same-origin and none are ours, all else is foreign.
 * Origin against Host (browsers send no Sec-Fetch-Site over plain HTTP): equal
 * host and port are ours, all else is foreign. Without any of these, a custom
 * header (X-Requested-With) is a proof for command-line clients: a foreign page
 * cannot add it without a preflight, which we never answer.
 */
#ifndef AUTH_CSRF_H
#define AUTH_CSRF_H

#include "auth/identity.h"

enum csrf_evidence { CSRF_NONE, CSRF_OURS, CSRF_FOREIGN };

/* What the headers say. origin is server.origin, "" = none. Any thread. */
enum csrf_evidence csrf_evidence(const struct auth_request *rq,
				 const char *origin);

/*
 * 0 if the write is allowed, else -1 with ERR_CSRF. Only for routes that change
 * something; safe methods need no check.
 */
int csrf_check(const struct conf *c, const struct identity *who,
	       const struct auth_request *rq, struct err *e) MUST_CHECK;

#endif
