/* SPDX-License-Identifier: MIT */
/*
 * A request of the OpenAI server as it is read, part by part: chat_openai.c has the
 * routes, openai_tools.c what its client's own tools need, openai_ask.c what both do.
 */
#ifndef API_OPENAI_H
#define API_OPENAI_H

#include "base/buf.h"
#include "route.h"
#include "turn/turn.h"

struct openai_ask {
	struct turn_request in;
	struct str model;		/* as in the request */
	bool stream, want_usage;
	json_t *generation;		/* the option of that name */
	struct buf ignored;		/* X-Ignored-Parameters */
};

/* Whether a parameter has no effect: absent, null, false, [], {}. */
bool oai_idle(const json_t *v);

/* Adds a name to X-Ignored-Parameters. */
void oai_ignored(struct openai_ask *ask, const char *prefix, struct str name);

/*
 * Reads tools, tool_choice and parallel_tool_calls: the options client and web, and
 * members of ask->generation. ERR_INVALID_FIELD, ERR_TOO_BIG with the parameter's name.
 */
int oai_tools_read(struct request *rq, struct openai_ask *ask,
		   struct err *e) MUST_CHECK;

/* Adds the client's tools that the turn does not have to X-Ignored-Parameters. */
void oai_tools_ignored(struct openai_ask *ask, const struct turn_run *t);

/*
 * If the last messages (role tool) have the results that a turn of this model waits for,
 * makes ask the request that resumes it: 1. 0: they belong to no such turn.
 * ERR_INVALID_FIELD if results are missing, ERR_TOO_BIG.
 */
int oai_tools_resume(struct request *rq, struct openai_ask *ask,
		     struct err *e) MUST_CHECK;

/*
 * The text of a message, of any role: its content, or "" if that is absent or null.
 * ERR_INVALID_FIELD for parts that are not text.
 */
int oai_text(struct request *rq, const json_t *message, struct str *out,
	     struct err *e) MUST_CHECK;

#endif
