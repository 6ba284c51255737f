/* SPDX-License-Identifier: MIT */
/* What readers of a shared conversation get of its messages. */
#ifndef API_SHARED_H
#define API_SHARED_H

#include "request.h"
#include "store/shared.h"

/* As whom the caller reads what others share. In rq's arena. */
struct shared_reader api_shared_reader(struct request *rq);

/*
 * Leaves of a message's metadata what the share shows; cites: with the numbers by which the
 * answer cites. In rq's arena.
 */
void api_shared_reduce(struct request *rq, const struct shared *s, bool cites,
		       struct message *m);

#endif
