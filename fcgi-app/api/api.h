/*
 * The handlers, one file per noun. Each returns 0 with the answer in rs, or -1
 * with e set; see route_handler. What a resource takes and gives is written
 * over its handler and in docs/openapi.yaml.
 */
#ifndef API_API_H
#define API_API_H

#include "route.h"
#include "store/store.h"

#define ROUTE_AT(mount, m, pattern, fn, flags, permission, query, cap, summary) \
	int fn(struct request *rq, struct response *rs, struct err *e);
#include "routes.def"
#undef ROUTE_AT

/*
 * The conversation that the path names, the caller's own; below an agent it
 * must be that agent's (B36). One that a dead process left answering is closed
 * first, so that nobody sees it busy for ever. ERR_NOT_FOUND.
 */
struct conversation;
int conversation_of_path(struct request *rq, struct conversation *c,
			 struct err *e) MUST_CHECK;

#endif
