/* SPDX-License-Identifier: MIT */
/* The archives of office documents: unpacked files by name, within limits. */
#ifndef EXTRACT_OFFICE_PART_H
#define EXTRACT_OFFICE_PART_H

#include "base/buf.h"

struct office_part {
	char *name;
	struct buf data;
};

struct office_parts {
	struct office_part *v;		/* in the order of the archive */
	struct office_part **sorted;	/* by name */
	size_t n;
};

/*
 * Decodes "%20" in the name of a part: some programs encode the names in the archive, in
 * its relations and in its list of types, others only some of them.
 */
void office_decode_name(char *name);

/*
 * Unpacks the files that are wanted; their names are decoded, have no leading slash, and /
 * between folders. Returns an exit code. office_release must follow in any case.
 */
typedef bool office_want(const void *ctx, const char *name);
int office_unpack(struct str archive, office_want *want, const void *ctx,
		  struct office_parts *out) MUST_CHECK;
void office_release(struct office_parts *p);

/*
 * The file with this name, in any case (ECMA-376 part 2, section 6.2.2.3); p == NULL if
 * there is none.
 */
struct str office_part(const struct office_parts *p, const char *name);

#endif
