/* SPDX-License-Identifier: MIT */
/*
 * Reading JSON of a provider whose text may be broken (P-C7, P-C11).
 *
 * A server that cuts its text by bytes or UTF-16 units sends half a character
 * in one delta and the rest in the next: raw bytes that are no UTF-8, or lone
 * surrogate escapes, or line ends within a string. Jansson refuses such documents. They
 * are read with line ends escaped, and with each stray byte or surrogate replaced by a
 * private character that says what it was, so that repair_join can put the halves together
 * again. What stays alone becomes U+FFFD.
 */
#ifndef LLM_REPAIR_H
#define LLM_REPAIR_H

#include "base/json.h"

struct dec_carry;

/*
 * Reads one value. *repaired tells whether it was repaired; its strings and keys
 * may then hold private characters, which never come from the sender: use
 * repair_join for text and repair_copy for everything else. New reference, or NULL if
 * it cannot be repaired.
 */
json_t *repair_load(struct str s, bool *repaired);

/*
 * What a Markdown fence around the whole of s holds, or s, trimmed: models add one even
 * if told not to. Borrowed.
 */
struct str repair_unfenced(struct str s);

/*
 * Reads the arguments of a call: the one object in s. Models and servers wrap it: in a
 * fence, as JSON text in a JSON string, even twice, behind values that stand for none
 * yet ({}, null, ""), or send it more than once. What is no JSON but means one object only
 * is read, too: as JavaScript and Python write it (quotes, comments, a last comma, None),
 * in tags, behind a sentence. What is cut, or followed by words, is not. *plain: s is its
 * text. *repaired: as above. New reference, or NULL: there is none, or they differ.
 */
json_t *repair_args(struct str s, bool *plain, bool *repaired);

/*
 * Appends s, a string of a repaired document, with stray pieces joined; *carry
 * keeps what the next delta may complete.
 */
void repair_join(struct buf *out, struct str s, struct dec_carry *carry);

/* A copy of a repaired value, with stray pieces as U+FFFD. New. */
json_t *repair_copy(const json_t *j);

/* Appends U+FFFD for what waits in *carry and forgets it. */
void repair_flush(struct buf *out, struct dec_carry *carry);

#endif
