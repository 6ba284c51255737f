/* SPDX-License-Identifier: MIT */
/*
 * What a call says of itself while it runs (tool_note), on its way from any thread to the
 * turn's, which alone emits events. Progress replaces older progress that was not told yet
 * (D28), and what exceeds the queue is dropped; what says that something changed is not.
 */
#ifndef TURN_NOTE_H
#define TURN_NOTE_H

#include <stdbool.h>

#include "base/arena.h"

struct tool_note;
struct turn_call;
struct turn_loop;

struct call_notes {		/* of a call; zero at first. Its owner locks it */
	struct note_line *lines;	/* room for NOTES; or NULL */
	size_t n_lines;
	char *plan;			/* where its plan stands, JSON; or NULL */
	struct note_kept *first, *last;	/* in arena */
	struct arena arena;
};

/* Copies n. False: it was dropped. */
bool notes_add(struct call_notes *s, const struct tool_note *n);

/* Whether any is to be told. Under the owner's lock, as notes_add. */
bool notes_any(const struct call_notes *s);

/* Emits and releases them. Only in the turn's thread. */
void notes_tell(struct turn_loop *l, struct turn_call *c, struct call_notes *s);

#endif
