/*
 * Patterns of JSON Schemas: potentially malicious regular expressions, matched
 * against untrusted text. PCRE2 matches them, without JIT, as ECMAScript does
 * (in UTF, unanchored, $ only at the very end). What ECMAScript does not have
 * (recursion, conditions, verbs, callouts) is refused, and everything is bounded:
 *
 *   the pattern      PATTERN_BYTES, PATTERN_NESTING, PATTERN_LOOKBEHIND
 *   compiled         PATTERN_COMPILED_BYTES, by an allocator that refuses more
 *   a match          PATTERN_MATCH_BYTES, and the caller's budget of work
 *   the text         PATTERN_TEXT_BYTES
 *
 * PCRE2's own match limit starts again at every character of the text and does not
 * count steps within a simple repetition, so it does not bound the time. Work is
 * counted by automatic callouts instead: one for each item of the pattern that
 * is tried, one for each byte that the match has moved since, and one for each
 * time that the item has to repeat. It is the same on every machine.
 *
 * glibc's regcomp was used before. It unrolls repetition onto the stack, and has
 * no limits at all.
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
	PATTERN_COMPILE_WORK = 20000,	/* what compiling one is counted as */
};

enum pattern_found { PATTERN_NO, PATTERN_YES, PATTERN_BEYOND };

/*
 * Compiles text. New, or NULL with *fault as the rest of a sentence that begins
 * with "the pattern": "is not a valid expression". A pattern is for one thread at
 * a time.
 */
struct pattern *pattern_new(const char *text, const char **fault);

/* NULL is allowed. */
void pattern_free(struct pattern *p);

/*
 * Whether p is found in s, which is UTF-8. *work is the remaining budget, and is
 * reduced. PATTERN_BEYOND: the budget was not enough, the text is too long, or the
 * match took too much memory, so the result is unknown.
 */
enum pattern_found pattern_find(struct pattern *p, struct str s, int64_t *work);

#endif
