/* SPDX-License-Identifier: MIT */
/* Writing rows of resources. */
#include "resource/rows.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "resource/purge.h"
#include "secret/secret.h"

#include "base/banned.h"

/* The statement that finds and locks a root's row by its holder. */
static const struct {
	unsigned hold;
	enum resource_owner owner;
} roots[ROOT__MAX] = {
#define ROOT(id, table, owner_) \
	[ROOT_##id] = { RSTMT_##id##_HOLD, OWNER_##owner_ },
#include "resource/resource.def"
};

/* For IDS fields, by their table. */
static const struct join {
	const char *table;
	unsigned clear, add, add_file;
} joins[] = {
#define JOIN(id, table, target) \
	{ table, RSTMT_##id##_CLEAR, RSTMT_##id##_ADD, RSTMT_##id##_ADDFILE },
#include "resource/resource.def"
};

/* For LONG fields, by their table. */
static const struct texts {
	const char *table;
	unsigned put, remove;
} texts[] = {
#define TEXTS(id, of, table, of_table, top) \
	{ table, RSTMT_##id##_PUT, RSTMT_##id##_PURGE },
#include "resource/resource.def"
	{ NULL, 0, 0 }
};

/* GUARDED: the statement that finds a row at a version, and moves it. */
static const unsigned guards[RESOURCE__MAX + 1] = {
#define GUARDED(id, table) [RESOURCE_##id] = RSTMT_##id##_AT,
#include "resource/resource.def"
};

/* BINNED: the statements that put a deleted row aside. */
static const struct {
	bool is;
	unsigned put, clear;
} bins[RESOURCE__MAX] = {
#define BINNED(id, table) \
	[RESOURCE_##id] = { true, RSTMT_##id##_BINPUT, RSTMT_##id##_BINCLEAR },
#include "resource/resource.def"
};

bool resource_is_binned(const struct resource *r)
{
	return bins[r - resources].is;
}

struct writing {
	const struct resource *r;
	const struct resource_at *at;
	const struct resource_row *row;
	const struct resource_also *also;
	bool creating;
	bool refold;	/* what its FOUND fields have is new */
	struct db_val folded;
	bool gone;	/* out: no row at that version */
};

/* -- dependent rows -------------------------------------------------------------- */

static const struct join *join_of(const struct resource_field *f)
{
	for (size_t i = 0; i < ARRAY_LEN(joins); i++)
		if (strcmp(joins[i].table, f->column) == 0)
			return &joins[i];
	BUG("ids without a JOIN");
}

static bool is_in_files(const struct resource_at *at, const struct uuid *id)
{
	for (size_t i = 0; i < at->n_in_files; i++)
		if (uuid_eq(&at->in_files[i], id))
			return true;
	return false;
}

static int write_ids(struct db *tx, const struct writing *k,
		     const struct resource_field *f, const struct db_val *ids,
		     struct err *e)
{
	const struct join *j = join_of(f);
	struct db_result res;

	if (!k->creating &&
	    db_exec(tx, j->clear, DB_ARGS(DB_U(&k->row->id)), NULL, e))
		return -1;
	for (size_t i = 0; !ids->null && i < ids->s.n; i += 16) {
		const struct uuid *id = (const struct uuid *)(const void *)
			(ids->s.p + i);

		if (is_in_files(k->at, id)) {
			if (db_exec(tx, j->add_file,
				    DB_ARGS(DB_U(&k->row->id), DB_U(id)), NULL,
				    e))
				return -1;
			continue;
		}
		if (db_exec(tx, j->add,
			    DB_ARGS(DB_U(&k->row->id), DB_U(id),
				    DB_S(k->at->by.tenant_id)), &res, e))
			return -1;
		if (!res.affected)
			return err_field(e, ERR_INVALID_FIELD, f->key,
					 "%s has an id that does not exist.",
					 f->key);
	}
	return 0;
}

static int write_long(struct db *tx, const struct writing *k,
		      const struct resource_field *f, const struct db_val *text,
		      struct err *e)
{
	const struct texts *t = texts;

	while (t->table && strcmp(t->table, f->column) != 0)
		t++;
	if (!t->table)
		BUG("a long text without its TEXTS");
	return text->null
		? db_exec(tx, t->remove, DB_ARGS(DB_U(&k->row->id)), NULL, e)
		: db_exec(tx, t->put, DB_ARGS(*text, DB_U(&k->row->id)), NULL, e);
}

/* Stores what belongs to the row in other tables. */
static int write_rest(struct db *tx, const struct writing *k, struct err *e)
{
	const struct resource_row *row = k->row;

	if (k->r->owner == OWNER_SHARED && k->creating &&
	    resource_let_read(tx, k->r, &k->at->by, &row->holder, ROLE_OWNER, row,
			      e))
		return -1;
	if (k->r->owner == OWNER_SHARED && !k->creating && row->sort_key.p &&
	    db_exec(tx, k->r->rename,
		    DB_ARGS(DB_S(row->sort_key), DB_S(k->at->by.tenant_id),
			    DB_U(&row->id)), NULL, e))
		return -1;
	for (size_t i = 0; i < k->r->n_fields; i++)
		if ((k->r->fields[i].type == TYPE_IDS && row->given[i] &&
		     write_ids(tx, k, &k->r->fields[i], &row->v[i], e)) ||
		    (k->r->fields[i].type == TYPE_LONG && row->given[i] &&
		     write_long(tx, k, &k->r->fields[i], &row->v[i], e)))
			return -1;
	return k->also ? k->also->run(tx, row, k->also->ctx, e) : 0;
}

int resource_let_read(struct db *tx, const struct resource *r,
		      const struct owner *by, const struct uuid *reader,
		      enum resource_role role, const struct resource_row *row,
		      struct err *e)
{
	if (resource_stop_reading(tx, r, by, reader, &row->id, e))
		return -1;
	return db_exec(tx, r->reader,
		       DB_ARGS(DB_S(by->tenant_id), DB_U(reader),
			       DB_U(&row->id), DB_S(row->sort_key), DB_I(role)),
		       NULL, e);
}

int resource_stop_reading(struct db *tx, const struct resource *r,
			  const struct owner *by, const struct uuid *reader,
			  const struct uuid *id, struct err *e)
{
	return db_exec(tx, r->unread,
		       DB_ARGS(DB_S(by->tenant_id), DB_U(reader), DB_U(id)),
		       NULL, e);
}

/*
 * Appends the value of a column as it is stored: of a PERSON, the id, which is kept in
 * *person.
 */
static void add_stored(const struct writing *k, size_t i, struct uuid *person,
		       struct db_val *v)
{
	*v = k->r->fields[i].type == TYPE_FOLDED ? k->folded : k->row->v[i];
	if (k->r->fields[i].type != TYPE_PERSON)
		return;
	if (!v->null)
		*person = uuid_of_name(k->at->by.tenant_id, v->s);
	*v = v->null ? (struct db_val){ .type = 'u', .null = true } : DB_U(person);
}

/* -- creating ------------------------------------------------------------------- */

static int insert(struct db *tx, const struct writing *k, struct err *e)
{
	const struct resource_row *row = k->row;
	struct db_val v[10 + RESOURCE_FIELDS_MAX] = {
		DB_U(&row->id), DB_S(k->at->by.tenant_id),
		DB_U(&k->at->by.user_id), DB_I(row->version),
		DB_I(row->created_us), DB_I(row->updated_us),
	};
	struct uuid people[RESOURCE_FIELDS_MAX];
	struct db_result res;
	size_t n = 6;

	if (k->r->owner == OWNER_MIXED)
		v[n++] = DB_U(&k->at->parent);
	if (k->r->owner == OWNER_PARENT || k->r->owner == OWNER_SHARED ||
	    k->r->owner == OWNER_MIXED)
		v[n++] = DB_U(&row->holder);
	if (k->r->order == ORDER_NAME)
		v[n++] = DB_S(row->sort_key);
	for (size_t i = 0; i < k->r->n_fields; i++)
		if (resource_has_column(&k->r->fields[i]))
			add_stored(k, i, &people[i], &v[n++]);
	if (k->r->owner != OWNER_BELOW)
		return db_exec(tx, k->r->insert, v, NULL, e);
	v[n++] = DB_U(&row->holder);
	v[n++] = DB_S(k->at->by.tenant_id);
	v[n] = DB_S(k->at->writers_json);
	if (db_exec(tx, k->r->insert, v, &res, e))
		return -1;
	return res.affected ? 0 : resource_not_found(k->r, e);
}

static struct db_val parent_of(const struct writing *k)
{
	if (k->r->owner == OWNER_PARENT)
		return DB_U(&k->row->holder);
	if (k->r->owner == OWNER_MIXED)
		return DB_U(&k->at->parent);
	for (size_t i = 0; i < k->r->n_fields; i++)
		if (k->r->fields[i].flags & RESOURCE_PARENT)
			return k->row->v[i];
	BUG("a resource of something that has no field for it");
}

static int note_found(void *ctx, const struct db_val *v, struct err *e)
{
	(void)v;
	(void)e;
	*(bool *)ctx = true;
	return 0;
}

/* Locks the rows of the parent and its holder until this is stored. */
static int hold_root(struct db *tx, const struct writing *k, struct err *e)
{
	struct arena a = ARENA_INIT;
	bool found = false;
	int rc = db_each(tx, roots[k->r->of].hold,
			 DB_ARGS(parent_of(k), DB_S(k->at->by.tenant_id),
				 DB_U(&k->at->above)), &a, note_found, &found,
			 e);

	arena_release(&a);
	if (rc)
		return -1;
	return found ? 0 : resource_not_found(k->r, e);
}

static int create_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct writing *k = ctx;

	/* What is in a file cannot be deleted meanwhile. */
	if (k->r->of != ROOT_NONE && k->r->owner != OWNER_BELOW &&
	    !uuid_is_nil(&k->at->above) && hold_root(tx, k, e))
		return -1;
	return insert(tx, k, e) ? -1 : write_rest(tx, k, e);
}

/* Callers must have sealed the row's secrets; this is the last place to check. */
static void check_sealed(const struct resource *r, const struct resource_row *row)
{
	for (size_t i = 0; i < r->n_fields; i++)
		if (r->fields[i].type == TYPE_SECRET && !row->v[i].null &&
		    !seal_is(row->v[i].s))
			BUG("a secret that is not sealed");
}

/* SEARCHED: what the search looks in, of a new or changed row. In a. */
static void fold(struct writing *k, struct arena *a)
{
	for (size_t i = 0; resource_is_searched(k->r) && i < k->r->n_fields; i++)
		k->refold |= k->r->fields[i].flags & RESOURCE_FOUND &&
			(k->creating || k->row->given[i]);
	if (k->refold)
		k->folded = DB_B(resource_folded(k->r, k->row, a));
	else
		k->folded = (struct db_val){ .type = 'b', .null = true };
}

int resource_create(struct db *db, const struct resource *r,
		    const struct resource_at *at,
		    const struct resource_row *row,
		    const struct resource_also *also, struct err *e)
{
	struct writing k = { r, at, row, also, .creating = true };
	struct arena a = ARENA_INIT;
	int rc;

	check_sealed(r, row);
	fold(&k, &a);
	rc = db_tx(db, create_tx, &k, e);
	arena_release(&a);
	return rc;
}

/* -- changing ------------------------------------------------------------------- */

/* Whether row's given values are those of now, at the same version. */
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

/* row has its new version. */
static int update_tx(struct db *tx, void *ctx, struct err *e)
{
	struct writing *k = ctx;
	const struct resource *r = k->r;
	const struct resource_row *row = k->row;
	struct db_val v[9 + 2 * RESOURCE_FIELDS_MAX] = { DB_I(row->updated_us) };
	struct uuid people[RESOURCE_FIELDS_MAX];
	struct db_result res;
	size_t n = 1;

	if (r->order == ORDER_NAME)
		v[n++] = DB_S_IF(row->sort_key);
	for (size_t i = 0; i < r->n_fields; i++) {
		if ((r->fields[i].mode != MODE_EDIT &&
		     r->fields[i].mode != MODE_NOTED &&
		     r->fields[i].mode != MODE_STAMP) ||
		    !resource_has_column(&r->fields[i]))
			continue;
		v[n++] = DB_I(r->fields[i].type == TYPE_FOLDED ? k->refold : row->given[i]);
		add_stored(k, i, &people[i], &v[n++]);
	}
	n = resource_mine(r, k->at, &row->id, v, n);
	v[n++] = DB_I(row->version - 1);
	if (r->owner == OWNER_BELOW)
		v[n] = DB_S(k->at->writers_json);
	if (db_exec(tx, r->update, v, &res, e))
		return -1;
	k->gone = !res.affected;
	return k->gone ? 0 : write_rest(tx, k, e);
}

int resource_update(struct db *db, const struct resource *r,
		    const struct resource_at *at, struct resource_row *row,
		    const struct resource_also *also, struct err *e)
{
	struct writing k = { r, at, row, also, .creating = false };
	struct resource_row now;
	struct arena a = ARENA_INIT;
	int rc;

	check_sealed(r, row);
	fold(&k, &a);
	row->updated_us = MAX(clock_now_us(), row->updated_us);
	row->version++;
	rc = db_tx(db, update_tx, &k, e);
	if (rc || !k.gone) {
		arena_release(&a);
		return rc && e->code == ERR_DB_DUPLICATE ? resource_taken(r, e) : rc;
	}
	/*
	 * A retry after a lost connection finds its own change. The time alone
	 * does not identify it: if the row's time is ahead of the clock, two
	 * changes have the same.
	 */
	rc = resource_get(db, r, at, &row->id, &a, &now, e);
	/* It is as it was: the caller may only read it. */
	if (!rc && r->owner == OWNER_BELOW && now.version == row->version - 1)
		rc = resource_read_only(r, e);
	else if (!rc && !is_at(r, row, &now))
		rc = err_set(e, ERR_PRECONDITION, "it is at version %lld",
			     (long long)now.version);
	arena_release(&a);
	return rc;
}

int resource_taken(const struct resource *r, struct err *e)
{
	const struct resource_field *found = NULL;
	char key[128];

	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];

		if (!(f->flags & RESOURCE_UNIQUE))
			continue;
		snprintf(key, sizeof(key), "%s_%s", r->table, f->column);
		if (!found || strstr(e->text, key))
			found = f;
	}
	err_clear(e);
	if (!found)
		return err_set(e, ERR_CONFLICT, "taken");
	return err_field(e, ERR_CONFLICT, found->key,
			 "Another %s has this %s.", r->what, found->key);
}

/* -- deleting -------------------------------------------------------------------- */

struct deleting {
	const struct resource *r;
	const struct resource_at *at;
	const struct uuid *id;
	int64_t version;
	const struct resource_also *also;
	bool found;
};

/* Refuses a row that is at another version. */
static int claim(struct db *tx, const struct deleting *k, struct err *e)
{
	struct db_result res;

	if (k->version < 0)
		return 0;
	if (db_exec(tx, guards[k->r - resources],
		    DB_ARGS(DB_U(k->id), DB_S(k->at->by.tenant_id),
			    DB_I(k->version)), &res, e))
		return -1;
	return res.affected || db_tx_unknown(tx) ? 0
		: err_set(e, ERR_PRECONDITION, "it is at another version");
}

/* Nobody reads it any more; who did is kept. */
static int put_aside(struct db *tx, const struct deleting *k, struct err *e)
{
	const size_t i = (size_t)(k->r - resources);

	return db_exec(tx, bins[i].put, DB_ARGS(DB_U(k->id)), NULL, e) ? -1
		: db_exec(tx, bins[i].clear, DB_ARGS(DB_U(k->id)), NULL, e);
}

/* The row first: it is what new dependent rows lock. */
static int delete_tx(struct db *tx, void *ctx, struct err *e)
{
	struct deleting *k = ctx;
	struct db_val v[5] = { DB_I(clock_now_us()) };
	const struct resource_row row = { .id = *k->id };
	struct db_result res;
	size_t n;

	if (claim(tx, k, e) ||
	    (k->also && k->also->run(tx, &row, k->also->ctx, e)))
		return -1;
	n = resource_mine(k->r, k->at, k->id, v, k->r->retired ? 1 : 0);
	if (k->r->owner == OWNER_BELOW)
		v[n] = DB_S(k->at->writers_json);
	if (db_exec(tx, k->r->remove, v, &res, e))
		return -1;
	k->found |= res.affected > 0;
	/* Then what `also` has done is undone, too. */
	if (!k->found && !db_tx_unknown(tx))
		return resource_not_found(k->r, e);
	if (resource_is_binned(k->r))
		return res.affected ? put_aside(tx, k, e) : 0;
	for (size_t i = ROOT_NONE + 1; res.affected && i < ROOT__MAX; i++)
		if (resource_of_root((enum resource_root)i) == k->r &&
		    resource_purge_now(tx, (enum resource_root)i, k->id, e))
			return -1;
	return res.affected && k->also && k->also->end
		? k->also->end(tx, &row, k->also->ctx, e) : 0;
}

int resource_delete(struct db *db, const struct resource *r,
		    const struct resource_at *at, const struct uuid *id,
		    int64_t version, const struct resource_also *also,
		    struct err *e)
{
	struct deleting k = { r, at, id, version, also, false };
	struct resource_row now;
	struct arena a = ARENA_INIT;
	struct err gone = ERR_INIT;

	if (db_tx(db, delete_tx, &k, e) == 0)
		return k.found ? 0 : resource_not_found(r, e);
	/* Another version may be none at all any more. */
	if (e->code == ERR_PRECONDITION &&
	    resource_get(db, r, at, id, &a, &now, &gone) < 0 &&
	    gone.code == ERR_NOT_FOUND)
		*e = gone;
	arena_release(&a);
	return -1;
}
