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
	struct out raw;		/* the text unescaped; a call's arguments */
	struct out esc;		/* the same, escaped token by token */
	struct tok *tok;
	size_t ntok;		/* distinct tokens */
	uint64_t count;		/* tokens to send; > ntok starts again */
	char *id, *name;	/* of a call */
	json_t *args;		/* of a call: what an object wire sends */
	size_t nth;		/* number of the call in the answer */
};

struct plan {
	struct piece *piece;
	size_t n;
	char *finish;		/* in OpenAI's words */
	json_t *usage;		/* borrowed from script_root; see script.h */
	struct fault fault;	/* on only when it is to happen */
	long stall_after, cut_after, garbage_after;
	double rate;
	long first_byte_ms, chunk_bytes;
	bool html, empty, no_done;
	uint64_t tokens;	/* of all pieces */
	uint64_t reasoning_tokens;
	json_t *script_root;	/* keeps borrowed members alive */
};

/* An empty plan: answers "" with finish "stop", at once. */
void plan_init(struct plan *p);

/* Appends a piece of text cut into words; nothing when text is "". */
void plan_text(struct plan *p, enum piece_kind kind, const char *text);

/* Appends n generated words. */
void plan_words(struct plan *p, uint64_t n);

/*
 * Appends a tool call; args is any JSON (takes no reference); a string is sent
 * as it is, so that broken arguments can be tested. id NULL or "": minted by
 * the wire when it is sent.
 */
void plan_call(struct plan *p, const char *id, const char *name,
	       const json_t *args);

/* Cuts text to max tokens with finish "length"; for max 0 does nothing. */
void plan_limit(struct plan *p, uint64_t max);

/*
 * Fills p from the script s for a request with these tool results: the caller
 * has chosen the `then` of the round. root is kept.
 */
void plan_script(struct plan *p, const struct script *s, json_t *root);

void plan_release(struct plan *p);

#endif
