/* Calls that wait for somebody. */
#ifndef TURN_PAUSE_H
#define TURN_PAUSE_H

#include <stdbool.h>

#include "base/err.h"

struct turn_call;
struct turn_loop;

/*
 * Whether the call must wait for somebody: sets c->wait and what goes with it.
 * A call that would wait but is not valid is answered at once.
 */
bool pause_needed(struct turn_loop *l, struct turn_call *c);

/* Whether some call of the step waits. */
bool pause_waits(const struct turn_loop *l);

/*
 * Stores the step as far as it is and leaves the turn waiting; tells what for.
 * 1: it waits now. 0: something was decided meanwhile, take that up and try
 * again. -1.
 */
int pause_turn(struct turn_loop *l, struct err *e) MUST_CHECK;

/* Answers what waits because the turn is stopped. */
void pause_drop(struct turn_loop *l);

#endif
