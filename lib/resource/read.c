/* SPDX-License-Identifier: MIT */
/* Reading rows of resources. */
#include "resource/rows.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

#include "base/banned.h"

enum {
	ARMS = 8,	/* arms of the union for readers: SEEN_SHARED of
			   stmt.def */
	ARM_ARGS = 6,
};

/* Statements of FILED resources; 0 for the others. */
static const struct {
	unsigned list, total;
} filed[RESOURCE__MAX] = {
#define FILED(id, ...) \
	[RESOURCE_##id] = { RSTMT_##id##_FILED, RSTMT_##id##_FILEDTOTAL },
#include "resource/resource.def"
};

struct reading {
	const struct resource *r;
	struct arena *a;
	struct resource_row *rows;
	size_t n, room;
};

void resource_row_of(const struct resource *r, const struct db_val *v,
		     struct resource_row *row)
{
	*row = (struct resource_row){
		.version = v[1].i, .created_us = v[2].i, .updated_us = v[3].i,
		.sort_key = v[5].s,
	};
	memcpy(row->id.b, v[0].s.p, sizeof(row->id.b));
	memcpy(row->holder.b, v[4].s.p, sizeof(row->holder.b));
	memcpy(row->v, v + RESOURCE_FIXED, r->n_fields * sizeof(*v));
}

static int take_row(void *ctx, const struct db_val *v, struct err *e)
{
	struct reading *k = ctx;

	(void)e;
	if (k->n == k->room)
		BUG("more rows than were asked for");
	resource_row_of(k->r, v, &k->rows[k->n++]);
	return 0;
}

/* Adds the holder if the statement has a parameter for it. */
static size_t add_holder(const struct resource *r, const struct resource_at *at,
			 struct db_val *v, size_t n)
{
	if (r->owner != OWNER_TENANT)
		v[n++] = DB_U(&at->holder);
	return n;
}

/*
 * Adds what limits rows to those that the caller sees: below a parent, the
 * shared ones and the caller's.
 */
static size_t add_seen(const struct resource *r, const struct resource_at *at,
		       struct db_val *v, size_t n)
{
	if (r->owner == OWNER_MIXED) {
		v[n++] = DB_U(&at->parent);
		v[n++] = DB_U(&at->parent);
	}
	return add_holder(r, at, v, n);
}

/* The same; of two rows with one name, only the one that hides the other. */
static size_t add_shown(const struct resource *r, const struct resource_at *at,
			struct db_val *v, size_t n)
{
	n = add_seen(r, at, v, n);
	if (r->owner == OWNER_MIXED)
		v[n++] = DB_U(&at->holder);
	if (r->owner == OWNER_BELOW)
		v[n++] = DB_S(at->readers_json);
	return n;
}

size_t resource_mine(const struct resource *r, const struct resource_at *at,
		     const struct uuid *id, struct db_val *v, size_t n)
{
	v[n++] = DB_U(id);
	v[n++] = DB_S(at->by.tenant_id);
	return add_holder(r, at, v, n);
}

/* -- lists ------------------------------------------------------------------- */

static const struct resource_row first_newest = { .created_us = INT64_MAX };
static const struct resource_row first_oldest = { .created_us = 0 };
static const struct resource_row first_name = { .sort_key = { "", 0 } };

size_t resource_add_after(const struct resource *r, const struct resource_row *after,
			  int64_t most, struct db_val *v, size_t n)
{
	if (r->order != ORDER_NAME) {
		if (!after)
			after = r->order == ORDER_NEWEST ? &first_newest
				: &first_oldest;
		v[n++] = DB_I(after->created_us);
		v[n++] = DB_I(after->created_us);
	} else {
		after = after ? after : &first_name;
		v[n++] = DB_S(after->sort_key);
		v[n++] = DB_S(after->sort_key);
	}
	v[n++] = DB_U(&after->id);
	v[n++] = DB_I(most);
	return n;
}

/* Adds the parameters of a page that follow the holder's. */
static size_t add_place(const struct resource *r, const struct resource_want *want,
			struct db_val *v, size_t n)
{
	return resource_add_after(r, want->after, (int64_t)want->size + 1, v, n);
}

/* Reads the rows of up to ARMS readers. */
static int read_arms(struct db *db, struct reading *k,
		     const struct resource_at *at, size_t from,
		     const struct resource_want *want, bool *cut, struct err *e)
{
	static const struct uuid nobody;
	struct db_val v[ARMS * ARM_ARGS + 1];
	size_t n = 0;

	for (size_t i = from; i < from + ARMS; i++) {
		v[n++] = DB_S(at->by.tenant_id);
		v[n++] = DB_U(i < at->n_readers ? &at->readers[i] : &nobody);
		n = add_place(k->r, want, v, n);
	}
	v[n] = DB_I((int64_t)want->size + 1);
	return db_each_within(db, k->r->list, v, LIM_PAGE_BYTES, k->a, take_row,
			      k, cut, e);
}

/*
 * Merges the rows of all readers, each once and in order. If lists were cut
 * short, rows after the first cut are unknown and dropped.
 */
static int read_all_arms(struct db *db, struct reading *k,
			 const struct resource_at *at,
			 const struct resource_want *want, bool *cut, struct err *e)
{
	struct resource_row limit = { .version = 0 };
	bool limited = false, short_of = false;
	size_t n = 0;

	for (size_t i = 0; i < at->n_readers; i += ARMS) {
		size_t before = k->n;

		if (read_arms(db, k, at, i, want, &short_of, e))
			return -1;
		if (short_of && k->n > before &&
		    (!limited || resource_compare(&k->rows[k->n - 1], &limit) < 0))
			limit = k->rows[k->n - 1];
		limited |= short_of;
	}
	qsort(k->rows, k->n, sizeof(*k->rows), resource_compare);
	for (size_t i = 0; i < k->n; i++) {
		if (limited && resource_compare(&k->rows[i], &limit) > 0)
			break;
		if (!n || !uuid_eq(&k->rows[i].id, &k->rows[n - 1].id))
			k->rows[n++] = k->rows[i];
	}
	k->n = n;
	*cut = limited;
	return 0;
}

/* "…" with 32 hexadecimal digits, for UNHEX. */
static void put_hex(struct buf *b, const struct uuid *id)
{
	static const char digits[] = "0123456789ABCDEF";

	buf_addc(b, '"');
	for (size_t i = 0; i < sizeof(id->b); i++) {
		buf_addc(b, digits[id->b[i] >> 4]);
		buf_addc(b, digits[id->b[i] & 15]);
	}
	buf_addc(b, '"');
}

/* Ids as parameters of statements; with most, each with its role (WRITERS). */
static struct str ids_json(const struct uuid *v, size_t n,
			   const enum resource_role *most, struct arena *a)
{
	struct buf b = BUF_INIT(n * 64 + 3);
	struct str out;

	buf_addc(&b, '[');
	for (size_t i = 0; i < n; i++) {
		buf_adds(&b, i ? "," : "");
		buf_adds(&b, most ? "{\"x\":" : "");
		put_hex(&b, &v[i]);
		if (most)
			buf_addf(&b, ",\"m\":%d}", (int)most[i]);
	}
	buf_addc(&b, ']');
	out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return out;
}

struct str resource_ids_json(const struct uuid *v, size_t n, struct arena *a)
{
	return ids_json(v, n, NULL, a);
}

static struct str readers_json(const struct resource_at *at, struct arena *a)
{
	return ids_json(at->readers, at->n_readers, NULL, a);
}

void resource_below(struct resource_at *at, const enum resource_role *most,
		    struct arena *a)
{
	at->readers_json = readers_json(at, a);
	at->writers_json = ids_json(at->readers, at->n_readers, most, a);
}

/* What is common to the statements of what is under one other. */
static size_t add_under(const struct resource_at *at, const struct uuid *under,
			struct arena *a, struct db_val *v)
{
	v[0] = DB_U(under);
	v[1] = DB_S(at->by.tenant_id);
	v[2] = DB_S(readers_json(at, a));
	return 3;
}

bool resource_is_filed(const struct resource *r)
{
	return filed[r - resources].list != 0;
}

/* -- lists by filters and orders -------------------------------------------------- */

/* Sets the first parameters of a LISTED statement: whose rows, and which; returns how many. */
static size_t add_limits(const struct resource *r, const struct resource_at *at,
			 const struct resource_limits *limits, struct db_val *v)
{
	size_t n;

	v[0] = DB_S(at->by.tenant_id);
	n = add_shown(r, at, v, 1);

	memcpy(v + n, limits->v, limits->n * sizeof(*v));
	return n + limits->n;
}

size_t resource_add_scope(const struct resource *r, const struct resource_at *at,
			  const struct resource_limits *limits, struct arena *a,
			  struct db_val *v)
{
	if (r->owner != OWNER_SHARED)
		return add_limits(r, at, limits, v);
	v[0] = DB_S(readers_json(at, a));
	v[1] = DB_S(at->by.tenant_id);
	return 2;
}

/* The value before all others, or after them. */
static struct db_val first_value(const struct resource_sorting *by, bool down)
{
	switch (by->type) {
	case TYPE_DATE:
		return DB_S(down ? STR("9999-12-31") : STR("1000-01-01"));
	case TYPE_REAL:
		return DB_D(down ? DBL_MAX : -DBL_MAX);
	default:
		return DB_I(down ? INT64_MAX : INT64_MIN);
	}
}

static const struct uuid first_id, last_id = { {
	255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
} };

/*
 * Reads those with a value of the order, and when they are at their end, those
 * without.
 */
static int read_ordered(struct db *db, struct reading *k,
			const struct resource_at *at,
			const struct resource_want *want, bool *cut,
			struct err *e)
{
	const struct resource_sorting *by = want->limits->by;
	const bool down = want->limits->down;
	const struct resource_row *after = want->after;
	struct db_val v[RESOURCE_LISTED_ARGS] = { DB_S(at->by.tenant_id) };
	const size_t n = add_limits(k->r, at, want->limits, v);
	struct db_val value = after ? resource_sorting_value(by, after)
		: first_value(by, down);

	if (!value.null) {
		v[n] = v[n + 1] = value;
		v[n + 2] = DB_U(after ? &after->id : down ? &last_id : &first_id);
		v[n + 3] = DB_I((int64_t)want->size + 1);
		if (db_each_within(db, down ? by->down : by->up, v, LIM_PAGE_BYTES,
				   k->a, take_row, k, cut, e))
			return -1;
		if (*cut || k->n > want->size || by->common)
			return 0;
		after = NULL;
	}
	v[n] = DB_U(after ? &after->id : &first_id);
	v[n + 1] = DB_I((int64_t)(want->size - k->n) + 1);
	return db_each_within(db, by->rest, v, LIM_PAGE_BYTES, k->a, take_row, k,
			      cut, e);
}

int resource_list(struct db *db, const struct resource *r,
		  const struct resource_at *at,
		  const struct resource_want *want, struct arena *a,
		  struct resource_row **out, size_t *n, bool *more,
		  struct err *e)
{
	const struct resource_limits *limits = want->limits;
	size_t rounds = r->owner == OWNER_SHARED
		? (at->n_readers + ARMS - 1) / ARMS : 1;
	struct reading k = { .r = r, .a = a, .room = rounds * (want->size + 1) };
	struct db_val v[RESOURCE_LISTED_ARGS] = { DB_S(at->by.tenant_id) };
	bool cut = false;
	int rc;

	k.rows = arena_zalloc(a, k.room + 1, sizeof(*k.rows));
	if (want->under) {
		add_place(r, want, v, add_under(at, want->under, a, v));
		rc = db_each_within(db, filed[r - resources].list, v,
				    LIM_PAGE_BYTES, a, take_row, &k, &cut, e);
	} else if (limits && limits->by) {
		rc = read_ordered(db, &k, at, want, &cut, e);
	} else if (limits && limits->any) {
		add_place(r, want, v, add_limits(r, at, limits, v));
		rc = db_each_within(db, resource_listed(r)->list, v,
				    LIM_PAGE_BYTES, a, take_row, &k, &cut, e);
	} else if (r->owner == OWNER_SHARED) {
		rc = read_all_arms(db, &k, at, want, &cut, e);
	} else {
		add_place(r, want, v, add_shown(r, at, v, 1));
		rc = db_each_within(db, r->list, v, LIM_PAGE_BYTES, a, take_row,
				    &k, &cut, e);
	}
	for (size_t i = 0; i < k.n; i++)
		k.rows[i].brief = true;
	*out = k.rows;
	*more = cut || k.n > want->size;
	*n = MIN(k.n, want->size);
	return rc;
}

/* -- counts ------------------------------------------------------------------ */

static int take_count(void *ctx, const struct db_val *v, struct err *e)
{
	(void)e;
	*(int64_t *)ctx = v[0].i;
	return 0;
}

static int count(struct db *db, unsigned stmt, const struct db_val *v,
		 int64_t *n, struct err *e)
{
	struct arena a = ARENA_INIT;
	int rc = db_each(db, stmt, v, &a, take_count, n, e);

	arena_release(&a);
	return rc;
}

int resource_total(struct db *db, const struct resource *r,
		   const struct resource_at *at,
		   const struct resource_want *want, int64_t *total,
		   struct err *e)
{
	const bool limited = want->limits && want->limits->any;
	struct arena a = ARENA_INIT;
	struct db_val v[RESOURCE_LISTED_ARGS];
	unsigned stmt = r->total;
	size_t n = 0;
	int rc;

	if (want->under) {
		stmt = filed[r - resources].total;
		n = add_under(at, want->under, &a, v);
	} else if (limited) {
		stmt = resource_listed(r)->total;
		n = add_limits(r, at, want->limits, v);
	} else {
		if (r->owner == OWNER_SHARED)
			v[n++] = DB_S(readers_json(at, &a));
		v[n++] = DB_S(at->by.tenant_id);
		if (r->owner != OWNER_SHARED)
			n = add_shown(r, at, v, n);
	}
	v[n] = DB_I(LIM_COUNTED + 1);
	rc = count(db, stmt, v, total, e);
	arena_release(&a);
	return rc;
}

int resource_count(struct db *db, const struct resource *r,
		   const struct resource_at *at, int64_t *n, struct err *e)
{
	struct db_val v[3] = { DB_S(at->by.tenant_id) };

	v[add_holder(r, at, v, 1)] = DB_I(r->most);
	return count(db, r->count, v, n, e);
}

/* -- single rows --------------------------------------------------------------- */

int resource_not_found(const struct resource *r, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "no such row of %s", r->path);
}

int resource_read_only(const struct resource *r, struct err *e)
{
	return err_public(e, ERR_FORBIDDEN, "You can use this %s, but you cannot "
			  "change it.", r->what);
}

int resource_get(struct db *db, const struct resource *r,
		 const struct resource_at *at, const struct uuid *id,
		 struct arena *a, struct resource_row *out, struct err *e)
{
	struct reading k = { .r = r, .a = a, .rows = out, .room = 1 };
	struct db_val v[5] = { DB_U(id), DB_S(at->by.tenant_id) };

	if (r->owner == OWNER_SHARED)
		v[2] = DB_S(readers_json(at, a));
	else if (r->owner == OWNER_BELOW)
		v[2] = DB_S(at->readers_json);
	else
		add_seen(r, at, v, 2);
	if (db_each(db, r->get, v, a, take_row, &k, e))
		return -1;
	return k.n ? 0 : resource_not_found(r, e);
}

int resource_set(struct db *db, const struct resource *r, unsigned stmt,
		 const struct resource_at *at, const struct uuid *ids, size_t n,
		 struct arena *a, struct resource_row *rows, size_t *found,
		 struct err *e)
{
	struct reading k = { .r = r, .a = a, .rows = rows, .room = n };
	int rc = n ? db_each(db, stmt, DB_ARGS(DB_S(ids_json(ids, n, NULL, a)),
					       DB_S(at->by.tenant_id),
					       DB_S(readers_json(at, a))),
			     a, take_row, &k, e) : 0;

	*found = k.n;
	return rc;
}

int resource_few(struct db *db, const struct resource *r, unsigned stmt,
		 const struct resource_at *at, size_t size, struct arena *a,
		 struct resource_row *rows, size_t *n, struct err *e)
{
	struct reading k = { .r = r, .a = a, .rows = rows, .room = size + 1 };
	int rc = db_each(db, stmt, DB_ARGS(DB_S(readers_json(at, a)),
					   DB_S(at->by.tenant_id),
					   DB_I((int64_t)size + 1)),
			 a, take_row, &k, e);

	for (size_t i = 0; i < k.n; i++)
		k.rows[i].brief = true;
	*n = k.n;
	return rc;
}

int resource_of_ids(struct db *db, const struct resource *r, unsigned stmt,
		    const struct resource_at *at, const struct uuid *ids, size_t n,
		    struct arena *a, struct resource_row *rows, size_t *found, bool *cut,
		    struct err *e)
{
	struct reading k = { .r = r, .a = a, .rows = rows, .room = n };
	struct db_val v[8] = { DB_S(ids_json(ids, n, NULL, a)), DB_S(at->by.tenant_id) };
	int rc;

	if (r->owner == OWNER_SHARED)
		v[2] = DB_S(readers_json(at, a));
	else
		add_shown(r, at, v, 2);
	rc = n ? db_each_within(db, stmt, v, LIM_PAGE_BYTES, k.a, take_row, &k, cut, e) : 0;
	for (size_t i = 0; i < k.n; i++)
		k.rows[i].brief = true;
	*found = k.n;
	return rc;
}

int resource_of_others(struct db *db, const struct resource *r, unsigned stmt,
		       struct str tenant_id, const struct uuid *ids, size_t n,
		       struct arena *a, struct resource_row *rows, size_t *found,
		       struct err *e)
{
	struct reading k = { .r = r, .a = a, .rows = rows, .room = n };
	int rc = n ? db_each(db, stmt, DB_ARGS(DB_S(ids_json(ids, n, NULL, a)),
					       DB_S(tenant_id)),
			     a, take_row, &k, e) : 0;

	*found = k.n;
	return rc;
}

int resource_get_by(struct db *db, const struct resource *r, unsigned stmt,
		    const struct db_val *v, struct arena *a,
		    struct resource_row *out, struct err *e)
{
	struct reading k = { .r = r, .a = a, .rows = out, .room = 1 };

	if (db_each(db, stmt, v, a, take_row, &k, e))
		return -1;
	return k.n ? 0 : resource_not_found(r, e);
}

int resource_named(struct db *db, const struct resource *r,
		   const struct resource_at *at, struct str name,
		   struct str other, struct arena *a,
		   struct resource_row *rows, size_t *n, struct err *e)
{
	struct reading k = {
		.r = r, .a = a, .rows = rows, .room = RESOURCE_NAMED_MAX,
	};
	struct db_val v[6] = { DB_S(at->by.tenant_id) };
	size_t m = 1;
	int rc;

	if (r->owner == OWNER_MIXED)
		m = add_seen(r, at, v, m);
	v[m++] = r->owner == OWNER_MIXED ? DB_S_IF(name) : DB_S(name);
	if (r->owner == OWNER_MIXED)
		v[m] = DB_S_IF(other);
	rc = db_each(db, r->by_name, v, a, take_row, &k, e);
	*n = k.n;
	return rc;
}

int resource_take_out(struct db *db, const struct resource *r,
		      const struct resource_at *at, const struct uuid *after,
		      struct arena *a, struct resource_row **out, size_t *n, struct err *e)
{
	struct reading k = {
		.r = r, .a = a, .room = LIM_PAGE_MAX,
		.rows = arena_zalloc(a, LIM_PAGE_MAX + 1, sizeof(*k.rows)),
	};
	int rc = db_each(db, r->take_out,
			 DB_ARGS(DB_S(at->by.tenant_id), DB_U(&at->holder),
				 DB_U(after), DB_I(LIM_PAGE_MAX)),
			 a, take_row, &k, e);

	*out = k.rows;
	*n = k.n;
	return rc;
}
