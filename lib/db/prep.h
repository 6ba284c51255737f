/* SPDX-License-Identifier: MIT */
/*
 * Inside lib/db: the declared statements that a connection has prepared. prep.c
 * prepares and checks them, stmt.c executes them. A connection, and so all of
 * this, is used by one thread at a time.
 */
#ifndef DB_PREP_H
#define DB_PREP_H

#include "db/link.h"

struct cell {			/* where one column is read to */
	union {
		int64_t i;
		double d;
		char u[16];
	};
	unsigned long length;
	my_bool null, error;
};

struct prep {
	MYSQL_STMT *st;		/* NULL: not prepared yet */
	unsigned n_params, n_columns;
	MYSQL_BIND *in, *out;
	struct cell *cells;
	size_t text_bytes;	/* in the scratch buffer, for one text column */
};

/*
 * Statement number stmt of c, prepared and checked against its row of the table if it
 * was not yet; without a place for it on the server, once all others of c are
 * closed. Borrowed: valid until prep_drop or link_drop_preps. NULL with e set and
 * c->fault noted: the error of the server, or ERR_DB where the row does not fit.
 */
struct prep *prepare(struct link *c, unsigned stmt, struct err *e) MUST_CHECK;

/* Closes p's statement, if any, and frees what it has; p itself stays, empty. */
void prep_drop(struct prep *p);

/* The row of the table; a number beyond it is a BUG. Lives as long as the pool. */
const struct db_stmt *prep_row(struct link *c, unsigned stmt);

/* link_stmt_fail for p's statement; name: for the log. Always -1. */
int prep_fail(struct link *c, struct prep *p, const char *name, struct err *e);

/*
 * Whether the columns that the server describes are those of the row. -1 with
 * ERR_DB that names the column. c->fault is left to the caller.
 */
int prep_columns(struct prep *p, const struct db_stmt *row,
		 struct err *e) MUST_CHECK;

/* Whether a column that is declared so has its value in the scratch. */
bool prep_is_text(char declared);

#endif
