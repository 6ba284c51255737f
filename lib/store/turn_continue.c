/* SPDX-License-Identifier: MIT */
/*
 * A turn that continues where an earlier one was cut short. It is a turn of its
 * own, with its own events and usage, because a turn ends only once. It answers
 * the same user message, after the rows of the earlier turn.
 */
#include "store/turn.h"

#include "store/attempt.h"
#include "store/stmt.h"

#include "base/banned.h"

struct continuing {
	const struct owner *o;
	struct turn_continue *r;
};

static bool was_cut_short(const struct turn *t)
{
	return t->status == TURN_INTERRUPTED || t->status == TURN_CANCELLED ||
		t->status == TURN_ERROR;
}

static int continued_before(struct db *tx, void *ctx, struct arena *a,
			    struct err *e)
{
	struct continuing *k = ctx;
	struct turn t;

	return attempt_made_turn(tx, k->o, &k->r->turn_id, k->r->attempt_us, a,
				 &t, e);
}

static int check(const struct turn *t, const struct locked *l,
		 int64_t last_seq, struct err *e)
{
	if (!uuid_is_nil(&l->turn_id)) {
		uuid_format(&l->turn_id, e->id);
		return err_set(e, ERR_BUSY, "a turn is running");
	}
	if (!was_cut_short(t))
		return err_public(e, ERR_CONFLICT,
				  "This turn was not cut short.");
	if (t->answer_seq != last_seq)
		return err_public(e, ERR_CONFLICT,
				  "The conversation has continued since then.");
	return 0;
}

static int continue_run(struct db *tx, void *ctx, struct arena *a,
			struct err *e)
{
	struct continuing *k = ctx;
	struct turn_continue *r = k->r;
	struct locked l;
	struct turn t;

	/* Lock in the common order: conversation, then turn. */
	if (store_turn_get(tx, k->o, &r->of, a, &t, e) ||
	    conversation_lock(tx, k->o, &t.conversation_id, a, &l, e) ||
	    store_turn_get(tx, k->o, &r->of, a, &t, e) ||
	    thread_last(tx, &t.conversation_id, &r->last_seq, e))
		return -1;
	r->conversation_id = t.conversation_id;
	r->user_seq = t.user_seq;
	r->turn_number = l.turns;
	if (check(&t, &l, r->last_seq, e) ||
	    db_exec(tx, STMT_CONVERSATION_RETAKE,
		    DB_ARGS(DB_U(&r->turn_id), DB_I(r->attempt_us),
			    DB_U(&t.conversation_id), DB_S(k->o->tenant_id),
			    DB_U(&k->o->user_id)), NULL, e))
		return -1;
	return db_exec(tx, STMT_TURN_INSERT,
		       DB_ARGS(DB_U(&r->turn_id), DB_U(&t.conversation_id),
			       DB_I(r->attempt_us + store_turn_lease_us()),
			       DB_I(t.user_seq), DB_I(r->attempt_us),
			       DB_I_IF(false, 0), DB_I_IF(false, 0),
			       DB_S_IF(r->client), DB_S_IF(r->provider),
			       DB_S_IF(r->model), PAYER(r->payer)), NULL, e);
}

int store_turn_continue(struct db *db, const struct owner *o, struct turn_continue *r,
			struct err *e)
{
	static const struct attempt_fns again = {
		continued_before, continue_run,
	};
	struct continuing k = { .o = o, .r = r };

	return attempt_tx(db, &again, &r->attempt_us, &k, NULL, e);
}
