/* SPDX-License-Identifier: MIT */
/*
 * Taking back a change in a project: what was made is deleted, what was changed has its
 * earlier values again, what was deleted is there again with its id and its links to what
 * still exists, what was moved is moved back. Each is a change like any other.
 */
#ifndef ENTITY_UNDO_H
#define ENTITY_UNDO_H

#include "resource/change.h"

/*
 * Takes back the change with this id in a project that the caller sees; *done is the
 * change that did it. ERR_NOT_FOUND; ERR_FORBIDDEN; ERR_PRECONDITION, public, if it was
 * changed again since then; ERR_CONFLICT, public, if nothing is kept of what it was, or
 * what was deleted is there again; and the errors of resource_call. In by's arena.
 */
int entity_undo(const struct caller *by, const struct uuid *project,
		const struct uuid *change, struct resource_changed *done,
		struct err *e) MUST_CHECK;

#endif
