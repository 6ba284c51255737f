/*
 * Who answers if the service is "auto" (agent/auto.h): chosen before the context
 * is built, by what is known then, and again when its size and tools are known.
 * Does nothing if a service is named.
 */
#ifndef TURN_CHOOSE_H
#define TURN_CHOOSE_H

#include <stdbool.h>

struct turn_loop;

void choose_before(struct turn_loop *l);

/* True: it is another one than before, and the context is not fitted to it yet. */
bool choose_after(struct turn_loop *l);

/*
 * Another service than when it began has the turn: what it costs is booked on that
 * one also if its process dies. Nothing of a preview or an agent.
 */
void choose_store(const struct turn_loop *l);

#endif
