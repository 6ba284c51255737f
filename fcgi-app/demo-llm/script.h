/* SPDX-License-Identifier: MIT */
/*
 * script.h - a scripted scenario: what a test wants the model to do, as one
 * JSON object. Strictly parsed: a wrong key or type is a refusal that names it,
 * so that a typo in a test never passes as "nothing special".
 *
 * Where it comes from: header X-Demo-Script; the last user message, when it
 * begins with "!script " (what follows the object is ignored); or the model's
 * name, "script:{...}". The members are described in docs/demo-model.md.
 */
#ifndef DEMO_SCRIPT_H
#define DEMO_SCRIPT_H

#include "demo-llm/http.h"

#include <jansson.h>
#include <stdbool.h>

#define SCRIPT_DEPTH_MAX 32		/* of nested `then` */
#define SCRIPT_TOKENS_MAX 100000000

/* A scripted failure: status and body, before or within the stream. */
struct fault {
	bool on;
	int status;		/* HTTP status, 500 when not given */
	json_t *body;		/* object or text, NULL: the wire's usual one */
	json_t *retry_after;	/* number or text of Retry-After, or NULL */
	long after_tokens;	/* in the stream after so many; -1: before it */
};

/* Everything but scalars is borrowed from the JSON it was read from. */
struct script {
	const char *text, *reasoning, *narration, *finish, *id;
	long tokens;		/* generated words instead of text; -1: none */
	double rate;		/* tokens a second, 0: at once */
	long first_byte_ms, chunk_bytes;
	json_t *tool_calls;	/* [{name,args?,id?}] */
	json_t *usage;		/* object, false or NULL */
	struct fault fault;
	long stall_after, cut_after, garbage_after;	/* tokens; -1: never */
	bool html, empty, no_done;
	json_t *then;
	long fail_times;	/* the first n requests with this id fail */
};

/*
 * Reads s from the object v, its nested `then` checked too. Returns 0, or -1
 * with a refusal (400) that names the wrong member.
 */
int script_read(struct script *s, const json_t *v, struct refusal *w);

/*
 * Reads the JSON object at the start of text; what follows is ignored. Returns
 * a new reference, or NULL with a refusal. *rest, when not NULL, is set to what
 * follows the object.
 */
json_t *script_json(const char *text, const char **rest, struct refusal *w);

#endif
