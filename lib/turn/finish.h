/* SPDX-License-Identifier: MIT */
/* What a turn stores: the rows of its steps, and its end. */
#ifndef TURN_FINISH_H
#define TURN_FINISH_H

#include "base/err.h"
#include "store/turn.h"

struct turn_loop;

/* The rows of steps. */
struct turn_rows {
	struct message *unstored;	/* those that could not be stored yet */
	size_t n_unstored, unstored_size;
	int64_t last_seq;		/* of the thread; 0 = unknown */
};

/*
 * Stores the step's rows now. On failure they are kept until the end of the
 * turn.
 */
void steps_store(struct turn_loop *l);

/*
 * Stores the rows that steps_add has added; on failure as above. May run during
 * a model call: it shares no state with the call's handler.
 */
void steps_store_added(struct turn_loop *l);

/* Adds the step's new rows to the unstored ones without storing them. */
void steps_add(struct turn_loop *l);

/*
 * Retries fn for some seconds until it returns 0 or a permanent error, and
 * tells the client about the delay.
 */
typedef int loop_store_fn(struct turn_loop *l, void *ctx, struct err *e);
int loop_stubbornly(struct turn_loop *l, loop_store_fn *fn, void *ctx,
		    struct err *e) MUST_CHECK;

/* Stores the answer and emits the one terminal event. */
enum turn_status loop_finish(struct turn_loop *l);

#endif
