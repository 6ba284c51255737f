/* SPDX-License-Identifier: MIT */
/*
 * The structured query of query_data: from the model's JSON to one
 * parameterised SELECT. Nothing that the model wrote ever becomes SQL text: names
 * are looked up among the dataset's columns and replaced by the admin's text,
 * aliases are numbered by us, and every value is a parameter.
 */
#ifndef TOOL_QUERY_H
#define TOOL_QUERY_H

#include "base/json.h"
#include "tool/data/dataset.h"
#include "tool/data/rowfilter.h"

/* Items of a query's lists: the schema (query_data.c) enforces these. */

enum {
	QUERY_MAX_SEARCHED = 16,	/* columns that it looks into */
	QUERY_COUNT_CAP = 100000,	/* totalCount is not counted beyond */
	QUERY_ID_BYTES = 12,		/* of a hash that tells queries apart */
};

struct query_column {		/* of the result */
	struct str name;	/* as the model calls it */
	enum conf_col_type type;
};

struct query {
	struct str sql;			/* the SELECT; LIMIT, OFFSET are its last ? */
	struct str count_sql;		/* rows in all, args less n_page_args */
	struct query_args args;
	size_t n_page_args;		/* of LIMIT and OFFSET, at the end */
	unsigned char id[QUERY_ID_BYTES];	/* of sql and args less these */
	struct query_column *columns;
	enum conf_col_type *types;	/* of the columns, for the database */
	size_t n_columns;
	size_t limit;			/* rows wanted; LIMIT asks one more */
	size_t offset;			/* rows before them, by the cursor */
	bool plain;			/* no WHERE, order or group: first rows */
};

/*
 * Compiles args (checked against query_schema) for dataset d as the caller
 * sees it. Everything in arena a. ERR_TOOL_ARGS with a public text that says
 * what is allowed; ERR_CONFIG if the admin's part is wrong.
 */
int query_compile(const struct dataset *d, const struct row_caller *who,
		  const json_t *args, struct arena *a, struct query *out,
		  struct err *e) MUST_CHECK;

/* The caller of ctx, for row filters. Borrows. */
struct row_caller query_caller(const struct tool_ctx *ctx);

/*
 * Whether the server's estimate of the cost allows the query (max_scan_rows).
 * ERR_TOOL_ARGS with a public text; ERR_CANCELLED.
 */
struct db_query_limits;
int query_guard(struct db *db, const struct dataset *d, const struct query *q,
		const struct db_query_limits *limits, struct arena *a,
		struct err *e) MUST_CHECK;

/*
 * A model's value as a parameter for a column of this type: "2026-01-31" and
 * ISO datetimes, numbers also as text, true/false/0/1. *whole_day is set when
 * a datetime column got a bare date. what names the place for the message.
 * ERR_TOOL_ARGS.
 */
int query_value(const struct conf_column *c, const json_t *v,
		const char *what, struct arena *a, struct db_val *out,
		bool *whole_day, struct err *e) MUST_CHECK;

/*
 * The cursor for the rows after the first n_rows of this page, in a; NULL if they
 * would begin beyond LIM_QUERY_OFFSET.
 */
const char *query_next_cursor(const struct query *q, size_t n_rows,
			      struct arena *a);

/*
 * s for LIKE ? ESCAPE '!': wildcards taken literally, with % behind it and, if leading,
 * before it.
 */
struct str query_like(struct arena *a, struct str s, bool leading);

/* "integer", "text", … */
const char *query_type_name(enum conf_col_type t);

#endif
