/* SPDX-License-Identifier: MIT */
/*
 * SQL that an admin wrote (a row filter, a FROM clause, a column expression):
 * scanned as MariaDB would, so that names in quotes are left alone, and nothing
 * can end the statement, hide its rest or use a parameter of another part.
 */
#ifndef TOOL_ROWFILTER_H
#define TOOL_ROWFILTER_H

#include "base/arena.h"
#include "base/err.h"
#include "db/db.h"

/* The caller: the values to which a row filter may be bound. Borrowed. */
struct row_caller {
	struct str user;	/* login */
	struct str user_id;	/* canonical UUID text */
	struct str tenant;
	const struct str *groups;
	size_t n_groups;
};

struct query_args {		/* parameters, in the order of their ? */
	struct db_val *v;	/* arena */
	size_t n, size;
	struct arena *arena;
};

/* Appends one parameter. */
void query_args_add(struct query_args *args, struct db_val v);

/*
 * Refuses what such a text must not contain: an unquoted ? or ;, a comment, an
 * unbalanced parenthesis or quote, and :names. ERR_CONFIG,
 * public text. Backslashes in strings are refused as well, because their meaning
 * depends on the session's sql_mode.
 */
int query_fragment_check(const char *text, struct err *e) MUST_CHECK;

/*
 * Appends the row filter with :user, :user_id and :tenant replaced by ? and
 * :groups by as many (NULL where the caller has none), and their values to
 * args. Another :name is ERR_CONFIG, as is what query_fragment_check refuses.
 */
int row_filter_bind(const char *where, const struct row_caller *who,
		    struct buf *sql, struct query_args *args,
		    struct err *e) MUST_CHECK;

#endif
