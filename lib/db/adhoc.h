/* SPDX-License-Identifier: MIT */
/*
 * Inside lib/db: one ad-hoc SELECT on its connection, from its text to the cells of
 * a row. query.c writes the rows as JSON, columns.c reads what tables have. Like
 * the connection, it is used by one thread at a time.
 */
#ifndef DB_ADHOC_H
#define DB_ADHOC_H

#include "db/link.h"

#define INLINE_BYTES   64	/* dates, decimals */

enum form { FORM_INT, FORM_DOUBLE, FORM_FLOAT, FORM_DECIMAL, FORM_SHORT,
	    FORM_BIT, FORM_TEXT, FORM_BYTES };

struct slot {			/* one result column */
	enum form form;
	union {
		int64_t i;
		double d;
		char text[INLINE_BYTES];
	};
	bool is_unsigned;
	unsigned long length;
	my_bool null, error;
};

struct adhoc {
	struct link *c;
	MYSQL_STMT *st;
	struct str sql;		/* its text; arena */
	const MYSQL_FIELD *fields;
	unsigned n;
	struct slot *slots;
	MYSQL_BIND *out;
	struct arena *a;
};

/* How values of a column are fetched: FORM_TEXT and FORM_BYTES by adhoc_text. */
enum form adhoc_form(const MYSQL_FIELD *f);

/*
 * Executes the query within l's time limit, what was not kept prepared first. q has its
 * connection and its arena. 0: q->st is the caller's, to close or to keep. -1: it
 * is closed, and q->c->fault says what the error means for the connection.
 */
int adhoc_open(struct adhoc *q, struct str sql,
	       const struct db_val *args, size_t n_args,
	       const struct db_query_limits *l, struct err *e) MUST_CHECK;

/* The next row, into q->slots: 1, 0 at the end, -1. */
int adhoc_next(struct adhoc *q, struct err *e) MUST_CHECK;

/*
 * Text of column i, cut at max_bytes; *cut says whether. In the arena, with a NUL
 * behind it. -1: the database, or the arena is full.
 */
int adhoc_text(struct adhoc *q, unsigned i, size_t max_bytes,
	       struct str *out, bool *cut, struct err *e) MUST_CHECK;

#endif
