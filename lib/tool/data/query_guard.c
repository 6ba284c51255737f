/* SPDX-License-Identifier: MIT */
/*
 * The cost of a query, by the server's own estimate: EXPLAIN of the same
 * statement with the same values. The tables of one SELECT are joined, so their
 * row counts multiply; those of separate SELECTs add up. If the server cannot
 * explain the query (views need a separate privilege), it is run nevertheless,
 * with its time limit.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "db/db.h"
#include "tool/data/query.h"

#include "base/banned.h"

enum { EXPLAIN_ROWS = 64, EXPLAIN_BYTES = 32768, PARTS = 32 };

static int column_index(const struct db_query_result *r, const char *name)
{
	for (size_t i = 0; i < r->n_columns; i++)
		if (strcmp(r->columns[i].name, name) == 0)
			return (int)i;
	return -1;
}

static double number_of(const json_t *v)
{
	return json_is_string(v) ? strtod(json_string_value(v), NULL)
		: json_number_value(v);
}

/* Sum over the parts of the product of their tables' rows. */
static double cost_of(const json_t *rows, int id_at, int rows_at)
{
	struct { double id, rows; } parts[PARTS];
	size_t n = 0, i;
	double sum = 0;
	json_t *row;

	json_array_foreach((json_t *)rows, i, row) {
		double id = number_of(json_array_get(row, (size_t)id_at));
		double looked_at = number_of(json_array_get(row,
							    (size_t)rows_at));
		size_t k = 0;

		while (k < n && (parts[k].id < id || parts[k].id > id))
			k++;
		if (k == PARTS)
			break;
		if (k == n) {
			parts[k].id = id;
			parts[k].rows = 1;
			n++;
		}
		parts[k].rows *= MAX(looked_at, 1);
	}
	for (size_t k = 0; k < n; k++)
		sum += parts[k].rows;
	return sum;
}

/* -1 when it is not known. */
static double estimate(struct db *db, const struct query *q,
		       const struct db_query_limits *limits, struct arena *a,
		       struct err *e)
{
	struct db_query_limits l = {
		.timeout_ms = limits->timeout_ms, .max_rows = EXPLAIN_ROWS,
		.max_bytes = EXPLAIN_BYTES, .stop = limits->stop,
	};
	struct buf b = BUF_INIT(2 * EXPLAIN_BYTES);
	struct jw w = jw_on(&b);
	struct db_query_result r;
	const char *sql = arena_printf(a, "EXPLAIN %.*s", STR_ARG(q->sql));
	double cost = -1;
	int id_at, rows_at;
	json_t *rows;

	if (db_query_json(db, str_of(sql), q->args.v, q->args.n, &l, a, &w, &r, e) == 0) {
		rows = jx_load_lenient(buf_str(&b), e);
		id_at = column_index(&r, "id");
		rows_at = column_index(&r, "rows");
		if (rows && id_at >= 0 && rows_at >= 0)
			cost = cost_of(rows, id_at, rows_at);
		json_decref(rows);
	}
	buf_release(&b);
	return cost;
}

int query_guard(struct db *db, const struct dataset *d, const struct query *q,
		const struct db_query_limits *limits, struct arena *a,
		struct err *e)
{
	struct err cause = ERR_INIT;
	double cost;

	/*
	 * Reading only the first rows costs no more than these, however many
	 * follow.
	 */
	if (d->conf->max_scan_rows == 0 || q->plain)
		return 0;
	cost = estimate(db, q, limits, a, &cause);
	if (cause.code == ERR_CANCELLED) {
		*e = cause;
		return -1;
	}
	if (cause.code)
		log_err("the cost of a query is unknown", &cause);
	if (cost <= d->conf->max_scan_rows)
		return 0;
	return err_public(e, ERR_TOOL_ARGS, "The database would have to read "
			  "about %.0f rows for this, and at most %d are "
			  "allowed for \"%.60s\". Filter more, preferably by "
			  "an id or a short range of dates.",
			  cost, d->conf->max_scan_rows,
			  d->conf->name);
}
