/*
 * The envelope for untrusted text (A10): documents, web pages, results of tools.
 * It tells the model where data begins and ends:
 *
 *   [UNTRUSTED-DATA 5f0c… source="query_data"]
 *   …
 *   [/UNTRUSTED-DATA 5f0c…]
 *
 * The boundary is random and made once per turn, so the text cannot close the
 * envelope. Nevertheless it is neutralised: the boundary, the marker and the
 * control tokens of chat templates (<|im_start|>, [INST], …) are broken up, and
 * characters that are invisible to people but not to models (tags, selectors,
 * direction overrides, controls) are removed. Only blanks are ever added, so JSON
 * stays JSON.
 */
#ifndef PROMPT_UNTRUSTED_H
#define PROMPT_UNTRUSTED_H

#include "base/buf.h"
#include "base/str.h"

#define UNTRUSTED_ID_BYTES 33	/* 32 hex digits and NUL */

struct untrusted {
	char id[UNTRUSTED_ID_BYTES];
};

/* A new boundary; once per turn. Any thread. */
void untrusted_init(struct untrusted *u);

/*
 * Appends text in its envelope. source says where it comes from (a tool's
 * name, a file name) and is untrusted itself: one line, capped, quoted. text
 * is any bytes; what is not UTF-8 is replaced.
 */
void untrusted_wrap(const struct untrusted *u, struct str source,
		    struct str text, struct buf *out);

/* Appends text neutralised, without an envelope. u may be NULL. */
void untrusted_clean(const struct untrusted *u, struct str text,
		     struct buf *out);

/*
 * Appends text with invisible characters and direction overrides spelled out,
 * as in ⟨U+202E⟩, for a person who decides about that text.
 */
void untrusted_spell(struct str text, struct buf *out);

#endif
