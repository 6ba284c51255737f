/* SPDX-License-Identifier: MIT */
/* Resuming a turn that waited. */
#ifndef TURN_RESUME_H
#define TURN_RESUME_H

#include "base/err.h"

struct turn_call;
struct turn_wait;
struct turn_loop;
struct turn_run;

/*
 * Applies the decisions about the step: runs the approved calls, answers those
 * denied or carried out by the page. Undecided ones keep waiting.
 */
int resume_calls(struct turn_loop *l, struct err *e) MUST_CHECK;

/*
 * The last step of turn_start for RESUME: stores the decisions and takes the
 * turn unless another process runs it. Returns enum turn_started, or -1 with e
 * set.
 */
int resume_start(struct turn_run *t, struct err *e) MUST_CHECK;

/*
 * Applies the decision of a wait to its call: it gets a result, may run, or waits again.
 * Of a plan, too (trail.h).
 */
void resume_call(struct turn_loop *l, struct turn_call *c, const struct turn_wait *w);

#endif
