/*
 * Work after a turn (after.def). It never delays the response, and if it fails, the
 * turn is not affected, because it is stored already. It runs in the turn's thread
 * for turns that ended well, one row after the other; stopping the turn or a
 * shutdown ends it.
 */
#ifndef TURN_AFTER_H
#define TURN_AFTER_H

#include "turn/turn.h"

struct after {
	const char *name;	/* for the log and docs/turn.md */
	const char *what;
	/* Whether there is something to do for this turn. No I/O. */
	bool (*due)(const struct turn_run *t);
	/* Does it; -1 is logged. */
	int (*run)(struct turn_run *t, struct err *e);
};

extern const struct after after_rows[];
extern const size_t after_n_rows;

/* -- title.c ---------------------------------------------------------------- */

bool title_due(const struct turn_run *t);
int title_run(struct turn_run *t, struct err *e) MUST_CHECK;

#endif
