/* SPDX-License-Identifier: MIT */
/*
 * plan.h - what will be answered, neutral: pieces (reasoning, text, tool
 * calls) cut into tokens that are already escaped for JSON, plus everything
 * that is to go wrong. Made by a script or by the conversational rules; the
 * wire formats only put their frame around it.
 */
#ifndef DEMO_PLAN_H
#define DEMO_PLAN_H

#include "demo-llm/ask.h"
#include "demo-llm/script.h"

#include <stdint.h>

enum piece_kind { PIECE_REASONING, PIECE_TEXT, PIECE_CALL };

/* One token: a range of the piece's escaped bytes. */
struct tok {
	uint32_t off, len;
};

struct piece {
	enum piece_kind kind;
	const char *esc;	/* text or arguments as JSON string content */
	size_t esc_len;
	const struct tok *tok;
	size_t ntok;		/* distinct tokens */
	uint64_t count;		/* tokens to send; > ntok starts again */
	const char *id, *name;	/* of a call */
	const json_t *args;	/* of a call: what an object wire sends */
	size_t nth;		/* number of the call in the answer */
};

struct plan {
	struct arena *a;
	struct piece *piece;
	size_t n;
	const char *finish;	/* in OpenAI's words; NULL: by the pieces */
	json_t *usage;		/* see script.h */
	struct fault fault;	/* on only when it is to happen */
	long stall_after, cut_after, garbage_after;
	double rate;
	long first_byte_ms, chunk_bytes;
	bool html, empty, no_done;
	uint64_t tokens;	/* of all pieces */
	uint64_t reasoning_tokens;
};

/*
 * An empty plan: answers "" with finish "stop", at once. Everything is made in
 * the arena or borrowed from what lives as long.
 */
void plan_init(struct plan *p, struct arena *a);

/* Appends a piece of text cut into words; nothing when text is "". */
void plan_text(struct plan *p, enum piece_kind kind, const char *text);

/*
 * Appends a tool call; args is any JSON, NULL is {}; a string is sent as it is,
 * so that broken arguments can be tested. id NULL or "": the wire mints one.
 */
void plan_call(struct plan *p, const char *id, const char *name,
	       json_t *args);

/* Cuts text to max tokens with finish "length"; for max 0 does nothing. */
void plan_limit(struct plan *p, uint64_t max);

/* Fills p from the script s (the caller has chosen the `then` of the round). */
void plan_script(struct plan *p, const struct script *s);

/* Appends all text of a piece, escaped, without quotes. */
void piece_text(const struct piece *piece, struct out *o);

#endif
