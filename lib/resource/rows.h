/* SPDX-License-Identifier: MIT */
/* Functions of read.c that write.c uses. */
#ifndef RESOURCE_ROWS_H
#define RESOURCE_ROWS_H

#include "resource/resource.h"

/*
 * Appends the parameters that select a row of at's holder to the n values in v,
 * which has room for three more. Returns the new number.
 */
size_t resource_mine(const struct resource *r, const struct resource_at *at,
		     const struct uuid *id, struct db_val *v, size_t n);

/* Sets ERR_NOT_FOUND; -1. */
int resource_not_found(const struct resource *r, struct err *e);

#endif
