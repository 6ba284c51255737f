/* SPDX-License-Identifier: MIT */
/* Resuming a turn that waited. */
#ifndef TURN_RESUME_H
#define TURN_RESUME_H

#include "base/err.h"

struct turn_loop;

/*
 * Applies the decisions about the step: runs the approved calls, answers those
 * denied or carried out by the page. Undecided ones keep waiting.
 */
int resume_calls(struct turn_loop *l, struct err *e) MUST_CHECK;

/*
 * The same for a step of a plan, from where its trail ends (trail.h). 1: its last round is
 * the current step, and its calls have run or wait; 0: there was none, or all had ended.
 */
int resume_trail(struct turn_loop *l, struct err *e) MUST_CHECK;

#endif
