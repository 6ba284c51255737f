/* All sealed values of the database, for `secret rotate`. */
#ifndef RESOURCE_RESEAL_H
#define RESOURCE_RESEAL_H

#include "conf/conf.h"
#include "db/db.h"

/* A value that cannot be opened: its table, column and row, and why. */
typedef void resource_lost(void *ctx, const char *table, const char *column,
			   const struct uuid *row, const struct err *why);

struct resource_resealed {
	int64_t done;		/* sealed anew by this call */
	int64_t lost;		/* that cannot be opened; they stay as they are */
};

/*
 * Seals everything with the first of secrets.key that is not sealed with it yet,
 * row by row: it may be interrupted and run again, also beside others and beside
 * a running server, whose changes win. ERR_SECRETS without a key; errors of the
 * database, after which *out is what was done until then.
 */
int resource_reseal(struct db *db, const struct conf *c, resource_lost *lost,
		    void *ctx, struct resource_resealed *out,
		    struct err *e) MUST_CHECK;

#endif
