/* SPDX-License-Identifier: MIT */
/*
 * What a turn is sent of the messages before its history: the summary, facts and agent
 * state of lib/memory (docs/memory.md). A turn never waits for new ones: it takes the last
 * version, and the messages after it.
 */
#ifndef CONTEXT_REMEMBER_H
#define CONTEXT_REMEMBER_H

#include <stdbool.h>

struct context;
struct memory;
struct turn_run;

/*
 * Reads it, once, for a thread that is long enough to have any; not in nested agents. 1 or
 * 2 round trips, whatever the length. What cannot be read is left out.
 */
void context_memory(struct context *cx);

/*
 * What is remembered of the conversation before this turn, which has begun: what the
 * model is told, so it is read once for both. number 0: nothing.
 */
const struct memory *context_memory_of(const struct turn_run *t);

/* Whether this turn may have a summary. */
bool context_remembers(const struct turn_run *t);

#endif
