/* SPDX-License-Identifier: MIT */
#include "resource/purge.h"

#include "base/clock.h"
#include "base/limits.h"

#include "base/banned.h"

enum { EXPIRE_ROWS = 1000, EXPIRE_BATCHES = 20 };

enum branch {
#define BRANCH(id, ...) BRANCH_##id,
#include "resource/resource.def"
	BRANCH_NONE
};

/*
 * Rows that belong to a root: a DELETE or UPDATE … LIMIT, or a batch of a
 * branch.
 */
static const struct step {
	enum resource_root root;
	enum resource_stmt stmt;
	enum branch branch;	/* stmt lists its ids; BRANCH_NONE: stmt is the
				   step */
} steps[] = {
#define PART(id, root, ...) \
	{ ROOT_##root, RSTMT_##id##_PURGE, BRANCH_NONE },
#define LINK(id, root, ...) \
	{ ROOT_##root, RSTMT_##id##_UNLINK, BRANCH_NONE },
#define BRANCH(id, root, ...) \
	{ ROOT_##root, RSTMT_##id##_IDS, BRANCH_##id },
#include "resource/resource.def"
};

/* What is deleted with a row of a branch; the row itself is last. */
static const struct {
	enum branch branch;
	enum resource_stmt stmt;
} leaves[] = {
#define LEAF(id, branch, ...) { BRANCH_##branch, RSTMT_##id##_PURGE },
#define BRANCH(id, ...) { BRANCH_##id, RSTMT_##id##_PURGE },
#include "resource/resource.def"
};

static const struct {
	enum resource_stmt stmt;
	int64_t seconds;
	bool held;		/* its rows' retention starts again */
} keeps[] = {
#define HOLD(id, table, seconds, condition) \
	{ RSTMT_##id##_HELD, seconds, true },
#define KEEP(id, table, column, seconds, condition) \
	{ RSTMT_##id##_EXPIRE, seconds, false },
#include "resource/resource.def"
};

struct purging {
	const struct uuid *id;
	resource_guard *guard;
	const struct step *step;
	bool gone;		/* out: the guard returned 0 */
	int64_t n;		/* out: rows in this batch */
};

/* Ids of branch rows, at most one batch. */
struct ids {
	struct db_val v[100];
	size_t n;
};

static int take_id(void *ctx, const struct db_val *row, struct err *e)
{
	struct ids *ids = ctx;

	(void)e;
	ids->v[ids->n++] = row[0];
	return ids->n == ARRAY_LEN(ids->v);
}

static int purge_branch(struct db *tx, struct purging *p, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct ids ids = { .n = 0 };
	int rc = db_each(tx, p->step->stmt, DB_ARGS(DB_U(p->id)), &a, take_id,
			 &ids, e);

	for (size_t i = 0; !rc && i < ARRAY_LEN(leaves); i++)
		if (leaves[i].branch == p->step->branch)
			rc = db_exec_rows(tx, leaves[i].stmt, ids.v, ids.n,
					  NULL, e);
	arena_release(&a);
	p->n = (int64_t)ids.n;
	return rc;
}

static int purge_tx(struct db *tx, void *ctx, struct err *e)
{
	struct purging *p = ctx;
	struct db_result r;
	int rc = p->guard(tx, p->id, e);

	p->n = 0;
	p->gone = rc == 0;
	if (rc <= 0)
		return rc;
	if (p->step->branch != BRANCH_NONE)
		return purge_branch(tx, p, e);
	if (db_exec(tx, p->step->stmt, DB_ARGS(DB_U(p->id)), &r, e))
		return -1;
	p->n = r.affected;
	return 0;
}

static int no_guard(struct db *tx, const struct uuid *id, struct err *e)
{
	(void)tx;
	(void)id;
	(void)e;
	return 1;
}

int resource_purge_now(struct db *tx, enum resource_root root,
		       const struct uuid *id, struct err *e)
{
	return resource_purge(tx, root, id, no_guard, INT64_MAX, e) < 0 ? -1 : 0;
}

int resource_purge(struct db *db, enum resource_root root,
		   const struct uuid *id, resource_guard *guard,
		   int64_t until_ms, struct err *e)
{
	struct purging p = { .id = id, .guard = guard };

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		if (steps[i].root != root)
			continue;
		p.step = &steps[i];
		do {
			if (clock_mono_ms() >= until_ms)
				return 0;
			if (db_tx(db, purge_tx, &p, e))
				return -1;
			if (p.gone)
				return 1;
		} while (p.n);
	}
	return 1;
}

static const struct {
	enum resource_root root;
	enum resource_stmt stmt;
} hidden[] = {
#define HIDDEN(id, root, ...) { ROOT_##root, RSTMT_##id##_HIDE },
#include "resource/resource.def"
};

int resource_hide_parts(struct db *tx, enum resource_root root, const struct uuid *id,
		  struct err *e)
{
	static const struct uuid nobody;

	for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
		if (hidden[i].root == root &&
		    db_exec(tx, hidden[i].stmt, DB_ARGS(DB_U(&nobody), DB_U(id)), NULL, e))
			return -1;
	return 0;
}

/* By the id of what was above them, and of what was above that. */
static const enum resource_stmt below[] = {
#define BELOW(top, parent, column, id, ...) RSTMT_##id##_PURGEBELOW, RSTMT_##id##_PURGETOP,
#define TEXTS(id, ...) RSTMT_##id##_PURGETOP,
#include "resource/resource.def"
	RSTMT__MAX
};

int resource_purge_below(struct db *db, const struct uuid *id, int64_t until_ms,
			 struct err *e)
{
	struct db_result r;

	for (size_t i = 0; below[i] != RSTMT__MAX; i++)
		do {
			if (clock_mono_ms() >= until_ms)
				return 0;
			if (db_exec(db, below[i], DB_ARGS(DB_U(id)), &r, e))
				return -1;
		} while (r.affected);
	return 1;
}

int resource_expire(struct db *db, struct err *e)
{
	int64_t now_us = clock_now_us();
	struct db_result r;

	for (size_t i = 0; i < ARRAY_LEN(keeps); i++) {
		int64_t before_us = now_us - keeps[i].seconds * 1000000;

		r.affected = EXPIRE_ROWS;
		for (int k = 0; k < EXPIRE_BATCHES &&
		     r.affected == EXPIRE_ROWS; k++)
			if (db_exec(db, keeps[i].stmt, keeps[i].held
				    ? DB_ARGS(DB_I(now_us), DB_I(before_us))
				    : DB_ARGS(DB_I(before_us)), &r, e))
				return -1;
	}
	return 0;
}
