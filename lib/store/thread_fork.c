/*
 * A copy of a thread up to a message, as a new conversation. Messages keep their
 * numbers, so only the conversation's part of their ids changes. They belong to no
 * turn, because the turn of the original must not be continued from here.
 */
#include "store/thread.h"

#include "base/clock.h"
#include "store/stmt.h"

#include "base/banned.h"

enum { COPY_ROWS = 1000 };	/* by one statement, at most */

struct forking {
	const struct owner *o;
	const struct uuid *from, *id;
	int64_t seq, now_us;
};

static int check(struct db *tx, const struct forking *k, struct err *e)
{
	struct spot s;

	if (thread_spot(tx, k->from, k->seq, &s, e))
		return -1;
	if (s.step || s.role == ROLE_TOOL)
		return err_field(e, ERR_INVALID_FIELD, "messageId",
				 "messageId must be a user's message or an "
				 "answer.");
	return 0;
}

static int copy_messages(struct db *tx, const struct forking *k, int64_t *n,
			 struct err *e)
{
	struct db_result r;

	*n = 0;
	for (int64_t at = 0; at < k->seq; at += COPY_ROWS) {
		if (db_exec(tx, STMT_MESSAGE_COPY,
			    DB_ARGS(DB_U(k->id), DB_U(k->from), DB_I(at),
				    DB_I(MIN(at + COPY_ROWS, k->seq))), &r, e))
			return -1;
		*n += r.affected;
	}
	return 0;
}

static int fork_tx(struct db *tx, void *ctx, struct err *e)
{
	struct forking *k = ctx;
	struct arena a = ARENA_INIT;
	struct conversation made;
	struct locked l;
	int64_t n;
	int rc;

	if (db_tx_unknown(tx)) {
		rc = conversation_get(tx, k->o, k->id, &a, &made, e);
		arena_release(&a);
		if (rc == 0)	/* ours, or another node's of the same key */
			return made.created_us == k->now_us ? 0
				: err_set(e, ERR_DB_DUPLICATE,
					  "forked by another node");
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
	}
	/* Locked, so that nobody edits it between two of the statements. */
	rc = conversation_lock(tx, k->o, k->from, &a, &l, e);
	arena_release(&a);
	if (rc || check(tx, k, e) || copy_messages(tx, k, &n, e))
		return -1;
	return db_exec(tx, STMT_CONVERSATION_FORK,
		       DB_ARGS(DB_U(k->id), DB_I(k->seq), DB_I(k->seq - n),
			       DB_I(k->now_us), DB_I(k->now_us), DB_I(k->seq),
			       DB_U(k->from), DB_S(k->o->tenant_id),
			       DB_U(&k->o->user_id)), NULL, e);
}

int thread_fork(struct db *db, const struct owner *o,
		const struct uuid *conversation_id, int64_t seq,
		const struct uuid *id, struct err *e)
{
	struct forking k = { .o = o, .from = conversation_id, .id = id,
			     .seq = seq, .now_us = clock_now_us() };

	if (!db_tx(db, fork_tx, &k, e))
		return 0;
	if (e->code != ERR_DB_DUPLICATE || !conversation_made_room(db, id))
		return -1;
	err_clear(e);
	return db_tx(db, fork_tx, &k, e);
}
