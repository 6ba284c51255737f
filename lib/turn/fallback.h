/* SPDX-License-Identifier: MIT */
/*
 * Services that take over: the `fallbacks` of the turn's service, in order. One
 * takes over, before the first delta of a call, when the service before it
 * fails with a temporary error or its circuit is open (llm/circuit.h). The turn
 * then stays with it.
 */
#ifndef TURN_FALLBACK_H
#define TURN_FALLBACK_H

#include <stdbool.h>

#include "base/err.h"

struct turn_loop;

/* Before a model call: leaves a service whose circuit is open. */
void fallback_before(struct turn_loop *l);

/*
 * After a call that failed with e before any delta: true if another service is
 * to be asked.
 */
bool fallback_after(struct turn_loop *l, const struct err *e);

#endif
