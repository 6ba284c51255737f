/* SPDX-License-Identifier: MIT */
/*
 * The struct of a row of a resource that files have, too: the members that
 * resource/resource.def describes for both (conf/field.h), with the same defaults.
 */
#ifndef DOMAIN_FILLED_H
#define DOMAIN_FILLED_H

#include "conf/option.h"
#include "resource/resource.h"

/*
 * Fills *out, the zeroed struct of the section that r's fields are of: defaults, and the
 * row's values but secrets, of which only the flag is set. In a.
 */
void filled_from_row(const struct resource *r, const struct resource_row *row,
		     struct arena *a, void *out);

/* Begins a row of what stands in a file: read-only, with this id and without times. */
void filled_file_row(const struct resource *r, struct uuid id, struct resource_row *row);

/*
 * The reverse, for what stands in a file: the members of *s as values of a row of r, which
 * is new. What is not set is NULL; of a secret, the row says only whether there is one; of
 * names, which rows have as ids, nothing. In a, and borrowed from s.
 */
void filled_to_row(const struct resource *r, const void *s, struct arena *a,
		   struct resource_row *row);

/*
 * Writes the members of a record that are fields as they are: those of the row, or without
 * one (NULL) those of *s, which a file has; null where there is none. but: the keys of
 * fields that are written elsewhere.
 */
void filled_write(struct jw *w, const struct resource *r, const struct resource_row *row,
		  const void *s, struct arena *a, const char *but);

/* A JSON array of texts as a list (p == NULL: empty). In a. */
struct conf_list filled_list(struct arena *a, struct str json);

#endif
