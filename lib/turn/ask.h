/*
 * One model call outside the tool loop: an instruction and an input in, an
 * answer out, as text or as a JSON value that fits a schema. Its cost is
 * recorded like a turn's, with the stamps of its instructions. Everything that
 * asks a model a single question (titles, POST /complete) uses it.
 */
#ifndef TURN_ASK_H
#define TURN_ASK_H

#include <stdatomic.h>

#include "llm/llm.h"
#include "prompt/builtin.h"
#include "store/usage.h"
#include "turn/turn.h"

struct llm_ask {		/* everything is borrowed for the call */
	const struct turn_deps *deps;	/* http, and live if not NULL, are used */
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
	/* Turn whose cancellation ends the call; NULL = a new id of its own. */
	const struct uuid *id;
	struct http_abort *abort;
	const atomic_bool *stop;	/* the same, looked at now and then; or NULL */
};

struct llm_reply {
	struct str text;	/* the last answer; in the arena */
	json_t *value;		/* with a schema: the parsed answer; owned by
				   the arena */
	enum llm_stop stop;
	struct llm_usage spent;	/* sum over all calls */
	bool interrupted;	/* a shutdown ended the call */
	/*
	 * The usage record. The caller still has to set workspace, agent,
	 * conversation and turn. In the arena.
	 */
	struct usage usage;
};

/*
 * Asks the model. An answer that does not fit the schema is sent back once with
 * the reason. turn_live_cancel(*id) and a shutdown end a running call. Blocks;
 * holds no database connection. *out is filled in on success and on failure.
 * Any thread.
 * Errors: those of llm_stream; ERR_UPSTREAM_FILTER if the model or its provider
 * refuses; ERR_UPSTREAM_PROTOCOL if the answer does not fit the schema (with a
 * public text) or exceeds max_bytes; ERR_UPSTREAM_TIMEOUT at the deadline;
 * ERR_CANCELLED.
 */
int turn_ask(const struct llm_ask *q, struct arena *a, struct llm_reply *out,
	     struct err *e) MUST_CHECK;

/*
 * Stores the usage of a call, successful or not; stores nothing if the model
 * was not called. Failures are only logged, because the caller has its answer.
 */
void turn_ask_record(struct db *db, const struct owner *o,
		     const struct llm_reply *r);

#endif
