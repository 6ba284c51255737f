/* SPDX-License-Identifier: MIT */
#include "resource/export.h"

#include <string.h>

#include "base/limits.h"

#include "base/banned.h"

struct export {
	struct db *db;
	struct owner owner;
	struct jw *w;
	resource_flush *flush;
	void *ctx;
	struct err *e;
};

static int put_all(struct export *x, const struct resource *r,
		   const struct uuid *holder);

/* "shares" of "prompts/{parent:uuid}/shares". */
static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A row with its child rows. */
static int put_row(struct export *x, const struct resource *r,
		   const struct resource_row *row)
{
	jw_obj(x->w);
	resource_write(x->w, r, row);
	for (size_t i = 0; i < RESOURCE__MAX; i++) {
		const struct resource *below = &resources[i];

		if (!resource_is_nested(below) ||
		    resource_of_root(below->of) != r)
			continue;
		jw_key(x->w, last_of(below->path));
		if (put_all(x, below, &row->id))
			return -1;
	}
	jw_end_obj(x->w);
	return x->flush(x->ctx, x->e);
}

static int put_all(struct export *x, const struct resource *r,
		   const struct uuid *holder)
{
	const struct resource_at at = { .by = x->owner, .holder = *holder };
	struct uuid last = { { 0 } };
	size_t n;

	jw_arr(x->w);
	do {
		struct arena a = ARENA_INIT;
		struct resource_row *rows;
		int rc = resource_take_out(x->db, r, &at, &last,
					   &a, &rows, &n, x->e);

		for (size_t i = 0; !rc && i < n; i++)
			rc = put_row(x, r, &rows[i]);
		if (!rc && n)
			last = rows[n - 1].id;
		arena_release(&a);
		if (rc)
			return -1;
	} while (n == LIM_PAGE_MAX);
	jw_end_arr(x->w);
	return 0;
}

int resource_export(struct db *db, const struct owner *o, struct jw *w,
		    resource_flush *flush, void *ctx, struct err *e)
{
	struct export x = { db, *o, w, flush, ctx, e };

	for (size_t i = 0; i < RESOURCE__MAX; i++) {
		const struct resource *r = &resources[i];

		if (r->owner != OWNER_USER && r->owner != OWNER_SHARED &&
		    r->owner != OWNER_MIXED)
			continue;
		jw_key(w, last_of(r->path));
		if (put_all(&x, r, &o->user_id))
			return -1;
	}
	return 0;
}
