/* SPDX-License-Identifier: MIT */
/*
 * Answers to what a turn waits for, for the routes of other protocols, whose
 * clients send them with their next request.
 */
#ifndef API_APPROVAL_H
#define API_APPROVAL_H

#include "api/send.h"
#include "store/wait.h"

/*
 * Revokes a tool in the conversation of the path (allowed.c). ERR_NOT_FOUND;
 * ERR_FORBIDDEN for callers who may not decide.
 */
int allowed_revoke(struct request *rq, struct str tool,
		   struct err *e) MUST_CHECK;

/* A client's answers; rows in the request's arena. */
struct answers {
	struct turn turn;
	struct turn_wait *rows;
	size_t n_rows;
	struct turn_decision *v;	/* at most one per row */
	size_t n;
};

/*
 * What the thread with the client's name waits for (client_find_thread).
 * ERR_INVALID_FIELD, with the field that has the answers, if it is not waiting.
 */
int answers_open(struct request *rq, const char *kind, struct str name,
		 const char *field, struct answers *a,
		 struct err *e) MUST_CHECK;

/* The same of a turn that was read. */
int answers_of(struct request *rq, const struct turn *t, struct answers *a,
	       struct err *e) MUST_CHECK;

/* The open row of a call, or with an id; NULL if there is none. */
const struct turn_wait *answers_call(const struct answers *a, struct str call_id);
const struct turn_wait *answers_id(const struct answers *a, struct str id);

/*
 * Decides the approval row; arguments NULL: unchanged. ERR_FORBIDDEN for callers
 * who may not decide.
 */
int answers_decide(struct request *rq, struct answers *a,
		   const struct turn_wait *row, bool approved,
		   json_t *arguments, struct err *e) MUST_CHECK;

/*
 * The result of a call for the page, or the answer to a question. result NULL: the
 * call failed with error, or the question stays unanswered. ERR_INVALID_FIELD,
 * ERR_TOO_BIG.
 */
int answers_result(struct request *rq, struct answers *a,
		   const struct turn_wait *row, const json_t *result,
		   struct str error, struct err *e) MUST_CHECK;

/*
 * The same with any text as the result of a call for the page, named field in
 * errors. ERR_CONFLICT if the request answers it twice; ERR_TOO_BIG.
 */
int answers_text(struct answers *a, const struct turn_wait *row, const char *field,
		 struct str text, struct err *e) MUST_CHECK;

/*
 * Stores the added decisions and streams the rest of the turn. ERR_INVALID_FIELD
 * (messages) if there are none; the errors of POST /turns/{t}/approvals.
 */
int answers_send(struct request *rq, struct response *rs, struct answers *a,
		 const struct send_as *as, struct err *e) MUST_CHECK;

#endif
