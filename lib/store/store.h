/*
 * The store: one noun per file, on top of lib/db. Every function on user data takes
 * the owner. Missing rows and rows of others give the same ERR_NOT_FOUND.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "db/db.h"
#include "resource/owner.h"

struct identity;

/* The owner of the rows of who. Text borrowed from who. */
struct owner owner_of(const struct identity *who);

/* Page direction of keyset lists. */
enum store_order { NEWEST_FIRST, OLDEST_FIRST };

/*
 * A pattern for LIKE ? ESCAPE '|': texts that have part somewhere, or (not
 * anywhere) begin with it. In a; part.p == NULL stays so.
 */
struct str store_like(struct str part, bool anywhere, struct arena *a);

/*
 * Our own database with the statements of lib/store/stmt.def. Connects to
 * nothing yet. Owned: db_close. wait_ms: for a free connection, 0 = 5000.
 */
struct db *store_open(const struct conf_db *conf, int wait_ms,
		      struct err *e) MUST_CHECK;

/*
 * Housekeeping: deletes expired rows (KEEP rows of resource.def), and requests the
 * purge of deleted conversations that have no job. Five round trips if there is
 * nothing to do. Any number of processes may do it at the same time; about once a
 * minute is enough.
 */
int store_tidy(struct db *db, struct err *e) MUST_CHECK;

/* "NAME params columns" and SQL text, a line each: `list statements`. */
void store_print_statements(struct buf *out);

/* Those of them that come from resource.def, as lib/resource/resource.sql. */
void store_print_resources(struct buf *out);

#endif
