/* SPDX-License-Identifier: MIT */
/*
 * What a turn is sent of the messages before its history: the summary, facts and agent
 * state of lib/memory; and when it asks for them to be made anew (docs/memory.md). A turn
 * never waits for that: it takes the last version, and the messages after it.
 */
#ifndef CONTEXT_REMEMBER_H
#define CONTEXT_REMEMBER_H

#include "base/json.h"
#include "base/str.h"

struct turn_loop;
struct turn_run;

/*
 * Reads it, once, for a thread that is long enough to have any; not in nested agents. 1 or
 * 2 round trips, whatever the length. What cannot be read is left out.
 */
void context_memory(struct turn_loop *l);

/* Whether this turn may have a summary. */
bool remember_on(const struct turn_run *t);

/* Writes "memory": {…}, what the work after the turn is to do. */
void remember_write_wish(struct turn_run *t, struct jw *w);

#endif
