/* SPDX-License-Identifier: MIT */
/*
 * Deletion of everything of a user, by resource.def, so that no table is forgotten.
 * What has code of its own, like conversations, is deleted by lib/job/erase.c.
 */
#ifndef RESOURCE_ERASE_H
#define RESOURCE_ERASE_H

#include "resource/resource.h"

/* What an erasure does beside deleting rows; both get ctx. */
struct resource_eraser {
	/*
	 * Runs first in the transaction that deletes a row which the user holds.
	 * May run more than once, like a closure of db_tx.
	 */
	int (*gone)(struct db *tx, const struct resource *r,
		    const struct resource_row *row, void *ctx, struct err *e);
	/* Learns of n rows of a table that were deleted, or that lost the id. */
	void (*report)(const char *table, bool kept, int64_t n, void *ctx);
	void *ctx;
};

/*
 * Deletes the rows of SHARED and MIXED resources that the user holds, one by one, with
 * what belongs to them. Database errors, and those of gone.
 */
int resource_erase_held(struct db *db, const struct owner *o,
			const struct resource_eraser *x,
			struct err *e) MUST_CHECK;

/*
 * Deletes the user's other rows, and removes the user's id from those that stay. May be
 * repeated, and run in several processes at once. Database errors.
 */
int resource_erase(struct db *db, const struct owner *o,
		   const struct resource_eraser *x, struct err *e) MUST_CHECK;

#endif
