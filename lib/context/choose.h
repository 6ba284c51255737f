/* SPDX-License-Identifier: MIT */
/*
 * Selects the service of an agent whose service is "auto" (domain/auto.h): once
 * before the context is built, and again when its size and tools are known.
 * Does nothing if the agent names a service.
 */
#ifndef CONTEXT_CHOOSE_H
#define CONTEXT_CHOOSE_H

#include <stdbool.h>

struct turn_loop;

void choose_before(struct turn_loop *l);

/*
 * True if the choice changed and the context is not yet fitted to the new
 * service.
 */
bool choose_after(struct turn_loop *l);

/*
 * Stores the service that took over the turn, so that usage is booked on it
 * even if the process dies. Does nothing for a preview or a nested agent.
 */
void choose_store(const struct turn_loop *l);

#endif
