/* SPDX-License-Identifier: MIT */
/*
 * Declared statements: prepared lazily and kept per connection by their number in
 * the table. Preparing checks the row against the server's description: number of
 * parameters; number, types and nullability of columns. Executing checks the
 * arguments against the row, so types cannot diverge.
 *
 * Rows are read unbuffered: integers and ids are bound; texts are read to a scratch
 * buffer that all statements of the connection share (only one of them has rows at
 * a time), then copied to the arena row by row. A text that does not fit in the
 * scratch buffer is fetched again with its full length.
 */
#include "db/prep.h"

#include <ctype.h>
#include <errmsg.h>
#include <mysqld_error.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define MAX_COLUMNS 32		/* of a statement */
#define PACKET_SLACK_BYTES 4096	/* protocol around the values */

/* -- arguments -------------------------------------------------------------- */

void bind_param(MYSQL_BIND *b, const struct db_val *v)
{
	static my_bool is_null = 1;

	memset(b, 0, sizeof(*b));
	switch (v->type) {
	case 'i':
		b->buffer_type = MYSQL_TYPE_LONGLONG;
		b->buffer = (void *)&v->i;
		break;
	case 'd':
		b->buffer_type = MYSQL_TYPE_DOUBLE;
		b->buffer = (void *)&v->d;
		break;
	case 's':
		b->buffer_type = MYSQL_TYPE_STRING;
		break;
	case 'b':
	case 'u':
		b->buffer_type = MYSQL_TYPE_BLOB;
		break;
	default:
		BUG("a value of no type");
	}
	if (v->null) {
		b->is_null = &is_null;
	} else if (!b->buffer) {
		b->buffer = v->s.n ? (char *)v->s.p : (char *)"";
		b->buffer_length = v->s.n;
		b->length_value = v->s.n;
	}
}

static size_t value_bytes(const struct db_val *v)
{
	return v->type == 'i' || v->type == 'd' || v->null ? 9 : v->s.n + 9;
}

static void check_arg(const struct db_stmt *row, unsigned i,
		      const struct db_val *v)
{
	char want = row->params[i];

	if (v->type != tolower((unsigned char)want) ||
	    (v->null && islower((unsigned char)want)) ||
	    (v->type == 'u' && !v->null && v->s.n != 16)) {
		fprintf(stderr, "%s: argument %u\n", row->name, i + 1);
		BUG("an argument that is not what its statement declares");
	}
}

static int too_big(struct link *c, const struct db_stmt *row, size_t n_bytes,
		   struct err *e)
{
	if (n_bytes + PACKET_SLACK_BYTES <= c->max_packet_bytes)
		return 0;
	if (c->fault < FAULT_DATA)
		c->fault = FAULT_DATA;
	return err_set(e, ERR_TOO_BIG, "%s: %zu bytes, the server takes %zu",
		       row->name, n_bytes, c->max_packet_bytes);
}

/*
 * Closes a statement that may have unread results: its next use would fail with
 * 2014, which does not tell what happened. Later it is prepared again.
 */
static void clear_away(struct link *c, struct prep *p)
{
	if (c->fault == FAULT_LOST) {	/* closing would read */
		c->drop = true;
		return;
	}
	prep_drop(p);
	/* Results that cannot be discarded are dropped with the connection. */
	if (c->my->status != MYSQL_STATUS_READY ||
	    (c->my->server_status & SERVER_MORE_RESULTS_EXIST))
		c->drop = true;
}

/* Prepares if necessary, and executes. Returns the prep, or NULL with e set. */
static struct prep *execute(struct link *c, const struct op *op,
			    struct err *e)
{
	const struct db_stmt *row = prep_row(c, op->stmt);
	struct prep *p = prepare(c, op->stmt, e);
	size_t n_bytes = 0;

	if (!p)
		return NULL;
	for (unsigned i = 0; i < p->n_params; i++) {
		check_arg(row, i, &op->args[i]);
		bind_param(&p->in[i], &op->args[i]);
		n_bytes += value_bytes(&op->args[i]);
	}
	if (too_big(c, row, n_bytes, e))
		return NULL;
	c->open_tx = !c->autocommit;
	/* A DB_WHOLE statement has its COMMIT inside: until all of it is read, nobody knows. */
	c->unsure = row->whole;
	link_trip(c);
	if ((p->n_params && mysql_stmt_bind_param(p->st, p->in)) ||
	    mysql_stmt_execute(p->st) ||
	    (p->n_columns && !row->whole &&
	     mysql_stmt_bind_result(p->st, p->out))) {
		bool unsent = mysql_stmt_errno(p->st) == CR_COMMANDS_OUT_OF_SYNC;

		prep_fail(c, p, row->name, e);
		if (unsent) {	/* refused by the library: it did not run */
			c->unsure = false;
			clear_away(c, p);
		}
		return NULL;
	}
	return p;
}

/*
 * A transaction that another node's commit aborted reports no error after a bulk
 * execute: the statement and the COMMIT succeed, but nothing is stored. So check
 * after each success in a transaction that the session is still in it.
 */
static int still_in_tx(struct link *c, const char *name, struct err *e)
{
	if (c->autocommit || (c->my->server_status & SERVER_STATUS_IN_TRANS))
		return 0;
	return link_fail(c, ER_LOCK_DEADLOCK, "aborted without an error", name,
			 e);
}

int stmt_exec(struct link *c, struct op *op, struct err *e)
{
	struct prep *p = execute(c, op, e);

	if (!p || still_in_tx(c, prep_row(c, op->stmt)->name, e))
		return -1;
	if (op->r) {
		op->r->affected = (int64_t)mysql_stmt_affected_rows(p->st);
		op->r->insert_id = (int64_t)mysql_stmt_insert_id(p->st);
	}
	return 0;
}

/* -- many rows at once ------------------------------------------------------ */

/* Binds one parameter of all rows, by column, as the bulk protocol needs it. */
static void bind_many(MYSQL_BIND *b, const struct db_val *first,
		      size_t stride, size_t n, struct arena *a)
{
	char *ind = arena_zalloc(a, n, 1);
	int64_t *nums = NULL;
	double *reals = NULL;
	const char **texts = NULL;
	unsigned long *lengths = NULL;

	bind_param(b, first);
	b->is_null = NULL;
	b->u.indicator = ind;
	if (first->type == 'i')
		b->buffer = nums = arena_zalloc(a, n, sizeof(*nums));
	else if (first->type == 'd')
		b->buffer = reals = arena_zalloc(a, n, sizeof(*reals));
	else {
		b->buffer = texts = arena_zalloc(a, n, sizeof(*texts));
		b->length = lengths = arena_zalloc(a, n, sizeof(*lengths));
	}
	for (size_t i = 0; i < n; i++) {
		const struct db_val *v = first + i * stride;

		ind[i] = v->null ? STMT_INDICATOR_NULL : STMT_INDICATOR_NONE;
		if (nums) {
			nums[i] = v->i;
		} else if (reals) {
			reals[i] = v->d;
		} else {
			texts[i] = v->null || !v->s.n ? "" : v->s.p;
			lengths[i] = v->null ? 0 : v->s.n;
		}
	}
}

static int exec_some(struct link *c, struct prep *p, const struct db_stmt *row,
		     const struct db_val *rows, size_t n,
		     struct db_result *r, struct err *e)
{
	struct arena a = ARENA_INIT;
	unsigned count = (unsigned)n, none = 0;
	int rc = -1;

	mysql_stmt_attr_set(p->st, STMT_ATTR_ARRAY_SIZE, &count);
	for (unsigned i = 0; i < p->n_params; i++)
		bind_many(&p->in[i], rows + i, p->n_params, n, &a);
	c->open_tx = !c->autocommit;
	link_trip(c);
	if (mysql_stmt_bind_param(p->st, p->in) || mysql_stmt_execute(p->st)) {
		prep_fail(c, p, row->name, e);
		goto out;
	}
	if (still_in_tx(c, row->name, e))
		goto out;
	if (r)
		r->affected += (int64_t)mysql_stmt_affected_rows(p->st);
	rc = 0;
out:
	/* The statement is kept; a later single execution would take one value for an array. */
	mysql_stmt_attr_set(p->st, STMT_ATTR_ARRAY_SIZE, &none);
	arena_release(&a);
	return rc;
}

int stmt_exec_rows(struct link *c, struct op *op, struct err *e)
{
	const struct db_stmt *row = prep_row(c, op->stmt);
	struct prep *p = prepare(c, op->stmt, e);

	if (!p)
		return -1;
	if (op->r)
		*op->r = (struct db_result){ .affected = 0 };
	for (size_t at = 0, n; at < op->n_rows; at += n) {
		const struct db_val *rows = op->args + at * p->n_params;
		size_t bytes = 0;

		for (n = 0; at + n < op->n_rows && n < DB_BULK_ROWS; n++) {
			const struct db_val *v = rows + n * p->n_params;
			size_t one = 0;

			for (unsigned i = 0; i < p->n_params; i++) {
				check_arg(row, i, &v[i]);
				one += value_bytes(&v[i]);
			}
			if (too_big(c, row, one, e))
				return -1;
			if (n && bytes + one > MIN(DB_BULK_BYTES,
					c->max_packet_bytes - PACKET_SLACK_BYTES))
				break;
			bytes += one;
		}
		if (exec_some(c, p, row, rows, n, op->r, e))
			return -1;
	}
	return 0;
}

/* -- rows ------------------------------------------------------------------- */

/* Copies the text of column i to p, which has room for it and a NUL. */
static int take_text(struct prep *p, unsigned i, char *to)
{
	struct cell *cell = &p->cells[i];
	const size_t n = cell->length;

	to[n] = '\0';
	if (n <= p->text_bytes) {
		memcpy(to, p->out[i].buffer, n);
		return 0;
	}
	return mysql_stmt_fetch_column(p->st, &(MYSQL_BIND){
			.buffer_type = MYSQL_TYPE_BLOB,
			.buffer = to,
			.buffer_length = n,
			.length = &cell->length,
			.is_null = &cell->null,
			.error = &cell->error,
		}, i, 0) ? -1 : 0;
}

/* Size of the texts and ids of the fetched row. */
static size_t row_bytes(const struct prep *p, const char *columns)
{
	size_t need = 0;

	for (unsigned i = 0; i < p->n_columns; i++)
		if (!p->cells[i].null && prep_is_text(columns[i]))
			need += p->cells[i].length + 1;
		else if (!p->cells[i].null && (columns[i] | 32) == 'u')
			need += 16;
	return need;
}

/* Reads the fetched row, with texts and ids in `to`. */
static int take_row(struct prep *p, const char *columns, char *to,
		    struct db_val *v)
{
	for (unsigned i = 0; i < p->n_columns; i++) {
		const struct cell *cell = &p->cells[i];

		v[i].type = (char)(columns[i] | 32);
		v[i].null = cell->null;
		v[i].s = (struct str){ NULL, 0 };
		if (cell->null)
			continue;
		switch (v[i].type) {
		case 'i':
			v[i].i = cell->i;
			continue;
		case 'd':
			v[i].d = cell->d;
			continue;
		case 'u':
			v[i].s = (struct str){ to, 16 };
			memcpy(to, cell->u, 16);
			to += 16;
			continue;
		}
		v[i].s = (struct str){ to, cell->length };
		if (take_text(p, i, to))
			return -1;
		to += v[i].s.n + 1;
	}
	return 0;
}

/* Whether the list ends before a row of need bytes, because of max_bytes. */
static bool is_beyond(struct op *op, size_t need)
{
	if (!op->max_bytes)
		return false;
	*op->cut = op->given && (op->bytes > op->max_bytes ||
				 need > op->max_bytes - op->bytes);
	op->bytes += need;
	return *op->cut;
}

/* Passes the fetched row to fn: 0 to continue, 1 if fn or max_bytes ends the list, -1. */
static int give_row(struct link *c, struct prep *p, const struct db_stmt *row,
		    struct op *op, struct err *e)
{
	size_t need = row_bytes(p, row->columns);
	struct db_val cells[MAX_COLUMNS];
	char ids[MAX_COLUMNS * 16], *to = ids;

	if (is_beyond(op, need))
		return 1;
	if (op->a)
		to = arena_try(op->a, need, e);
	if (!to)
		return -1;
	if (take_row(p, row->columns, to, cells))
		return prep_fail(c, p, row->name, e);
	op->given++;
	return op->fn(op->ctx, cells, e);
}

/*
 * Passes the rows of one result to fn; op->given counts them. Returns like db_each.
 * Later rows are read and discarded, because an error among them has ended the
 * transaction. If there are too many, and no transaction (may_drop), the statement
 * is closed and the connection dropped: p->st is NULL then.
 */
static int take_rows(struct link *c, struct prep *p, const struct db_stmt *row,
		     struct op *op, bool may_drop, struct err *e)
{
	size_t skip = DB_SKIP_BYTES;	/* bytes that may still be discarded */
	int rc = 0;			/* by fn, or by give_row for it */

	if (p->n_columns > MAX_COLUMNS)
		BUG("a statement with too many columns");
	if (!op->a && strpbrk(row->columns, "sSbB"))
		BUG("a statement with texts, and no arena for them");
	for (;;) {
		int got = mysql_stmt_fetch(p->st);

		if (got == MYSQL_NO_DATA)
			return MIN(rc, 0);
		if (got != 0 && got != MYSQL_DATA_TRUNCATED) {
			err_clear(e);	/* this error is more important than fn's */
			return prep_fail(c, p, row->name, e);
		}
		if (!rc) {
			rc = give_row(c, p, row, op, e);
			if (c->fault > FAULT_DATA)
				return -1;
			continue;
		}
		if (may_drop && row_bytes(p, row->columns) > skip) {
			link_abandon(c, p->st);
			p->st = NULL;
			return MIN(rc, 0);
		}
		skip -= MIN(skip, row_bytes(p, row->columns));
	}
}

int stmt_each(struct link *c, struct op *op, struct err *e)
{
	struct prep *p = execute(c, op, e);
	int rc;

	if (!p)
		return -1;
	rc = take_rows(c, p, prep_row(c, op->stmt), op, c->autocommit, e);
	if (!p->st)
		return rc;
	if (!rc)
		rc = still_in_tx(c, prep_row(c, op->stmt)->name, e);
	if (rc)
		clear_away(c, p);
	else
		mysql_stmt_free_result(p->st);
	return rc;
}

/* Whether the end of the statement is left to stmt_ended. */
static bool leave_end(struct link *c, struct prep *p, const struct op *op, int rc)
{
	/* Not on a cluster: there a commit may still be refused, and is tried again. */
	if (rc || !op->enough || !*op->enough || c->cluster)
		return false;
	c->ending = p;
	return true;
}

/* Reads all results of a DB_WHOLE statement that was sent. */
static int whole_results(struct link *c, struct prep *p, struct op *op,
			 struct err *e)
{
	const struct db_stmt *row = prep_row(c, op->stmt);
	int more = 0, rc = 0;

	while (more == 0) {
		if (mysql_stmt_field_count(p->st)) {
			if (!rc)
				rc = prep_columns(p, row, e);
			if (rc) {	/* cannot be mapped: discard it */
				if (mysql_stmt_free_result(p->st))
					return prep_fail(c, p, row->name, e);
			} else if (mysql_stmt_bind_result(p->st, p->out)) {
				return prep_fail(c, p, row->name, e);
			} else {
				rc = take_rows(c, p, row, op, false, e);
			}
			if (c->fault > FAULT_DATA)
				return -1;
			if (leave_end(c, p, op, rc))
				return 0;
		}
		more = mysql_stmt_next_result(p->st);
	}
	if (more > 0) {
		err_clear(e);	/* more important than errors of mapping */
		return prep_fail(c, p, row->name, e);
	}
	return rc;
}

int stmt_whole(struct link *c, struct op *op, struct err *e)
{
	struct prep *p = execute(c, op, e);

	if (!p)
		return -1;
	if (whole_results(c, p, op, e)) {
		if (c->fault < FAULT_DATA)
			c->fault = FAULT_DATA;
		clear_away(c, p);
		return -1;
	}
	if (!c->ending)
		c->unsure = c->open_tx = false;
	return 0;
}

int stmt_ended(struct link *c, struct err *e)
{
	struct prep *p = c->ending;
	int more;

	c->ending = NULL;
	while ((more = mysql_stmt_next_result(p->st)) == 0)
		if (mysql_stmt_field_count(p->st) &&
		    mysql_stmt_free_result(p->st))
			break;
	if (more < 0) {
		c->unsure = c->open_tx = false;
		return 0;
	}
	prep_fail(c, p, "end of a transaction", e);
	clear_away(c, p);
	return -1;
}
