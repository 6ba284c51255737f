/* SPDX-License-Identifier: MIT */
/*
 * A copy of a thread up to a message, as a conversation of its own. Messages
 * keep their numbers, so only the conversation's part of their ids changes.
 * They belong to no turn: that of the original must not continue here. The
 * sources of answers are copied with them, and what is remembered up to there.
 *
 * The gaps of the thread and its newest messages are copied at once; the others
 * by a job, from new to old: conversation.copy_seq, the number up to which
 * messages are still missing, decreases with each batch. The original's
 * messages stay unchanged, whatever happens to its thread, until it is purged,
 * which copies first. Readers that need a missing message copy as well
 * (thread_whole).
 */
#include "store/thread.h"

#include <string.h>

#include "base/clock.h"
#include "store/attachment.h"
#include "store/job.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	COPY_ROWS = 1000,	/* maximum per transaction */
	COPY_BYTES = 4194304,	/* maximum per transaction, but always one row */
	COPY_LESS = 8,		/* divides the rows of a batch after it failed */
	WHOLE_MS = 20000,
	FORK_FACTS = 1000,	/* of the newest; the older ones stay in the original */
};

struct forking {
	const struct owner *o;
	const struct uuid *from, *id;
	int64_t seq, now_us;
	int64_t rows;		/* of the first batch */
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

struct weighing {
	int64_t rows, bytes;
};

static int take_size(void *ctx, const struct db_val *row, struct err *e)
{
	struct weighing *k = ctx;

	(void)e;
	k->bytes += row[0].i;
	if (k->rows && k->bytes > COPY_BYTES)
		return 1;
	k->rows++;
	return 0;
}

/* Limits the ranges to what one transaction may copy. */
static int clip_batch(struct db *tx, const struct uuid *from, int64_t rows,
		      struct ranges *r, struct err *e)
{
	struct weighing k = { .rows = 0 };
	int rc;

	gap_clip(r, rows);
	rc = db_each(tx, STMT_MESSAGE_SIZES,
		     DB_ARGS(DB_U(from), RANGE_ARGS(r)), NULL, take_size, &k, e);
	if (!rc && k.bytes > COPY_BYTES)
		gap_clip(r, k.rows);
	return rc;
}

/*
 * The messages up to *seq with their sources, as many as a batch has, at most `rows`; *seq becomes
 * what is left.
 */
static int copy_messages(struct db *tx, const struct uuid *from,
			 const struct uuid *id, int64_t rows, int64_t *seq,
			 struct err *e)
{
	struct ranges r;

	if (gap_ranges(tx, id, 0, NEWEST_FIRST, *seq + 1, &r, e) ||
	    clip_batch(tx, from, rows, &r, e))
		return -1;
	*seq = r.more ? r.next_seq - 1 : 0;
	if (!r.n)
		return 0;
	if (db_exec(tx, STMT_MESSAGE_COPY,
		    DB_ARGS(DB_U(id), DB_U(from), RANGE_ARGS(&r)), NULL, e))
		return -1;
	return db_exec(tx, STMT_TURN_SOURCE_FORK,
		       DB_ARGS(DB_U(id), DB_U(id), DB_U(from), RANGE_ARGS(&r)),
		       NULL, e);
}

/*
 * Whether a batch that failed with e may succeed with fewer rows: after any
 * error of the server, but not if it is unreachable.
 */
static bool fewer(int64_t *rows, struct err *e)
{
	if (*rows == 1 || (e->code != ERR_DB && e->code != ERR_DB_TIMEOUT &&
			   e->code != ERR_TOO_BIG))
		return false;
	*rows = MAX(*rows / COPY_LESS, 1);
	err_clear(e);
	return true;
}

static int fork_tx(struct db *tx, void *ctx, struct err *e)
{
	struct forking *k = ctx;
	struct arena a = ARENA_INIT;
	struct conversation made;
	const struct uuid none = { .b = { 0 } };
	struct locked l;
	int64_t left = k->seq, n;
	int rc;

	if (db_tx_unknown(tx)) {
		rc = conversation_get(tx, k->o, k->id, &a, &made, e);
		arena_release(&a);
		if (rc == 0)	/* ours, or created on another node with the
				   same key */
			return made.created_us == k->now_us ? 0
				: err_set(e, ERR_DB_DUPLICATE,
					  "forked by another node");
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
	}
	/* Locked, so that it is not edited between two statements. */
	rc = conversation_lock(tx, k->o, k->from, &a, &l, e);
	arena_release(&a);
	if (rc || check(tx, k, e) ||
	    db_exec(tx, STMT_GAP_COPY, DB_ARGS(DB_U(k->id), DB_U(k->from),
					       DB_I(k->seq)), NULL, e) ||
	    gap_sum(tx, k->id, &n, e) ||
	    copy_messages(tx, k->from, k->id, k->rows, &left, e) ||
	    attachment_fork(tx, k->from, k->id, e) ||
	    db_exec(tx, STMT_MEMORY_FORK,
		    DB_ARGS(DB_U(k->id), DB_U(k->from), DB_I(k->seq),
			    DB_I(k->seq)), NULL, e) ||
	    db_exec(tx, STMT_FACT_FORK,
		    DB_ARGS(DB_U(k->id), DB_U(k->from), DB_I(k->seq),
			    DB_I(FORK_FACTS)), NULL, e) ||
	    (left && store_job_ask_for(tx, STR(FORK_COPY_JOB), k->o, k->id, e)))
		return -1;
	return db_exec(tx, STMT_CONVERSATION_FORK,
		       DB_ARGS(DB_U(k->id), DB_I(k->seq), DB_I(n),
			       DB_I(k->now_us), DB_I(k->now_us), DB_I(k->seq),
			       DB_U_IF(left ? k->from : &none),
			       DB_I_IF(left, left), DB_U(k->from),
			       DB_S(k->o->tenant_id), DB_U(&k->o->user_id)),
		       NULL, e);
}

int thread_fork(struct db *db, const struct owner *o,
		const struct uuid *conversation_id, int64_t seq,
		const struct uuid *id, struct err *e)
{
	struct forking k = { .o = o, .from = conversation_id, .id = id,
			     .seq = seq, .now_us = clock_now_us(),
			     .rows = COPY_ROWS };
	int rc;

	if (thread_whole(db, o, conversation_id, e))
		return -1;
	while ((rc = db_tx(db, fork_tx, &k, e)) && fewer(&k.rows, e))
		;
	if (!rc)
		return 0;
	if (e->code != ERR_DB_DUPLICATE || !conversation_made_room(db, id))
		return -1;
	err_clear(e);
	return db_tx(db, fork_tx, &k, e);
}

/* -- missing messages ---------------------------------------------------------- */

struct copying {
	struct uuid id, from;
	int64_t seq;		/* 0: nothing is missing */
	int64_t rows;		/* per batch */
};

static int take_missing(void *ctx, const struct db_val *row, struct err *e)
{
	struct copying *k = ctx;

	(void)e;
	memcpy(k->from.b, row[0].s.p, sizeof(k->from.b));
	k->seq = row[1].i;
	return 0;
}

static int find_missing(struct db *db, enum stmt stmt,
			const struct db_val *args, struct copying *k,
			struct err *e)
{

	k->seq = 0;
	return db_each(db, stmt, args, NULL, take_missing, k, e);
}

/* Copies a batch. The row is locked, so concurrent copies take the next ones. */
static int copy_tx(struct db *tx, void *ctx, struct err *e)
{
	struct copying *k = ctx;
	const struct uuid none = { .b = { 0 } };

	if (find_missing(tx, STMT_COPY_GET, DB_ARGS(DB_U(&k->id)), k, e))
		return -1;
	if (!k->seq)
		return 0;
	if (copy_messages(tx, &k->from, &k->id, k->rows, &k->seq, e))
		return -1;
	return db_exec(tx, STMT_COPY_SET,
		       DB_ARGS(DB_U_IF(k->seq ? &k->from : &none),
			       DB_I_IF(k->seq, k->seq), DB_U(&k->id)), NULL, e);
}

int thread_copy(struct db *db, const struct uuid *id, int64_t until_ms,
		struct err *e)
{
	struct copying k = { .id = *id, .rows = COPY_ROWS };

	do {
		while (db_tx(db, copy_tx, &k, e))
			if (!fewer(&k.rows, e))
				return -1;
	} while (k.seq && clock_mono_ms() < until_ms);
	return !k.seq;
}

int thread_whole(struct db *db, const struct owner *o, const struct uuid *id,
		 struct err *e)
{
	struct copying k = { .id = *id };
	int rc = 1;

	if (find_missing(db, STMT_COPY_SEEN,
			 DB_ARGS(DB_U(id), DB_S(o->tenant_id),
				 DB_U(&o->user_id)), &k, e))
		return -1;
	if (k.seq)
		rc = thread_copy(db, id, clock_mono_ms() + WHOLE_MS, e);
	return rc > 0 ? 0 : rc < 0 ? -1
		: err_set(e, ERR_DB_RETRY, "a fork that takes long to copy");
}

int thread_copy_forks(struct db *db, const struct uuid *of, int64_t until_ms,
		      struct err *e)
{
	struct uuid fork;
	int found, rc = 1;

	do {
		found = db_id(db, STMT_COPY_FROM, DB_ARGS(DB_U(of)), &fork, e);
		if (found)
			rc = found < 0 ? -1 : thread_copy(db, &fork, until_ms, e);
	} while (rc > 0 && found);
	return rc;
}
