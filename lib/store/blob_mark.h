/* SPDX-License-Identifier: MIT */
/*
 * Which installation the directory of files (store/blob.h) belongs to. It has a mark, the
 * file "installation" with the installation's id, because an installation deletes files
 * that it has no row for: those of another one must not be among them. The id comes from
 * the database (site_key), so that all nodes and a restored dump have the same one.
 *
 * The mark is read for each operation: another directory may be mounted meanwhile.
 *
 * Errors: ERR_FILE_STORE (the directory is another installation's, or cannot be read;
 * the text has the reason), those of the database. Any thread.
 */
#ifndef STORE_BLOB_MARK_H
#define STORE_BLOB_MARK_H

#include "store/store.h"

/*
 * Reads the installation's id, once per process: 1 round trip, 3 for the very first one;
 * nothing if there is no directory. Before a transaction that calls blob_mark_read or
 * blob_mark_write, which would make the id inside it otherwise.
 */
int blob_mark_know(struct db *db, struct err *e) MUST_CHECK;

/* 1: the directory has this installation's mark; 0: it has none; -1. */
int blob_mark_read(struct db *db, struct err *e) MUST_CHECK;

/*
 * The same before files are written: a directory without a mark gets one if it is empty
 * or has a file of this installation; else it is another one's.
 */
int blob_mark_write(struct db *db, struct err *e) MUST_CHECK;

/* Makes the directory this installation's, whatever mark it has. For the command. */
int blob_mark_take(struct db *db, struct err *e) MUST_CHECK;

#endif
