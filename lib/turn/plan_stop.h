/* SPDX-License-Identifier: MIT */
/*
 * How a user stops one step of a plan while it runs: its model is cut off at once, unless a
 * call that may change something is running. That call ends first, so that nobody has to
 * wonder whether it happened, and no other begins.
 */
#ifndef TURN_PLAN_STOP_H
#define TURN_PLAN_STOP_H

#include <pthread.h>

#include "base/err.h"
#include "net/http.h"

struct step_stop {		/* zero before turn_step_open */
	struct http_abort *abort;	/* of the step; also set when the turn's is */
	struct http_abort *turn;
	struct http_abort_hook hook;
	pthread_mutex_t lock;		/* of what follows */
	int changing;			/* calls that run and may change something */
	bool asked;
};

/* turn: the turn's switch, which outlives s. ERR_OVERLOADED: no file descriptor. */
int turn_step_open(struct step_stop *s, struct http_abort *turn, struct err *e) MUST_CHECK;

/* Accepts one that was not opened. */
void turn_step_close(struct step_stop *s);

/* The user stops the step. Any thread; true: it was not stopped before. */
bool turn_step_stop(struct step_stop *s);

/* A call that may change something begins; false: it must not. Then ends. Any thread. */
bool turn_step_begin_change(struct step_stop *s);
void turn_step_end_change(struct step_stop *s);

#endif
