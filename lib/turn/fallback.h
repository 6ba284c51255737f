/*
 * Services that take over: the `fallbacks` of a turn's service, in their order. One
 * is used, before the first delta of a call, when the service before it fails in a
 * way that may be temporary, or has failed so often lately that its circuit is open
 * (llm/circuit.h). The turn stays with the one that took over.
 */
#ifndef TURN_FALLBACK_H
#define TURN_FALLBACK_H

#include <stdbool.h>

#include "base/err.h"

struct turn_loop;

/* Before a call of the model: leaves a service that is left alone. */
void fallback_before(struct turn_loop *l);

/*
 * Behind a call that failed with e, of which nothing was told: true when another
 * service is to be asked now.
 */
bool fallback_after(struct turn_loop *l, const struct err *e);

#endif
