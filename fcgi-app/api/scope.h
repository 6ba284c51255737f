/* SPDX-License-Identifier: MIT */
/*
 * For handlers: the owner of the data, and the workspaces and agents that the
 * caller sees. Missing and inaccessible ones are not distinguished.
 */
#ifndef API_SCOPE_H
#define API_SCOPE_H

#include "domain/target.h"
#include "request.h"

/*
 * A workspace that the caller sees, of the configuration or stored; NULL with
 * ERR_NOT_FOUND.
 */
const struct workspace *scope_workspace(const struct request *rq,
					struct str id, struct err *e);

/* An agent of w; id.p == NULL: the default one. NULL with ERR_NOT_FOUND. */
const struct agent *scope_agent(const struct request *rq,
				const struct workspace *w, struct str id,
				struct err *e);

/*
 * The workspace and agent in the path ("workspace", "agent"); *w and *a are NULL if
 * it has none. ERR_NOT_FOUND.
 */
int scope_path(const struct request *rq, const struct workspace **w,
	       const struct agent **a, struct err *e) MUST_CHECK;

/*
 * The caller's default workspace (A28) and its agent (agent.p == NULL: the default
 * one). Reads the caller's settings. ERR_NOT_FOUND; database errors.
 */
int scope_default(struct request *rq, struct str agent,
		  const struct workspace **w, const struct agent **a,
		  struct err *e) MUST_CHECK;

/*
 * The number of a message of the conversation or share `of`, by the id in field key.
 * ERR_INVALID_FIELD naming key; for a message of another one ERR_NOT_FOUND.
 */
int scope_message(const struct uuid *of, struct str id, const char *key, int64_t *seq,
		  struct err *e) MUST_CHECK;

#endif
