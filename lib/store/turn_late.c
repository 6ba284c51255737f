/* SPDX-License-Identifier: MIT */
/*
 * The end of a turn that could not be stored because the database was
 * unavailable. Its client got it (turn/unstored.h) and returns it. Meanwhile
 * the turn may have been closed as interrupted, with the text stored by then,
 * and the thread may have newer messages.
 */
#include "store/turn.h"

#include <string.h>

#include "store/stmt.h"

#include "base/banned.h"

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
	n = thread_next(tx, &t->conversation_id, t->answer_seq, &next, e);
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

static int put(struct db *tx, struct late *k, const struct turn *t,
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
		return t.status == TURN_RUNNING ? put(tx, k, &t, &l, a, e)
			: is_closed(e);
	if (t.status != TURN_INTERRUPTED || !t.answer_seq)
		return is_closed(e);
	if (!uuid_is_nil(&l.turn_id)) {
		uuid_format(&l.turn_id, e->id);
		return err_set(e, ERR_BUSY, "a turn is running");
	}
	if (check_place(tx, &t, k->n_steps, e))
		return -1;
	return put(tx, k, &t, &l, a, e);
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
