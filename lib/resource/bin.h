/* SPDX-License-Identifier: MIT */
/*
 * BINNED resources: a deleted row stays for LIM_CHANGE_DAYS, with all that is below it, and
 * nobody sees any of it, because it has no readers. Those who might delete it see that it
 * was deleted, restore it, or delete it for good. The job below-purge does that at the end.
 */
#ifndef RESOURCE_BIN_H
#define RESOURCE_BIN_H

#include "resource/call.h"
#include "resource/erase.h"

enum { RESOURCE_BIN_SHOWN = 200 };	/* of what was deleted, the newest */

struct resource_binned {
	struct uuid id, holder;
	struct str name;
	int64_t deleted_us;
};

/* When one is deleted for good that was deleted at that time. */
int64_t resource_bin_until(int64_t deleted_us);

/* What the caller may restore, the one deleted last first. In by's arena. */
int resource_bin_list(const struct caller *by, const struct resource *r,
		      struct resource_binned **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * Restores one of these, and with it who sees it; or deletes it for good. ERR_FORBIDDEN
 * without the permission; ERR_NOT_FOUND; ERR_CONFLICT, public, if there is no room for it.
 */
int resource_bin_restore(const struct caller *by, const struct resource *r,
			 const struct uuid *id, struct err *e) MUST_CHECK;
int resource_bin_drop(const struct caller *by, const struct resource *r,
		      const struct uuid *id, struct err *e) MUST_CHECK;

/*
 * Deletes the row with this id for good, of whatever resource it is, if its time is over,
 * for the user by.
 * *due_us: when that will be, if it is not; 0: nothing is to be waited for.
 */
int resource_bin_end(const struct caller *by, const struct uuid *id, int64_t *due_us,
		     struct err *e) MUST_CHECK;

/* Deletes all of a holder for good, and what is below, and tells how many. */
int resource_bin_erase(struct db *db, const struct resource *r, const struct owner *o,
		       const struct resource_eraser *x, struct err *e) MUST_CHECK;

#endif
