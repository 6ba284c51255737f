/* SPDX-License-Identifier: MIT */
/* See adhoc.h. */
#include "db/adhoc.h"

#include <errmsg.h>
#include <mysqld_error.h>

#include "base/banned.h"

#define CHARSET_BINARY 63

static int adhoc_fail(struct adhoc *q, struct err *e)
{
	return link_stmt_fail(q->c, q->st, "query", e);
}

enum form adhoc_form(const MYSQL_FIELD *f)
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

static void bind_slots(struct adhoc *q)
{
	q->slots = arena_zalloc(q->a, q->n + 1, sizeof(*q->slots));
	q->out = arena_zalloc(q->a, q->n + 1, sizeof(*q->out));
	for (unsigned i = 0; i < q->n; i++) {
		struct slot *s = &q->slots[i];
		MYSQL_BIND *b = &q->out[i];

		s->form = adhoc_form(&q->fields[i]);
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
		stmt_cache_drop(q->c);
		stmt_cache_pause(q->c);
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

int adhoc_open(struct adhoc *q, struct str sql,
	       const struct db_val *args, size_t n_args,
	       const struct db_query_limits *l, struct err *e)
{
	int rc = 0;

	q->sql = str_of(arena_printf(q->a, "SET STATEMENT "
				     "max_statement_time=%d.%03d FOR %.*s",
				     l->timeout_ms / 1000, l->timeout_ms % 1000,
				     STR_ARG(sql)));
	q->st = stmt_cache_take(q->c, q->sql);
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

int adhoc_next(struct adhoc *q, struct err *e)
{
	int got = mysql_stmt_fetch(q->st);

	if (got == 0 || got == MYSQL_DATA_TRUNCATED)
		return 1;
	return got == MYSQL_NO_DATA ? 0 : adhoc_fail(q, e);
}

int adhoc_text(struct adhoc *q, unsigned i, size_t max_bytes,
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
