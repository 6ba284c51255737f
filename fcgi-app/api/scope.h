/*
 * What handlers need to know about the caller: the owner of the data, and the visible
 * workspaces and agents. Missing and inaccessible ones give the same answer.
 */
#ifndef API_SCOPE_H
#define API_SCOPE_H

#include "agent/target.h"
#include "request.h"

/* A workspace that the caller sees, of a file or a row; NULL with ERR_NOT_FOUND. */
const struct workspace *scope_workspace(const struct request *rq,
					struct str id, struct err *e);

/* An agent of w; id.p == NULL: the default one. NULL with ERR_NOT_FOUND. */
const struct agent *scope_agent(const struct request *rq,
				const struct workspace *w, struct str id,
				struct err *e);

/*
 * The workspace and agent that the path names ("workspace", "agent"), where it
 * does; *w and *a are NULL where not. ERR_NOT_FOUND.
 */
int scope_path(const struct request *rq, const struct workspace **w,
	       const struct agent **a, struct err *e) MUST_CHECK;

/*
 * The service that would answer this caller with the agent (may be NULL), for
 * records; NULL where none would. The caller's own is read once for a request.
 */
const struct llm_service *scope_service(struct request *rq,
					const struct workspace *w,
					const struct agent *a);

/* Whether turns of the agent would have tools for the web (C30). */
bool scope_web(struct request *rq, const struct workspace *w,
	       const struct agent *a);

/*
 * The number of a message of the path's conversation, by the id that key has.
 * ERR_INVALID_FIELD naming key; another conversation's is ERR_NOT_FOUND.
 */
int scope_message(struct request *rq, struct str id, const char *key,
		  int64_t *seq, struct err *e) MUST_CHECK;

#endif
