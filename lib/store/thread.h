/* SPDX-License-Identifier: MIT */
/*
 * Editing of threads (DESIGN 5, docs/thread.md). A thread is linear: editing a
 * message or answering it again supersedes what followed, which stays as a
 * variant. Each attempt is a variant of what follows a message; one of them is
 * in the thread.
 *
 * Numbers only grow, so a thread is always in the order of seq: its messages
 * are those whose numbers are in none of its gaps (below). Messages
 * superseded within a variant before it was superseded itself are in the
 * variant's own gaps, so restoring the variant restores its state.
 */
#ifndef STORE_THREAD_H
#define STORE_THREAD_H

#include "store/conversation.h"
#include "store/store.h"
#include "store/turn.h"

struct turn_replace {
	int64_t attempt_us;	/* of the attempt (store/attempt.h): 0 = now */
	struct uuid turn_id;		/* made by the caller: uuid_new */
	struct uuid conversation_id;
	int64_t seq;			/* any message of the thread; 0: the
					   last one */
	/*
	 * edit: the user message seq and everything after it are superseded,
	 * and content replaces it. Otherwise seq is a user message or an
	 * answer; everything after that user message is superseded, and it is
	 * answered again.
	 */
	bool edit;
	struct str content, meta;	/* edit; meta: JSON object, or NULL */
	struct str client_id;		/* edit: as in struct message */
	struct message_options options;
	struct str title;		/* edit of the first message: the new
					   title, unless a user has set one */
	struct str client;		/* the page's tools (turn.client); or NULL */
	struct str provider, model;	/* of its service; or NULL */
	int64_t payer;			/* of the service, as usage.payer */
	turn_text_fn *text_of_events;	/* to close a dead turn; or NULL */
	/* out: */
	struct message user;		/* edit: as stored; otherwise only its
					   seq */
	int64_t turn_number;
	bool titled;			/* this call has set the title */
	int64_t variant_index, variant_count;	/* of the new answer; or 0 */
	struct turn_evicted evicted;	/* ended by the same transaction */
};

/*
 * Begins a turn that replaces the thread's tail, superseding it in the same
 * transaction. ERR_NOT_FOUND; ERR_BUSY with the running turn's id in e->id;
 * ERR_CONFLICT if seq was superseded, there is nothing to answer, or there are
 * LIM_VARIANTS already; ERR_INVALID_FIELD (messageId) if a message to edit is
 * not a user message.
 */
int thread_replace(struct db *db, const struct owner *o, struct turn_replace *r,
		   struct err *e) MUST_CHECK;

/* An answer as its user wants it: see thread_correct. */
struct thread_correction {
	struct uuid conversation_id;
	int64_t seq;			/* the answer, of the thread */
	int64_t version;		/* of the conversation; -1: any */
	turn_text_fn *text_of_events;	/* to close a dead turn; or NULL */
	/*
	 * In: content, meta (JSON object), finish_reason, and client_id, made for this
	 * correction: one that is repeated is done once. Out: its seq.
	 */
	struct message answer;
	struct turn_evicted evicted;	/* out: ended by the same transaction */
};

/*
 * Puts an answer written by hand in the place of all that follows the user message which
 * answer seq is of: what was there becomes a variant. The new one is a single row of no
 * turn, without the steps that led to the other, but with a copy of its sources.
 * ERR_NOT_FOUND; ERR_BUSY with the running turn's id in e->id; ERR_PRECONDITION for
 * another version; ERR_CONFLICT if seq was superseded, or there are LIM_VARIANTS already;
 * ERR_INVALID_FIELD if it is no answer (messageId), or the client_id is another
 * correction's (Idempotency-Key).
 */
int thread_correct(struct db *db, const struct owner *o,
		   struct thread_correction *c, struct err *e) MUST_CHECK;

/*
 * What a thread has after the user message user_seq and its answer (0: not looked at):
 * 0, nothing; 1, one user message, *last, with what answers it; 2, more. ERR_CONFLICT
 * if the answer, or the message, is not in the thread any more. Does not lock; the
 * caller has checked the owner.
 */
int thread_after(struct db *db, const struct uuid *conversation_id,
		 int64_t user_seq, int64_t answer_seq, int64_t *last,
		 struct err *e) MUST_CHECK;

struct variant {
	int64_t after_seq;	/* the message before it; 0: none */
	int64_t head_seq;	/* of its first message */
	int64_t last_seq;	/* greater than all of its numbers; 0: in the
				   thread */
	int64_t created_us;
};

struct variant_item {
	struct variant v;
	struct message *messages;	/* the first ones; in the arena */
	size_t n;
};

struct variant_page {
	struct str workspace_id, agent_id;	/* of the conversation */
	struct variant_item *items;		/* in the arena, oldest first */
	size_t n;
	int64_t total;
	bool more;
	int64_t next_seq;		/* head of the last item; valid if more */
};

/*
 * Lists the variants at the place of a message of the thread: for a user
 * message, its edited forms; for any other, the answers to the same user
 * message. A message without variants is the only item. after_seq: head of the
 * last item before the page, or 0; size: 1..LIM_PAGE_MAX; at most
 * LIM_VARIANT_MESSAGES messages of each. ERR_NOT_FOUND; ERR_CONFLICT if seq was
 * superseded. Text in a.
 */
int thread_variants(struct db *db, const struct owner *o,
		    const struct uuid *conversation_id, int64_t seq,
		    int64_t after_seq, size_t size, struct arena *a,
		    struct variant_page *out, struct err *e) MUST_CHECK;

/*
 * The head of variant number index (from 1, oldest first) at the place of
 * message seq; reads no text. ERR_NOT_FOUND; ERR_CONFLICT as above.
 */
int thread_variant_at(struct db *db, const struct owner *o,
		      const struct uuid *conversation_id, int64_t seq,
		      int64_t index, int64_t *head_seq,
		      struct err *e) MUST_CHECK;

/*
 * Restores the variant that begins with head_seq to the thread, as it was when
 * it was superseded; what is in its place becomes a variant. Does nothing if it
 * is in the thread. A dead turn, or one that waits, is ended by the same
 * transaction: *evicted. ERR_NOT_FOUND (no such variant); ERR_BUSY with e->id;
 * ERR_CONFLICT if its place is not in the thread.
 */
int thread_switch(struct db *db, const struct owner *o,
		  const struct uuid *conversation_id, int64_t head_seq,
		  turn_text_fn *text_of_events, struct turn_evicted *evicted,
		  struct err *e) MUST_CHECK;

/*
 * Creates a conversation (*id made by the caller) with the thread up to seq, a
 * user message or an answer, inclusive. Messages keep their numbers; variants
 * and turns are not copied. The newest messages are copied at once, the others
 * by a job that is requested in the same transaction. ERR_NOT_FOUND;
 * ERR_CONFLICT if seq was superseded; ERR_INVALID_FIELD (messageId) if it is a
 * step or a tool result.
 */
int thread_fork(struct db *db, const struct owner *o,
		const struct uuid *conversation_id, int64_t seq,
		const struct uuid *id, struct err *e) MUST_CHECK;

#define FORK_COPY_JOB "fork-copy"

/*
 * Copies the messages that a fork lacks, in one transaction per batch, until
 * until_ms (monotonic). Returns 1 if it is complete or was deleted; 0 if there
 * is more; -1. May run in several processes at once.
 */
int thread_copy(struct db *db, const struct uuid *id, int64_t until_ms,
		struct err *e) MUST_CHECK;

/*
 * As thread_copy, for an owner who needs all messages of a conversation now.
 * Usually there is nothing to do; does nothing for other users' conversations.
 * ERR_DB_RETRY if it takes too long. Not within db_tx.
 */
int thread_whole(struct db *db, const struct owner *o, const struct uuid *id,
		 struct err *e) MUST_CHECK;

/* As thread_copy, for all forks of a conversation that is about to be purged. */
int thread_copy_forks(struct db *db, const struct uuid *of, int64_t until_ms,
		      struct err *e) MUST_CHECK;

/* -- the messages of a thread as ranges of message.seq ------------------------- */

/*
 * All numbers except the thread's gaps (thread_gap). Superseding a tail writes one gap, and
 * readers skip from range to range, so superseded messages cost nothing, however many there
 * are. The gaps of a superseded variant have its head_seq, those of the thread 0. Gaps do
 * not touch: there is a message between any two.
 */
struct range {
	int64_t from, to;	/* inclusive */
};

enum { RANGES_MAX = 16 };	/* the number in IN_RANGES */

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

/* Sets *n to how many numbers up to last_seq are not in the thread. */
int gap_sum(struct db *db, const struct uuid *conversation_id, int64_t *n,
	    struct err *e) MUST_CHECK;

#endif
