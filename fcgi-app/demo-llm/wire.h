/* SPDX-License-Identifier: MIT */
/*
 * wire.h - the frame of one provider's format around a neutral plan. A wire
 * reads its requests into struct ask and renders the parts of the answer; what
 * comes when, pacing and faults are reply.c's business. Formats:
 * protocols of OpenAI chat completions, Anthropic Messages (2023-06-01 and
 * 2026-10-21) and Ollama's native /api/chat, as recorded in 2025 and 2026.
 */
#ifndef DEMO_WIRE_H
#define DEMO_WIRE_H

#include "demo-llm/ask.h"
#include "demo-llm/plan.h"

struct reply;

struct wire {
	const char *name;
	const char *stream_type;	/* Content-Type of a stream */
	const char *garbage;		/* a broken event */

	/* Fills a from a->root. -1 with *w set when the service would refuse. */
	int (*read)(struct ask *a, struct refusal *w);

	/* Events before the first piece. */
	void (*begin)(struct reply *r, struct out *o);
	/*
	 * Events that open a piece. Sets r->pre and r->post, the bytes around
	 * each token of it; with r->post empty no tokens are rendered (the
	 * piece was sent whole).
	 */
	void (*open)(struct reply *r, const struct piece *p, struct out *o);
	/* Events that close a piece. */
	void (*close)(struct reply *r, const struct piece *p, struct out *o);
	/* Events after the last piece; the plan's no_done is obeyed. */
	void (*end)(struct reply *r, struct out *o);
	/* An error within the stream; nothing follows it. */
	void (*fail)(struct reply *r, const struct fault *f, struct out *o);
	/* The answer as one JSON document. */
	void (*whole)(struct reply *r, struct out *o);
	/* The body of an error answer; param may be "". */
	void (*error)(int status, const char *param, const char *text,
		      struct out *o);
	/* The list of models. */
	void (*models)(struct out *o);
};

extern const struct wire demo_wire_openai, demo_wire_anthropic, demo_wire_ollama;

/* The model's own name, and that of its sibling, in the lists. */
#define DEMO_MODEL "lamplighter-demo"

/* n random characters of [A-Za-z0-9] with a prefix, in the arena. */
const char *mint_id(struct arena *a, const char *prefix, size_t n);

/* Fixes the ids for tests: the same seed gives the same ids. 0: random. */
void mint_seed(uint64_t seed);

/* Estimated or scripted token counts of an answer; see docs/demo-model.md. */
struct counts {
	uint64_t input, cached, cache_write, output, reasoning;
	bool none;		/* the script says: no usage at all */
	const json_t *verbatim;	/* scripted in the wire's own words, or NULL */
};

struct counts counts_of(const struct reply *r);

/* True when the plan has a tool call. */
bool plan_has_calls(const struct plan *p);

/* A faulted body's text: the message to use when the body is a plain text. */
const char *demo_fault_text(const struct fault *f);

#endif
