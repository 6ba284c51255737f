/* SPDX-License-Identifier: MIT */
/* Maps rows to structs as described by one table per entity (struct db_field). */
#include <string.h>

#include "db/link.h"

#include "base/banned.h"

struct db_val db_uuid_if(const struct uuid *u)
{
	struct db_val v = { .type = 'u', .null = !u || uuid_is_nil(u) };

	if (!v.null)
		v.s = (struct str){ (const char *)u->b, 16 };
	return v;
}

void db_map(const struct db_field *fields, size_t n, const struct db_val *row,
	    void *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct db_field *f = &fields[i];
		const struct db_val *v = &row[i];
		char *to = (char *)out + f->offset;

		if (f->type != v->type)
			BUG("a field that is not what its statement declares");
		switch (v->type) {
		case 'i':
			*(int64_t *)(void *)to = v->null ? f->null_i : v->i;
			break;
		case 'd':
			*(double *)(void *)to = v->null ? 0 : v->d;
			break;
		case 'u':
			if (v->null)
				memset(to, 0, 16);
			else
				memcpy(to, v->s.p, 16);
			break;
		default:
			*(struct str *)(void *)to = v->null
				? (struct str){ NULL, 0 } : v->s;
		}
	}
}

struct mapping {
	const struct db_field *fields;
	size_t n_fields;
	char *out;		/* the next element; grows in list_row */
	size_t size_bytes, n, room, max;
	struct arena *a;
};

static int get_row(void *ctx, const struct db_val *row, struct err *e)
{
	struct mapping *m = ctx;

	(void)e;
	db_map(m->fields, m->n_fields, row, m->out);
	m->n = 1;
	return 1;
}

static size_t n_columns(struct db *db, unsigned stmt)
{
	if (stmt >= db->pool->opt.n_stmts)
		BUG("a statement number beyond the table");
	return strlen(db->pool->opt.stmts[stmt].columns);
}

int db_get(struct db *db, unsigned stmt, const struct db_val *args,
	   struct arena *a, const struct db_field *fields, void *out,
	   struct err *e)
{
	struct mapping m = { .fields = fields, .n_fields = n_columns(db, stmt),
			     .out = out };

	if (db_each(db, stmt, args, a, get_row, &m, e))
		return -1;
	return (int)m.n;
}

/* -- one value --------------------------------------------------------------- */

struct single {
	char type;		/* s: or b */
	void *out;
	bool found;
};

static int take_single(void *ctx, const struct db_val *row, struct err *e)
{
	struct single *k = ctx;
	const struct db_field f = { .type = row->type };

	(void)e;
	if (row->type != k->type && !(k->type == 's' && row->type == 'b'))
		BUG("a value that is not what its statement declares");
	k->found = !row->null;
	if (k->found)
		db_map(&f, 1, row, k->out);
	return 1;
}

static int read_single(struct db *db, unsigned stmt, const struct db_val *args,
		       struct arena *a, char type, void *out, struct err *e)
{
	struct single k = { .type = type, .out = out };

	return db_each(db, stmt, args, a, take_single, &k, e) ? -1 : k.found;
}

int db_int(struct db *db, unsigned stmt, const struct db_val *args, int64_t *out,
	   struct err *e)
{
	return read_single(db, stmt, args, NULL, 'i', out, e);
}

int db_id(struct db *db, unsigned stmt, const struct db_val *args,
	  struct uuid *out, struct err *e)
{
	return read_single(db, stmt, args, NULL, 'u', out, e);
}

int db_text(struct db *db, unsigned stmt, const struct db_val *args,
	    struct arena *a, struct str *out, struct err *e)
{
	return read_single(db, stmt, args, a, 's', out, e);
}

/* -- all rows ----------------------------------------------------------------- */

static int list_row(void *ctx, const struct db_val *row, struct err *e)
{
	struct mapping *m = ctx;

	(void)e;
	if (m->max && m->n == m->max)
		return 1;
	m->out = arena_room(m->a, m->out, m->n, 1, &m->room, m->size_bytes);
	db_map(m->fields, m->n_fields, row, m->out + m->n++ * m->size_bytes);
	return 0;
}

int db_list_within(struct db *db, unsigned stmt, const struct db_val *args,
		   size_t max_bytes, struct arena *a,
		   const struct db_field *fields, size_t size_bytes, void *out,
		   size_t *n, bool *cut, struct err *e)
{
	struct mapping m = { .fields = fields, .n_fields = n_columns(db, stmt),
			     .size_bytes = size_bytes, .a = a };

	if (db_each_within(db, stmt, args, max_bytes, a, list_row, &m, cut, e))
		return -1;
	*(void **)out = m.out;
	*n = m.n;
	return 0;
}

int db_list(struct db *db, unsigned stmt, const struct db_val *args,
	    struct arena *a, const struct db_field *fields, size_t size_bytes,
	    size_t max_rows, void *out, size_t *n, struct err *e)
{
	struct mapping m = { .fields = fields, .n_fields = n_columns(db, stmt),
			     .size_bytes = size_bytes, .a = a,
			     .max = max_rows };

	if (db_each(db, stmt, args, a, list_row, &m, e))
		return -1;
	*(void **)out = m.out;
	*n = m.n;
	return 0;
}
