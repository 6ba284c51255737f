/* The archives of office documents: unpacked files by name, within limits. */
#ifndef EXTRACT_OFFICE_PART_H
#define EXTRACT_OFFICE_PART_H

#include "base/buf.h"

struct office_part {
	char *name;
	struct buf data;
};

struct office_parts {
	struct office_part *v;
	size_t n;
};

/*
 * Unpacks the files that may contain text: XML, relations, pages of books; not media.
 * Returns an exit code. office_release must follow in any case.
 */
int office_unpack(struct str archive, struct office_parts *out) MUST_CHECK;
void office_release(struct office_parts *p);

/* The file with this name; p == NULL if there is none. */
struct str office_part(const struct office_parts *p, const char *name);

#endif
