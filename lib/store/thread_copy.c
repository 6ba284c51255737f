/* SPDX-License-Identifier: MIT */
/*
 * The messages of a fork, which is a copy of a thread up to a message, as a conversation of
 * its own. They keep their numbers, so only the conversation's part of their ids changes.
 * They belong to no turn: that of the original must not continue here. The sources of
 * answers are copied with them.
 *
 * The newest messages are copied with the conversation; the others by a job, from new to
 * old: conversation.copy_seq, the number up to which messages are still missing, decreases
 * with each batch. The original's messages stay unchanged, whatever happens to its thread,
 * until it is purged, which copies first. Readers that need a missing message copy as well
 * (thread_whole).
 */
#include "store/thread.h"

#include <string.h>

#include "base/clock.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	COPY_BYTES = 4194304,	/* maximum per transaction, but always one row */
	COPY_LESS = 8,		/* divides the rows of a batch after it failed */
	WHOLE_MS = 20000,
};

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

int thread_copy_some(struct db *tx, const struct uuid *from,
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

bool thread_copy_fewer(int64_t *rows, struct err *e)
{
	/*
	 * What a batch is too large for has many names: limits of a packet, a cluster's
	 * write set, time. One row fails for another reason.
	 */
	if (*rows == 1 || (e->code != ERR_DB && e->code != ERR_DB_TIMEOUT &&
			   e->code != ERR_TOO_BIG))
		return false;
	*rows = MAX(*rows / COPY_LESS, 1);
	err_clear(e);
	return true;
}

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
	if (thread_copy_some(tx, &k->from, &k->id, k->rows, &k->seq, e))
		return -1;
	return db_exec(tx, STMT_COPY_SET,
		       DB_ARGS(DB_U_IF(k->seq ? &k->from : &none),
			       DB_I_IF(k->seq, k->seq), DB_U(&k->id)), NULL, e);
}

int thread_copy(struct db *db, const struct uuid *id, int64_t until_ms,
		struct err *e)
{
	struct copying k = { .id = *id, .rows = FORK_COPY_ROWS };

	do {
		while (db_tx(db, copy_tx, &k, e))
			if (!thread_copy_fewer(&k.rows, e))
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
