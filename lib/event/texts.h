/* SPDX-License-Identifier: MIT */
/* What a turn has said, from the events that are stored of it. */
#ifndef EVENT_TEXTS_H
#define EVENT_TEXTS_H

#include "store/turn.h"

/*
 * Collects the text of a turn whose process died: a turn_text_fn (store/turn.h)
 * for the batches that the thread stores (event/pack.h). Adds to *sum, whose text
 * the caller releases. Ignores events that it has had, and the rest of a malformed
 * batch. Any thread.
 */
void event_texts(struct event_summary *sum, int64_t seq, struct str data);

#endif
