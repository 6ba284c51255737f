/*
 * Work after a turn (after.def). It runs in the turn's thread, after the
 * response, for turns that ended well, one row of the table after the other. A
 * failure does not affect the turn, which is stored by then. Stopping the turn
 * or a shutdown ends the work.
 */
#ifndef TURN_AFTER_H
#define TURN_AFTER_H

#include "turn/turn.h"

struct after {
	const char *name;	/* for the log and docs/turn.md */
	const char *what;
	/* Whether this turn needs the work. Must not do I/O. */
	bool (*due)(const struct turn_run *t);
	/* Does the work. Returns 0, or -1 with e set, which is logged. */
	int (*run)(struct turn_run *t, struct err *e);
};

extern const struct after after_rows[];
extern const size_t after_n_rows;

/* -- title.c ---------------------------------------------------------------- */

bool title_due(const struct turn_run *t);
int title_run(struct turn_run *t, struct err *e) MUST_CHECK;

#endif
