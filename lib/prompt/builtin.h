/*
 * Prompts that are compiled in: versioned, the same for every tenant, not
 * editable (A31). A change of a text is a new version: usage records name it.
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
 * action without confirmation. It describes the envelope of untrusted.h
 * without its boundary, so that it stays the same for provider prompt caches.
 */
extern const struct prompt_text prompt_guardrails;

/* DEFAULT_AGENT_SYSTEM_PROMPT: if neither the agent nor chat: has one (B20). */
extern const struct prompt_text prompt_default_agent;

/* How to use tools; sent when some are offered. */
extern const struct prompt_text prompt_tools;

/* The title of a conversation, of which an excerpt follows (turn/title.c). */
extern const struct prompt_text prompt_title;

/* Writing out the text in an image (tool/kind_image_text.c). */
extern const struct prompt_text prompt_image_text;

/* Precedes the JSON Schema that an answer must match (turn/ask.c). */
extern const struct prompt_text prompt_typed_answer;

#endif
