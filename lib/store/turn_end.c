/* SPDX-License-Identifier: MIT */
/*
 * What a turn stores while it runs, step by step, and its end.
 *
 * An end that could not be stored when it was due, because the database was unavailable, is
 * stored late: its client got it (turn/unstored.h) and returns it. Meanwhile the turn may
 * have been closed as interrupted, with the text stored by then, and the thread may have
 * newer messages.
 */
#include "store/turn.h"

#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "store/attempt.h"
#include "store/job.h"
#include "store/message_row.h"
#include "store/stmt.h"

#include "base/banned.h"

/* -- steps ----------------------------------------------------------------- */

/* -- steps and end ----------------------------------------------------------- */

static int not_running(struct err *e)
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

	/* For the usual step, an answer with one to three results, there is one statement. */
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
		return not_running(e);
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

/* -- the end --------------------------------------------------------------- */

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
	/* The time of the end names the attempt: another process's end has another one. */
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
		return not_running(e);
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

/* -- an end that comes late ------------------------------------------------ */

struct late {
	const struct owner *o;
	struct turn_end *end;
	struct message *steps;
	size_t n_steps;
};

static int is_closed(struct err *e)
{
	return err_public(e, ERR_CONFLICT, "This turn has already ended in "
			  "another way.");
}

static int has_gone_on(struct err *e)
{
	return err_public(e, ERR_CONFLICT,
			  "The conversation has continued since then.");
}

/*
 * Checks that the answer of a closed turn can still be replaced: it is in the
 * thread, and is the last row or followed by a user message.
 */
static int check_place(struct db *tx, const struct turn *t, size_t n_steps,
		       struct err *e)
{
	struct spot at, next;
	int n;

	if (thread_spot(tx, &t->conversation_id, t->answer_seq, &at, e))
		return -1;
	n = thread_find(tx, STMT_MESSAGE_SPOT_AFTER, &t->conversation_id,
			t->answer_seq, &next, e);
	if (n < 0)
		return -1;
	return n && (n_steps || next.role != ROLE_USER) ? has_gone_on(e) : 0;
}

/* Replaces the answer in its place, with the present row's number as a variant. */
static int replace(struct db *tx, const struct uuid *conversation,
		   const struct message *m, struct err *e)
{
	const bool answer = m->kind == KIND_ANSWER;

	return db_exec(tx, STMT_MESSAGE_REPLACE,
		       DB_ARGS(DB_I(m->role), DB_I(m->created_us),
			       DB_S(m->content), DB_S_IF(m->meta),
			       DB_I_IF(true, m->kind), DB_S_IF(m->finish_reason),
			       DB_I_IF(m->continues_seq, m->continues_seq),
			       DB_I(m->kept), DB_I(answer), DB_I(answer),
			       DB_U(conversation),
			       DB_I(m->seq), DB_U(&m->turn_id)), NULL, e);
}

/* Appends the rows after last_seq, except the first if `instead` replaces a row. */
static int put_rows(struct db *tx, struct late *k, int64_t last_seq,
		    int64_t instead, struct err *e)
{
	struct turn_end *end = k->end;

	for (size_t i = 0; i <= k->n_steps; i++) {
		struct message *m = i < k->n_steps ? &k->steps[i] : end->answer;
		bool first = instead && i == 0;

		m->turn_id = end->turn_id;
		m->created_us = end->ended_us;
		m->seq = first ? instead
			: last_seq + (int64_t)i + (instead ? 0 : 1);
		if (first ? replace(tx, &end->conversation_id, m, e)
			  : message_insert(tx, &end->conversation_id, m, e))
			return -1;
	}
	return 0;
}

/*
 * Moves the variant's number from the replaced row to the answer after the
 * steps.
 */
static int take_number(struct db *tx, struct late *k, int64_t seq,
		       struct arena *a, struct err *e)
{
	struct message *answer = k->end->answer, old;

	if (message_get(tx, k->o, &k->end->conversation_id, seq, a, &old, e))
		return -1;
	answer->variant_index = old.variant_index;
	answer->variant_count = old.variant_count;
	return 0;
}

static int store_late(struct db *tx, struct late *k, const struct turn *t,
		      const struct locked *l, struct arena *a, struct err *e)
{
	struct turn_end *end = k->end;
	const bool ours = uuid_eq(&l->turn_id, &end->turn_id);
	struct db_val usage[sizeof(USAGE_ROW) - 1];
	int64_t more = (int64_t)k->n_steps + ours;

	if ((!ours && k->n_steps && take_number(tx, k, t->answer_seq, a, e)) ||
	    put_rows(tx, k, l->last_seq, ours ? 0 : t->answer_seq, e))
		return -1;
	usage_args(usage, k->o, end->usage);
	if (db_exec(tx, STMT_USAGE_SETTLE, usage, NULL, e) ||
	    db_exec(tx, STMT_TURN_END_LATE,
		    DB_ARGS(DB_I(end->status), DB_I(end->answer->seq),
			    DB_I(end->ended_us),
			    DB_S_IF(str_of(end->error_code)),
			    DB_S_IF(str_of(end->error_text)),
			    DB_I(end->last_event_seq), DB_U(&end->turn_id)),
		    NULL, e))
		return -1;
	return db_exec(tx, STMT_CONVERSATION_EXTEND,
		       DB_ARGS(DB_I(more), DB_I(end->ended_us),
			       DB_U(&end->conversation_id),
			       DB_S(k->o->tenant_id), DB_U(&k->o->user_id)),
		       NULL, e);
}

/* Skips steps that were stored although their transaction seemed to fail. */
static int drop_stored(struct db *tx, struct late *k, struct err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n_steps; i++) {
		const struct message *m = &k->steps[i];
		int64_t seen = 0;

		if (m->seq && db_int(tx, STMT_MESSAGE_OF_TURN,
				     DB_ARGS(DB_U(&k->end->conversation_id),
					     DB_I(m->seq),
					     DB_U(&k->end->turn_id),
					     DB_I(m->created_us)), &seen, e) < 0)
			return -1;
		if (!seen)
			k->steps[n++] = *m;
	}
	k->n_steps = n;
	return 0;
}

static int late(struct db *tx, struct late *k, struct arena *a, struct err *e)
{
	struct turn_end *end = k->end;
	struct locked l;
	struct turn t;

	/* Lock in the common order: conversation, then turn. */
	if (conversation_lock(tx, k->o, &end->conversation_id, a, &l, e) ||
	    store_turn_get(tx, k->o, &end->turn_id, a, &t, e))
		return -1;
	if (t.status == (int64_t)end->status && t.ended_us == end->ended_us) {
		end->answer->seq = t.answer_seq;
		return 0;
	}
	if (t.resumes != end->resumes)	/* the end of an older run */
		return is_closed(e);
	if (drop_stored(tx, k, e))
		return -1;
	if (uuid_eq(&l.turn_id, &end->turn_id))
		return t.status == TURN_RUNNING ? store_late(tx, k, &t, &l, a, e)
			: is_closed(e);
	if (t.status != TURN_INTERRUPTED || !t.answer_seq)
		return is_closed(e);
	if (!uuid_is_nil(&l.turn_id)) {
		uuid_format(&l.turn_id, e->id);
		return err_set(e, ERR_BUSY, "a turn is running");
	}
	if (check_place(tx, &t, k->n_steps, e))
		return -1;
	return store_late(tx, k, &t, &l, a, e);
}

static int late_tx(struct db *tx, void *ctx, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct late *given = ctx, k = *given;
	int rc;

	/* Each attempt starts with all steps, as given. */
	k.steps = arena_zalloc(&a, k.n_steps + 1, sizeof(*k.steps));
	if (k.n_steps)
		memcpy(k.steps, given->steps, k.n_steps * sizeof(*k.steps));
	rc = late(tx, &k, &a, e);
	arena_release(&a);
	return rc;
}

int store_turn_end_late(struct db *db, const struct owner *o, struct turn_end *end,
			struct message *steps, size_t n_steps, struct err *e)
{
	struct late k = { .o = o, .end = end, .steps = steps,
			  .n_steps = n_steps };

	return db_tx(db, late_tx, &k, e);
}
