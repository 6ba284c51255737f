/* SPDX-License-Identifier: MIT */
/*
 * Common to resources whose OWNER is SHARED: a tier, which determines the holder
 * of a row (columns tier and team), and shares, rows of a PARENT resource below it
 * (column group_name), each of which lets a group see it.
 */
#ifndef DOMAIN_SHARING_H
#define DOMAIN_SHARING_H

#include "resource/call.h"

/* Its columns (COLUMN) with the tier and the group. */
struct sharing_columns {
	size_t tier, team;
};

/*
 * For `prepare`: sets the holder of a new row by its tier, private by default, and its
 * group. ERR_INVALID_FIELD, ERR_FORBIDDEN.
 */
int sharing_prepare(const struct caller *by, const struct resource *r,
		    struct resource_change *k, struct sharing_columns at,
		    struct err *e) MUST_CHECK;

/* `check` of a share: its group must be one of the caller's. */
resource_hook sharing_check;

/*
 * Changes the row that is shared, by its owner's tenant and id. Nodes of a cluster
 * detect conflicts only between changes of the same row, so a lock would not
 * prevent another node from deleting it.
 */
typedef int sharing_move(struct db *tx, const struct owner *by,
			 const struct uuid *shared, struct err *e);

/* `store` and `gone` of a share: lets its group see the row, or no longer. */
int sharing_store(const struct caller *by, const struct resource *r,
		  struct resource_change *k, sharing_move *move,
		  struct err *e) MUST_CHECK;
int sharing_gone(const struct caller *by, const struct resource *r,
		 struct resource_change *k, sharing_move *move,
		 struct err *e) MUST_CHECK;

#endif
