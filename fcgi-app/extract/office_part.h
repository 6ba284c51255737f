/* What is in the archives of office documents: files by their names, within caps. */
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
 * Unpacks what may hold text: XML, relations, pages of books; not media. An exit
 * code. office_release must follow, whatever the code.
 */
int office_unpack(struct str archive, struct office_parts *out) MUST_CHECK;
void office_release(struct office_parts *p);

/* By its name; p == NULL: there is none. */
struct str office_part(const struct office_parts *p, const char *name);

#endif
