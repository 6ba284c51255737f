/* SPDX-License-Identifier: MIT */
/*
 * What the model is sent: prompt, tools, thread (history.h), user message, and
 * the steps of this turn.
 */
#ifndef CONTEXT_CONTEXT_H
#define CONTEXT_CONTEXT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "context/generation.h"
#include "context/request.h"
#include "context/step.h"
#include "event/relay.h"
#include "llm/llm.h"
#include "memory/memory.h"
#include "prompt/blocks.h"
#include "prompt/part.h"
#include "prompt/untrusted.h"
#include "tool/core/tool.h"

struct history_own;	/* context/history.h */
struct quote_marks;	/* context/quote.h */

struct context {
	/* whose it is */
	struct turn_run *run;
	struct arena *arena;
	struct relay *relay;		/* what is to be told meanwhile */
	/* Of an agent that runs within a call: the one around it; else NULL */
	const struct context *outer;
	const struct tool_task *task;	/* outer: its task */
	int64_t until_ms;		/* outer: when it must end, monotonic */

	/* what is sent */
	struct tool_ctx tool_ctx;
	struct tool_set tools;
	const struct llm_tool_form *tool_forms;	/* the tools, as they are sent */
	struct prompt_blocks blocks;	/* the system prompt */
	struct llm_request request;
	struct generation generation;
	struct llm_message *messages;
	size_t n_messages, messages_size;
	size_t n_history;		/* messages from before this turn */
	struct part_share share[PART__MAX];	/* of the current request */
	bool squeezed;			/* the window, not the workspace's
					   limit, cuts the history */
	struct llm_message input;	/* the user's message with its attachments */
	struct untrusted untrusted;	/* this turn's envelope */
	struct str stamps;		/* JSON: the prompts used (A43) */
	const char *rule;		/* rule of "auto" that chose the
					   service; or NULL */

	/* what is looked up for it, once */
	struct {
		bool looked_up;
		struct str text;	/* of all mentions; untrusted */
	} mentions;			/* of the turn's message (mention.h) */
	struct {
		bool looked_up;
		struct str text;	/* passages for the message; untrusted */
	} knowledge;			/* knowledge.h */
	struct {
		bool looked_up, there, own;
		struct str focus_kind;	/* of what they look at; or empty */
		struct str text;	/* where the user is; untrusted unless own */
	} place;			/* place.h */
	struct {
		bool looked_up;
		struct memory m;	/* number 0: none */
		struct str text, state;	/* what is sent of it, whole */
		struct origins from;	/* whose text is in it; n = 0: the
					   user's alone */
		/* not in the summary: messages of the history, their characters */
		int64_t messages, chars;
		bool changed;		/* a tool of this turn changed something, or
					   the user chose something */
	} memory;			/* remember.h */
	struct {
		bool looked_up;
		struct str own, text;	/* sentences about the user; text: untrusted */
		struct origins from;	/* whose text is in text */
	} recalled;			/* recall.h */
	struct {
		const struct llm_message *rows;	/* of the history's rows; or NULL */
		int64_t chars;		/* left for them */
		bool ready;		/* chars is set */
		int n_images;		/* sent so far */
		bool has_images;	/* images are attached, sent or not */
		int64_t scan_until_ms;	/* monotonic: to read scans; 0: none yet */
	} attached;			/* attach.h */
	struct {
		struct passages *all;	/* sent to the model; a nested agent shares its
					   turn's */
		size_t n_announced, n_stored;	/* how many, from the first */
		struct quote_marks *marks;	/* of the answer once it is complete;
						   or NULL */
	} cites;			/* cite.h */
	const struct history_own *own;	/* of a turn that is resumed: its steps so far;
					   or NULL */
	int n_own_steps;

	/*
	 * The origins of untrusted text in the current request. They come from
	 * the rows that are sent (history.c) and the results of this turn, and
	 * go with them.
	 */
	struct origins taint;
	/*
	 * The part of taint that comes from no row: prompts by others, and parts
	 * of the system prompt that are data. The rows that the turn stores keep
	 * it, since they are derived from that text.
	 */
	struct origins derived;
	struct origins announced;		/* of rows before the turn: their turns
					   had these (whose.h) */
};

/*
 * An empty context of t, which gets it. Events go to r. Release it with
 * context_release, unless its passages are another's.
 */
void context_init(struct context *cx, struct turn_run *t, struct arena *a,
		  struct relay *r);
void context_release(struct context *cx);

/*
 * Builds system prompt, tools, history and the user message. Of a turn that is resumed,
 * step becomes its last one, with the results that are stored. Errors of the database;
 * ERR_CONFLICT: a turn that is resumed has no step.
 */
int context_build(struct context *cx, struct turn_step *step, struct err *e) MUST_CHECK;

/* Appends a step and the results of its calls. */
void context_add_step(struct context *cx, const struct turn_step *s);

/* Drops the older half of the history; false if none is left. */
bool context_shorten(struct context *cx);

/*
 * For a refusal that is not understood: drops three quarters of the history of a
 * large request. False if it is not large or nothing is left.
 */
bool context_shorten_much(struct context *cx);

/*
 * Drops the turns of the history that have no answer: theirs may be what the server
 * refuses, since it refused them before. False if there are none.
 */
bool context_drop_unanswered(struct context *cx);

/* Adapts the context to another service: its tools and its window. */
void context_serve(struct context *cx);

/* Tells the model that it may not call tools any more. */
void context_last_call(struct context *cx);

#endif
