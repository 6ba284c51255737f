/* SPDX-License-Identifier: MIT */
/* Resealing all sealed values of the database, for `secret rotate`. */
#ifndef RESOURCE_RESEAL_H
#define RESOURCE_RESEAL_H

#include "conf/conf.h"
#include "db/db.h"

/* Reports a value that cannot be opened: table, column, row, and why. */
typedef void resource_lost(void *ctx, const char *table, const char *column,
			   const struct uuid *row, const struct err *why);

struct resource_resealed {
	int64_t done;		/* resealed by this call, or could be opened */
	int64_t lost;		/* cannot be opened; left unchanged */
};

/*
 * Reseals all values that are not sealed with the first key of secrets.key, row
 * by row. May be interrupted and run again, also concurrently with others and
 * with a running server, whose changes win. ERR_SECRETS without a key; database
 * errors, after which *out says what was done.
 */
int resource_reseal(struct db *db, const struct conf *c, resource_lost *lost,
		    void *ctx, struct resource_resealed *out,
		    struct err *e) MUST_CHECK;

/*
 * Opens all sealed values and changes nothing: how many can be opened and, by lost,
 * which cannot. Database errors.
 */
int resource_try_seals(struct db *db, const struct conf *c, resource_lost *lost,
		       void *ctx, struct resource_resealed *out,
		       struct err *e) MUST_CHECK;

#endif
