/* Take-out: what a user has made, by resource.def, so that no table is forgotten. */
#ifndef RESOURCE_EXPORT_H
#define RESOURCE_EXPORT_H

#include "resource/resource.h"

/* Called after each row: takes what w's buffer has, and empties it. */
typedef int resource_flush(void *ctx, struct err *e);

/*
 * Writes a member for each resource that users hold rows of, named by its path: an
 * array of records, with those of what is below them inside. Hidden fields (the
 * hashes of tokens) are left out, and so is what a group or the tenant has. Memory
 * does not grow with the rows.
 */
int resource_export(struct db *db, const struct owner *o, struct jw *w,
		    resource_flush *flush, void *ctx, struct err *e) MUST_CHECK;

#endif
