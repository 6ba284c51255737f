/* SPDX-License-Identifier: MIT */
/*
 * How a request wants its answer made: the option `generation` of turn_options.def,
 * {maxTokens, temperature, topP, seed, stop, …}, which the OpenAI server makes of the
 * parameters there. It can narrow what the agent's service has, never widen it.
 */
#ifndef CONTEXT_GENERATION_H
#define CONTEXT_GENERATION_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "llm/llm.h"
#include "context/request.h"

struct generation {
	struct llm_params params;
	int max_tokens;		/* 0: not set */
	const json_t *schema;	/* of the answer; NULL: text */
	bool no_tools;
	bool repaired;		/* the answer was sent back once */
};

/*
 * Reads the option (NULL: nothing is set); what *out points to is borrowed from it.
 * theirs: errors name OpenAI's parameters instead of members of `generation`.
 * ERR_INVALID_FIELD.
 */
int generation_read(const json_t *o, bool theirs, struct generation *out,
		    struct err *e) MUST_CHECK;

/* Takes the option of t into a request, which borrows g. */
void generation_set(struct generation *g, const struct turn_run *t,
		    struct llm_request *r);

/*
 * Whether an answer is a value of g's schema: then leaves nothing else in *text, which is
 * borrowed. In a; wrong says why not.
 */
int generation_check(const struct generation *g, struct arena *a,
		     struct str *text, struct err *wrong) MUST_CHECK;

#endif
