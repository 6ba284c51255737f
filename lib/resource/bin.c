/* SPDX-License-Identifier: MIT */
#include "resource/bin.h"

#include <stddef.h>

#include "base/clock.h"
#include "base/limits.h"
#include "resource/change.h"
#include "resource/purge.h"
#include "resource/rows.h"

#include "base/banned.h"

static const struct bin {
	enum resource_id of;
	enum resource_root root;
	/* statements */
	unsigned list, one, held, age, take, read, empty, drop;
} bins[] = {
#define BINNED(id, table) { \
	RESOURCE_##id, ROOT_##id, RSTMT_##id##_BINLIST, RSTMT_##id##_BINONE, RSTMT_##id##_BINHELD, \
	RSTMT_##id##_BINAGE, RSTMT_##id##_BINTAKE, RSTMT_##id##_BINREAD, \
	RSTMT_##id##_BINEMPTY, RSTMT_##id##_BINDROP },
#include "resource/resource.def"
};

/* The columns of the lists. */
static const struct db_field binned_fields[] = {
	{ .column = "id", .type = 'u', .offset = offsetof(struct resource_binned, id) },
	{ .column = "holder_id", .type = 'u',
	  .offset = offsetof(struct resource_binned, holder) },
	{ .column = "name", .type = 's', .offset = offsetof(struct resource_binned, name) },
	{ .column = "deleted_us", .type = 'i',
	  .offset = offsetof(struct resource_binned, deleted_us) },
};

static const struct bin *bin_of(const struct resource *r)
{
	for (size_t i = 0; i < ARRAY_LEN(bins); i++)
		if (&resources[bins[i].of] == r)
			return &bins[i];
	return NULL;
}

int64_t resource_bin_until(int64_t deleted_us)
{
	return deleted_us + LIM_CHANGE_DAYS * INT64_C(86400000000);
}

/* -- what is in it ------------------------------------------------------------------- */

static int check_may(const struct caller *by, const struct resource *r, struct err *e)
{
	return resource_may(by, r, VERB_DELETE) ? 0
		: err_public(e, ERR_FORBIDDEN, "This needs the permission %s.",
			     permission_rows[r->may_write].name);
}

static struct resource_at writing(const struct caller *by, const struct resource *r)
{
	struct resource_at at = resource_for(by);

	resource_writing(by, r, &at);
	return at;
}

int resource_bin_list(const struct caller *by, const struct resource *r,
		      struct resource_binned **out, size_t *n, struct err *e)
{
	const struct resource_at at = writing(by, r);

	return check_may(by, r, e) < 0 ? -1
		: db_list(by->db, bin_of(r)->list,
			  DB_ARGS(DB_S(at.writers_json), DB_S(by->owner.tenant_id),
				  DB_I(RESOURCE_BIN_SHOWN)), by->arena, binned_fields,
			  sizeof(**out), 0, out, n, e);
}

static int find_deleted(const struct caller *by, const struct resource *r, const struct uuid *id,
			struct resource_binned *out, struct err *e)
{
	const struct resource_at at = writing(by, r);
	struct resource_binned *v;
	size_t n;

	if (check_may(by, r, e) < 0 ||
	    db_list(by->db, bin_of(r)->one,
		    DB_ARGS(DB_S(at.writers_json), DB_S(by->owner.tenant_id), DB_U(id)),
		    by->arena, binned_fields, sizeof(*v), 0, &v, &n, e) < 0)
		return -1;
	if (!n)
		return resource_not_found(r, e);
	*out = *v;
	return 0;
}

/* -- restoring ------------------------------------------------------------------------- */

struct restoring {
	const struct caller *by;
	const struct resource *r;
	const struct uuid *id;
	struct resource_change_row change;
	struct resource_row row;
};

static int restore_tx(struct db *tx, void *ctx, struct err *e)
{
	struct restoring *k = ctx;
	const struct bin *bin = bin_of(k->r);
	struct caller by = *k->by;
	struct db_result res;

	by.db = tx;
	if (db_exec(tx, bin->take, DB_ARGS(DB_I(clock_now_us()), DB_U(k->id)), &res, e))
		return -1;
	/* The commit of the try before may have restored it, and its answer was lost. */
	if (!res.affected && !db_tx_unknown(tx))
		return resource_not_found(k->r, e);
	if (res.affected &&
	    (db_exec(tx, bin->read, DB_ARGS(DB_U(k->id)), NULL, e) ||
	     db_exec(tx, bin->empty, DB_ARGS(DB_U(k->id)), NULL, e)))
		return -1;
	if (resource_visible(&by, k->r, k->id, &k->row, e) < 0)
		return -1;
	return res.affected ? resource_change_add(&by, &k->change, e) : 0;
}

static int check_room(const struct caller *by, const struct resource *r,
		      const struct resource_binned *one, struct err *e)
{
	struct resource_at held = resource_for(by);
	int64_t n;

	held.holder = one->holder;
	if (resource_count(by->db, r, &held, &n, e) < 0)
		return -1;
	return n < r->most ? 0
		: err_public(e, ERR_CONFLICT, "There are already %d; there is no room for "
			     "another %s. Delete one first.", r->most, r->what);
}

int resource_bin_restore(const struct caller *by, const struct resource *r,
			 const struct uuid *id, struct err *e)
{
	struct resource_binned one;
	struct restoring k = {
		.by = by, .r = r, .id = id,
		/* Who follows the changes was told that it is gone: to them it is new. */
		.change = { .id = uuid_new(), .r = r, .verb = STR("create"),
			    .fields = STR("[]"), .patch = STR("{}") },
	};

	k.change.row = &k.row;
	if (find_deleted(by, r, id, &one, e) < 0 || check_room(by, r, &one, e) < 0 ||
	    db_tx(by->db, restore_tx, &k, e) < 0)
		return -1;
	resource_change_tell(by, &k.change);
	return 0;
}

/* -- for good --------------------------------------------------------------------------- */

struct bin_drop {
	const struct caller *by;	/* whose hooks say what else goes with it; or x does */
	const struct resource_eraser *x;
	const struct resource *r;
	const struct resource_row *row;
	int64_t before_us;
	bool gone;			/* out */
};

static int drop_tx(struct db *tx, void *ctx, struct err *e)
{
	struct bin_drop *k = ctx;
	const struct bin *bin = bin_of(k->r);
	struct db_result res;
	struct caller by;

	if (db_exec(tx, bin->drop, DB_ARGS(DB_U(&k->row->id), DB_I(k->before_us)), &res, e))
		return -1;
	k->gone |= res.affected > 0;
	if (!res.affected)
		return 0;
	if (k->x && k->x->gone(tx, k->r, k->row, k->x->ctx, e))
		return -1;
	if (k->by) {
		by = *k->by;
		by.db = tx;
		if (resource_gone(&by, k->r, k->row, e) < 0)
			return -1;
	}
	return resource_purge_now(tx, bin->root, &k->row->id, e);
}

int resource_bin_drop(const struct caller *by, const struct resource *r,
		      const struct uuid *id, struct err *e)
{
	const struct resource_row row = { .id = *id };
	struct bin_drop k = { .by = by, .r = r, .row = &row, .before_us = INT64_MAX };
	struct resource_binned one;

	if (find_deleted(by, r, id, &one, e) < 0 || db_tx(by->db, drop_tx, &k, e) < 0)
		return -1;
	return k.gone ? 0 : resource_not_found(r, e);
}

static int take_age(void *ctx, const struct db_val *v, struct err *e)
{
	(void)e;
	*(int64_t *)ctx = v[0].i;
	return 0;
}

int resource_bin_end(const struct caller *by, const struct uuid *id, int64_t *due_us,
		     struct err *e)
{
	const int64_t now_us = clock_now_us();

	*due_us = 0;
	for (size_t i = 0; i < ARRAY_LEN(bins); i++) {
		const struct resource_row row = { .id = *id };
		struct bin_drop k = {
			.by = by, .r = &resources[bins[i].of], .row = &row,
			.before_us = now_us - resource_bin_until(0),
		};
		int64_t deleted_us = INT64_MAX;

		if (db_each(by->db, bins[i].age, DB_ARGS(DB_U(id)), NULL, take_age,
			    &deleted_us, e) < 0)
			return -1;
		if (deleted_us == INT64_MAX)
			continue;
		if (deleted_us > k.before_us)
			*due_us = resource_bin_until(deleted_us);
		else if (db_tx(by->db, drop_tx, &k, e) < 0)
			return -1;
	}
	return 0;
}

int resource_bin_erase(struct db *db, const struct resource *r, const struct owner *o,
		       const struct resource_eraser *x, struct err *e)
{
	size_t n = 1;
	int rc = 0;

	while (!rc && n) {
		struct arena a = ARENA_INIT;
		struct resource_binned *v;

		rc = db_list(db, bin_of(r)->held,
			     DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id)), &a,
			     binned_fields, sizeof(*v), 0, &v, &n, e);
		for (size_t i = 0; !rc && i < n; i++) {
			const struct resource_row row = { .id = v[i].id };
			struct bin_drop k = { .x = x, .r = r, .row = &row,
					      .before_us = INT64_MAX };

			rc = db_tx(db, drop_tx, &k, e);
			if (!rc && resource_purge_below(db, &row.id, INT64_MAX, e) < 0)
				rc = -1;
		}
		if (!rc && n)
			x->report(r->table, false, (int64_t)n, x->ctx);
		arena_release(&a);
	}
	return rc;
}
