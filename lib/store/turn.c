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
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "base/util.h"
#include "store/attempt.h"
#include "store/job.h"
#include "store/message_row.h"

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

enum { MESSAGE_PARAMS = sizeof(MESSAGE_ROW) - 1 };

static struct db_val *message_args(struct db_val *v,
				   const struct uuid *conversation_id,
				   const struct message *m)
{
	const struct db_val row[] = {
		DB_U(conversation_id), DB_I(m->seq), DB_I(m->role),
		DB_U_IF(&m->turn_id), DB_I(m->created_us),
		DB_S(content_of(m)), DB_S_IF(m->meta),
		DB_I_IF(m->variant_count > 1, m->variant_index),
		DB_I_IF(m->variant_count > 1, m->variant_count),
		COLUMN_ARGS(m),
	};

	memcpy(v, row, sizeof(row));
	return v + ARRAY_LEN(row);
}

int message_insert(struct db *tx, const struct uuid *conversation_id,
		   const struct message *m, struct err *e)
{
	struct db_val v[MESSAGE_PARAMS];

	message_args(v, conversation_id, m);
	return db_exec(tx, STMT_MESSAGE_INSERT, v, NULL, e);
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

int message_insert_all(struct db *tx, const struct uuid *conversation_id,
		       const struct message *rows, size_t n, struct err *e)
{
	struct db_val *v = xcalloc(n + 1, MESSAGE_PARAMS * sizeof(*v)), *at = v;
	int rc;

	for (size_t i = 0; i < n; i++)
		at = message_args(at, conversation_id, &rows[i]);
	rc = db_exec_rows(tx, STMT_MESSAGE_INSERT, v, n, NULL, e);
	free(v);
	return rc;
}

/* -- steps and end ----------------------------------------------------------- */

static int gone(struct err *e)
{
	return err_set(e, ERR_CONFLICT, "the turn is not running any more");
}

struct appending {
	const struct owner *o;
	const struct uuid *conversation_id, *turn_id;
	struct message *rows;
	size_t n;
	size_t known;		/* of them, that an earlier call has numbered */
	int64_t last_seq;	/* of the thread, as the caller knows it; or 0 */
	bool taken;		/* by one statement */
	struct arena a;
};

/*
 * How many of the rows earlier attempts have stored: a row with the same number and
 * time is ours. After rows of an attempt that was committed, there may be rows with
 * numbers from one that was rolled back.
 */
static int count_stored(struct db *tx, struct appending *k, size_t *n,
			struct err *e)
{
	int64_t seen;

	for (*n = db_tx_unknown(tx) ? k->n : k->known; *n; --*n) {
		const struct message *m = &k->rows[*n - 1];

		int rc = db_int(tx, STMT_MESSAGE_OF_TURN,
				DB_ARGS(DB_U(k->conversation_id), DB_I(m->seq),
					DB_U(k->turn_id), DB_I(m->created_us)),
				&seen, e);

		if (rc < 0)
			return -1;
		if (rc)
			break;
	}
	return 0;
}

static int take_step(void *ctx, const struct db_val *row, struct err *e)
{
	struct appending *k = ctx;

	(void)row;
	(void)e;
	k->taken = true;
	return 0;
}

/*
 * All of it in one statement: the rows have their numbers before it, so that
 * they can be looked for if no answer comes.
 */
static int append_whole(struct db *tx, struct appending *k, struct err *e)
{
	static const enum stmt stmts[] = { STMT_TURN_STEP_2, STMT_TURN_STEP_3,
					   STMT_TURN_STEP_4 };
	const struct db_val head[] = {
		DB_I((int64_t)k->n), DB_U(k->conversation_id),
		DB_S(k->o->tenant_id), DB_U(&k->o->user_id),
		DB_U(k->turn_id), DB_I(k->last_seq),
	};
	struct db_val *v = arena_zalloc(&k->a, ARRAY_LEN(head) +
					k->n * MESSAGE_PARAMS, sizeof(*v));
	struct db_val *at = v + ARRAY_LEN(head);

	k->taken = false;
	memcpy(v, head, sizeof(head));
	for (size_t i = 0; i < k->n; i++) {
		k->rows[i].seq = k->last_seq + 1 + (int64_t)i;
		at = message_args(at, k->conversation_id, &k->rows[i]);
	}
	return db_each(tx, stmts[k->n - 2], v, &k->a, take_step, k, e);
}

static int append_tx(struct db *tx, void *ctx, struct err *e)
{
	struct appending *k = ctx;
	struct db_val *v = arena_zalloc(&k->a, k->n * MESSAGE_PARAMS,
					sizeof(*v)), *at = v;
	struct db_result r;
	size_t done, n;

	if (k->last_seq && !k->known && !db_tx_unknown(tx) &&
	    k->n >= 2 && k->n <= 4) {
		if (append_whole(tx, k, e))
			return -1;
		if (k->taken)
			return 0;
	}
	if (count_stored(tx, k, &done, e))
		return -1;
	n = k->n - done;
	if (!n)
		return 0;
	if (db_exec(tx, STMT_CONVERSATION_ADVANCE,
		    DB_ARGS(DB_I((int64_t)n), DB_U(k->conversation_id),
			    DB_S(k->o->tenant_id), DB_U(&k->o->user_id),
			    DB_U(k->turn_id)), &r, e))
		return -1;
	if (!r.affected)
		return gone(e);
	for (size_t i = done; i < k->n; i++) {
		k->rows[i].seq = r.insert_id - (int64_t)k->n + 1 + (int64_t)i;
		at = message_args(at, k->conversation_id, &k->rows[i]);
	}
	return db_exec_rows(tx, STMT_MESSAGE_INSERT, v, n, NULL, e);
}

int store_turn_append(struct db *db, const struct owner *o,
		      const struct uuid *conversation_id, const struct uuid *turn_id,
		      int64_t last_seq, struct message *rows, size_t n,
		      struct err *e)
{
	struct appending k = { .o = o, .conversation_id = conversation_id,
			       .turn_id = turn_id, .rows = rows, .n = n,
			       .last_seq = last_seq, .a = ARENA_INIT };
	int64_t now_us = clock_now_us();
	int rc;

	if (!n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].seq) {
			k.known = i + 1;
			continue;
		}
		rows[i].turn_id = *turn_id;
		rows[i].created_us = now_us;
	}
	rc = db_tx(db, append_tx, &k, e);
	arena_release(&k.a);
	return rc;
}

struct ending {
	const struct owner *o;
	struct turn_end *t;
	int64_t last_seq;
	bool ended;
};

static int ended_before(struct db *tx, void *ctx, struct arena *a,
			struct err *e)
{
	struct ending *k = ctx;
	struct turn t;

	if (store_turn_get(tx, k->o, &k->t->turn_id, a, &t, e))
		return -1;
	if (t.status != (int64_t)k->t->status || t.ended_us != k->t->ended_us)
		return 0;
	if (k->t->answer)
		k->t->answer->seq = t.answer_seq;
	return 1;
}

static int take_last(void *ctx, const struct db_val *row, struct err *e)
{
	struct ending *k = ctx;

	(void)e;
	k->last_seq = row[0].i;
	k->ended = true;
	return 0;
}

static struct db_val *event_args(struct db_val *v, const struct turn_events *r,
				 int64_t now_us)
{
	const struct db_val row[] = {
		DB_U(&r->turn_id), DB_I(r->seq), DB_I(r->n), DB_I(now_us),
		DB_B(r->data),
	};

	memcpy(v, row, sizeof(row));
	return v + ARRAY_LEN(row);
}

/* The arguments of TURN_FINISH: missing parts are empty. */
static void end_args(struct db_val *v, const struct ending *k)
{
	static const struct message no_answer;
	static const struct usage no_usage;
	static const struct turn_events no_events;
	static const struct job no_job;
	const struct turn_end *t = k->t;
	const bool answer = t->answer != NULL;
	const struct message *m = answer ? t->answer : &no_answer;
	const struct job *j = t->job ? t->job : &no_job;
	const struct db_val free_and_answer[] = {
		DB_I(answer), DB_I(t->ended_us), DB_U(&t->conversation_id),
		DB_S(k->o->tenant_id), DB_U(&k->o->user_id), DB_U(&t->turn_id),

		DB_I(answer), DB_U(&t->conversation_id), DB_I(m->role),
		DB_U(&t->turn_id), DB_I(t->ended_us), DB_S(content_of(m)),
		DB_S_IF(m->meta), DB_I_IF(m->variant_count > 1, m->variant_index),
		DB_I_IF(m->variant_count > 1, m->variant_count), COLUMN_ARGS(m),

		DB_I(t->usage != NULL),
	};
	const struct db_val end[] = {
		DB_I(t->status), DB_I(answer), DB_I(t->ended_us),
		DB_S_IF(utf8_head(str_of(t->error_code), 64)),
		DB_S_IF(utf8_head(str_of(t->error_text), 255)),
		DB_I(0), DB_I(t->last_event_seq), DB_U(&t->turn_id),
		DB_I(t->resumes),

		DB_I(t->n_events > 0),
	};
	const struct db_val job[] = {
		DB_I(t->job != NULL), DB_S(j->kind), DB_S(j->subject),
		DB_S(j->tenant_id), DB_U_IF(&j->user_id), DB_S_IF(j->args),
		DB_I(j->due_us),
		DB_I(j->attempts), DB_I(j->created_us),
	};

	memcpy(v, free_and_answer, sizeof(free_and_answer));
	v = usage_args(v + ARRAY_LEN(free_and_answer), k->o,
		       t->usage ? t->usage : &no_usage);
	memcpy(v, end, sizeof(end));
	v = event_args(v + ARRAY_LEN(end), t->n_events
		       ? &t->events[t->n_events - 1] : &no_events, t->ended_us);
	memcpy(v, job, sizeof(job));
}

static int end_run(struct db *tx, void *ctx, struct arena *a, struct err *e)
{
	struct ending *k = ctx;
	struct message *answer = k->t->answer;
	struct db_val v[7 + MESSAGE_PARAMS + sizeof(USAGE_ROW) - 1 + 10 + 5 + 9];

	k->ended = false;
	if (answer)
		answer->created_us = k->t->ended_us;
	end_args(v, k);
	if (db_each(tx, STMT_TURN_FINISH, v, a, take_last, k, e))
		return -1;
	if (!k->ended)
		return gone(e);
	if (answer)
		answer->seq = k->last_seq;
	return 0;
}

int store_turn_end(struct db *db, const struct owner *o, struct turn_end *t,
		   struct err *e)
{
	static const struct attempt_fns end = { ended_before, end_run };
	struct ending k = { .o = o, .t = t };

	if (t->answer)
		t->answer->turn_id = t->turn_id;
	/* The last batch is stored with the end; there is rarely another one. */
	if (t->n_events > 1 &&
	    store_turn_flush(db, t->events, t->n_events - 1, e))
		return -1;
	return attempt_tx(db, &end, &t->ended_us, &k, NULL, e);
}
