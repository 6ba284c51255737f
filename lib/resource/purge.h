/*
 * Deleting by resource.def: what belongs to something goes with it, and what
 * ends by itself goes when it is old, in batches.
 */
#ifndef RESOURCE_PURGE_H
#define RESOURCE_PURGE_H

#include "resource/resource.h"

/*
 * First in the transaction of each batch: 1 when the root still is to be purged
 * (and locks it), 0 when somebody else came to the end, -1.
 */
typedef int resource_guard(struct db *tx, const struct uuid *id, struct err *e);

/*
 * Deletes what belongs to the root of that id, not the root itself, until
 * until_ms (monotonic). 1 when nothing is left, or the guard said so; 0 when the
 * time was over, -1. Any number may do it at once.
 */
int resource_purge(struct db *db, enum resource_root root,
		   const struct uuid *id, resource_guard *guard,
		   int64_t until_ms, struct err *e) MUST_CHECK;

/*
 * All of it, within the transaction that deletes the root: for roots whose
 * parts are few.
 */
int resource_purge_now(struct db *tx, enum resource_root root,
		       const struct uuid *id, struct err *e) MUST_CHECK;

/*
 * Deletes rows that are past their time, at most 20,000 of a table. One round
 * trip a table when there is nothing to do.
 */
int resource_expire(struct db *db, struct err *e) MUST_CHECK;

#endif
