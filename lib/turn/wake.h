/* SPDX-License-Identifier: MIT */
/*
 * Turns whose process ended within a plan (docs/plans.md). Such a turn sleeps: it waits for
 * nobody, or steps of its plan can go on while others wait. Whoever asks for it continues
 * it; else the job `plan-wake` does, which whatever left it asleep has asked for
 * (store_turn_cut). Only one of them can take it (store_turn_resume).
 */
#ifndef TURN_WAKE_H
#define TURN_WAKE_H

#include "base/arena.h"
#include "base/err.h"
#include "store/turn.h"

/* Whether the turn, as read, sleeps: 1, 0, -1. */
int turn_sleeps(struct db *db, const struct owner *o, const struct turn *t,
		struct arena *a, struct err *e) MUST_CHECK;

/* Whether it goes on with a plan already, in whichever process: 1, 0, -1. */
int turn_plans(struct db *db, const struct owner *o, const struct turn *t,
	       struct arena *a, struct err *e) MUST_CHECK;

#endif
