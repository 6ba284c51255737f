/* SPDX-License-Identifier: MIT */
#include "extract/zip.h"

#include <locale.h>
#include <unistd.h>

#include "base/limits.h"
#include "extract/extract.h"

#include "base/banned.h"

enum { PART_BYTES = 65536 };

void zip_prepare(void)
{
	/* libarchive converts them by the locale. */
	(void)setlocale(LC_CTYPE, "C.UTF-8");
}

int zip_each(struct str archive, zip_take *take, void *ctx)
{
	struct archive *a = archive_read_new();
	struct archive_entry *entry;
	int rc = EXTRACT_OK, got = ARCHIVE_OK;

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
		else if (archive_entry_is_encrypted(entry))
			rc = EXTRACT_ENCRYPTED;
		else
			rc = take(ctx, a, entry);
	}
	archive_read_free(a);
	return rc == ZIP_ENOUGH ? EXTRACT_OK : rc;
}

const char *zip_path(struct archive_entry *entry)
{
	const char *path = archive_entry_pathname_utf8(entry);

	if (!path)
		path = archive_entry_pathname(entry);
	return path ? path : "";
}

int zip_data(struct archive *a, struct buf *out, size_t *total, size_t most)
{
	char part[PART_BYTES];
	ssize_t n;

	while ((n = archive_read_data(a, part, sizeof(part))) > 0) {
		*total += (size_t)n;
		buf_add(out, part, (size_t)n);
		if (*total > most || !buf_ok(out))
			return EXTRACT_BOMB;
	}
	return n < 0 ? EXTRACT_UNREADABLE : EXTRACT_OK;
}
