/* SPDX-License-Identifier: MIT */
/*
 * ask.h - one model request in neutral form: what the three wire formats have
 * in common. The wire files fill it, everything behind them reads only this.
 */
#ifndef DEMO_ASK_H
#define DEMO_ASK_H

#include "base/json.h"
#include "demo-llm/http.h"

enum role { ROLE_SYSTEM, ROLE_USER, ROLE_ASSISTANT, ROLE_TOOL };

struct msg {
	enum role role;
	const char *text;	/* all text parts joined, never NULL */
	json_t *calls;		/* assistant: [{id,name,args}], else NULL */
	const char *call_id;	/* tool: the call it answers, or NULL */
	const char *tool_name;	/* tool: resolved through the calls, or NULL */
	bool is_error;		/* tool: marked as failed by the wire */
	const char *images;	/* user: what its images are, or NULL */
};

/* All memory is the arena's, all JSON is released with it. */
struct ask {
	struct arena *a;
	json_t *root;		/* the request's body */
	const char *model;	/* borrowed from root, "demo" when not given */
	bool stream;
	bool usage_chunk;	/* OpenAI stream_options.include_usage */
	struct msg *msgs;
	size_t n, cap;
	json_t *tools;		/* [{name,description,schema}] */
	json_t *schema;		/* JSON Schema of the answer, borrowed, NULL */
	bool json_object;	/* any JSON object is asked for */
	long max_tokens;	/* 0: not given */
	size_t chars;		/* of the prompt, for the usage estimate */
};

/* Appends a message; text is borrowed (NULL is ""). Valid until the next. */
struct msg *ask_add(struct ask *a, enum role role, const char *text);

/*
 * The text of an OpenAI or Anthropic content member: a string, or the text
 * parts of a list, joined; "" for null, absent and anything else.
 */
const char *ask_content(struct ask *a, const json_t *content);

/* Adds {id,name,args} to the calls of an assistant message; takes args. */
void ask_add_call(struct ask *a, struct msg *m, const char *id,
		  const char *name, json_t *args);

/* Adds a tool; schema may be NULL. */
void ask_add_tool(struct ask *a, const char *name, const char *description,
		  json_t *schema);

/*
 * Resolves tool names, sums the prompt and, when strict, refuses (400) what
 * the real services refuse: a call without its result before the next turn, a
 * result without its call.
 */
int ask_finish(struct ask *a, bool strict, struct refusal *w);

/* Index of the last user message, or -1. */
long ask_last_user(const struct ask *a);

/* Groups of tool results behind the last user message. */
size_t ask_rounds(const struct ask *a);

/* The offered tool of that name (or ending in "_" or "-" + name), or NULL. */
const char *ask_tool(const struct ask *a, const char *name);

#endif
