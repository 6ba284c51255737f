/* SPDX-License-Identifier: MIT */
#include "extract/office_part.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/util.h"
#include "extract/extract.h"
#include "extract/zip.h"

#include "base/banned.h"

enum { ONE_BYTES = 67108864 };

struct unpacking {
	office_want *want;
	const void *ctx;
	struct office_parts *out;
	size_t total;		/* bytes of all */
};

void office_decode_name(char *name)
{
	char *to = name;

	for (const char *p = name; *p; p++) {
		int high = *p == '%' ? hex_digit(p[1]) : -1;
		int low = high >= 0 ? hex_digit(p[2]) : -1;
		bool is_code = low >= 0 && (high || low);

		*to++ = is_code ? (char)(high << 4 | low) : *p;
		p += is_code ? 2 : 0;
	}
	*to = '\0';
}

/* Some programs write backslashes, or a slash first. */
static char *clean_name(const char *name)
{
	char *s;

	while (*name == '/' || *name == '\\' || !strncmp(name, "./", 2))
		name++;
	s = xstrdup(name);
	for (char *p = s; *p; p++)
		if (*p == '\\')
			*p = '/';
	office_decode_name(s);
	return s;
}

static int take_entry(void *ctx, struct archive *a, struct archive_entry *entry)
{
	struct unpacking *u = ctx;
	struct office_parts *out = u->out;
	char *name = clean_name(zip_path(entry));
	struct buf b = BUF_INIT(ONE_BYTES);
	int rc;

	if (!*name || !u->want(u->ctx, name)) {
		free(name);
		return EXTRACT_OK;
	}
	rc = zip_data(a, &b, &u->total, LIM_EXTRACT_UNPACKED_BYTES);
	if (rc != EXTRACT_OK) {
		buf_release(&b);
		free(name);
		return rc;
	}
	if (out->n % 256 == 0)
		out->v = xrealloc(out->v, (out->n + 256) * sizeof(*out->v));
	out->v[out->n++] = (struct office_part){ name, b };
	return EXTRACT_OK;
}

static int by_name(const void *a, const void *b)
{
	const struct office_part *const *x = a, *const *y = b;

	return strcasecmp((*x)->name, (*y)->name);
}

int office_unpack(struct str archive, office_want *want, const void *ctx,
		  struct office_parts *out)
{
	struct unpacking u = { want, ctx, out, 0 };
	int rc;

	*out = (struct office_parts){ .n = 0 };
	rc = zip_each(archive, take_entry, &u);
	out->sorted = xmalloc((out->n + 1) * sizeof(*out->sorted));
	for (size_t i = 0; i < out->n; i++)
		out->sorted[i] = &out->v[i];
	qsort(out->sorted, out->n, sizeof(*out->sorted), by_name);
	return rc;
}

void office_release(struct office_parts *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].name);
		buf_release(&p->v[i].data);
	}
	free(p->v);
	free(p->sorted);
	*p = (struct office_parts){ .n = 0 };
}

struct str office_part(const struct office_parts *p, const char *name)
{
	struct office_part key = { .name = NULL }, *wanted = &key, **found;

	if (!p->n)		/* maybe there is no archive, and nothing sorted */
		return (struct str){ NULL, 0 };
	while (*name == '/')
		name++;
	key.name = (char *)(uintptr_t)name;
	found = bsearch(&wanted, p->sorted, p->n, sizeof(*p->sorted), by_name);
	return found ? buf_str(&(*found)->data) : (struct str){ NULL, 0 };
}
