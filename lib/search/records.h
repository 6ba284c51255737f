/* SPDX-License-Identifier: MIT */
/*
 * Tables as text: records of fields with a delimiter between them (RFC 4180 and its
 * relatives with semicolons, tabs or bars), so that a passage has whole rows under the
 * names of their columns. Each byte is looked at a fixed number of times.
 */
#ifndef SEARCH_RECORDS_H
#define SEARCH_RECORDS_H

#include <stdbool.h>

#include "base/str.h"

struct records {
	struct str text;
	char delimiter;
	size_t head_at;		/* the names of the columns: head_n bytes, and their line */
	size_t head_n;		/* end; 0: the first record is a row like the others */
	size_t at;		/* of the first row */
	/* no quote between these bytes ends a field */
	size_t open_from, open_to;
};

/*
 * Whether the text is such a table: nearly all of its first records have the same number
 * of fields, at least two. If so, *out is ready for records_end.
 */
bool records_detect(struct str text, struct records *out);

/* The end of the record that begins at byte i, with its line end. */
size_t records_end(struct records *r, size_t i);

#endif
