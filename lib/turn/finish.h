/* What a turn stores: the rows of its steps, what it cost, and its end. */
#ifndef TURN_FINISH_H
#define TURN_FINISH_H

#include "base/err.h"
#include "store/turn.h"
#include "store/usage.h"

struct turn_loop;

/* Stores the step's rows now; on failure they wait for the end. */
void steps_store(struct turn_loop *l);

/*
 * Stores what steps_add has added; on failure as above. May run during a model
 * call: it touches nothing that the call's handler does.
 */
void steps_store_added(struct turn_loop *l);

/* Adds those of its rows that are new to l->unstored, without storing them. */
void steps_add(struct turn_loop *l);

/* Fills in the members of a record that say which turn it belongs to: that of l. Borrows. */
void turn_usage_place(struct usage *u, const struct turn_loop *l);

/*
 * What a turn, or an agent within it, cost with the service that answers now: for
 * the record at its end, at a pause, or when another service takes over. Borrows.
 */
struct usage loop_usage(struct turn_loop *l, const char *finish_reason);

/*
 * Before another service takes over: what the present one has done, if it was
 * paid for anything, gets a record of its own.
 */
void loop_book(struct turn_loop *l);

/*
 * Calls fn until it gives 0 or an error that does not heal, for some seconds;
 * the client is told that it takes longer.
 */
typedef int loop_store_fn(struct turn_loop *l, void *ctx, struct err *e);
int loop_stubbornly(struct turn_loop *l, loop_store_fn *fn, void *ctx,
		    struct err *e) MUST_CHECK;

/* Stores the answer and emits the one terminal event. */
enum turn_status loop_finish(struct turn_loop *l);

#endif
