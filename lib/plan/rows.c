/* SPDX-License-Identifier: MIT */
#include "plan/rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/util.h"
#include "db/db.h"
#include "store/stmt.h"

#include "base/banned.h"

static const struct db_field plan_fields[] = {
#define F(m, t, sql) FIELD_OF(struct plan_row, m, t)
	PLAN_FIELDS(F, COMMA)
#undef F
};

static const struct db_field step_fields[] = {
#define F(m, t, sql) FIELD_OF(struct plan_step_row, m, t)
	PLAN_STEP_FIELDS(F, COMMA)
#undef F
};

static const struct db_field call_fields[] = {
#define F(m, t, sql) FIELD_OF(struct plan_call_row, m, t)
	PLAN_CALL_FIELDS(F, COMMA)
#undef F
};

struct uuid agentplan_id_of(const struct uuid *turn_id, struct str call_id)
{
	char turn[UUID_TEXT_BYTES];

	return uuid_of_name(str_of(uuid_format(turn_id, turn)), call_id);
}

int agentplan_get(struct db *db, const struct owner *o, const struct uuid *id,
		  struct arena *a, struct plan_row *out, struct err *e)
{
	return db_get(db, STMT_PLAN_OWN,
		      DB_ARGS(DB_U(id), DB_S(o->tenant_id), DB_U(&o->user_id)), a,
		      plan_fields, out, e);
}

/* What is stored with a conversation, all or nothing of it. */
struct plan_storing {
	const struct owner *o;
	const struct uuid *conversation_id;
	const struct plan_row *p;	/* NULL: it stays */
	unsigned stmt;
	const struct db_val *rows;
	size_t n;
};

static int store_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct plan_storing *k = ctx;
	struct uuid held;
	int rc = db_id(tx, STMT_PLAN_HOLD, DB_ARGS(DB_U(k->conversation_id),
		       DB_S(k->o->tenant_id), DB_U(&k->o->user_id)), &held, e);

	if (rc == 0)
		return err_set(e, ERR_NOT_FOUND, "the conversation of a plan was deleted");
	if (rc < 0 || (k->p && agentplan_set(tx, k->o, k->p, e)))
		return -1;
	return db_exec_rows(tx, k->stmt, k->rows, k->n, NULL, e);
}

int agentplan_put(struct db *db, const struct owner *o, const struct uuid *conversation_id,
		  const struct uuid *turn_id, struct str call_id, const struct plan_row *p,
		  struct err *e)
{
	const int64_t now_us = clock_now_us();
	const struct db_val row[] = {
		DB_U(&p->id), DB_S(o->tenant_id), DB_U(&o->user_id), DB_I(now_us),
		DB_I(now_us), DB_U(conversation_id), DB_U(turn_id), DB_S(call_id),
		DB_S(p->goal), DB_S(p->status), DB_S(p->plan), DB_S(p->progress),
		DB_S_IF(p->origins),
	};
	struct plan_storing k = { o, conversation_id, NULL, STMT_PLAN_PUT, row, 1 };

	return db_tx(db, store_tx, &k, e);
}

int agentplan_start(struct db *db, const struct owner *o, const struct uuid *conversation_id,
		    const struct plan_row *p, size_t n, struct err *e)
{
	struct db_val *steps = xcalloc(n * 3, sizeof(*steps)), *v = steps;
	struct plan_storing k = { o, conversation_id, p, STMT_PLAN_STEP_PUT, steps, n };
	int rc;

	for (size_t i = 0; i < n; i++) {
		*v++ = DB_U(&p->id);
		*v++ = DB_I((int64_t)i);
		*v++ = DB_U(conversation_id);
	}
	rc = db_tx(db, store_tx, &k, e);
	free(steps);
	return rc;
}

int agentplan_set(struct db *db, const struct owner *o, const struct plan_row *p,
		  struct err *e)
{
	return db_exec(db, STMT_PLAN_SET,
		       DB_ARGS(DB_S(p->status), DB_S(p->plan), DB_S(p->progress),
			       DB_I(clock_now_us()), DB_U(&p->id), DB_S(o->tenant_id),
			       DB_U(&o->user_id)), NULL, e);
}

int agentplan_steps(struct db *db, const struct owner *o, const struct uuid *id,
		    struct arena *a, struct plan_step_row **out, size_t *n, struct err *e)
{
	return db_list(db, STMT_PLAN_STEPS,
		       DB_ARGS(DB_U(id), DB_S(o->tenant_id), DB_U(&o->user_id)), a,
		       step_fields, sizeof(**out), 0, out, n, e);
}

int agentplan_step_set(struct db *db, const struct uuid *id, const struct plan_step_row *s,
		       struct err *e)
{
	return db_exec(db, STMT_PLAN_STEP_SET,
		       DB_ARGS(DB_I(s->status), DB_S_IF(s->result), DB_S_IF(s->origins),
			       DB_I(s->tokens), DB_D_IF(!isnan(s->cost), s->cost),
			       DB_I_IF(s->started_us, s->started_us),
			       DB_I_IF(s->ended_us, s->ended_us), DB_U(id),
			       DB_I(s->number)), NULL, e);
}

int agentplan_calls(struct db *db, const struct owner *o, const struct uuid *id, size_t step,
		    struct arena *a, struct plan_call_row **out, size_t *n, struct err *e)
{
	return db_list(db, STMT_PLAN_CALLS,
		       DB_ARGS(DB_U(id), DB_I(agentplan_call_number(step, 0, 0)),
			       DB_I(agentplan_call_number(step + 1, 0, 0)),
			       DB_S(o->tenant_id), DB_U(&o->user_id)), a,
		       call_fields, sizeof(**out), 0, out, n, e);
}

int agentplan_calls_put(struct db *db, const struct owner *o, const struct uuid *id,
			const struct uuid *conversation_id, const struct plan_call_row *c,
			size_t n, struct err *e)
{
	struct db_val *rows = xcalloc(n * 7, sizeof(*rows)), *v = rows;
	struct plan_storing k = { o, conversation_id, NULL, STMT_PLAN_CALL_PUT, rows, n };
	int rc;

	for (size_t i = 0; i < n; i++) {
		*v++ = DB_U(id);
		*v++ = DB_I(c[i].number);
		*v++ = DB_U(conversation_id);
		*v++ = DB_S(c[i].call_id);
		*v++ = DB_S(c[i].tool);
		*v++ = DB_S(c[i].args);
		*v++ = DB_S_IF(c[i].said);
	}
	rc = db_tx(db, store_tx, &k, e);
	free(rows);
	return rc;
}

int agentplan_call_begin(struct db *db, const struct uuid *id, int64_t number, int64_t tries,
			 struct err *e)
{
	struct db_result r = { .affected = 0 };

	if (db_exec(db, STMT_PLAN_CALL_BEGIN,
		    DB_ARGS(DB_I(tries + 1), DB_U(id), DB_I(number), DB_I(tries)), &r, e))
		return -1;
	return r.affected ? 0
		: err_set(e, ERR_CONFLICT, "another process has begun this call");
}

int agentplan_call_end(struct db *db, const struct uuid *id, const struct plan_call_row *c,
		       struct err *e)
{
	return db_exec(db, STMT_PLAN_CALL_END,
		       DB_ARGS(DB_S(c->result), DB_I(c->flags), DB_S_IF(c->origins),
			       DB_U(id), DB_I(c->number)), NULL, e);
}
