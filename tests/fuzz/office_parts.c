/* SPDX-License-Identifier: MIT */
/*
 * Instead of an archive (fcgi-app/extract/office_part.c), which would hide its XML
 * from a fuzzer behind compression and checksums: parts as they are, each behind a
 * line that begins with 0x1f and has its name.
 */
#include "extract/office_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "extract/extract.h"

enum { PARTS = 64 };

static void add(struct office_parts *out, struct str name, struct str part)
{
	struct office_part *p = &out->v[out->n++];

	p->name = xmalloc(name.n + 1);
	memcpy(p->name, name.p, name.n);
	p->name[name.n] = '\0';
	p->data = (struct buf)BUF_INIT(part.n + 1);
	buf_addstr(&p->data, part);
}

int office_unpack(struct str archive, office_want *want, const void *ctx,
		  struct office_parts *out)
{
	static const struct str mimetype = { "mimetype", 8 };
	struct str first;

	(void)want;
	(void)ctx;
	*out = (struct office_parts){ .v = xcalloc(PARTS + 1, sizeof(*out->v)) };
	/* The first file of OpenDocument and EPUB is not compressed. */
	first = str_cut(&archive, 0x1f);
	if (str_starts(first, mimetype))
		add(out, mimetype, (struct str){ first.p + 8, first.n - 8 });
	while (archive.p && out->n < PARTS) {
		struct str part = str_cut(&archive, 0x1f);
		struct str name = str_cut(&part, '\n');

		add(out, name, part);
	}
	return EXTRACT_OK;
}

void office_release(struct office_parts *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].name);
		buf_release(&p->v[i].data);
	}
	free(p->v);
}

struct str office_part(const struct office_parts *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->v[i].name, name) == 0)
			return buf_str(&p->v[i].data);
	return (struct str){ NULL, 0 };
}

/* Names are as they are in the input. */
void office_decode_name(char *name)
{
	(void)name;
}
