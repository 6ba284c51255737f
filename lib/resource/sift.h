/* SPDX-License-Identifier: MIT */
/*
 * Lists that are limited or ordered by members of PROPS (SIFTED): what YAML declares has no
 * columns, and so no keys. All rows of the parent that pass the other filters are read
 * without their texts, which are at most as many as resource.def says, and then those of
 * the page. Rejected: a table of members by row, which would have to be made anew whenever
 * the declaration changes; and searching the JSON in the statement, which finds what looks
 * like a member, too.
 */
#ifndef RESOURCE_SIFT_H
#define RESOURCE_SIFT_H

#include "resource/resource.h"

/*
 * As resource_list, of want with limits for which resource_is_sifted. *total: how many there
 * are. Blocks.
 */
int sift_list(struct db *db, const struct resource *r, const struct resource_at *at,
	      const struct resource_want *want, struct arena *a,
	      struct resource_row **out, size_t *n, bool *more, int64_t *total,
	      struct err *e) MUST_CHECK;

/* Its place in the order by a member, for a cursor: the value of PROPS of the row. In a. */
struct db_val sift_member(const struct resource *r, const struct resource_limits *limits,
			  const struct resource_row *row, struct arena *a);

#endif
