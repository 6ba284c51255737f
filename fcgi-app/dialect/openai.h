/* SPDX-License-Identifier: MIT */
/*
 * The parts of the OpenAI chat completions format that a stream, a plain
 * answer and an error have in common. Source: OpenAI API reference, chat
 * completions (2026-11), and openai-node 7.57.0 as its reader.
 */
#ifndef DIALECT_OPENAI_H
#define DIALECT_OPENAI_H

#include "base/err.h"
#include "base/json.h"
#include "llm/llm.h"
#include "store/source.h"
#include "turn/turn.h"

struct responses;	/* dialect/responses.h */

/* dialect_state.asked of DIALECT_OPENAI. */
struct openai_asked {
	struct str model;	/* as it was asked for; or empty */
	bool want_usage;	/* stream_options */
	bool typed;		/* response_format: the text is sent once it was checked */
	struct str page;	/* address of the page; or empty */
	struct buf *streamed;	/* collects the content that is written; or NULL */
	/* Another form of the format, which writes all events and stands on this one, and
	   its state; or NULL. */
	void (*write)(struct buf *out, const struct turn_event *ev,
		      const struct openai_asked *asked, struct str unsent);
	struct responses *responses;
};

/* id, created and model members; object is "chat.completion…". */
void dialect_openai_head(struct jw *w, const char *object, struct str asked,
			 const struct turn_run *run);

/*
 * The id of a call of the client's tool, for the client: "call_", the turn as 32 hex
 * digits, and the number of the wait. At most 40 characters, which is what OpenAI's
 * own takes. Returns out.
 */
#define OPENAI_CALL_BYTES 48
char *dialect_openai_call_id(char out[OPENAI_CALL_BYTES], const struct turn_wait *w);

/* Reads one; false for any other text. */
bool dialect_openai_call_parse(struct str id, struct uuid *turn, int64_t *position);

/* Whether a turn waits for the client (WAIT_CLIENT), among others. */
bool dialect_openai_calls(const struct turn_wait *v, size_t n);

/* Item number i of tool_calls; indexed: that of a delta (P-F5). */
void dialect_openai_call(struct jw *w, const struct turn_wait *wait, size_t i,
			 bool indexed);

/*
 * The text about all but the client's calls; p == NULL: there is no other. page: the
 * address of the page, where a person can answer; or empty. In a.
 */
struct str dialect_openai_waiting(struct arena *a, const struct turn_wait *v, size_t n,
				  struct str page, const struct uuid *conversation);

/* Our finish_reason in their list: stop, length, content_filter. */
const char *dialect_openai_finish_reason(struct str ours);

/* usage {prompt_tokens, completion_tokens, …} from our metadata's; may be NULL. */
void dialect_openai_usage(struct jw *w, const json_t *usage);

/*
 * annotations [{type: url_citation, url_citation: {start_index, end_index, url, title}}]:
 * the places of text that cite one of the n sources, if it has an address. Indices are
 * characters, as of a slice, and `before` more than in text. Without such a place, the
 * member is an empty list if `always`, else it is left out.
 */
void dialect_openai_annotations(struct jw *w, struct str text, size_t before,
				const struct source *v, size_t n, bool always);

/*
 * {message, type, param, code}. param may be "" (null); status is the HTTP
 * status that the error has or would have, for its type.
 */
void dialect_openai_error(struct jw *w, int status, struct str message,
			  const char *param, struct str code);

/* An answer that is no turn's. */
struct openai_lone {
	struct uuid id;
	int64_t created_us;
	struct str model, text;
	const char *finish_reason;	/* of OpenAI's list */
	const struct llm_usage *spent;
};

/* As chat.completion; and as the frames of a stream, to its end. */
void dialect_openai_lone(struct buf *out, const struct openai_lone *a);
void dialect_openai_lone_stream(struct buf *out, const struct openai_lone *a,
				bool want_usage);

/* The row of a wire code ("upstream_auth"); ERR_INTERNAL for an unknown one. */
enum err_code dialect_openai_err_code(struct str code);

#endif
