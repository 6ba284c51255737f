/* SPDX-License-Identifier: MIT */
/*
 * The turn's own transactions. A column of the conversation's row names the turn
 * that holds it; one conditional UPDATE takes it if it is free, so there is exactly
 * one winner, on one server and on a Galera cluster. The lease is checked only if
 * it is taken. Locks are taken in one order everywhere: conversation, then turn.
 */
#include "store/turn.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "store/job.h"
#include "store/stmt.h"

#include "base/banned.h"

static const char *const status_names[] = {
	[TURN_RUNNING] = "running", [TURN_WAITING] = "waiting",
	[TURN_DONE] = "done", [TURN_ERROR] = "error",
	[TURN_CANCELLED] = "cancelled", [TURN_INTERRUPTED] = "interrupted",
};

const char *store_turn_status_name(enum turn_status s)
{
	if (s < TURN_RUNNING || s > TURN_INTERRUPTED)
		BUG("a turn of no status");
	return status_names[s];
}

static int64_t lease_us;

static void read_lease(void)
{
	const char *ms = getenv("LAMPLIGHTER_TURN_LEASE_MS");
	const long n = ms ? strtol(ms, NULL, 10) : 0;

	/*
	 * For tests, which do not wait for the whole lease. Below two seconds a busy
	 * machine would lose turns that run.
	 */
	lease_us = n >= 2000 ? MIN(n * INT64_C(1000), TURN_LEASE_US) : TURN_LEASE_US;
}

int64_t store_turn_lease_us(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_lease);
	return lease_us;
}

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct turn, m, t),
	TURN_FIELDS(F, )
#undef F
};

int store_turn_get(struct db *db, const struct owner *o, const struct uuid *id,
		   struct arena *a, struct turn *out, struct err *e)
{
	int n = db_get(db, STMT_TURN_GET,
		       DB_ARGS(DB_U(id), DB_S(o->tenant_id),
			       DB_U(&o->user_id)), a, fields, out, e);

	return n > 0 ? 0 : n < 0 ? -1
		: err_set(e, ERR_NOT_FOUND, "no such turn");
}

int store_turn_response_delete(struct db *db, const struct turn *t, struct err *e)
{
	int64_t one;

	if (db_exec(db, STMT_TURN_RESPONSE_DELETE, DB_ARGS(DB_U(&t->id)), NULL, e))
		return -1;
	return db_int(db, STMT_TURN_RESPONSE_LEFT, DB_ARGS(DB_U(&t->conversation_id)),
		      &one, e);
}

int store_turn_cancel(struct db *db, const struct owner *o, const struct uuid *id,
		      struct arena *a, struct turn *out, struct err *e)
{
	if (db_exec(db, STMT_TURN_CANCEL,
		    DB_ARGS(DB_U(id), DB_S(o->tenant_id), DB_U(&o->user_id)),
		    NULL, e))
		return -1;
	return store_turn_get(db, o, id, a, out, e);
}

int store_turn_served(struct db *db, const struct uuid *id, struct str provider,
		      struct str model, int64_t payer, struct err *e)
{
	return db_exec(db, STMT_TURN_SERVED,
		       DB_ARGS(DB_S(provider),
			       DB_S(utf8_head(model, LIM_MODEL_CHARS)),
			       PAYER(payer), DB_U(id)), NULL, e);
}

int64_t store_turn_later_us(void)
{
	return store_turn_lease_us() / 6;
}

int store_turn_cut(struct db *tx, const struct owner *o, const struct uuid *turn_id,
		   int64_t later_us, bool *open, struct err *e)
{
	const int64_t now_us = clock_now_us();
	char id[UUID_TEXT_BYTES];
	int64_t n = 0;

	if (db_int(tx, STMT_PLAN_OPEN, DB_ARGS(DB_U(turn_id)), &n, e) < 0)
		return -1;
	*open = n > 0;
	if (!n)
		return 0;
	if (db_exec(tx, STMT_PLAN_CUT, DB_ARGS(DB_I(now_us), DB_U(turn_id)), NULL, e))
		return -1;
	return store_job_ask(tx, &(struct job){
		.kind = STR("plan-wake"), .subject = str_of(uuid_format(turn_id, id)),
		.tenant_id = o->tenant_id, .user_id = o->user_id,
		.due_us = now_us + later_us,
	}, e);
}

int store_turn_begun(struct db *tx, const struct owner *o,
		      const struct uuid *id, int64_t us, struct arena *a,
		      struct turn *out, struct err *e)
{
	if (store_turn_get(tx, o, id, a, out, e) == 0)
		return out->started_us == us ? 1
			: err_set(e, ERR_DB_DUPLICATE,
				  "the turn was begun by another node");
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}
