/* SPDX-License-Identifier: MIT */
/* What rows of VERSIONED resources were before. */
#include "resource/rows.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits.h"

#include "base/banned.h"

/* What one user changes within this time is one version. */
#define SERIES_US INT64_C(600000000)

static const struct versioned {
	enum resource_id of, kept;
	size_t number, bytes;	/* fields of kept */
	unsigned newest, merge, replace, cut, sum;
} versioned[] = {
#define VERSIONED(id, version, table) { \
	RESOURCE_##id, RESOURCE_##version, COLUMN(version, number), \
	COLUMN(version, bytes), RSTMT_##version##_NEWEST, RSTMT_##version##_MERGE, \
	RSTMT_##version##_REPLACE, RSTMT_##version##_CUT, RSTMT_##version##_BYTES },
#include "resource/resource.def"
};

struct newest {
	struct uuid id, user_id;
	int64_t created_us, number;	/* number 0: there is none */
};

static int take_newest(void *ctx, const struct db_val *v, struct err *e)
{
	struct newest *n = ctx;

	(void)e;
	memcpy(&n->id, v[0].s.p, sizeof(n->id));
	memcpy(&n->user_id, v[1].s.p, sizeof(n->user_id));
	n->created_us = v[2].i;
	n->number = v[3].i;
	return 0;
}

static const struct versioned *versioned_of(const struct resource *r)
{
	for (size_t i = 0; i < ARRAY_LEN(versioned); i++)
		if (&resources[versioned[i].of] == r)
			return &versioned[i];
	return NULL;
}

static int64_t size_of(const struct db_val *v)
{
	return v->null || v->type == 'i' || v->type == 'd' ? 0 : (int64_t)v->s.n;
}

/* Sets the values that are kept; returns whether a change gives one of them. */
static bool copy(const struct resource *r, const struct resource_row *row,
		 const struct resource *kept, struct resource_row *version,
		 int64_t *bytes)
{
	bool given = false;

	for (size_t i = 0; i < kept->n_fields; i++)
		for (size_t k = 0; k < r->n_fields; k++) {
			if (strcmp(kept->fields[i].column, r->fields[k].column) != 0)
				continue;
			version->v[i] = row->v[k];
			*bytes += size_of(&row->v[k]);
			given |= row->given[k];
		}
	return given;
}

/*
 * Ends the version that the row has been until now: one that the same user made within
 * SERIES_US becomes this one. What a row was at first always stays.
 */
static int end_newest(struct db *tx, const struct versioned *v,
		      const struct resource_at *at, struct resource_row *version,
		      struct err *e)
{
	struct newest n = { .number = 0 };

	if (db_each(tx, v->newest,
		    DB_ARGS(DB_S(at->by.tenant_id), DB_U(&version->holder)), NULL,
		    take_newest, &n, e))
		return -1;
	if (n.number > 1 && uuid_eq(&n.user_id, &at->by.user_id) &&
	    n.created_us > version->updated_us - SERIES_US) {
		version->id = n.id;
		version->created_us = n.created_us;
		return db_exec(tx, v->merge, DB_ARGS(DB_U(&n.id)), NULL, e);
	}
	if (!n.number)
		return 0;
	/* Another node's clock may be ahead. */
	version->created_us = MAX(version->created_us, n.created_us + 1);
	return db_exec(tx, v->replace, DB_ARGS(
		DB_I(version->updated_us), DB_U(&n.id)), NULL, e);
}

int resource_keep_version(struct db *tx, const struct resource *r,
			  const struct resource_at *at,
			  const struct resource_row *row, bool created,
			  struct err *e)
{
	const struct versioned *v = versioned_of(r);
	const struct resource *kept = v ? &resources[v->kept] : NULL;
	struct resource_at below = *at;
	struct resource_row version;
	int64_t bytes = 0;

	if (!v)
		return 0;
	resource_new(kept, &version);
	if (!copy(r, row, kept, &version, &bytes) && !created)
		return 0;
	version.holder = below.holder = row->id;
	below.above = row->holder;
	version.v[v->number] = DB_I(row->version + 1);
	version.v[v->bytes] = DB_I(bytes);
	if ((!created && end_newest(tx, v, at, &version, e)) ||
	    resource_create(tx, kept, &below, &version, NULL, e))
		return -1;
	return created ? 0 : db_exec(tx, v->cut, DB_ARGS(
		DB_S(at->by.tenant_id), DB_U(&row->id),
		DB_S(at->by.tenant_id), DB_U(&row->id),
		DB_I(LIM_VERSIONS), DB_I(LIM_VERSION_BYTES)), NULL, e);
}

int resource_version_bytes(struct db *db, const struct owner *o, int64_t *bytes,
			   struct err *e)
{
	*bytes = 0;
	for (size_t i = 0; i < ARRAY_LEN(versioned); i++) {
		int64_t n = 0;

		if (db_int(db, versioned[i].sum, DB_ARGS(DB_S(o->tenant_id),
			   DB_U(&o->user_id)), &n, e) < 0)
			return -1;
		*bytes += n;
	}
	return 0;
}
