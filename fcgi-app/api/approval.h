/*
 * Answers to what a turn waits for, for the routes of foreign protocols: their
 * clients send them within their next request.
 */
#ifndef API_APPROVAL_H
#define API_APPROVAL_H

#include "api/send.h"
#include "store/wait.h"

/*
 * Has the tool asked about again in the conversation of the path (allowed.c).
 * ERR_NOT_FOUND; ERR_FORBIDDEN for who may not decide.
 */
int allowed_revoke(struct request *rq, struct str tool,
		   struct err *e) MUST_CHECK;

/* What a client answers; rows in the request's arena. */
struct answers {
	struct turn turn;
	struct turn_wait *rows;
	size_t n_rows;
	struct turn_decision *v;	/* at most one per row */
	size_t n;
};

/*
 * What the thread that a client calls name (client_find_thread) waits for.
 * ERR_INVALID_FIELD, naming the field that has the answers, when for nothing.
 */
int answers_open(struct request *rq, const char *kind, struct str name,
		 const char *field, struct answers *a,
		 struct err *e) MUST_CHECK;

/* The open row of a call, or of an id; NULL. */
const struct turn_wait *answers_call(const struct answers *a, struct str call_id);
const struct turn_wait *answers_id(const struct answers *a, struct str id);

/*
 * Decides the approval row. arguments as they were asked about when NULL.
 * ERR_FORBIDDEN for who may not decide.
 */
int answers_decide(struct request *rq, struct answers *a,
		   const struct turn_wait *row, bool approved,
		   json_t *arguments, struct err *e) MUST_CHECK;

/*
 * The result of a call for the page, or the answer to a question; with result
 * NULL it failed, error says why, or the question stays unanswered.
 * ERR_INVALID_FIELD, ERR_TOO_BIG.
 */
int answers_result(struct request *rq, struct answers *a,
		   const struct turn_wait *row, const json_t *result,
		   struct str error, struct err *e) MUST_CHECK;

/*
 * Stores what was added and streams how the turn goes on. ERR_INVALID_FIELD
 * (messages) when nothing was; the errors of POST /turns/{t}/approvals.
 */
int answers_send(struct request *rq, struct response *rs, struct answers *a,
		 const struct send_as *as, struct err *e) MUST_CHECK;

#endif
