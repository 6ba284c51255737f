/* SPDX-License-Identifier: MIT */
/*
 * The handlers, one file per noun. Each returns 0 with the answer in rs, or -1
 * with e set; see route_handler. The comment of a handler and docs/openapi.yaml
 * describe its parameters and answers.
 */
#ifndef API_API_H
#define API_API_H

#include "route.h"
#include "store/store.h"

struct conversation;
struct turn;
struct turn_decision;
struct turn_wait;

#define ROUTE_AT(mount, m, pattern, fn, flags, permission, query, cap, summary) \
	int fn(struct request *rq, struct response *rs, struct err *e);
#include "routes.def"
#undef ROUTE_AT

/*
 * The conversation in the path, which must be the caller's own and, below an agent,
 * that agent's (B36). A turn of a dead process is closed first, so that the
 * conversation does not stay busy. ERR_NOT_FOUND.
 */
int api_conversation_of_path(struct request *rq, struct conversation *c,
			     struct err *e) MUST_CHECK;

/*
 * Deletes the conversation in the path with its messages and turns (B48), and stops
 * its running turn. ERR_NOT_FOUND.
 */
int api_conversation_remove(struct request *rq, struct err *e) MUST_CHECK;

/* The same for c, which is the caller's. */
int api_conversation_drop(struct request *rq, const struct conversation *c,
			  struct err *e) MUST_CHECK;

/*
 * Requests the job that indexes the caller's conversations, after a change. If the
 * request fails, the job runs a minute later anyway. (search.c)
 */
void api_search_again(struct request *rq);

/*
 * Stops a turn of the caller, whichever process runs it, also one that waits; *t is
 * its new state. ERR_NOT_FOUND. (turn.c)
 */
int api_turn_stop(struct request *rq, const struct uuid *id, struct turn *t,
		  struct err *e) MUST_CHECK;

/*
 * Reads an answer to the question row into d->result: {"choice":"A"},
 * {"answer":"text"} or a text. ERR_INVALID_FIELD. (approval.c)
 */
int api_wait_answer(struct request *rq, const struct turn_wait *row,
		    const json_t *result, struct turn_decision *d,
		    struct err *e) MUST_CHECK;

#endif
