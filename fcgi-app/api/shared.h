/* SPDX-License-Identifier: MIT */
/*
 * Common parts of resources whose OWNER is SHARED: a tier, which determines the
 * holder of a row (columns tier and team), and shares, rows of a PARENT resource
 * below it (column group_name), each of which lets a group see it.
 */
#ifndef API_SHARED_H
#define API_SHARED_H

#include "api/resource.h"

/* Sets the holder of a new row by its tier and group. For `made`. */
int api_shared_made(struct request *rq, const struct resource *r,
		    struct resource_row *row, struct err *e) MUST_CHECK;

extern const struct resource_odd api_prompt_share_odd;
extern const struct resource_odd api_knowledge_share_odd;

#endif
