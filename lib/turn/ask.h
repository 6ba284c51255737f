/*
 * One call of a model outside of the tool loop: an instruction, an input, and
 * an answer, as text or as a JSON value that fits a schema. What it costs is
 * a usage record with the stamps of its instructions, like any turn's. The title
 * of a conversation and POST /complete use it, and so should everything else that
 * asks a model once.
 */
#ifndef TURN_ASK_H
#define TURN_ASK_H

#include <stdatomic.h>

#include "llm/llm.h"
#include "prompt/builtin.h"
#include "store/usage.h"
#include "turn/turn.h"

struct llm_ask {		/* all borrowed for the time of the call */
	const struct turn_deps *deps;	/* http and live (may be NULL) of it */
	const struct llm_service *service;
	enum usage_kind kind;
	const char *layer;		/* of the prompt's stamp: "title", … */
	const struct prompt_text *prompt;	/* NULL = none */
	bool guardrails;	/* in front of it: the input is of others */
	struct str input;
	const struct llm_image *images;	/* in front of that; the service must see */
	size_t n_images;
	/*
	 * The answer is to be one JSON value that fits. A schema that
	 * schema_supported refuses must not come here. NULL = text.
	 */
	const json_t *schema;
	int max_output_tokens;		/* 0 = the service's */
	size_t max_bytes;		/* of the answer */
	int deadline_ms;		/* for all of it; 0 = the service's own */
	/* Nobody waits for it: no retries, and no thinking that is paid for. */
	bool aside;
	bool stream;			/* the answer is asked for as a stream */
	/* Whose end ends the call; NULL = an id of its own, and one of its own. */
	const struct uuid *id;
	struct http_abort *abort;
	const atomic_bool *stop;	/* the same, looked at now and then; or NULL */
};

struct llm_reply {
	struct str text;	/* the last answer; in the arena */
	json_t *value;		/* with a schema: it; kept by the arena */
	enum llm_stop stop;
	struct llm_usage spent;	/* by all calls */
	bool interrupted;	/* the process is being stopped */
	/*
	 * What it cost, complete but for where it belongs: workspace, agent,
	 * conversation and turn are the caller's to set. In the arena.
	 */
	struct usage usage;
};

/*
 * Asks. If the answer does not fit the schema, it is sent back once, with what is
 * wrong with it. turn_live_cancel (of *id) and a shutdown end a running call.
 * Blocks; no database connection is held. *out is complete, whether the call
 * succeeded or not.
 * The errors of llm_stream; ERR_UPSTREAM_FILTER if the model or its provider
 * declined; ERR_UPSTREAM_PROTOCOL for an answer that does not fit (with a public
 * text) or is longer than max_bytes; ERR_UPSTREAM_TIMEOUT after the deadline;
 * ERR_CANCELLED.
 */
int turn_ask(const struct llm_ask *q, struct arena *a, struct llm_reply *out,
	     struct err *e) MUST_CHECK;

/*
 * Stores the usage of a call, whether it succeeded or not; nothing if the model was
 * not called at all. A failure is only logged, because the answer is there.
 */
void turn_ask_record(struct db *db, const struct owner *o,
		     const struct llm_reply *r);

#endif
