/*
 * Reading JSON of a provider whose text may be broken (C7, C11).
 *
 * A server that cuts its text by bytes or UTF-16 units sends half a character
 * in one delta and the rest in the next: raw bytes that are no UTF-8, or lone
 * surrogate escapes. Jansson refuses such documents. They are read with each
 * stray byte or surrogate replaced by a private character that says what it
 * was, so that mend_join can put the halves together again. What stays alone
 * becomes U+FFFD.
 */
#ifndef LLM_MEND_H
#define LLM_MEND_H

#include "base/json.h"

struct dec_carry;

/*
 * Reads one value. *mended tells whether it was repaired; its strings and keys
 * may then hold private characters, which never come from the sender: use
 * mend_join for text and mend_copy for everything else. New reference, or NULL if
 * it cannot be repaired.
 */
json_t *mend_load(struct str s, bool *mended);

/*
 * Appends s, a string of a mended document, with stray pieces joined; *carry
 * keeps what the next delta may complete.
 */
void mend_join(struct buf *out, struct str s, struct dec_carry *carry);

/* A copy of a mended value, with stray pieces as U+FFFD. New. */
json_t *mend_copy(const json_t *j);

/* Appends U+FFFD for what waits in *carry and forgets it. */
void mend_flush(struct buf *out, struct dec_carry *carry);

#endif
