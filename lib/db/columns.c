/* SPDX-License-Identifier: MIT */
/* The columns of a table of a database that is not ours. */
#include "db/adhoc.h"

#include "base/banned.h"

static enum conf_col_type named_type(struct str type, struct str full)
{
	static const struct {
		const char *name;
		enum conf_col_type type;
	} rows[] = {
		{ "int", COL_INTEGER }, { "bigint", COL_INTEGER },
		{ "smallint", COL_INTEGER }, { "mediumint", COL_INTEGER },
		{ "tinyint", COL_INTEGER }, { "year", COL_INTEGER },
		{ "bit", COL_INTEGER },
		{ "decimal", COL_DECIMAL }, { "double", COL_DECIMAL },
		{ "float", COL_DECIMAL },
		{ "date", COL_DATE },
		{ "datetime", COL_DATETIME }, { "timestamp", COL_DATETIME },
	};

	if (str_starts(full, STR("tinyint(1)")))
		return COL_BOOLEAN;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(type, rows[i].name))
			return rows[i].type;
	return COL_TEXT;
}

/* The values of "enum('a','it''s')". */
static struct conf_list enum_values(struct str full, struct arena *a)
{
	struct conf_list l = { .n = 0 };
	struct buf b = BUF_INIT(full.n);
	size_t i = sizeof("enum(") - 1;

	if (!str_starts(full, STR("enum(")))
		return l;
	l.v = arena_zalloc(a, full.n / 2, sizeof(*l.v));
	while (i < full.n && full.p[i] == '\'') {
		for (i++; i < full.n; i++) {
			if (full.p[i] == '\'' && i + 1 < full.n &&
			    full.p[i + 1] == '\'')
				i++;
			else if (full.p[i] == '\'')
				break;
			buf_addc(&b, full.p[i]);
		}
		l.v[l.n++] = arena_memdup(a, b.p, b.n);
		buf_reset(&b);
		i += 2;		/* quote and comma */
	}
	buf_release(&b);
	return l;
}

static int column_row(struct adhoc *q, struct db_column *out, struct err *e)
{
	struct str s[5];
	bool cut;

	for (unsigned i = 0; i < 5; i++)
		if (adhoc_text(q, i, 65536, &s[i], &cut, e))
			return -1;
	*out = (struct db_column){
		.name = s[0].p,
		.type = named_type(s[1], s[2]),
		.values = enum_values(s[2], q->a),
		.comment = s[3].p,
		.nullable = str_is(s[4], "YES"),
	};
	return 0;
}

int db_columns(struct db *foreign, struct str table, struct arena *a,
	       struct db_column **out, size_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT column_name, data_type, column_type, column_comment,"
		" is_nullable FROM information_schema.columns"
		" WHERE table_schema = COALESCE(?, DATABASE())"
		" AND table_name = ? ORDER BY ordinal_position";
	const struct db_query_limits l = { .timeout_ms = 5000 };
	struct str rest = table, schema = str_cut(&rest, '.');
	struct adhoc q = { .a = a };
	const struct db_val args[] = {
		rest.p ? DB_S(schema)
		       : (struct db_val){ .type = 's', .null = true },
		DB_S(rest.p ? rest : table),
	};
	size_t room = 0;
	int rc;

	*n = 0;
	q.c = pool_take(foreign->pool, true, e);
	if (!q.c)
		return -1;
	rc = adhoc_open(&q, str_of(sql), args, ARRAY_LEN(args), &l, e);
	if (!rc) {
		for (rc = adhoc_next(&q, e); rc > 0; rc = adhoc_next(&q, e)) {
			*out = arena_room(a, *out, *n, 1, &room, sizeof(**out));
			if (column_row(&q, *out + *n, e)) {
				rc = -1;
				break;
			}
			++*n;
		}
		mysql_stmt_close(q.st);
	}
	pool_give(q.c);
	if (!rc && !*n)
		rc = err_set(e, ERR_NOT_FOUND, "no table %.*s is visible",
			     STR_ARG(table));
	return rc;
}
