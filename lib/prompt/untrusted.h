/* SPDX-License-Identifier: MIT */
/*
 * The envelope for untrusted text (A10): documents, web pages, tool results. It
 * tells the model where data begins and ends:
 *
 *   [UNTRUSTED-DATA 5f0c… source="query_data"]
 *   …
 *   [/UNTRUSTED-DATA 5f0c…]
 *
 * The boundary is random and made once per turn, so the text cannot close the
 * envelope. The text is neutralised as well: the boundary, the marker and
 * control tokens of chat templates (<|im_start|>, [INST], …) are broken up, and
 * characters that are invisible to people but not to models (tags, selectors,
 * direction overrides, controls) are removed. Only blanks are added, so JSON
 * stays valid.
 */
#ifndef PROMPT_UNTRUSTED_H
#define PROMPT_UNTRUSTED_H

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"

#define UNTRUSTED_ID_BYTES 33	/* 32 hex digits and NUL */

struct untrusted {
	char id[UNTRUSTED_ID_BYTES];
};

/* Makes a new boundary; once per turn. Any thread. */
void untrusted_init(struct untrusted *u);

/*
 * Makes a boundary that is the same for the same text, which keeps a prompt equal
 * from turn to turn. A text cannot contain its own hash. Any thread.
 */
void untrusted_init_same(struct untrusted *u, struct str text);

/*
 * Appends text in its envelope. source tells its origin (the name of a tool or
 * file) and is untrusted itself: it becomes one line, quoted and shortened.
 * text may be any bytes; invalid UTF-8 is replaced.
 */
void untrusted_wrap(const struct untrusted *u, struct str source,
		    struct str text, struct buf *out);

/* Appends the neutralised text without an envelope. u may be NULL. */
void untrusted_clean(const struct untrusted *u, struct str text,
		     struct buf *out);

/*
 * Appends the valid, visible part of text: for a part of a text that untrusted_clean or
 * untrusted_wrap gets, if something has to be recognised in it before.
 */
void untrusted_visible(struct str text, struct buf *out);

/*
 * Appends text with invisible characters and direction overrides spelled out,
 * as in ⟨U+202E⟩, for a person who decides about it.
 */
void untrusted_spell(struct str text, struct buf *out);

/*
 * Neutralises the texts of an untrusted schema in place: descriptions
 * and titles, each cut at max_bytes. Names and values cannot be changed, because
 * calls would no longer match; if one of them would need a change, returns false,
 * and the schema must not be used. The caller limits the depth, as jx_load does.
 * Any thread.
 */
bool untrusted_clean_schema(json_t *schema, size_t max_bytes) MUST_CHECK;

#endif
