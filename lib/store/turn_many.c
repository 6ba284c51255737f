/* SPDX-License-Identifier: MIT */
/*
 * Many turns at once: used by the thread that serves all turns that run or are
 * watched in the process. Lists of ids have statements of three sizes, padded
 * with the last id.
 */
#include "store/turn.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "store/stmt.h"

#include "base/banned.h"

static const struct db_field state_fields[] = {
#define F(m, t, sql) FIELD_OF(struct turn_state, m, t)
	TURN_STATE_FIELDS(F, COMMA)
#undef F
};

static const struct db_field events_fields[] = {
#define F(m, t, sql) FIELD_OF(struct turn_events, m, t)
	TURN_EVENTS_FIELDS(F, COMMA)
#undef F
};

static int pad_ids(struct db_val *v, const struct uuid *ids, size_t n)
{
	size_t size = n <= 4 ? 4 : n <= 32 ? 32 : IDS_MAX;

	for (size_t i = 0; i < size; i++)
		v[i] = DB_U(&ids[MIN(i, n - 1)]);
	return size == 4 ? 0 : size == 32 ? 1 : 2;
}

struct of_ids {
	const struct uuid *ids;
	size_t from, to;	/* those of the present statement */
	void (*take)(void *ctx, size_t i, const struct db_val *row);
	void *ctx;
};

static int take_id(void *ctx, const struct db_val *row, struct err *e)
{
	const struct of_ids *q = ctx;

	(void)e;
	for (size_t i = q->from; i < q->to; i++)
		if (!memcmp(q->ids[i].b, row[0].s.p, sizeof(q->ids[i].b)))
			q->take(q->ctx, i, row);
	return 0;
}

int each_of_ids(struct db *db, const enum stmt *stmts, const struct uuid *ids, size_t n,
		void (*take)(void *ctx, size_t i, const struct db_val *row), void *ctx,
		struct err *e)
{
	struct of_ids q = { .ids = ids, .take = take, .ctx = ctx };
	struct arena a = ARENA_INIT;
	struct db_val v[IDS_MAX];
	int rc = 0;

	for (; !rc && q.from < n; q.from = q.to) {
		q.to = MIN(n, q.from + IDS_MAX);
		rc = db_each(db, stmts[pad_ids(v, ids + q.from, q.to - q.from)], v, &a,
			     take_id, &q, e);
		arena_reset(&a);
	}
	arena_release(&a);
	return rc;
}

int store_turn_touch(struct db *db, const struct uuid *ids, size_t n, struct err *e)
{
	struct db_val v[1 + IDS_MAX];

	for (size_t at = 0; at < n; at += IDS_MAX) {
		int size = pad_ids(v + 1, ids + at, MIN(n - at, IDS_MAX));

		v[0] = DB_I(clock_now_us() + store_turn_lease_us());
		if (db_exec(db, OF_IDS(TURN_TOUCH)[size], v, NULL, e))
			return -1;
	}
	return 0;
}

int store_turn_left(struct db *db, const struct uuid *turn, int64_t stop_us,
		    struct err *e)
{
	return db_exec(db, STMT_TURN_LEFT,
		       DB_ARGS(DB_I_IF(stop_us, stop_us), DB_U(turn)), NULL, e);
}

struct running {
	struct uuid *out;
	size_t *n;
};

static int take_running(void *ctx, const struct db_val *row, struct err *e)
{
	struct running *r = ctx;

	(void)e;
	memcpy(r->out[(*r->n)++].b, row[0].s.p, 16);
	return 0;
}

int store_turn_running(struct db *db, const struct owner *o, struct uuid *out,
		       size_t max, size_t *n, struct err *e)
{
	struct running r = { .out = out, .n = n };

	*n = 0;
	return db_each(db, STMT_TURN_RUNNING,
		     DB_ARGS(DB_S(o->tenant_id), DB_U(&o->user_id),
			     DB_I((int64_t)max)), NULL, take_running, &r, e);
}

static void take_state(void *ctx, size_t i, const struct db_val *row)
{
	struct turn_state *out = ctx;

	db_map(state_fields, ARRAY_LEN(state_fields), row, &out[i]);
}

int store_turn_poll(struct db *db, const struct uuid *ids, size_t n,
		    struct turn_state *out, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (struct turn_state){ .id = ids[i] };
	return each_of_ids(db, OF_IDS(TURN_POLL), ids, n, take_state, out, e);
}

struct flushing {
	const struct turn_events *rows;
	size_t n;
	bool *live;		/* by row: its turn is running */
	struct arena a;
};

static void take_live(void *ctx, size_t i, const struct db_val *row)
{
	bool *live = ctx;

	(void)row;
	live[i] = true;
}

/* Locks the running turns, so that none of them can end before the commit. */
static int lock_live(struct db *tx, struct flushing *k, struct err *e)
{
	struct uuid *ids = arena_alloc(&k->a, k->n * sizeof(*ids));

	for (size_t i = 0; i < k->n; i++)
		ids[i] = k->rows[i].turn_id;
	return each_of_ids(tx, OF_IDS(TURN_LIVE), ids, k->n, take_live, k->live, e);
}

static int flush_tx(struct db *tx, void *ctx, struct err *e)
{
	struct flushing *k = ctx;
	int64_t now_us = clock_now_us();
	struct db_val *turns, *t;
	struct turn_events *live;
	size_t n = 0;

	arena_reset(&k->a);
	k->live = arena_zalloc(&k->a, k->n, sizeof(*k->live));
	if (lock_live(tx, k, e))
		return -1;
	t = turns = arena_zalloc(&k->a, k->n * 3, sizeof(*t));
	live = arena_alloc(&k->a, k->n * sizeof(*live));
	for (size_t i = 0; i < k->n; i++) {
		const struct turn_events *r = &k->rows[i];

		if (!k->live[i])
			continue;
		*t++ = DB_I(r->seq + r->n - 1);
		*t++ = DB_I(now_us + store_turn_lease_us());
		*t++ = DB_U(&r->turn_id);
		live[n++] = *r;
	}
	if (db_exec_rows(tx, STMT_TURN_FLUSH, turns, (size_t)(t - turns) / 3,
			 NULL, e))
		return -1;
	return store_turn_events_insert(tx, live, n, now_us, e);
}

int store_turn_flush(struct db *db, const struct turn_events *rows, size_t n,
		     struct err *e)
{
	struct flushing k = { .rows = rows, .n = n, .a = ARENA_INIT };
	int rc = n ? db_tx(db, flush_tx, &k, e) : 0;

	arena_release(&k.a);
	return rc;
}

int store_turn_events_list(struct db *db, const struct owner *o,
			   const struct uuid *turn_id, int64_t after_seq,
			   const struct turn_events *from, size_t max_rows,
			   struct arena *a, struct turn_events **out, size_t *n,
			   bool *more, struct err *e)
{
	static const struct turn_events start;
	const struct turn_events *at = from ? from : &start;
	int64_t max = (int64_t)max_rows;
	struct turn t;

	if (db_list_within(db, STMT_TURN_EVENT_LIST,
			   DB_ARGS(DB_U(turn_id), DB_S(o->tenant_id),
				   DB_U(&o->user_id), DB_I(after_seq), DB_I(max),

				   DB_U(turn_id), DB_S(o->tenant_id),
				   DB_U(&o->user_id), DB_U(&at->process),
				   DB_I(at->number), DB_I(after_seq), DB_I(max),

				   DB_U(turn_id), DB_S(o->tenant_id),
				   DB_U(&o->user_id), DB_I(after_seq), DB_I(max),
				   DB_I(max)),
			   LIM_PAGE_BYTES, a, events_fields, sizeof(**out),
			   out, n, more, e))
		return -1;
	for (size_t i = 0; i < *n; i++)
		journal_open(a, &(*out)[i]);
	*more |= *n == max_rows;
	/* No rows: are there no events, or is the turn not the caller's? */
	return *n ? 0 : store_turn_get(db, o, turn_id, a, &t, e);
}

int store_turn_events_last(struct db *db, const struct uuid *turn_id, int64_t *seq,
			   struct err *e)
{
	*seq = 0;
	return db_int(db, STMT_TURN_EVENT_LAST,
		      DB_ARGS(DB_U(turn_id), DB_U(turn_id)), seq, e) < 0 ? -1 : 0;
}
