/* SPDX-License-Identifier: MIT */
/*
 * The provider seam (E22-E27): neutral messages in, neutral events out.
 *
 * A provider is a const table of pure functions on bytes and JSON: it builds
 * a request from neutral messages and turns each piece of the answer into
 * events. All I/O (connections, retries, timeouts, abort) is in llm_stream
 * (lib/llm/stream.c) over lib/net/http.h. Whatever differs between servers
 * that speak the same dialect is a quirk: data in a row, not a branch.
 */
#ifndef LLM_LLM_H
#define LLM_LLM_H

#include <math.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "llm/service.h"

enum llm_role { LLM_SYSTEM, LLM_USER, LLM_ASSISTANT, LLM_TOOL };

struct llm_tool_call {
	struct str id;		/* never empty; ours where the model gave none */
	struct str name;	/* as the model said it */
	struct str args;	/* JSON text; "{}" if the model gave none,
				   "" if it was cut off before them */
	json_t *opaque;		/* members to replay verbatim (P-B11), or NULL */
};

/* An image for a model that sees (image.c). */
struct llm_image {
	const char *media_type;	/* "image/png", …: what the bytes are */
	struct str data_url;	/* "data:image/png;base64,…" */
	struct str base64;	/* the end of that */
};

/* Tokens that an image counts for: about those of the largest ones. */
enum { LLM_IMAGE_TOKENS = 1600 };

/* One message of the context. Borrowed memory; lives as long as the request. */
struct llm_message {
	enum llm_role role;
	struct str text;	/* may be empty for an assistant with calls */
	const struct llm_image *images;	/* user: in front of the text */
	size_t n_images;
	const struct llm_tool_call *calls;	/* assistant */
	size_t n_calls;
	struct str call_id, tool_name;	/* tool: which call it answers */
	bool is_error;			/* tool */
	/*
	 * Provider blocks to replay verbatim to the same provider and model
	 * (Anthropic thinking with signatures, reasoning_details): as the
	 * `done` event gave it; NULL = none. Dropped when the origin differs.
	 */
	const json_t *replay;
};

struct llm_tool {		/* a declaration */
	const char *name, *description;
	const json_t *schema;	/* JSON Schema object */
};

enum llm_tool_choice { LLM_CHOICE_AUTO, LLM_CHOICE_ANY, LLM_CHOICE_NAMED };

enum { LLM_STOPS = 4 };

/* How a request wants its answer made; what is not set is the service's. */
struct llm_params {
	double temperature, top_p, presence_penalty, frequency_penalty;
	int64_t seed;
	struct str reasoning_effort;	/* n == 0: not set */
	struct str stop[LLM_STOPS];
	size_t n_stop;
	enum llm_tool_choice tool_choice;
	struct str tool;		/* NAMED */
	int parallel_tools;		/* 1, -1: no, 0: not set */
	struct {
		bool temperature, top_p, presence_penalty, frequency_penalty;
		bool seed;
	} set;
};

/* What not every format has a place for. */
enum {
	LLM_TAKES_SEED = 1, LLM_TAKES_PENALTIES = 2, LLM_TAKES_CHOICE = 4,
	LLM_TAKES_OBJECT = 8,		/* typed output without a schema */
	LLM_TAKES_TYPED_TOOLS = 16,	/* typed output beside tools */
};

struct llm_request {
	const struct llm_service *service;
	const struct llm_params *params;	/* NULL: none */
	const struct str *system;	/* blocks in order, stable ones first */
	size_t n_system;
	const struct llm_message *messages;
	size_t n_messages;
	const struct llm_tool *tools;	/* n_tools == 0: tools not sent */
	size_t n_tools;
	/*
	 * The tools are declared but may not be called: the last answer at
	 * the cap. Keeps the cached prefix, and Anthropic wants declarations
	 * as long as the history has calls.
	 */
	bool no_tool_calls;
	int max_output_tokens;		/* 0 = the service's */
	const json_t *output_schema;	/* typed output (A1), or NULL */
	bool stream;
};

enum llm_stop {			/* E26 and what providers really send */
	LLM_STOP_NONE,		/* not said (yet) */
	LLM_STOP_END, LLM_STOP_TOOL_USE, LLM_STOP_MAX_TOKENS,
	LLM_STOP_SEQUENCE, LLM_STOP_REFUSAL, LLM_STOP_FILTER,
	LLM_STOP_PAUSE,		/* Anthropic pause_turn */
	LLM_STOP_CONTEXT,	/* context window exceeded */
};

/* "stop", "tool_calls", "length", … as finish_reason shows it (B43). */
const char *llm_stop_name(enum llm_stop s);

struct llm_usage {		/* four disjoint counters (P-D1), -1 = unknown */
	int64_t input, cache_read, cache_write, output;
	int64_t reasoning;	/* part of output; -1 = unknown */
	double cost;		/* in the provider's currency; NAN = unknown */
	bool estimated;
};

#define LLM_USAGE_UNKNOWN { .input = -1, .cache_read = -1, \
	.cache_write = -1, .output = -1, .reasoning = -1, .cost = NAN }

/* Adds what is known of u to what is known of sum. */
void llm_usage_add(struct llm_usage *sum, const struct llm_usage *u);

/* All that are known. */
int64_t llm_usage_tokens(const struct llm_usage *u);

/*
 * What the service's prices make of the counters: cached tokens count as input, the
 * rest is not known here. Without prices, what the provider says; NAN: unknown.
 */
double llm_usage_cost(const struct llm_service *s, const struct llm_usage *u);

/* Its members into the open object, null for what is unknown: inputTokens, … */
void llm_usage_members(struct jw *w, const struct llm_usage *u);

struct usage;	/* store/usage.h */

/*
 * Sets the service of a usage record, its model unless the server has named one, the
 * counters, and what they cost there.
 */
void llm_usage_record(struct usage *out, const struct llm_service *s,
		      const struct llm_usage *u);

enum llm_event_type {
	LLM_EV_TEXT,		/* text: delta */
	LLM_EV_REASONING,	/* text: delta */
	LLM_EV_REFUSAL,		/* text: delta of a refusal */
	LLM_EV_TOOL_START,	/* index, name, id: not the last word on it */
	LLM_EV_TOOL_ARGS,	/* index, text: fragment of the arguments */
	LLM_EV_TOOL_CALL,	/* index, id, name, text = whole arguments JSON,
				   bad_args, opaque; all of them right before
				   USAGE and DONE, none before an ERROR: this,
				   not `stop`, says that tools are called (P-B1) */
	LLM_EV_WARNING,		/* text: something was repaired or lost */
	LLM_EV_USAGE,		/* usage: at most once, before DONE or ERROR;
				   missing when nothing is known */
	LLM_EV_DONE,		/* stop, usage, replay, model: exactly one, last */
	LLM_EV_ERROR,		/* err: instead of DONE, last */
	LLM_EV__MAX
};

/* Name for `decode` and logs: "text", "tool-call", … */
const char *llm_event_name(enum llm_event_type t);

struct llm_event {		/* everything borrowed until the handler returns */
	enum llm_event_type type;
	struct str text;
	int index;		/* ordinal of the tool call, from 0 */
	struct str id, name;
	bool bad_args;		/* TOOL_CALL: text is not a JSON object, or
				   empty: cut off before the arguments (P-A6) */
	json_t *opaque;		/* TOOL_CALL: members to replay, or NULL */
	enum llm_stop stop;
	struct llm_usage usage;
	json_t *replay;		/* DONE: see llm_message.replay, or NULL */
	struct str model;	/* DONE: as the server named it, or empty */
	const struct err *err;
};

/*
 * Receives events in order. Returns 0 to continue; -1 stops the stream (the
 * handler has set its own error; llm_stream then returns ERR_CANCELLED unless
 * e was set).
 */
typedef int llm_handler(void *ctx, const struct llm_event *ev);

/* -- decoding without I/O: fixtures, `lamplighter decode`, fuzzers -------- */

struct llm_decoder;

/*
 * A decoder for one answer of this provider under this service's quirks
 * (service may be NULL: the row's own). Owned by the caller.
 */
struct llm_decoder *llm_decoder_new(const char *provider,
				    const struct llm_service *service,
				    struct err *e) MUST_CHECK;

/*
 * Feeds body bytes as they came, split anywhere. The first byte that is not
 * blank decides between event stream and JSON, the content type (optional,
 * before the first feed) between NDJSON and one document (P-A13). The terminal
 * event is given as soon as it is certain ([DONE], message_stop, an error);
 * later bytes are ignored. Returns -1 when the handler stopped. Upstream
 * failures are ERROR events, not errors of these functions.
 */
int llm_decoder_feed(struct llm_decoder *d, struct str bytes,
		     llm_handler *fn, void *ctx, struct err *e) MUST_CHECK;
void llm_decoder_content_type(struct llm_decoder *d, struct str content_type);

/* End of body: gives the one terminal event (P-A1) unless it was given. */
int llm_decoder_finish(struct llm_decoder *d, llm_handler *fn, void *ctx,
		       struct err *e) MUST_CHECK;
void llm_decoder_free(struct llm_decoder *d);

/* Ends the stream with an error of the transport: USAGE if known, ERROR. */
int llm_decoder_fail(struct llm_decoder *d, const struct err *why,
		     llm_handler *fn, void *ctx) MUST_CHECK;

/* Whether the terminal event was given (or the handler stopped). */
bool llm_decoder_over(const struct llm_decoder *d);

/* Whether the provider's mark of success was seen: only the end is missing. */
bool llm_decoder_finished(const struct llm_decoder *d);

/* From now on, usage that the provider does not report is estimated (P-D5). */
void llm_decoder_estimate(struct llm_decoder *d, int64_t input_tokens);

/*
 * A call whose id is already used in r's messages, or twice in the answer, gets a
 * new one: some servers count from call_0 in each answer (P-B3), and code that keeps
 * calls by id would confuse them. r is borrowed.
 */
void llm_decoder_history(struct llm_decoder *d, const struct llm_request *r);

/* Ids that we make are numbered instead of random, so output is reproducible. */
void llm_decoder_fixed_ids(struct llm_decoder *d);

/* -- requests ------------------------------------------------------------- */

/* What goes on the wire; all but the body is in the arena. */
struct llm_wire {
	const char *url;
	const char **headers;	/* "Name: value"; secret values among them */
	size_t n_headers;
	struct buf body;	/* to be released as soon as it is sent */
	int64_t tokens;		/* of input, estimated */
	unsigned repairs;	/* REPAIR_* (error.h) that would change it */
	const struct llm_tool **tools;	/* that it offers, in their order there */
	size_t n_tools;
};

/*
 * ERR_LLM_UNSUPPORTED (also for an image where llm_check_can fails),
 * ERR_LLM_NO_CREDENTIAL (B17, B18), ERR_TOO_BIG; then there is no body to
 * release.
 */
int llm_build(const struct llm_request *r, struct arena *a,
	      struct llm_wire *out, struct err *e) MUST_CHECK;

/* Whether the service can be used at all: the errors of llm_build. */
int llm_check_service(const struct llm_service *s, struct err *e) MUST_CHECK;

/*
 * The check by capability (A29): whether the service has all of can (LLM_CAN_*), and
 * its provider's format has a place for them. Asked wherever a service is bound to
 * something, listed for it, or used. ERR_CHAT_DISABLED if chat is missing, else
 * ERR_LLM_UNSUPPORTED; the public text names the service and what is missing.
 */
int llm_check_can(const struct llm_service *s, unsigned can,
		  struct err *e) MUST_CHECK;

/* Whether a file of this media type is an image that models are sent. */
bool llm_image_takes(struct str type);

/*
 * Makes *out of the bytes of an image, in a. Their start determines the type:
 * PNG, JPEG, WebP and GIF, which all dialects accept.
 * ERR_MEDIA_TYPE, and ERR_TOO_BIG beyond LIM_IMAGE_BYTES; both with a public
 * text.
 */
int llm_image_read(struct str bytes, struct arena *a, struct llm_image *out,
		   struct err *e) MUST_CHECK;

/* Checks `quirks:` of a service; NULL-safe. ERR_CONFIG names the nearest key. */
int llm_quirks_check(const char *provider, const json_t *quirks,
		     struct err *e) MUST_CHECK;

/* LLM_TAKES_* of a service's format. */
unsigned llm_takes(const struct llm_service *s);

/* Capabilities of a service as E27 shows them; new reference. */
json_t *llm_capabilities(const struct llm_service *s);

/* ceil(characters / 4), C25. */
int64_t llm_estimate_tokens(struct str s);

/* The same of a message: its text and calls, and a fixed price per image. */
int64_t llm_message_tokens(const struct llm_message *m);

/* A tool as it is sent. */
struct llm_tool_form {
	const json_t *schema;
	struct str text;	/* schema as JSON */
	int64_t tokens;		/* of name, description and schema (C25) */
};

/*
 * The forms in which these tools are sent to the service, in their order; in a.
 * They count no tokens if its format has no tools.
 */
const struct llm_tool_form *llm_tool_forms(const struct llm_service *s,
					   const struct llm_tool *tools,
					   size_t n, struct arena *a);

/* -- with I/O ------------------------------------------------------------- */

struct http_pool;
struct http_abort;

/*
 * Sends r and delivers events until the one terminal event was delivered.
 * Retries (P-A7 to P-A9) only while nothing was delivered. abort (may be NULL) ends
 * it from another thread: then ERR_CANCELLED. idle_fn (may be NULL) is called
 * about every idle_ms of silence and when watch_fd (-1 = none) becomes
 * readable; it may return -1 to stop.
 * The handler, idle_fn and flush_fn run on another thread while the caller
 * waits (http.h) and must not block: where they would have to, idle_fn and
 * flush_fn return HTTP_STALL, and stall_fn does it in the caller's thread.
 * Returns 0 when DONE was delivered; -1 with e set when the stream failed:
 * the handler then has seen LLM_EV_ERROR with the same error.
 */
struct llm_io {
	struct http_pool *http;
	struct http_abort *abort;
	int watch_fd;
	int idle_ms;
	int (*idle_fn)(void *ctx);
	int (*flush_fn)(void *ctx);	/* after each batch of events that one
					   upstream read gave; may return
					   HTTP_LATER; may be NULL */
	void (*stall_fn)(void *ctx);	/* see above; may be NULL */
	/* In the caller's thread, each time a request is on its way, beside
	   the handler: http_request.meanwhile and sends_first. May be NULL. */
	void (*meanwhile_fn)(void *ctx);
	bool sends_first;
};
int llm_stream(const struct llm_request *r, const struct llm_io *io,
	       struct arena *a, llm_handler *fn, void *ctx,
	       struct err *e) MUST_CHECK;

/*
 * Print the provider table (name, dialect, "key" needed, "decode" only or "-",
 * URL, title) and the quirk table (name, values, meaning), tab separated: `list providers`.
 */
void llm_print_providers(struct buf *out);
void llm_print_quirks(struct buf *out);

#endif
