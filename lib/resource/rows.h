/* Of read.c for write.c. */
#ifndef RESOURCE_ROWS_H
#define RESOURCE_ROWS_H

#include "resource/resource.h"

/*
 * Puts what finds a row of at's holder behind the n values in v, room for three.
 * Returns how many there are then.
 */
size_t resource_mine(const struct resource *r, const struct resource_at *at,
		     const struct uuid *id, struct db_val *v, size_t n);

/* Sets ERR_NOT_FOUND; -1. */
int resource_not_found(const struct resource *r, struct err *e);

#endif
