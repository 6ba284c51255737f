/* SPDX-License-Identifier: MIT */
/*
 * The messages of a thread as ranges of message.seq: all numbers except its
 * gaps (thread_gap). Superseding a tail writes one gap, and readers skip from
 * range to range, so superseded messages cost nothing, however many there are.
 * The gaps of a superseded variant have its head_seq, those of the thread 0.
 * Gaps do not touch: there is a message between any two.
 */
#ifndef STORE_THREAD_GAP_H
#define STORE_THREAD_GAP_H

#include "store/store.h"

enum { RANGES_MAX = 16 };	/* the number in IN_RANGES */

struct range {
	int64_t from, to;	/* inclusive */
};

struct ranges {
	struct range v[RANGES_MAX];	/* in reading order; the rest is 0 */
	size_t n;
	bool more;		/* there are others, from next_seq on */
	int64_t next_seq;
};

/* The arguments of IN_RANGES. */
#define RANGE_ARG(r, i) DB_I((r)->v[i].from), DB_I((r)->v[i].to)
#define RANGE_ARGS_4(r, i) RANGE_ARG(r, i), RANGE_ARG(r, i + 1), \
	RANGE_ARG(r, i + 2), RANGE_ARG(r, i + 3)
#define RANGE_ARGS(r) RANGE_ARGS_4(r, 0), RANGE_ARGS_4(r, 4), \
	RANGE_ARGS_4(r, 8), RANGE_ARGS_4(r, 12)

#define GAP_TOP (INT64_C(1) << 32)	/* beyond every number */

/*
 * The ranges of a thread (head_seq 0) or a superseded variant next to seq,
 * which they do not include: downwards for NEWEST_FIRST, upwards for
 * OLDEST_FIRST. One round trip.
 */
int gap_ranges(struct db *db, const struct uuid *conversation_id,
	       int64_t head_seq, enum store_order order, int64_t seq,
	       struct ranges *out, struct err *e) MUST_CHECK;

/* Limits descending ranges to max_n numbers. Returns how many they have. */
int64_t gap_clip(struct ranges *r, int64_t max_n);

/*
 * Makes the messages after after_seq (a message of the thread or 0), which
 * begin with head_seq, a superseded variant. last_seq: the conversation's.
 * Within db_tx; the conversation is locked.
 */
int gap_supersede(struct db *tx, const struct uuid *conversation_id,
		  int64_t after_seq, int64_t head_seq, int64_t last_seq,
		  struct err *e) MUST_CHECK;

/* Reverses gap_supersede; no message of the thread may follow after_seq. */
int gap_restore(struct db *tx, const struct uuid *conversation_id,
		int64_t after_seq, int64_t head_seq, int64_t last_seq,
		struct err *e) MUST_CHECK;

/* Sets *n to how many numbers up to last_seq are not in the thread. */
int gap_sum(struct db *db, const struct uuid *conversation_id, int64_t *n,
	    struct err *e) MUST_CHECK;

#endif
