/* SPDX-License-Identifier: MIT */
/*
 * One model call outside the tool loop: an instruction and an input in, an
 * answer out, as text or as a JSON value that fits a schema. Its cost is
 * recorded like a turn's, with the stamps of its instructions. Everything that
 * asks a model a single question uses it: titles, POST /complete, tools such as
 * translate, the trial of a service (all by turn_ask), and scanned pages.
 */
#ifndef PROMPT_ASK_H
#define PROMPT_ASK_H

#include <stdatomic.h>

#include "llm/llm.h"
#include "prompt/builtin.h"
#include "store/usage.h"

struct http_pool;	/* net/http.h */

struct prompt_ask {		/* everything is borrowed for the call */
	struct http_pool *http;
	const struct llm_service *service;
	enum usage_kind kind;
	const char *layer;		/* layer of the prompt's stamp: "title",
					   … */
	const struct prompt_text *prompt;	/* NULL = none */
	bool guardrails;	/* prepend the guardrails: the input is
				   untrusted */
	struct str input;
	const struct llm_image *images;	/* sent before the input; needs a
					   service with vision */
	size_t n_images;
	/*
	 * The answer must be one JSON value that fits this schema, which
	 * schema_supported must accept. NULL = plain text.
	 */
	const json_t *schema;
	int max_output_tokens;		/* 0 = the service's limit */
	size_t max_bytes;		/* limit of the answer */
	int deadline_ms;		/* for all calls together; 0 = the
					   service's timeout */
	/* Background work: no retries, no paid reasoning. */
	bool aside;
	bool stream;			/* request a streamed answer */
	struct http_abort *abort;	/* ends a running call; or NULL */
	const atomic_bool *stop;	/* the same, looked at now and then; or NULL */
	/*
	 * Called now and then while the answer is awaited, in the caller's
	 * thread: it may block. NULL = nothing to do.
	 */
	void (*tick)(void *ctx);
	void *tick_ctx;
};

struct prompt_reply {
	struct str text;	/* the last answer; in the arena */
	json_t *value;		/* with a schema: the parsed answer; owned by
				   the arena */
	enum llm_stop stop;
	struct llm_usage spent;	/* sum over all calls */
	bool interrupted;	/* the end of the process ended the call */
	/*
	 * The usage record. The caller still has to set workspace, agent,
	 * conversation and turn. In the arena.
	 */
	struct usage usage;
};

/*
 * Asks the model. An answer that does not fit the schema is sent back once with
 * the reason. Reasoning that a server mixes into the answer is left out. Blocks; holds
 * no database connection. *out is filled in on success
 * and on failure. Any thread.
 * Errors: those of llm_stream; ERR_UPSTREAM_FILTER if the model or its provider
 * refuses; ERR_UPSTREAM_PROTOCOL if the answer does not fit the schema (with a
 * public text) or exceeds max_bytes; ERR_UPSTREAM_TIMEOUT at the deadline;
 * ERR_CANCELLED.
 */
int prompt_ask(const struct prompt_ask *q, struct arena *a, struct prompt_reply *out,
	    struct err *e) MUST_CHECK;

/*
 * Stores the usage of a call, successful or not; stores nothing if the model
 * was not called. Failures are only logged, because the caller has its answer.
 */
void prompt_ask_record(struct db *db, const struct owner *o,
		       const struct prompt_reply *r);

#endif
