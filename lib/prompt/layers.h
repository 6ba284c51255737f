/*
 * The system prompt as blocks (DESIGN.md section 7), stable ones first, so
 * that provider prompt caches hit (E30):
 *
 *   guardrails   compiled in
 *   platform     prompts.platform
 *   workspace    prompt: of the workspace
 *   agent        agent.system_prompt, chat.system_prompt, or built in (B20)
 *   tools        compiled in, when tools are offered, and the caller's addition
 *   session      today's date and the user's name; changes daily
 *
 * What was used, here or by a single call (turn/ask.h), is stamped on usage
 * records by layer, name, version and hash, never by content (A43). prompt_add
 * makes all stamps.
 */
#ifndef PROMPT_LAYERS_H
#define PROMPT_LAYERS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"
#include "conf/conf.h"

#define PROMPT_BLOCKS 8		/* as many as llm_request.system has */
#define PROMPT_HASH_BYTES 33	/* BLAKE2b-128 in hex, NUL */

struct prompt_stamp {
	const char *layer;	/* "guardrails", "agent", "title", … */
	const char *name;	/* "guardrails", "intranet", "agent:assistant" */
	int version;		/* 0 = the layer has no versions */
	char hash[PROMPT_HASH_BYTES];
};

struct prompt_layers {
	struct str block[PROMPT_BLOCKS];	/* none is empty */
	struct prompt_stamp stamp[PROMPT_BLOCKS];	/* of block i */
	size_t n;
};

struct prompt_input {
	const struct conf *conf;
	const struct conf_workspace *workspace;
	const struct conf_agent *agent;
	bool tools;		/* some are offered */
	struct str tool_text;	/* what the tools add (datasets, …), or empty */
	struct str user_name;	/* as shown to people; empty = not said */
	int64_t now_us;		/* 0 = no date */
};

/* Composes. Texts are borrowed from in and conf, or in a. Any thread. */
void prompt_compose(const struct prompt_input *in, struct arena *a,
		    struct prompt_layers *out);

/*
 * Adds a block and its stamp. A text without anything in it is left out. The
 * strings are borrowed; version 0: it has none. More than PROMPT_BLOCKS abort.
 */
void prompt_add(struct prompt_layers *l, const char *layer, const char *name,
		int version, struct str text);

/* [{"layer":…,"name":…,"version":…,"hash":…},…] for the usage record. */
void prompt_stamps(const struct prompt_layers *l, struct jw *w);

#endif
