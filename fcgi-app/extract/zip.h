/* SPDX-License-Identifier: MIT */
/* The entries of a ZIP archive, within limits. */
#ifndef EXTRACT_ZIP_H
#define EXTRACT_ZIP_H

#include <archive.h>
#include <archive_entry.h>

#include "base/buf.h"

enum { ZIP_ENOUGH = -1 };

/* Names in archives are UTF-8; without this, those that are not ASCII are lost. */
void zip_prepare(void);

/*
 * Gives each entry to take, in the order of the archive, until that returns something else
 * than EXTRACT_OK; ZIP_ENOUGH ends it as if there were no more. Returns an exit code:
 * EXTRACT_UNREADABLE, EXTRACT_ENCRYPTED, or EXTRACT_BOMB beyond LIM_EXTRACT_ENTRIES.
 */
typedef int zip_take(void *ctx, struct archive *a, struct archive_entry *entry);
int zip_each(struct str archive, zip_take *take, void *ctx) MUST_CHECK;

/*
 * The path of the entry as it is in the archive: UTF-8, or whatever old programs wrote.
 * Never NULL; borrowed of the entry.
 */
const char *zip_path(struct archive_entry *entry);

/*
 * Appends what the entry has to out, and its size to *total. EXTRACT_BOMB if that becomes
 * more than most, or does not fit; EXTRACT_UNREADABLE.
 */
int zip_data(struct archive *a, struct buf *out, size_t *total, size_t most) MUST_CHECK;

#endif
