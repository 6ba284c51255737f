/* SPDX-License-Identifier: MIT */
/* Small helpers of the tools for texts that teach a model. */
#ifndef TOOL_TEXT_H
#define TOOL_TEXT_H

#include "base/buf.h"
#include "base/str.h"
#include "conf/conf.h"

/*
 * "Did you mean "x"? " where a name is near, then "WHAT: a, b, c." with as
 * many names as fit into about 150 bytes.
 */
void text_names(struct buf *out, const char *what, struct str wrong,
		const char *const *names, size_t n);

/*
 * Whether s contains the word as whole words, ignoring ASCII case; "x*" with any ending;
 * and whether it contains one of several.
 */
bool text_has_word(struct str s, struct str word);
bool text_has_words(struct str s, const struct conf_list *words);

/* Valid text of at most max_bytes from a name a model gave, for a message. */
struct str text_quote(struct str s, size_t max_bytes);

#endif
