/* A turn that waited goes on. */
#ifndef TURN_RESUME_H
#define TURN_RESUME_H

#include "base/err.h"

struct turn_loop;
struct turn_run;

/*
 * Takes up what was decided about the step: runs what was approved, answers
 * what was denied or came from the page. What is undecided waits on.
 */
int resume_calls(struct turn_loop *l, struct err *e) MUST_CHECK;

/*
 * The last step of turn_start for RESUME: stores what was decided and, where
 * nobody else runs the turn, takes it. Returns enum turn_started, or -1.
 */
int resume_start(struct turn_run *t, struct err *e) MUST_CHECK;

#endif
