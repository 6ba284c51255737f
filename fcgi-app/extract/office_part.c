/* SPDX-License-Identifier: MIT */
#include "extract/office_part.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/util.h"
#include "extract/extract.h"

#include "base/banned.h"

enum { PART_BYTES = 65536, ONE_BYTES = 67108864 };

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

/* Unpacks one file; *total is the size of all of them. */
static int unpack(struct archive *a, struct buf *b, size_t *total)
{
	char part[PART_BYTES];
	ssize_t n;

	while ((n = archive_read_data(a, part, sizeof(part))) > 0) {
		*total += (size_t)n;
		if (*total > LIM_EXTRACT_UNPACKED_BYTES ||
		    b->n + (size_t)n > ONE_BYTES)
			return EXTRACT_BOMB;
		buf_add(b, part, (size_t)n);
	}
	return n < 0 ? EXTRACT_UNREADABLE : EXTRACT_OK;
}

static int take(struct archive *a, char *name, struct office_parts *out, size_t *total)
{
	struct buf b = BUF_INIT(ONE_BYTES);
	int rc = unpack(a, &b, total);

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

static int look_at(struct archive *a, struct archive_entry *entry, office_want *want,
		   const void *ctx, struct office_parts *out, size_t *total)
{
	const char *said = archive_entry_pathname(entry);
	char *name;

	if (archive_entry_is_encrypted(entry))
		return EXTRACT_ENCRYPTED;
	name = clean_name(said ? said : "");
	if (*name && want(ctx, name))
		return take(a, name, out, total);
	free(name);
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
	struct archive *a = archive_read_new();
	struct archive_entry *entry;
	size_t total = 0;
	int rc = EXTRACT_OK, got = ARCHIVE_OK;

	*out = (struct office_parts){ .n = 0 };
	archive_read_support_format_zip(a);
	if (archive_read_open_memory(a, archive.p, archive.n) != ARCHIVE_OK)
		rc = EXTRACT_UNREADABLE;
	for (int i = 0; rc == EXTRACT_OK; i++) {
		got = archive_read_next_header(a, &entry);
		if (got == ARCHIVE_EOF)
			break;
		if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
			rc = EXTRACT_UNREADABLE;
		else if (i >= LIM_EXTRACT_ENTRIES)
			rc = EXTRACT_BOMB;
		else
			rc = look_at(a, entry, want, ctx, out, &total);
	}
	archive_read_free(a);
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
