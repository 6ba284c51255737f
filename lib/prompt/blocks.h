/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a system prompt, each with its stamp. Usage records identify
 * the prompts of a turn (part.h) or a single call (ask.h) by layer, name,
 * version and hash, never by content (A43). prompt_add makes all stamps.
 */
#ifndef PROMPT_BLOCKS_H
#define PROMPT_BLOCKS_H

#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"

#define PROMPT_HASH_BYTES 33	/* BLAKE2b-128 in hex, NUL */

struct prompt_stamp {
	const char *layer;	/* "guardrails", "agent", "title", … */
	const char *name;	/* "guardrails", "intranet", "agent:assistant" */
	int version;		/* from 1; of texts that nobody counts, 1 */
	char hash[PROMPT_HASH_BYTES];
};

struct prompt_blocks {		/* zero-initialised: empty */
	struct str *text;		/* none of them is empty */
	struct prompt_stamp *stamp;	/* stamp of text i */
	size_t n, size;
};

/*
 * Adds a block and its stamp; the arrays grow in a. Ignores an empty text.
 * Strings are borrowed; version 0: nobody counts it.
 */
void prompt_add(struct prompt_blocks *b, struct arena *a, const char *layer,
		const char *name, int version, struct str text);

/*
 * Writes [{"layer":…,"name":…,"version":…,"hash":…},…] for the usage record.
 * used, tools: stamps of a prompt that is not a block of the system prompt, written
 * first, and of the texts of the tools, written last (A31); or NULL.
 */
void prompt_stamps(const struct prompt_blocks *b,
		   const struct prompt_stamp *used,
		   const struct prompt_stamp *tools, struct jw *w);

/* A stamp; the strings are borrowed. */
struct prompt_stamp prompt_stamp_of(const char *layer, const char *name,
				    int version, struct str text);

#endif
