/* SPDX-License-Identifier: MIT */
/* Shared by query.c, query_where.c and query_page.c; others use query.h. */
#ifndef TOOL_QUERY_COMPILE_H
#define TOOL_QUERY_COMPILE_H

#include "base/limits.h"
#include "tool/data/query.h"

struct compile {
	const struct dataset *d;
	const json_t *in;		/* the model's query */
	struct arena *arena;
	struct query *out;
	struct err *e;
	struct buf sql;
	const struct conf_column *groups[LIM_QUERY_GROUP];
	size_t n_groups, n_aggregates;
	bool grouped;			/* group_by or aggregates are there */
};

static inline struct str text_of(const json_t *j)
{
	return (struct str){ json_string_value(j), json_string_length(j) };
}

/* Appends the column as SQL: the admin's expression, or its quoted name. */
void query_add_column(struct buf *b, const struct conf_column *c);

/* The column of this name; NULL with an error that names the known ones. */
const struct conf_column *query_column(struct compile *q, const json_t *name,
				       const char *what);

/* Whether the column may be used in this clause: 0, or -1 with an error. */
int query_allowed(struct compile *q, const struct conf_column *c, bool may,
		  const char *what) MUST_CHECK;

/*
 * Appends WHERE: the row filter first, in parentheses, then the model's
 * filters, all ANDed; their values go to q->out->args. 0 or -1.
 */
int query_where(struct compile *q, struct buf *sql,
		const struct row_caller *who) MUST_CHECK;

/*
 * Appends to ORDER BY (with n_sorts items so far) what makes the order of rows
 * unique, so that pages neither overlap nor leave gaps: the groups; else the
 * dataset's key; else, if the model sorts, the other results. sorted tells for
 * each result column if the model sorts by it, desc the direction of the last.
 */
void query_order_wholly(struct compile *q, const bool *sorted, bool desc,
			size_t n_sorts);

/*
 * The end of the statement: computes its hash, then appends LIMIT and, with the
 * argument cursor, OFFSET. 0, or -1 with ERR_TOOL_ARGS.
 */
int query_page(struct compile *q) MUST_CHECK;

#endif
