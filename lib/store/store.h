/* SPDX-License-Identifier: MIT */
/*
 * The store: one noun per file, on top of lib/db. Every function on user data
 * takes the owner. Missing rows and rows of other users give the same
 * ERR_NOT_FOUND. All functions may block and return database errors.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "auth/owner.h"
#include "db/db.h"

/* Page direction of keyset lists. */
enum store_order { NEWEST_FIRST, OLDEST_FIRST };

/*
 * A pattern for LIKE ? ESCAPE '|' that matches texts that contain part
 * (anywhere) or begin with it. In a; part.p == NULL is returned unchanged.
 */
struct str store_like(struct str part, bool anywhere, struct arena *a);

/*
 * Opens the product's database with the statements of lib/store/stmt.def. Does
 * not connect yet. Release with db_close.
 */
struct db *store_open(const struct conf_db *conf,
		      struct err *e) MUST_CHECK;

/*
 * Appends "NAME params columns" and the SQL text, one per line: `list
 * statements`.
 */
void store_print_statements(struct buf *out);

/*
 * Appends the statements of resource.def, in the form of
 * lib/resource/resource.sql.
 */
void store_print_resources(struct buf *out);

#endif
