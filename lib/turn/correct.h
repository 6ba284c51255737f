/* SPDX-License-Identifier: MIT */
/* Correcting an answer by hand (docs/thread.md). */
#ifndef TURN_CORRECT_H
#define TURN_CORRECT_H

#include "store/thread.h"

/*
 * Stores c->answer.content, which the user has written, in the place of the answer c->seq
 * (thread_correct). Its metadata says that (`corrected`), and has what the other one's tells
 * of sources and agent; its text stays as untrusted as all that the other was made from,
 * since it may repeat it. c->answer: as it is stored, in a. The errors of thread_correct.
 */
int turn_correct(struct db *db, const struct owner *o,
		 struct thread_correction *c, struct arena *a,
		 struct err *e) MUST_CHECK;

#endif
