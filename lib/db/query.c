/* SPDX-License-Identifier: MIT */
/*
 * Ad-hoc SELECTs on foreign databases, for datasets. Values are always parameters.
 * The session is read-only, and each query has its own time limit. Rows and bytes
 * are counted as they are written; a query with more than the limit is abandoned
 * with its connection, because reading to its end could take long.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/utf8.h"
#include "db/adhoc.h"
#include "db/link.h"

#include "base/banned.h"

/* -- a query that is ended ------------------------------------------------- */

/*
 * Ends a query from another thread. Its socket is shut down, so that the thread
 * that waits for rows wakes at once; the server, which would only notice at its
 * next row, gets a KILL QUERY through a second connection.
 */

enum { KILL_IO_S = 2 };

void db_stop_init(struct db_stop *s)
{
	*s = (struct db_stop){ .link = NULL };
	pthread_mutex_init(&s->lock, NULL);
}

void db_stop_release(struct db_stop *s)
{
	pthread_mutex_destroy(&s->lock);
}

void db_stop_now(struct db_stop *s)
{
	pthread_mutex_lock(&s->lock);
	s->pulled = true;
	if (s->link)
		shutdown(mysql_get_socket(s->link->my), SHUT_RDWR);
	pthread_mutex_unlock(&s->lock);
}

static bool stop_enter(struct db_stop *s, struct link *c)
{
	bool pulled;

	if (!s)
		return true;
	pthread_mutex_lock(&s->lock);
	pulled = s->pulled;
	s->link = pulled ? NULL : c;
	pthread_mutex_unlock(&s->lock);
	return !pulled;
}

/* c works for s no longer. Returns true if it was stopped: c's socket is then shut. */
static bool stop_leave(struct db_stop *s)
{
	bool pulled;

	if (!s)
		return false;
	pthread_mutex_lock(&s->lock);
	pulled = s->pulled;
	s->link = NULL;
	pthread_mutex_unlock(&s->lock);
	return pulled;
}

/* Sends KILL QUERY for c's thread through another connection to the same host. */
static void stop_kill(struct pool *p, const struct settings *s, size_t host,
		      unsigned long id)
{
	struct err e = ERR_INIT;
	struct link *c = link_open_at(p, s, host, KILL_IO_S, &e);
	char sql[48];

	snprintf(sql, sizeof(sql), "KILL QUERY %lu", id);
	/* It may have ended meanwhile: then there is no such thread. */
	if (c)
		(void)!link_query(c, sql, "kill", &e);
	else
		log_err("a stopped query continues until its time limit", &e);
	if (c)
		link_close(c);
}

/* -- queries ------------------------------------------------------------------ */

#define ELLIPSIS       "\xe2\x80\xa6"

/* -- cells as JSON ------------------------------------------------------------- */

static void write_int(struct jw *w, const struct slot *s)
{
	/* JavaScript has no integer beyond it: longer ones go as text. */
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

static void write_double(struct jw *w, double d, bool single)
{
	char text[STR_REAL_BYTES];

	if (!isfinite(d)) {
		jw_null(w);
		return;
	}
	if (single)
		snprintf(text, sizeof(text), "%.7g", d);
	jw_raw(w, single ? str_of(text) : str_of_real(d, text));
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
		case FORM_FLOAT: write_double(w, s->d, true); break;
		case FORM_DOUBLE: write_double(w, s->d, false); break;
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

static enum conf_col_type type_of(const MYSQL_FIELD *f)
{
	MARIADB_CONST_STRING format = { NULL, 0 };

	switch (adhoc_form(f)) {
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
		  struct jw *w,
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
				stmt_cache_give(q.c, q.sql, q.st);
		}
		pool_give(q.c);
		return rc;
	}
}
