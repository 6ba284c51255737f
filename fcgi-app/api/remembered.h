/* SPDX-License-Identifier: MIT */
/*
 * What the user does to what is remembered of the conversation in the path (memory.c), for
 * the API and the plain pages. Errors as there.
 */
#ifndef API_REMEMBERED_H
#define API_REMEMBERED_H

#include "request.h"
#include "resource/call.h"

/*
 * Makes an item or assumption of the agent state an entity of the conversation's project: a
 * task unless another kind is named. Doing it again gives the same one. *r: its resource.
 * ERR_NOT_FOUND: no such item; ERR_CONFLICT without a project; ERR_INVALID_FIELD (kind); as
 * for creating it.
 */
int remembered_promote(struct request *rq, struct str id, struct str kind,
		       const struct resource **r, struct resource_answer *out,
		       struct err *e) MUST_CHECK;

/* Sets the summary; an empty one: none. ERR_INVALID_FIELD (summary) if it is too long. */
int remembered_edit(struct request *rq, struct str summary, struct err *e) MUST_CHECK;

/* Removes summary, agent state, facts and all earlier versions. */
int remembered_remove(struct request *rq, struct err *e) MUST_CHECK;

#endif
