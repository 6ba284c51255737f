/* SPDX-License-Identifier: MIT */
#include "resource/erase.h"

#include "base/limits.h"
#include "resource/bin.h"
#include "resource/purge.h"

#include "base/banned.h"

/* In this order: a notice is found by its topic. */
static const struct erase_step {
	const char *table;
	enum resource_stmt stmt;	/* … LIMIT, of a tenant and a user */
	bool kept;			/* the rows stay */
} steps[] = {
#define ERASE(id, table, ...) { table, RSTMT_##id##_ERASE, false },
#define FORGET(id, table, ...) { table, RSTMT_##id##_DISOWN, true },
#define ERASED_USER(id, table) ERASE(id, table)
#define ERASED_TENANT(id, table) FORGET(id, table)
#define ERASED_PARENT ERASED_TENANT
#define ERASED_MIXED ERASED_TENANT
#define ERASED_BELOW ERASED_TENANT
#define ERASED_SHARED(id, table) ERASED_TENANT(id, table) ERASE(id, table "_reader")
#define RESOURCE(id, table, name, path, r, w, owner, ...) ERASED_##owner(id, table)
#define UPLOAD(...)
#include "resource/resource.def"
};

/* -- rows that the user holds -------------------------------------------------- */

struct holding {
	const struct resource *r;
	const struct resource_row *row;
	const struct resource_eraser *x;
};

static int run_gone(struct db *tx, const struct resource_row *row, void *ctx,
		    struct err *e)
{
	const struct holding *h = ctx;

	(void)row;	/* it has only the id */
	return h->x->gone(tx, h->r, h->row, h->x->ctx, e);
}

/* One that was deleted meanwhile counts as deleted. */
static int erase_row(struct db *db, const struct resource_at *at,
		     struct holding *h, struct err *e)
{
	if (resource_delete(db, h->r, at, &h->row->id, -1,
			    &(struct resource_also){ .run = run_gone, .ctx = h }, e) == 0)
		return resource_is_top(h->r) && resource_purge_below(
			db, &h->row->id, INT64_MAX, e) < 0 ? -1 : 0;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

static int erase_held(struct db *db, const struct resource *r,
		      const struct owner *o, const struct resource_eraser *x,
		      struct err *e)
{
	const struct resource_at at = resource_own(o);
	const struct uuid first = { { 0 } };
	size_t n = LIM_PAGE_MAX;
	int rc = 0;

	while (!rc && n) {	/* what was deleted is not found again */
		struct arena a = ARENA_INIT;
		struct resource_row *rows;

		rc = resource_take_out(db, r, &at, &first, &a,
				       &rows, &n, e);
		for (size_t i = 0; !rc && i < n; i++)
			rc = erase_row(db, &at, &(struct holding){
				r, &rows[i], x }, e);
		if (!rc && n && !resource_is_binned(r))
			x->report(r->table, false, (int64_t)n, x->ctx);
		arena_release(&a);
	}
	return !rc && resource_is_binned(r) ? resource_bin_erase(db, r, o, x, e) : rc;
}

int resource_erase_held(struct db *db, const struct owner *o,
			const struct resource_eraser *x, struct err *e)
{
	for (size_t i = 0; i < RESOURCE__MAX; i++) {
		const struct resource *r = &resources[i];

		if ((r->owner == OWNER_SHARED || r->owner == OWNER_MIXED) &&
		    erase_held(db, r, o, x, e))
			return -1;
	}
	return 0;
}

/* -- all other rows -------------------------------------------------------------- */

int resource_erase(struct db *db, const struct owner *o,
		   const struct resource_eraser *x, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		struct db_result r;

		do {
			if (db_exec(db, steps[i].stmt,
				    DB_ARGS(DB_S(o->tenant_id),
					    DB_U(&o->user_id)), &r, e))
				return -1;
			if (r.affected)
				x->report(steps[i].table, steps[i].kept,
					  r.affected, x->ctx);
		} while (r.affected);
	}
	return 0;
}
