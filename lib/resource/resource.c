#include "resource/resource.h"

#include <string.h>

#include "base/clock.h"

#include "base/banned.h"

enum { FIXED = 4 };	/* columns in front of the values: ROW_SQL of stmt.def */

#define REQUIRED RESOURCE_REQUIRED
#define NULLABLE RESOURCE_NULLABLE
#define LINE     RESOURCE_LINE
#define PARENT   RESOURCE_PARENT

#define AS_FIELD(key_, column_, type_, mode_, flags_, min_, max_, help_) \
	{ .key = key_, .column = column_, .type = TYPE_##type_, \
	  .mode = MODE_##mode_, .flags = flags_, .min = min_, .max = max_, \
	  .help = help_ },
#define RESOURCE(id, table, name, path, r, w, of, fields, what) \
	static const struct resource_field id##_fields[] = { \
		fields(AS_FIELD) \
	}; \
	_Static_assert(ARRAY_LEN(id##_fields) <= RESOURCE_FIELDS_MAX, #id);
#include "resource/resource.def"

#define ROW(id, name_, path_, of_, what_) \
	.name = name_, .path = path_, .what = what_, .of = ROOT_##of_, \
	.fields = id##_fields, \
	.n_fields = ARRAY_LEN(id##_fields), .list = RSTMT_##id##_LIST, \
	.count = RSTMT_##id##_COUNT, .get = RSTMT_##id##_GET, \
	.insert = RSTMT_##id##_INSERT, .update = RSTMT_##id##_UPDATE, \
	.remove = RSTMT_##id##_DELETE
const struct resource resources[RESOURCE__MAX] = {
#define RESOURCE(id, table, name, path, r, w, of, fields, what) \
	[RESOURCE_##id] = { ROW(id, name, path, of, what) },
#define RETIRED(column, id, table, name, path, r, w, of, fields, what) \
	[RESOURCE_##id] = { ROW(id, name, path, of, what), \
			    .retired = true },
#include "resource/resource.def"
};

/* The statement that finds and locks the owner's row of a root. */
static const unsigned holds[ROOT__MAX] = {
#define ROOT(id, table) [ROOT_##id] = RSTMT_##id##_HOLD,
#include "resource/resource.def"
};

static const char letters[] = {
	[TYPE_TEXT] = 's', [TYPE_INT] = 'i', [TYPE_BOOL] = 'i',
	[TYPE_TIME] = 'i', [TYPE_UUID] = 'u', [TYPE_JSON] = 's',
	[TYPE_BYTES] = 'b',
};

const struct resource *resource_find(struct str path)
{
	for (size_t i = 0; i < RESOURCE__MAX; i++)
		if (str_is(path, resources[i].path))
			return &resources[i];
	return NULL;
}

struct db_val *resource_value(const struct resource *r,
			      struct resource_row *row, const char *column)
{
	for (size_t i = 0; i < r->n_fields; i++)
		if (strcmp(r->fields[i].column, column) == 0)
			return &row->v[i];
	BUG("a column that the resource does not have");
}

bool resource_same(const struct db_val *a, const struct db_val *b)
{
	return a->null || b->null ? a->null == b->null
		: a->type == 'i' ? a->i == b->i : str_eq(a->s, b->s);
}

void resource_new(const struct resource *r, struct resource_row *row)
{
	int64_t now_us = clock_now_us();

	*row = (struct resource_row){
		.id = uuid_new(), .created_us = now_us, .updated_us = now_us,
	};
	for (size_t i = 0; i < r->n_fields; i++)
		row->v[i] = (struct db_val){
			.type = letters[r->fields[i].type], .null = true,
		};
}

/* -- reading ----------------------------------------------------------------- */

struct reading {
	const struct resource *r;
	struct resource_row *rows;
	size_t n;
};

static int take_row(void *ctx, const struct db_val *v, struct err *e)
{
	struct reading *k = ctx;
	struct resource_row *row = &k->rows[k->n++];

	(void)e;
	*row = (struct resource_row){
		.version = v[1].i, .created_us = v[2].i, .updated_us = v[3].i,
	};
	memcpy(row->id.b, v[0].s.p, sizeof(row->id.b));
	memcpy(row->v, v + FIXED, k->r->n_fields * sizeof(*v));
	return 0;
}

int resource_list(struct db *db, const struct resource *r,
		  const struct owner *o, const struct resource_row *after,
		  size_t size, struct arena *a, struct resource_row **out,
		  size_t *n, bool *more, struct err *e)
{
	static const struct resource_row first = { .created_us = INT64_MAX };
	struct reading k = {
		.r = r, .rows = arena_zalloc(a, size + 1, sizeof(*k.rows)),
	};

	if (!after)
		after = &first;
	if (db_each(db, r->list,
		    DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
			    DB_I(after->created_us), DB_I(after->created_us),
			    DB_U(&after->id), DB_I((int64_t)size + 1)),
		    a, take_row, &k, e))
		return -1;
	*out = k.rows;
	*more = k.n > size;
	*n = MIN(k.n, size);
	return 0;
}

static int take_count(void *ctx, const struct db_val *v, struct err *e)
{
	(void)e;
	*(int64_t *)ctx = v[0].i;
	return 0;
}

int resource_count(struct db *db, const struct resource *r,
		   const struct owner *o, int64_t *n, struct err *e)
{
	struct arena a = ARENA_INIT;
	int rc = db_each(db, r->count,
			 DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id)), &a,
			 take_count, n, e);

	arena_release(&a);
	return rc;
}

static int not_found(const struct resource *r, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "no such row of %s", r->path);
}

int resource_get(struct db *db, const struct resource *r,
		 const struct owner *o, const struct uuid *id, struct arena *a,
		 struct resource_row *out, struct err *e)
{
	struct reading k = { .r = r, .rows = out };

	if (db_each(db, r->get, DB_ARGS(DB_U(id), DB_S(o->tenant_id),
					DB_U(&o->user_id)), a, take_row, &k, e))
		return -1;
	return k.n ? 0 : not_found(r, e);
}

/* -- writing ----------------------------------------------------------------- */

struct inserting {
	const struct resource *r;
	const struct owner *o;
	const struct resource_row *row;
};

static const struct db_val *parent_of(const struct inserting *k)
{
	for (size_t i = 0; i < k->r->n_fields; i++)
		if (k->r->fields[i].flags & PARENT)
			return &k->row->v[i];
	BUG("a resource of something that has no field for it");
}

static int insert(struct db *db, const struct inserting *k, struct err *e)
{
	struct db_val v[5 + RESOURCE_FIELDS_MAX] = {
		DB_U(&k->row->id), DB_S(k->o->tenant_id),
		DB_U(&k->o->user_id), DB_I(k->row->created_us),
		DB_I(k->row->updated_us),
	};

	memcpy(v + 5, k->row->v, k->r->n_fields * sizeof(*v));
	return db_exec(db, k->r->insert, v, NULL, e);
}

static int note_found(void *ctx, const struct db_val *v, struct err *e)
{
	(void)v;
	(void)e;
	*(bool *)ctx = true;
	return 0;
}

/* The parent's row stays locked, and its owner's, until this is stored. */
static int create_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct inserting *k = ctx;
	struct arena a = ARENA_INIT;
	bool found = false;
	int rc = db_each(tx, holds[k->r->of],
			 DB_ARGS(*parent_of(k), DB_S(k->o->tenant_id),
				 DB_U(&k->o->user_id)), &a, note_found, &found,
			 e);

	arena_release(&a);
	if (rc)
		return -1;
	return found ? insert(tx, k, e) : not_found(k->r, e);
}

int resource_create(struct db *db, const struct resource *r,
		    const struct owner *o, const struct resource_row *row,
		    struct err *e)
{
	struct inserting k = { r, o, row };

	return r->of == ROOT_NONE ? insert(db, &k, e)
		: db_tx(db, create_tx, &k, e);
}

/* Whether the given values of row are those of now, at the same version. */
static bool is_at(const struct resource *r, const struct resource_row *row,
		  const struct resource_row *now)
{
	if (now->version != row->version || now->updated_us != row->updated_us)
		return false;
	for (size_t i = 0; i < r->n_fields; i++)
		if (row->given[i] && !resource_same(&row->v[i], &now->v[i]))
			return false;
	return true;
}

int resource_update(struct db *db, const struct resource *r,
		    const struct owner *o, struct resource_row *row,
		    struct err *e)
{
	struct db_val v[5 + 2 * RESOURCE_FIELDS_MAX];
	struct db_result res;
	struct resource_row now;
	struct arena a = ARENA_INIT;
	size_t n = 0;
	int rc;

	row->updated_us = MAX(clock_now_us(), row->updated_us);
	v[n++] = DB_I(row->updated_us);
	for (size_t i = 0; i < r->n_fields; i++) {
		if (r->fields[i].mode != MODE_EDIT)
			continue;
		v[n++] = DB_I(row->given[i]);
		v[n++] = row->v[i];
	}
	v[n++] = DB_U(&row->id);
	v[n++] = DB_S(o->tenant_id);
	v[n++] = DB_U(&o->user_id);
	v[n++] = DB_I(row->version);
	if (db_exec(db, r->update, v, &res, e))
		return -1;
	row->version++;
	if (res.affected)
		return 0;
	/*
	 * A second run after a lost link finds its own change. The time alone
	 * does not tell: where the row's is ahead of the clock, both of two have
	 * the same.
	 */
	rc = resource_get(db, r, o, &row->id, &a, &now, e);
	if (!rc && !is_at(r, row, &now))
		rc = err_set(e, ERR_PRECONDITION, "it is at version %lld",
			     (long long)now.version);
	arena_release(&a);
	return rc;
}

int resource_delete(struct db *db, const struct resource *r,
		    const struct owner *o, const struct uuid *id,
		    struct err *e)
{
	const struct db_val v[] = {
		DB_I(clock_now_us()), DB_U(id), DB_S(o->tenant_id),
		DB_U(&o->user_id),
	};
	struct db_result res;

	if (db_exec(db, r->remove, r->retired ? v : v + 1, &res, e))
		return -1;
	return res.affected ? 0 : not_found(r, e);
}

/* -- records ----------------------------------------------------------------- */

static void write_value(struct jw *w, enum resource_type type,
			const struct db_val *v)
{
	if (v->null) {
		jw_null(w);
		return;
	}
	switch (type) {
	case TYPE_TEXT:
		jw_str(w, v->s);
		return;
	case TYPE_INT:
		jw_int(w, v->i);
		return;
	case TYPE_BOOL:
		jw_bool(w, v->i != 0);
		return;
	case TYPE_TIME:
		jw_time(w, v->i);
		return;
	case TYPE_UUID:
		jw_uuid(w, (const struct uuid *)(const void *)v->s.p);
		return;
	case TYPE_JSON:
		jw_raw(w, v->s);
		return;
	case TYPE_BYTES:
		break;
	}
	BUG("bytes are in no record");
}

void resource_write(struct jw *w, const struct resource *r,
		    const struct resource_row *row)
{
	jw_kuuid(w, "id", &row->id);
	for (size_t i = 0; i < r->n_fields; i++) {
		if (r->fields[i].mode == MODE_HIDDEN)
			continue;
		jw_key(w, r->fields[i].key);
		write_value(w, r->fields[i].type, &row->v[i]);
	}
	jw_ktime(w, "createdAt", row->created_us);
	jw_ktime(w, "updatedAt", row->updated_us);
}
