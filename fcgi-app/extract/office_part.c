#include "extract/office_part.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/util.h"
#include "extract/extract.h"

#include "base/banned.h"

enum { PART_BYTES = 65536, ONE_BYTES = 67108864 };

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcasecmp(name + n - m, end) == 0;
}

static bool is_wanted(const char *name)
{
	static const char *const ends[] = {
		".xml", ".rels", ".opf", ".xhtml", ".html", ".htm",
	};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (ends_with(name, ends[i]))
			return true;
	return false;
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

static int take(struct archive *a, struct archive_entry *entry,
		struct office_parts *out, size_t *total)
{
	const char *name = archive_entry_pathname(entry);
	struct buf b = BUF_INIT(ONE_BYTES);
	struct office_part *v;
	int rc;

	if (archive_entry_is_encrypted(entry))
		return EXTRACT_ENCRYPTED;
	if (!name || !is_wanted(name))
		return EXTRACT_OK;
	rc = unpack(a, &b, total);
	if (rc != EXTRACT_OK) {
		buf_release(&b);
		return rc;
	}
	v = realloc(out->v, (out->n + 1) * sizeof(*v));
	if (!v)
		_exit(EXTRACT_MEMORY);
	out->v = v;
	v[out->n++] = (struct office_part){ xstrdup(name), b };
	return EXTRACT_OK;
}

int office_unpack(struct str archive, struct office_parts *out)
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
			rc = take(a, entry, out, &total);
	}
	archive_read_free(a);
	return rc;
}

void office_release(struct office_parts *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].name);
		buf_release(&p->v[i].data);
	}
	free(p->v);
	*p = (struct office_parts){ .n = 0 };
}

struct str office_part(const struct office_parts *p, const char *name)
{
	while (*name == '/')
		name++;
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->v[i].name, name) == 0)
			return buf_str(&p->v[i].data);
	return (struct str){ NULL, 0 };
}
