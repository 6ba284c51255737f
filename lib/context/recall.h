/* SPDX-License-Identifier: MIT */
/*
 * What a turn is sent of what users let assistants remember of them in all conversations,
 * and when a model is asked what to add (memory/personal.h). Only where the user has
 * switched it on, and neither the workspace nor an admin forbids it.
 */
#ifndef CONTEXT_RECALL_H
#define CONTEXT_RECALL_H

#include <stdint.h>

struct context;
struct turn_run;

/*
 * Reads it, once: 1 round trip; none if it is off. Not in nested agents. What cannot be
 * read is left out.
 */
void context_recall(struct context *cx);

/* enum personal_mode of this turn. */
int64_t context_recall_mode(const struct turn_run *t);

#endif
