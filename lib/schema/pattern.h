/* SPDX-License-Identifier: MIT */
/*
 * Patterns of JSON Schemas: regular expressions that may be malicious, matched
 * against untrusted text. PCRE2 without JIT matches them as ECMAScript does (in
 * UTF, unanchored, $ only at the very end). Constructs that ECMAScript does not
 * have (recursion, conditions, verbs, callouts) are refused, and everything is
 * limited:
 *
 *   the pattern      PATTERN_BYTES, PATTERN_NESTING, PATTERN_LOOKBEHIND
 *   compiled         PATTERN_COMPILED_BYTES, by an allocator that refuses more
 *   a match          PATTERN_MATCH_BYTES, and the caller's budget of work
 *   the text         PATTERN_TEXT_BYTES
 *
 * PCRE2's own match limit starts again at every character of the text and does not
 * count steps within a simple repetition, so it does not limit the time. Work is
 * counted by automatic callouts instead: one unit for each item of the pattern that
 * is tried, one for each byte by which the match has moved since, and one for each
 * time that the item must repeat. It is the same on every machine.
 *
 * glibc's regcomp is not used: it expands repetitions on the stack, without limits.
 */
#ifndef TOOL_PATTERN_H
#define TOOL_PATTERN_H

#include <stdint.h>

#include "base/str.h"

enum {
	PATTERN_BYTES = 1024,
	PATTERN_NESTING = 50,
	PATTERN_LOOKBEHIND = 255,
	PATTERN_COMPILED_BYTES = 262144,
	PATTERN_MATCH_BYTES = 4194304,
	PATTERN_TEXT_BYTES = 65536,
	PATTERN_COMPILE_WORK = 20000,	/* the cost of compiling a pattern */
};

enum pattern_found { PATTERN_NO, PATTERN_YES, PATTERN_BEYOND };

/*
 * Compiles text. New, or NULL with *fault, the rest of a sentence that begins with
 * "the pattern": "is not a valid expression". One thread at a time may use a
 * pattern.
 */
struct pattern *pattern_new(const char *text, const char **fault);

/* NULL is allowed. */
void pattern_free(struct pattern *p);

/*
 * Whether p is found in s, which is UTF-8. *work is the remaining budget and is
 * reduced. PATTERN_BEYOND: the budget was not sufficient, the text is too long, or
 * the match took too much memory, so the result is unknown.
 */
enum pattern_found pattern_find(struct pattern *p, struct str s, int64_t *work);

#endif
