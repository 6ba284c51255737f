/* SPDX-License-Identifier: MIT */
/*
 * Export of everything a user has made, by resource.def, so that no table is
 * forgotten.
 */
#ifndef RESOURCE_EXPORT_H
#define RESOURCE_EXPORT_H

#include "resource/resource.h"

/* Called after each row: sends w's buffer and empties it. Returns 0 or -1. */
typedef int resource_flush(void *ctx, struct err *e);

/*
 * Writes a member for each resource that users own rows of, named by its path:
 * an array of records, with their child rows inside. Hidden fields (hashes of
 * tokens) and rows of groups or the tenant are not included. Needs constant
 * memory. Database errors, and those of flush.
 */
int resource_export(struct db *db, const struct owner *o, struct jw *w,
		    resource_flush *flush, void *ctx, struct err *e) MUST_CHECK;

#endif
