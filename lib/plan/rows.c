/* SPDX-License-Identifier: MIT */
#include "plan/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/util.h"
#include "db/db.h"
#include "resource/resource.h"
#include "store/stmt.h"
#include "store/wait.h"

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

const char *agentplan_step_status(const struct plan_step_row *s)
{
	static const char *const names[] = {
		[PLAN_READY] = N_("ready"), [PLAN_RUNNING] = N_("running"),
		[PLAN_WAITING] = N_("waiting"), [PLAN_DONE] = N_("done"),
		[PLAN_FAILED] = N_("failed"), [PLAN_SKIPPED] = N_("skipped"),
	};

	if (s->status == PLAN_RUNNING && s->stop_us)
		return N_("stopping");
	return name_at(names, ARRAY_LEN(names), s->status, "ready");
}

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

int agentplan_of_turn(struct db *db, const struct owner *o, const struct uuid *turn_id,
		      struct arena *a, struct plan_row **out, size_t *n, struct err *e)
{
	return db_list(db, STMT_PLAN_OF_TURN,
		       DB_ARGS(DB_U(turn_id), DB_S(o->tenant_id), DB_U(&o->user_id)), a,
		       plan_fields, sizeof(**out), 0, out, n, e);
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
	int rc = db_id(tx, RSTMT_CONVERSATION_HOLD, DB_ARGS(DB_U(k->conversation_id),
		       DB_S(k->o->tenant_id), DB_U(&k->o->user_id)), &held, e);

	if (rc == 0)
		return err_set(e, ERR_NOT_FOUND, "the conversation of a plan was deleted");
	if (rc < 0 || (k->p && agentplan_set(tx, k->o, k->p, e)))
		return -1;
	return db_exec_rows(tx, k->stmt, k->rows, k->n, NULL, e);
}

int agentplan_put(struct db *db, const struct owner *o, const struct plan_row *p,
		  struct str call_id, struct err *e)
{
	const int64_t now_us = clock_now_us();
	const struct db_val row[] = {
		DB_U(&p->id), DB_S(o->tenant_id), DB_U(&o->user_id), DB_I(now_us),
		DB_I(now_us), DB_U(&p->conversation_id), DB_U(&p->turn_id), DB_S(call_id),
		DB_S(p->goal), DB_S(p->status), DB_S(p->plan), DB_S(p->progress),
		DB_S_IF(p->origins), DB_S_IF(p->rights), DB_I(now_us),
	};
	struct plan_storing k = { o, &p->conversation_id, NULL, STMT_PLAN_PUT, row, 1 };

	return db_tx(db, store_tx, &k, e);
}

int agentplan_start(struct db *db, const struct owner *o, const struct plan_row *p, size_t n,
		    struct err *e)
{
	struct db_val *steps = xcalloc(n * 3, sizeof(*steps)), *v = steps;
	struct plan_storing k = { o, &p->conversation_id, p, STMT_PLAN_STEP_PUT, steps, n };
	int rc;

	for (size_t i = 0; i < n; i++) {
		*v++ = DB_U(&p->id);
		*v++ = DB_I((int64_t)i);
		*v++ = DB_U(&p->conversation_id);
	}
	rc = db_tx(db, store_tx, &k, e);
	free(steps);
	return rc;
}

struct plan_putting {
	const struct owner *o;
	const struct plan_row *p;
	struct str call_id;
	const struct plan_step_row *steps;
	size_t n;
};

static int put_again_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct plan_putting *k = ctx;
	int rc = agentplan_put(tx, k->o, k->p, k->call_id, e);

	if (rc == 0)
		rc = agentplan_start(tx, k->o, k->p, k->n, e);
	for (size_t i = 0; rc == 0 && i < k->n; i++)
		if (k->steps[i].status != PLAN_READY)
			rc = agentplan_step_set(tx, &k->p->id, &k->steps[i], e);
	return rc;
}

int agentplan_put_again(struct db *db, const struct owner *o, const struct plan_row *p,
			struct str call_id, const struct plan_step_row *steps, size_t n,
			struct err *e)
{
	struct plan_putting k = { o, p, call_id, steps, n };

	return db_tx(db, put_again_tx, &k, e);
}

int agentplan_set(struct db *db, const struct owner *o, const struct plan_row *p,
		  struct err *e)
{
	return db_exec(db, STMT_PLAN_SET,
		       DB_ARGS(DB_S(p->status), DB_S(p->plan), DB_S(p->progress),
			       DB_I(clock_now_us()), DB_U(&p->id), DB_S(o->tenant_id),
			       DB_U(&o->user_id)), NULL, e);
}

int agentplan_asked(struct db *db, const struct owner *o, const struct uuid *id,
		    struct str rights, struct err *e)
{
	return db_exec(db, STMT_PLAN_RIGHTS,
		       DB_ARGS(DB_S_IF(rights), DB_I(clock_now_us()), DB_U(id),
			       DB_S(o->tenant_id), DB_U(&o->user_id)), NULL, e);
}

int agentplan_wake(struct db *db, const struct uuid *id, struct err *e)
{
	struct db_result r = { .affected = 0 };
	int64_t n = 0;

	if (db_int(db, STMT_PLAN_ENDED, DB_ARGS(DB_U(id), DB_U(id)), &n, e) < 0 ||
	    db_exec(db, STMT_PLAN_WAKE,
		    DB_ARGS(DB_I(n), DB_I(n), DB_U(id), DB_I(n), DB_I(PLAN_WAKES)), &r, e))
		return -1;
	return r.affected > 0;
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

int agentplan_step_begin(struct db *db, const struct uuid *id, int64_t number,
			 int64_t started_us, struct err *e)
{
	struct db_result r = { .affected = 0 };

	return db_exec(db, STMT_PLAN_STEP_BEGIN,
		       DB_ARGS(DB_I(started_us), DB_U(id), DB_I(number)), &r, e)
		? -1 : r.affected > 0;
}

/* -- what the user skips ------------------------------------------------------------ */

struct plan_skipping {
	const struct owner *o;
	const struct uuid *id;
	struct str step;
	struct arena *a;
	struct plan_row *out;
	bool *stops;			/* it runs */
};

/* The number of the step with this id; -1: none. */
static int64_t number_of(struct str plan, struct str id)
{
	json_t *j = jx_try(plan), *stage, *step;
	int64_t n = 0, found = -1;
	size_t i, k;

	json_array_foreach(jx_arr(j, "stages"), i, stage)
		json_array_foreach(jx_arr(stage, "steps"), k, step) {
			if (found < 0 && str_eq(jx_str(step, "id"), id))
				found = n;
			n++;
		}
	json_decref(j);
	return found;
}

int64_t agentplan_step_of_wait(const struct uuid *id, struct str call_id)
{
	char text[UUID_TEXT_BYTES], prefix[sizeof("plan--") + UUID_TEXT_BYTES];

	snprintf(prefix, sizeof(prefix), "plan-%s-", uuid_format(id, text));
	return str_starts(call_id, str_of(prefix)) && call_id.n > strlen(prefix)
		? strtoll(call_id.p + strlen(prefix), NULL, 10) >> PLAN_STEP_BITS : -1;
}

int agentplan_wait_drop(struct db *db, const struct turn_wait *w, struct err *e)
{
	const int64_t now_us = clock_now_us();

	return db_exec(db, STMT_PLAN_WAIT_DROP,
		       DB_ARGS(DB_I(now_us), DB_I(now_us), DB_U(&w->id),
			       DB_U(&w->turn_id)), NULL, e);
}

static int drop_waits(struct db *tx, const struct plan_skipping *k, int64_t number,
		      struct err *e)
{
	struct turn_wait *rows;
	size_t n;

	if (store_turn_wait_list(tx, k->o, &k->out->turn_id, k->a, &rows, &n, e))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (rows[i].status == WAIT_OPEN &&
		    agentplan_step_of_wait(k->id, rows[i].call_id) == number &&
		    agentplan_wait_drop(tx, &rows[i], e))
			return -1;
	return 0;
}

static int show(struct db *tx, const struct plan_skipping *k, int64_t number,
		const char *status, struct err *e)
{
	struct plan_row *p = k->out;
	json_t *j = jx_keep(k->a, jx_try(p->progress));

	json_object_set_new(json_array_get(j, (size_t)number), "status",
			    json_string(status));
	if (j)
		p->progress = str_of(jx_text(k->a, j));
	return agentplan_set(tx, k->o, p, e);
}

static int skip_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct plan_skipping *k = ctx;
	const int64_t now_us = clock_now_us();
	struct db_result r = { .affected = 0 };
	int64_t number;
	/* Locked, so that what its runner stores is not set back. */
	int rc = db_get(tx, STMT_PLAN_LOCK,
			DB_ARGS(DB_U(k->id), DB_S(k->o->tenant_id), DB_U(&k->o->user_id)),
			k->a, plan_fields, k->out, e);

	if (rc < 0)
		return -1;
	*k->stops = false;
	number = rc ? number_of(k->out->plan, k->step) : -1;
	if (number < 0)
		return err_set(e, ERR_NOT_FOUND, "no such step");
	if (!str_is(k->out->status, "running") && !str_is(k->out->status, "waiting"))
		return err_public(e, ERR_CONFLICT, "The plan does not run.");
	rc = agentplan_was_cut(tx, k->id, number, e);
	if (rc < 0 || db_exec(tx, STMT_PLAN_STEP_SKIP,
			      DB_ARGS(DB_S(rc ? STR(PLAN_CUT_TEXT) : STR(PLAN_SKIPPED_TEXT)),
				      DB_I(now_us), DB_U(k->id), DB_I(number),
				      DB_U(&k->out->turn_id)), &r, e))
		return -1;
	if (r.affected)
		return drop_waits(tx, k, number, e) < 0 ? -1
			: show(tx, k, number, "skipped", e);
	if (db_exec(tx, STMT_PLAN_STEP_STOP, DB_ARGS(DB_I(now_us), DB_U(k->id), DB_I(number)),
		    &r, e))
		return -1;
	if (!r.affected)
		return err_public(e, ERR_CONFLICT, "The step has ended.");
	*k->stops = true;
	return show(tx, k, number, "stopping", e);
}

int agentplan_skip(struct db *db, const struct owner *o, const struct uuid *id,
		   struct str step, struct arena *a, struct plan_row *out, struct err *e)
{
	bool stops;
	struct plan_skipping k = { o, id, step, a, out, &stops };

	return db_tx(db, skip_tx, &k, e) < 0 ? -1 : stops;
}

int agentplan_stopped(struct db *db, const struct uuid *id, struct arena *a,
		      struct plan_step_row **out, size_t *n, struct err *e)
{
	return db_list(db, STMT_PLAN_STEPS_STOPPED, DB_ARGS(DB_U(id)), a, step_fields,
		       sizeof(**out), 0, out, n, e);
}

int agentplan_stops(struct db *db, const struct uuid *id, int64_t call, struct err *e)
{
	int64_t n = 0;

	if (db_int(db, STMT_PLAN_STEP_STOPS, DB_ARGS(DB_U(id), DB_I(call >> PLAN_STEP_BITS)),
		   &n, e) < 0)
		return -1;
	return n > 0;
}

int agentplan_was_cut(struct db *db, const struct uuid *id, int64_t number, struct err *e)
{
	const size_t step = (size_t)number;
	int64_t n = 0;

	if (db_int(db, STMT_PLAN_CALLS_CUT,
		   DB_ARGS(DB_U(id), DB_I(agentplan_call_number(step, 0, 0)),
			   DB_I(agentplan_call_number(step + 1, 0, 0))), &n, e) < 0)
		return -1;
	return n > 0;
}

struct waits_taking {
	const struct owner *o;
	const struct uuid *turn_id, *id;
	struct arena *a;
	struct turn_wait **out;
	size_t *n;
};

static int waits_take_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct waits_taking *k = ctx;
	const int64_t now_us = clock_now_us();
	char text[UUID_TEXT_BYTES], prefix[sizeof("plan--") + UUID_TEXT_BYTES];

	snprintf(prefix, sizeof(prefix), "plan-%s-", uuid_format(k->id, text));
	if (db_exec(tx, STMT_PLAN_WAITS_TAKE,
		    DB_ARGS(DB_I(now_us), DB_U(k->turn_id), DB_S(str_of(prefix)),
			    DB_I(now_us)), NULL, e))
		return -1;
	return store_turn_wait_list(tx, k->o, k->turn_id, k->a, k->out, k->n, e);
}

int agentplan_waits_take(struct db *db, const struct owner *o, const struct uuid *turn_id,
			 const struct uuid *id, struct arena *a, struct turn_wait **out,
			 size_t *n, struct err *e)
{
	struct waits_taking k = { o, turn_id, id, a, out, n };

	return db_tx(db, waits_take_tx, &k, e);
}

/* -- calls -------------------------------------------------------------------------- */

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
		*v++ = DB_S_IF(c[i].text);
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
		    DB_ARGS(DB_I(tries + 1), DB_U(id), DB_I(number), DB_I(tries),
			    DB_I(number >> PLAN_STEP_BITS)), &r, e))
		return -1;
	return r.affected ? 0
		: err_set(e, ERR_CONFLICT, "another process has begun this call, or the step "
			  "is stopped");
}

int agentplan_call_end(struct db *db, const struct uuid *id, const struct plan_call_row *c,
		       struct err *e)
{
	return db_exec(db, STMT_PLAN_CALL_END,
		       DB_ARGS(DB_S(c->result), DB_I(c->flags), DB_S_IF(c->origins),
			       DB_U(id), DB_I(c->number), DB_I(c->tries)), NULL, e);
}
