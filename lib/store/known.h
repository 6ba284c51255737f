/* SPDX-License-Identifier: MIT */
/*
 * Sets of knowledge bases, as conversations and agents have them: JSON arrays of ids,
 * p == NULL if there is none. A row keeps the id of a deleted base, so that its set does
 * not become wider; records do not show it (B49).
 */
#ifndef STORE_KNOWN_H
#define STORE_KNOWN_H

#include "base/arena.h"
#include "db/db.h"

/*
 * Takes the bases that were deleted out of n sets, in place; "[]" if none is left. One
 * statement for all, none if there is no set. In a.
 */
int store_known_bases(struct db *db, struct str tenant_id, struct str *const *sets,
		      size_t n, struct arena *a, struct err *e) MUST_CHECK;

#endif
