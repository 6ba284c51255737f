/* SPDX-License-Identifier: MIT */
/* See prep.h. */
#include "db/prep.h"

#include <ctype.h>
#include <mysqld_error.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define CHARSET_BINARY     63
#define SCRATCH_BYTES      8192	/* divided among a statement's text columns */

void prep_drop(struct prep *p)
{
	if (p->st)
		mysql_stmt_close(p->st);
	free(p->in);
	free(p->out);
	free(p->cells);
	*p = (struct prep){ .st = NULL };
}

void link_drop_preps(struct link *c)
{
	if (!c->preps)
		return;
	for (size_t i = 0; i < c->pool->opt.n_stmts; i++)
		prep_drop(&c->preps[i]);
	free(c->preps);
	c->preps = NULL;
	free(c->scratch);
	c->scratch = NULL;
}

const struct db_stmt *prep_row(struct link *c, unsigned stmt)
{
	if (stmt >= c->pool->opt.n_stmts)
		BUG("a statement number beyond the table");
	return &c->pool->opt.stmts[stmt];
}

int prep_fail(struct link *c, struct prep *p, const char *name,
	      struct err *e)
{
	return link_stmt_fail(c, p->st, name, e);
}

/* Whether a column as described by the server is what the row declares. */
static bool column_fits(const MYSQL_FIELD *f, char declared)
{
	bool binary = f->charsetnr == CHARSET_BINARY;

	if (islower((unsigned char)declared) && !(f->flags & NOT_NULL_FLAG))
		return false;
	switch (tolower((unsigned char)declared)) {
	case 'i':
		return IS_NUM(f->type) && f->type != MYSQL_TYPE_DOUBLE &&
			f->type != MYSQL_TYPE_FLOAT &&
			f->type != MYSQL_TYPE_DECIMAL &&
			f->type != MYSQL_TYPE_NEWDECIMAL &&
			!(f->type == MYSQL_TYPE_LONGLONG &&
			  (f->flags & UNSIGNED_FLAG));
	case 'd':
		return f->type == MYSQL_TYPE_DOUBLE ||
			f->type == MYSQL_TYPE_FLOAT;
	case 's':	/* a day is read as its text */
		return !IS_NUM(f->type) &&
			(!binary || f->type == MYSQL_TYPE_DATE);
	case 'b':
		return !IS_NUM(f->type) && binary;
	case 'u':
		return !IS_NUM(f->type) && binary && f->length == 16;
	}
	return false;
}

int prep_columns(struct prep *p, const struct db_stmt *row,
		 struct err *e)
{
	const MYSQL_FIELD *f = mariadb_stmt_fetch_fields(p->st);

	if (mysql_stmt_field_count(p->st) != strlen(row->columns))
		return err_set(e, ERR_DB, "%s: %u columns, declared \"%s\"",
			       row->name, mysql_stmt_field_count(p->st),
			       row->columns);
	for (unsigned i = 0; row->columns[i]; i++)
		if (!column_fits(&f[i], row->columns[i]))
			return err_set(e, ERR_DB, "%s: column %u (%s) is not "
				       "'%c': type %d, flags %x, length %lu",
				       row->name, i + 1, f[i].name,
				       row->columns[i], (int)f[i].type,
				       f[i].flags, f[i].length);
	return 0;
}

static int check_prep(struct prep *p, const struct db_stmt *row, struct err *e)
{
	if (mysql_stmt_param_count(p->st) != strlen(row->params))
		return err_set(e, ERR_DB, "%s: %lu parameters, declared \"%s\"",
			       row->name, mysql_stmt_param_count(p->st),
			       row->params);
	/* The server does not describe the results of a DB_WHOLE statement in advance. */
	return row->whole ? 0 : prep_columns(p, row, e);
}

bool prep_is_text(char declared)
{
	return strchr("sSbB", declared) != NULL;
}

static void bind_columns(struct link *link, struct prep *p,
			 const char *columns)
{
	char *room;
	size_t n = 0;

	if (!link->scratch)
		link->scratch = xmalloc(SCRATCH_BYTES);
	room = link->scratch;
	for (unsigned i = 0; columns[i]; i++)
		n += prep_is_text(columns[i]);
	p->text_bytes = n ? SCRATCH_BYTES / n : 0;
	for (unsigned i = 0; columns[i]; i++) {
		MYSQL_BIND *b = &p->out[i];
		struct cell *c = &p->cells[i];

		b->length = &c->length;
		b->is_null = &c->null;
		b->error = &c->error;
		b->buffer = &c->i;
		switch (tolower((unsigned char)columns[i])) {
		case 'i':
			b->buffer_type = MYSQL_TYPE_LONGLONG;
			break;
		case 'd':
			b->buffer_type = MYSQL_TYPE_DOUBLE;
			break;
		case 'u':
			b->buffer_type = MYSQL_TYPE_BLOB;
			b->buffer = c->u;
			b->buffer_length = 16;
			break;
		default:
			b->buffer_type = MYSQL_TYPE_BLOB;
			b->buffer = room;
			b->buffer_length = p->text_bytes;
			room += p->text_bytes;
		}
	}
}

static int send_sql(struct link *c, MYSQL_STMT *st, const char *sql)
{
	TRACE_SPAN(TRACE_DB, "prepare");

	link_trip(c);
	return mysql_stmt_prepare(st, sql, strlen(sql));
}

bool stmt_no_place(MYSQL_STMT *st)
{
	return mysql_stmt_errno(st) == ER_MAX_PREPARED_STMT_COUNT_REACHED;
}

struct prep *prepare(struct link *c, unsigned stmt, struct err *e)
{
	const struct db_stmt *row = prep_row(c, stmt);
	struct prep *p;

	for (bool freed = false;; freed = true) {
		if (!c->preps)
			c->preps = xcalloc(c->pool->opt.n_stmts,
					   sizeof(*c->preps));
		p = &c->preps[stmt];
		if (p->st)
			return p;
		p->st = mysql_stmt_init(c->my);
		if (!p->st)
			BUG("out of memory for a statement");
		if (!send_sql(c, p->st, row->sql))
			break;
		if (freed || !stmt_no_place(p->st)) {
			prep_fail(c, p, row->name, e);
			goto fail;
		}
		link_drop_preps(c);	/* this makes room for one */
	}
	if (check_prep(p, row, e)) {
		if (c->fault < FAULT_DATA)
			c->fault = FAULT_DATA;
		goto fail;
	}
	p->n_params = (unsigned)strlen(row->params);
	p->n_columns = (unsigned)strlen(row->columns);
	p->in = xcalloc(p->n_params + 1, sizeof(*p->in));
	p->out = xcalloc(p->n_columns + 1, sizeof(*p->out));
	p->cells = xcalloc(p->n_columns + 1, sizeof(*p->cells));
	bind_columns(c, p, row->columns);
	return p;
fail:
	prep_drop(p);
	return NULL;
}
