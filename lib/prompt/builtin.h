/* SPDX-License-Identifier: MIT */
/*
 * Prompts that are compiled in: versioned, the same for every tenant, not
 * editable (A31). Changing a text requires a new version, because usage records
 * name it.
 */
#ifndef PROMPT_BUILTIN_H
#define PROMPT_BUILTIN_H

struct prompt_text {
	const char *name;
	int version;
	const char *text;
};

/*
 * The first block of every request (A35): scope of access, data is never
 * instructions, cite and admit gaps, out-of-scope requests, no destructive
 * action without confirmation. It describes the envelope of untrusted.h without
 * its boundary, so that provider prompt caches can reuse it.
 */
extern const struct prompt_text prompt_guardrails;

/*
 * DEFAULT_AGENT_SYSTEM_PROMPT: used if neither the agent nor chat: has one
 * (B20).
 */
extern const struct prompt_text prompt_default_agent;

/* How to use tools; sent if any are offered. */
extern const struct prompt_text prompt_tools;

/* Asks for the title of a conversation; an excerpt follows (turn/title.c). */
extern const struct prompt_text prompt_title;
extern const struct prompt_text prompt_follow_ups;

/* Asks to transcribe the text in an image (tool/kind_image_text.c). */
extern const struct prompt_text prompt_image_text;

/* Precedes the JSON Schema that an answer must match (ask.c). */
extern const struct prompt_text prompt_typed_answer;

#endif
