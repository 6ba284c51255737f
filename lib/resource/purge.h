/* SPDX-License-Identifier: MIT */
/*
 * Deletion by resource.def: dependent rows with their root, and expired rows,
 * in batches.
 */
#ifndef RESOURCE_PURGE_H
#define RESOURCE_PURGE_H

#include "resource/resource.h"

/*
 * Runs first in the transaction of each batch and locks the root. Returns 1 if
 * the root is still to be purged, 0 if another process has finished it, -1.
 */
typedef int resource_guard(struct db *tx, const struct uuid *id, struct err *e);

/*
 * Deletes the rows that belong to the root with this id, not the root itself,
 * until until_ms (monotonic). Returns 1 if nothing is left or the guard
 * returned 0; 0 if time ran out; -1. May run in several processes at once.
 */
int resource_purge(struct db *db, enum resource_root root,
		   const struct uuid *id, resource_guard *guard,
		   int64_t until_ms, struct err *e) MUST_CHECK;

/*
 * Deletes all of them within the transaction that deletes the root: for roots
 * with few dependent rows.
 */
int resource_purge_now(struct db *tx, enum resource_root root,
		       const struct uuid *id, struct err *e) MUST_CHECK;

/*
 * In the transaction that takes the root away from its owner: takes its HIDDEN rows
 * away as well, which users list beside it, until resource_purge deletes them.
 */
int resource_hide_parts(struct db *tx, enum resource_root root, const struct uuid *id,
		  struct err *e) MUST_CHECK;

/*
 * Deletes the rows of all resources that are BELOW the row with this id, which is
 * gone. Returns 1, or 0 if time ran out; -1.
 */
int resource_purge_below(struct db *db, const struct uuid *id, int64_t until_ms,
			 struct err *e) MUST_CHECK;

/*
 * Deletes expired rows, at most 20,000 per table. One round trip per table if
 * there is nothing to do. Database errors.
 */
int resource_expire(struct db *db, struct err *e) MUST_CHECK;

#endif
