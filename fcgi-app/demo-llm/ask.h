/*
 * ask.h - one model request in neutral form: what the three wire formats have
 * in common. The wire files fill it, everything behind them reads only this.
 */
#ifndef DEMO_ASK_H
#define DEMO_ASK_H

#include "demo-llm/http.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum role { ROLE_SYSTEM, ROLE_USER, ROLE_ASSISTANT, ROLE_TOOL };

struct msg {
	enum role role;
	char *text;		/* all text parts joined, never NULL */
	json_t *calls;		/* assistant: [{id,name,args}], else NULL */
	char *call_id;		/* tool: the call it answers, or NULL */
	char *tool_name;	/* tool: resolved through the calls, or NULL */
	bool is_error;		/* tool: marked as failed by the wire */
};

struct ask {
	json_t *root;		/* the request's body */
	const char *model;	/* borrowed from root */
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

/* Appends a message with a copy of text (NULL is ""); valid until the next. */
struct msg *ask_add(struct ask *a, enum role role, const char *text);

/* Appends s to the text of m, with a line break between parts. */
void msg_append(struct msg *m, const char *s);

/* Adds {id,name,args} to the calls of an assistant message; takes args. */
void msg_add_call(struct msg *m, const char *id, const char *name,
		  json_t *args);

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

/* All system messages joined, owned by the caller. */
char *ask_system(const struct ask *a);

void ask_release(struct ask *a);

#endif
