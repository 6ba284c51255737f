/*
 * Ad-hoc SELECTs on foreign databases, for datasets. Values are always parameters.
 * The session is read-only, and each query has its own time limit. Rows and bytes
 * are counted as they are written; a query with more than the limit is abandoned
 * with its connection, because reading to its end could take long.
 */
#include <errmsg.h>
#include <math.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "db/link.h"

#include "base/banned.h"

#define CHARSET_BINARY 63
#define INLINE_BYTES   64	/* dates, decimals */
#define ELLIPSIS       "\xe2\x80\xa6"

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

static int adhoc_fail(struct adhoc *q, struct err *e)
{
	return link_stmt_fail(q->c, q->st, "query", e);
}

static enum form form_of(const MYSQL_FIELD *f)
{
	switch (f->type) {
	case MYSQL_TYPE_TINY: case MYSQL_TYPE_SHORT: case MYSQL_TYPE_INT24:
	case MYSQL_TYPE_LONG: case MYSQL_TYPE_LONGLONG: case MYSQL_TYPE_YEAR:
		return FORM_INT;
	case MYSQL_TYPE_FLOAT:
		return FORM_FLOAT;
	case MYSQL_TYPE_DOUBLE:
		return FORM_DOUBLE;
	case MYSQL_TYPE_DECIMAL: case MYSQL_TYPE_NEWDECIMAL:
		return FORM_DECIMAL;
	case MYSQL_TYPE_DATE: case MYSQL_TYPE_NEWDATE: case MYSQL_TYPE_TIME:
	case MYSQL_TYPE_DATETIME: case MYSQL_TYPE_TIMESTAMP:
		return FORM_SHORT;
	case MYSQL_TYPE_BIT:
		return FORM_BIT;
	default:
		return f->charsetnr == CHARSET_BINARY ? FORM_BYTES : FORM_TEXT;
	}
}

static enum conf_col_type type_of(const MYSQL_FIELD *f)
{
	MARIADB_CONST_STRING format = { NULL, 0 };

	switch (form_of(f)) {
	case FORM_INT: case FORM_BIT:
		return COL_INTEGER;
	case FORM_FLOAT: case FORM_DOUBLE: case FORM_DECIMAL:
		return COL_DECIMAL;
	case FORM_SHORT:
		return f->type == MYSQL_TYPE_DATE ? COL_DATE
			: f->type == MYSQL_TYPE_TIME ? COL_TEXT : COL_DATETIME;
	default:
		break;
	}
	if (!mariadb_field_attr(&format, f, MARIADB_FIELD_ATTR_FORMAT_NAME) &&
	    format.length == 4 && memcmp(format.str, "json", 4) == 0)
		return COL_JSON;
	return COL_TEXT;
}

static void bind_slots(struct adhoc *q)
{
	q->slots = arena_zalloc(q->a, q->n + 1, sizeof(*q->slots));
	q->out = arena_zalloc(q->a, q->n + 1, sizeof(*q->out));
	for (unsigned i = 0; i < q->n; i++) {
		struct slot *s = &q->slots[i];
		MYSQL_BIND *b = &q->out[i];

		s->form = form_of(&q->fields[i]);
		s->is_unsigned = q->fields[i].flags & UNSIGNED_FLAG;
		b->buffer = &s->i;
		b->length = &s->length;
		b->is_null = &s->null;
		b->error = &s->error;
		switch (s->form) {
		case FORM_INT:
			b->buffer_type = MYSQL_TYPE_LONGLONG;
			b->is_unsigned = s->is_unsigned;
			break;
		case FORM_FLOAT: case FORM_DOUBLE:
			b->buffer_type = MYSQL_TYPE_DOUBLE;
			break;
		case FORM_DECIMAL: case FORM_SHORT:
			b->buffer_type = MYSQL_TYPE_STRING;
			b->buffer = s->text;
			b->buffer_length = INLINE_BYTES;
			break;
		case FORM_BIT:
			b->buffer_type = MYSQL_TYPE_BLOB;
			b->buffer = s->text;
			b->buffer_length = INLINE_BYTES;
			break;
		default:
			b->buffer_type = MYSQL_TYPE_BLOB;
		}
	}
}

/* Whether the server has dropped a kept statement, or its result has changed. */
static bool is_stale(const MYSQL_STMT *st)
{
	unsigned n = mysql_stmt_errno((MYSQL_STMT *)st);

	return n == ER_UNKNOWN_STMT_HANDLER || n == ER_NEED_REPREPARE ||
		n == CR_NEW_STMT_METADATA;
}

static int adhoc_prepare(struct adhoc *q, struct err *e)
{
	for (bool freed = false;; freed = true) {
		q->st = mysql_stmt_init(q->c->my);
		if (!q->st)
			BUG("out of memory for a statement");
		link_trip(q->c);
		if (!mysql_stmt_prepare(q->st, q->sql.p, q->sql.n))
			return 0;
		if (freed || !stmt_no_place(q->st))
			return adhoc_fail(q, e);
		/* The server has no room for it: free the kept statements. */
		mysql_stmt_close(q->st);
		kept_drop(q->c);
		kept_pause(q->c);
	}
}

static int adhoc_execute(struct adhoc *q, const struct db_val *args,
			 size_t n_args, struct err *e)
{
	MYSQL_BIND *in = arena_zalloc(q->a, n_args + 1, sizeof(*in));

	if (mysql_stmt_param_count(q->st) != n_args)
		return err_set(e, ERR_INTERNAL, "query: %lu parameters, %zu "
			       "values", mysql_stmt_param_count(q->st), n_args);
	for (size_t i = 0; i < n_args; i++)
		bind_param(&in[i], &args[i]);
	link_trip(q->c);
	return (n_args && mysql_stmt_bind_param(q->st, in)) ||
		mysql_stmt_execute(q->st) ? -1 : 0;
}

/* Executes, after preparing if it was not kept. Closed on failure. */
static int adhoc_open(struct adhoc *q, struct str sql,
		      const struct db_val *args, size_t n_args,
		      const struct db_query_limits *l, struct err *e)
{
	int rc = 0;

	q->sql = str_of(arena_printf(q->a, "SET STATEMENT "
				     "max_statement_time=%d.%03d FOR %.*s",
				     l->timeout_ms / 1000, l->timeout_ms % 1000,
				     STR_ARG(sql)));
	q->st = kept_take(q->c, q->sql);
	if (q->st) {
		rc = adhoc_execute(q, args, n_args, e);
		if (rc && is_stale(q->st)) {
			mysql_stmt_close(q->st);
			q->st = NULL;
		}
	}
	if (!q->st) {
		rc = adhoc_prepare(q, e);
		if (!rc)
			rc = adhoc_execute(q, args, n_args, e);
	}
	if (rc) {
		if (e->code == ERR_NONE)
			adhoc_fail(q, e);
		goto fail;
	}
	/* Certain only now: while preparing, SET STATEMENT hides the columns. */
	q->n = mysql_stmt_field_count(q->st);
	q->fields = mariadb_stmt_fetch_fields(q->st);
	if (!q->n || !q->fields) {
		err_set(e, ERR_INTERNAL, "query: it gives no rows");
		goto fail;
	}
	bind_slots(q);
	if (!mysql_stmt_bind_result(q->st, q->out))
		return 0;
	adhoc_fail(q, e);
fail:
	mysql_stmt_close(q->st);
	q->st = NULL;
	return -1;
}

/* The next row: 1, 0 at the end, -1. */
static int adhoc_next(struct adhoc *q, struct err *e)
{
	int got = mysql_stmt_fetch(q->st);

	if (got == 0 || got == MYSQL_DATA_TRUNCATED)
		return 1;
	return got == MYSQL_NO_DATA ? 0 : adhoc_fail(q, e);
}

/* Text of column i, cut at max_bytes; *cut: whether it was cut. In the arena. */
static int adhoc_text(struct adhoc *q, unsigned i, size_t max_bytes,
		      struct str *out, bool *cut, struct err *e)
{
	struct slot *s = &q->slots[i];
	size_t n = s->length;
	MYSQL_BIND b = { .buffer_type = MYSQL_TYPE_BLOB,
			 .length = &s->length, .is_null = &s->null,
			 .error = &s->error };
	char *p;

	*cut = n > max_bytes;
	n = MIN(n, max_bytes);
	p = arena_try(q->a, n + 1, e);
	if (!p)
		return -1;
	b.buffer = p;
	b.buffer_length = n;
	if (n && mysql_stmt_fetch_column(q->st, &b, i, 0))
		return adhoc_fail(q, e);
	p[n] = '\0';
	*out = (struct str){ p, n };
	return 0;
}

/* -- cells as JSON ------------------------------------------------------------- */

static void write_int(struct jw *w, const struct slot *s)
{
	const int64_t safe = INT64_C(1) << 53;
	char text[24];

	if (s->is_unsigned && s->i < 0)
		snprintf(text, sizeof(text), "%llu", (unsigned long long)s->i);
	else if (s->i > safe || s->i < -safe)
		snprintf(text, sizeof(text), "%lld", (long long)s->i);
	else {
		jw_int(w, s->i);
		return;
	}
	jw_str(w, str_of(text));
}

/* The shortest text that reads back as the same number. */
static void write_double(struct jw *w, double d, int digits)
{
	char text[32];

	if (!isfinite(d)) {
		jw_null(w);
		return;
	}
	for (int k = digits; ; k++) {
		snprintf(text, sizeof(text), "%.*g", k, d);
		if (k >= 17 || digits < 15 || strtod(text, NULL) == d)
			break;
	}
	jw_raw(w, str_of(text));
}

/* A number if JSON readers keep all its digits, else a string. */
static void write_decimal(struct jw *w, struct str s)
{
	size_t digits = 0, sign = s.n && s.p[0] == '-';

	for (size_t i = 0; i < s.n; i++)
		digits += s.p[i] >= '0' && s.p[i] <= '9';
	if (digits > 15 || s.n == sign || s.p[sign] == '.' ||
	    (s.p[sign] == '0' && s.n > sign + 1 && s.p[sign + 1] != '.'))
		jw_str(w, s);
	else
		jw_raw(w, s);
}

static void write_bits(struct jw *w, const struct slot *s)
{
	struct slot n = { .form = FORM_INT, .is_unsigned = true };
	uint64_t v = 0;

	for (unsigned long i = 0; i < s->length && i < 8; i++)
		v = v << 8 | (unsigned char)s->text[i];
	n.i = (int64_t)v;
	write_int(w, &n);
}

static int write_long(struct adhoc *q, unsigned i, size_t max_bytes,
		      struct jw *w, struct err *e)
{
	static const char hex[] = "0123456789abcdef";
	struct buf b = BUF_INIT(max_bytes * 3 + 16);
	bool cut;
	struct str s;

	if (adhoc_text(q, i, max_bytes, &s, &cut, e))
		return -1;
	if (q->slots[i].form == FORM_BYTES) {
		for (size_t k = 0; k < s.n; k++) {
			buf_addc(&b, hex[(unsigned char)s.p[k] >> 4]);
			buf_addc(&b, hex[s.p[k] & 15]);
		}
	} else {
		if (cut)
			s.n = utf8_complete(s);
		utf8_scrub(&b, s);
	}
	if (cut)
		buf_adds(&b, ELLIPSIS);
	jw_str(w, buf_str(&b));
	buf_release(&b);
	return 0;
}

/* "a,b": members do not contain commas. */
static int write_set(struct adhoc *q, unsigned i, size_t max_bytes,
		     struct jw *w, struct err *e)
{
	struct buf b = BUF_INIT(max_bytes * 3 + 16);
	struct str s, rest;
	bool cut;

	if (adhoc_text(q, i, max_bytes, &s, &cut, e))
		return -1;
	if (cut)
		s.n = utf8_complete(s);
	utf8_scrub(&b, s);
	rest = buf_str(&b);
	jw_arr(w);
	while (rest.n)
		jw_str(w, str_cut(&rest, ','));
	if (cut)
		jw_str(w, STR(ELLIPSIS));
	jw_end_arr(w);
	buf_release(&b);
	return 0;
}

/* MariaDB's value for "no date" where NULL is not allowed. */
static bool is_zero_date(const MYSQL_FIELD *f, struct str text)
{
	return f->type != MYSQL_TYPE_TIME && str_starts(text, STR("0000-00-00"));
}

static bool write_boolean(struct jw *w, const struct slot *s)
{
	int64_t v = s->i;

	if (s->form == FORM_BIT && s->length == 1)
		v = (unsigned char)s->text[0];
	else if (s->form != FORM_INT)
		return false;
	if (v != 0 && v != 1)
		return false;
	jw_bool(w, v == 1);
	return true;
}

static int write_row(struct adhoc *q, const struct db_query_limits *l,
		     struct jw *w, struct err *e)
{
	size_t max_cell_bytes = l->max_cell_bytes ? l->max_cell_bytes
						  : l->max_bytes;

	jw_arr(w);
	for (unsigned i = 0; i < q->n; i++) {
		struct slot *s = &q->slots[i];
		struct str text = { s->text, MIN(s->length, INLINE_BYTES) };

		if (s->null || (s->form == FORM_SHORT &&
				is_zero_date(&q->fields[i], text))) {
			jw_null(w);
			continue;
		}
		if (i < l->n_types && l->types[i] == COL_BOOLEAN &&
		    write_boolean(w, s))
			continue;
		if (q->fields[i].flags & SET_FLAG) {
			if (write_set(q, i, max_cell_bytes, w, e))
				return -1;
			continue;
		}
		switch (s->form) {
		case FORM_INT: write_int(w, s); break;
		case FORM_FLOAT: write_double(w, s->d, 7); break;
		case FORM_DOUBLE: write_double(w, s->d, 15); break;
		case FORM_DECIMAL: write_decimal(w, text); break;
		case FORM_SHORT: jw_str(w, text); break;
		case FORM_BIT: write_bits(w, s); break;
		default:
			if (write_long(q, i, max_cell_bytes, w, e))
				return -1;
		}
	}
	jw_end_arr(w);
	return 0;
}

static void describe(struct adhoc *q, struct db_query_result *out)
{
	out->columns = arena_zalloc(q->a, q->n, sizeof(*out->columns));
	out->n_columns = q->n;
	for (unsigned i = 0; i < q->n; i++) {
		out->columns[i].name = arena_strdup(q->a, q->fields[i].name);
		out->columns[i].type = type_of(&q->fields[i]);
		out->columns[i].comment = "";
		out->columns[i].nullable = !(q->fields[i].flags & NOT_NULL_FLAG);
	}
}

static int write_rows(struct adhoc *q, const struct db_query_limits *l,
		      struct jw *w, struct db_query_result *out, struct err *e)
{
	size_t start = w->b->n;
	struct arena_mark m = arena_mark(q->a);
	int got;

	jw_arr(w);
	for (got = adhoc_next(q, e); got > 0; got = adhoc_next(q, e)) {
		size_t before = w->b->n;
		bool comma = w->comma;

		if (out->n_rows == l->max_rows) {
			out->truncated = true;
			break;
		}
		if (write_row(q, l, w, e))
			return -1;
		arena_rewind(q->a, m);
		if (w->b->n - start >= l->max_bytes || !buf_ok(w->b)) {
			w->b->n = before;	/* remove the row again */
			w->b->p[before] = '\0';
			w->b->overflow = false;
			w->comma = comma;
			out->truncated = true;
			break;
		}
		out->n_rows++;
	}
	if (got < 0)
		return -1;
	jw_end_arr(w);
	q->c->drop = out->truncated;
	return 0;
}

/* The socket is shut, so nothing more is read. Always -1. */
static int stopped(struct adhoc *q, struct pool *p, struct err *e)
{
	unsigned long id = mysql_thread_id(q->c->my);
	const struct settings *s = q->c->settings;
	size_t host = q->c->host;

	q->c->drop = true;
	if (q->st)
		link_abandon(q->c, q->st);
	/* We shut the socket ourselves: the host and other connections are fine. */
	q->c->fault = FAULT_NONE;
	pool_give(q->c);
	stop_kill(p, s, host, id);
	err_clear(e);
	return err_set(e, ERR_CANCELLED, "the query was stopped");
}

int db_query_json(struct db *foreign, struct str sql,
		  const struct db_val *args, size_t n_args,
		  const struct db_query_limits *l, struct arena *a,
		  struct jw *w, db_query_head_fn *head, void *ctx,
		  struct db_query_result *out, struct err *e)
{
	TRACE_SPAN(TRACE_DB, "query");

	if (l->timeout_ms < 1 || l->timeout_ms > 60000)
		BUG("a query without a time limit");
	for (int tries = 1; ; tries++) {
		struct adhoc q = { .a = a };
		int rc;

		*out = (struct db_query_result){ .n_rows = 0 };
		q.c = pool_take(foreign->pool, true, e);
		if (!q.c)
			return -1;
		if (!stop_enter(l->stop, q.c)) {
			pool_give(q.c);
			return err_set(e, ERR_CANCELLED, "before the query");
		}
		rc = adhoc_open(&q, sql, args, n_args, l, e);
		if (rc && stop_leave(l->stop))
			return stopped(&q, foreign->pool, e);
		if (rc && q.c->fault == FAULT_LOST && tries == 1) {
			pool_give(q.c);
			err_clear(e);
			continue;
		}
		if (!rc) {
			describe(&q, out);
			if (head)
				head(ctx, out->columns, out->n_columns);
			rc = write_rows(&q, l, w, out, e);
			if (stop_leave(l->stop))
				return stopped(&q, foreign->pool, e);
			/*
			 * Closing reads the remaining rows, so not on a dropped
			 * connection.
			 */
			if (q.c->drop)
				link_abandon(q.c, q.st);
			else if (rc)
				mysql_stmt_close(q.st);
			else
				kept_give(q.c, q.sql, q.st);
		}
		pool_give(q.c);
		return rc;
	}
}

/* -- introspection --------------------------------------------------------------- */

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
		rc = err_set(e, ERR_NOT_FOUND, "no table %.*s to be seen",
			     STR_ARG(table));
	return rc;
}
