/* SPDX-License-Identifier: MIT */
/*
 * What the user does to what is remembered of the conversation in the path (memory.c), for
 * the API and the plain pages. Errors as there.
 */
#ifndef API_REMEMBERED_H
#define API_REMEMBERED_H

#include "request.h"

/* Sets the summary; an empty one: none. ERR_INVALID_FIELD (summary) if it is too long. */
int remembered_edit(struct request *rq, struct str summary, struct err *e) MUST_CHECK;

/* Removes summary, agent state, facts and all earlier versions. */
int remembered_remove(struct request *rq, struct err *e) MUST_CHECK;

#endif
