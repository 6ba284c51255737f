/* SPDX-License-Identifier: MIT */
/*
 * The inside of the decoder, for the dialects. A dialect reads JSON and calls
 * dec_*; everything that all providers share is behind those: framing, repair
 * of broken text, the <think> splitter, assembling tool calls, usage, the one
 * terminal event.
 */
#ifndef LLM_DECODER_H
#define LLM_DECODER_H

#include "llm/error.h"
#include "llm/provider.h"
#include "net/sse.h"

#define CALL_NO_KEY (-1)

/* A UTF-8 sequence or surrogate pair that the next delta may complete (P-C7). */
struct dec_carry {
	char bytes[4];
	unsigned n;
	unsigned surrogate;	/* a high one waiting, or 0 */
};

struct dec_call {
	int key;		/* the provider's index, or CALL_NO_KEY */
	struct buf id, name, args;
	struct dec_carry carry;	/* of args */
	struct buf last;	/* fragment, while each begins with the one before */
	bool no_snapshots;	/* one did not */
	json_t *opaque;		/* members to replay (P-B11), or NULL */
	bool started;		/* TOOL_START was given */
};

enum dec_channel { CH_TEXT, CH_REASONING, CH_REFUSAL, CH__MAX };

enum dec_framing {
	FRAME_UNKNOWN, FRAME_SSE, FRAME_NDJSON, FRAME_JSON, FRAME_HTML,
};

/* The bytes around the text of the last pure text delta; see decoder.c. */
struct dec_template {
	struct buf prefix, suffix, name;
	struct buf tmp;		/* a text without its escapes */
	bool set;
	bool loose;		/* suffix has no string: blanks in it may vary */
	int slot;
	unsigned n_wasted;	/* learned in a row without a hit */
};

struct llm_decoder {
	const struct provider *provider;
	const struct llm_dialect *dialect;
	struct quirks q;
	const char *model;	/* the service's, or "" (P-B12) */
	const char *url;	/* the service's, or "" (P-B12) */
	bool fast;		/* the template is used */
	bool fixed_ids;		/* minted ids count instead of being random */
	const struct llm_request *request;	/* whose ids are taken, or NULL */

	enum dec_framing framing;
	bool ndjson_type;	/* the content type says NDJSON */
	bool not_lines;		/* "NDJSON" that turned out a document */
	struct sse_reader reader;
	struct buf body;	/* until framing is known; the document */
	char head[161];		/* start of the body, for messages (P-A12) */
	size_t n_head;
	uint64_t n_bytes;

	llm_handler *fn;	/* of the feed that is running */
	void *ctx;
	bool stopped;		/* the handler said so */
	bool terminal;		/* DONE or ERROR was given */

	bool finished;		/* the provider's success mark was seen (P-A1) */
	enum llm_stop stop;
	bool refused;
	bool has_image;		/* dec_image has said so */
	struct llm_usage usage;
	bool output_final;	/* usage.output is not a placeholder (P-D2) */
	int64_t est_input;	/* -1 = do not estimate (P-D5) */
	uint64_t n_chars;	/* given so far, for the estimate */
	uint64_t n_out_bytes;	/* against LIM_ANSWER_BYTES */
	struct buf reported_model;

	struct dec_call *calls;
	int n_calls;
	struct dec_carry carry[CH__MAX];
	bool repaired;		/* this payload was repaired */
	unsigned n_repaired, n_lost;

	bool thinking;		/* inside <think> */
	bool think_open;	/* <think> may still come */
	bool think_trim;	/* swallow line ends after </think> */
	struct buf held;	/* possible part of a tag */

	struct buf reasoning;	/* whole, where it is replayed */
	json_t *opaque;		/* openai: members of the message to replay */
	struct dec_block *blocks;	/* anthropic */
	int n_blocks;
	bool started;		/* anthropic: message_start came … */
	struct buf message_id;	/* … with this id */
	bool has_choice;	/* openai: one with a delta came … */
	bool has_reason;	/* … and finish_reason, even if it was null */
	bool usage_alone;	/* a chunk had usage and no choice */
	json_t *replay;

	struct llm_fault fault;	/* of an error in the stream */
	struct err err;		/* its error */
	struct dec_template tmpl;
};

/* Deltas. Empty ones are ignored. */
void dec_text(struct llm_decoder *d, struct str s);
void dec_reasoning(struct llm_decoder *d, struct str s);
void dec_refusal(struct llm_decoder *d, struct str s);

/* An image in the answer: the text says so, once. */
void dec_image(struct llm_decoder *d);

/*
 * Add the next part of a text that a dialect keeps, or a whole text, as dec_text
 * would deliver it. A dialect never keeps strings of the document itself, because
 * that may be repaired (repair.h).
 */
void dec_add(const struct llm_decoder *d, struct buf *to,
	     struct dec_carry *carry, struct str s);
void dec_whole(const struct llm_decoder *d, struct buf *to, struct str s);

/* A value of the document that may be kept: itself or a clean copy. New reference. */
json_t *dec_keep(const struct llm_decoder *d, json_t *j);

/*
 * A token count: dflt if there is none, or if it is implausible, so that sums
 * never overflow.
 */
int64_t dec_count(const json_t *o, const char *key, int64_t dflt);

/* The server's name for the model; the last non-empty one stays. */
void dec_model(struct llm_decoder *d, struct str s);

/*
 * The call to which a fragment belongs (P-B2 to P-B4, P-B7): key is the provider's
 * index or CALL_NO_KEY; id and name may be empty. NULL when there are too many
 * (the stream has then failed).
 */
struct dec_call *dec_call(struct llm_decoder *d, int key, struct str id,
			  struct str name);
/* Always a new call, for wire formats that send whole calls. */
struct dec_call *dec_call_new(struct llm_decoder *d, int key, struct str id,
			      struct str name);
void dec_call_args(struct llm_decoder *d, struct dec_call *c, struct str s);
/* Arguments in any form: string, object, null, absent (P-B8). */
void dec_call_args_json(struct llm_decoder *d, struct dec_call *c,
			const json_t *args);

/* {"provider":…,"model":…} plus url where one is configured (P-B12). */
json_t *dec_origin(const struct llm_decoder *d);

/* Ends the stream with an error; the first one stays. */
void dec_fail(struct llm_decoder *d, enum err_code code, const char *text);
/* The same from a provider's error object, in any shape (P-A3). */
void dec_fail_json(struct llm_decoder *d, json_t *j);

/*
 * The prompt tokens that are charged in full. Most providers include cached
 * tokens in the prompt tokens (P-D1), but some (Grok at Azure) do not: if there are
 * more cached tokens than prompt tokens, prompt is already that number. prompt
 * may be -1, unknown.
 */
int64_t dec_uncached(int64_t prompt, int64_t cached);

/* The stream is over ([DONE], message_stop, done:true): terminal event now. */
void dec_end(struct llm_decoder *d);

/* For tests and measurements: use or do not use the template. */
void llm_decoder_fast(struct llm_decoder *d, bool on);

/* The fault behind an ERROR event. Borrowed. */
const struct llm_fault *llm_decoder_fault(const struct llm_decoder *d);

/* Payloads so far: keep-alive comments are not among them. */
uint64_t llm_decoder_events(const struct llm_decoder *d);

#endif
