/* SPDX-License-Identifier: MIT */
/*
 * A model that does not get on: it repeats a pattern of calls (A B A B), or says what it
 * is about to do and does not do it. It is told once; then the turn ends with what there
 * is. The same call a third time is refused in any case (calls.c).
 */
#ifndef TURN_STUCK_H
#define TURN_STUCK_H

#include <stdbool.h>

#include "base/str.h"

struct tool_set;
struct turn_call;
struct turn_loop;
struct turn_calls_log;

/* Notes a call of one of these tools that has its result. */
void stuck_note(struct turn_calls_log *m, const struct tool_set *tools, const struct turn_call *c);

/*
 * Whether a call would complete the second of two equal rounds of 2 to 4 calls that only
 * read and had the same results.
 */
bool stuck_repeats(const struct turn_calls_log *m, const struct turn_call *c);

/* After a step: whether the model was told that it repeats calls, and went on. */
bool stuck_ends(const struct turn_calls_log *m);

/*
 * An answer without calls: whether the model is asked once more, with a word about it. The
 * second time clients get the warning `only_announced`.
 */
bool stuck_nudges(struct turn_loop *l);

#endif
