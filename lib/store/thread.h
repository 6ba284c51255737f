/*
 * Editing of threads (DESIGN 5). A thread is linear: editing a message, or
 * answering it again, supersedes what followed, which stays as a variant. Each
 * attempt is a variant of what follows a message, and one of them is in the thread.
 * docs/thread.md.
 *
 * Numbers only grow, so a thread is always in the order of seq: its messages
 * are those whose numbers are in no gap of it (thread_gap.h). What had been
 * superseded within a variant before it was superseded itself is among the
 * variant's own gaps, so bringing the variant back brings back what it was.
 */
#ifndef STORE_THREAD_H
#define STORE_THREAD_H

#include "store/conversation.h"
#include "store/turn.h"

struct turn_replace {
	int64_t attempt_us;	/* of the attempt (store/attempt.h): 0 = now */
	struct uuid turn_id;		/* made by the caller: uuid_new */
	struct uuid conversation_id;
	int64_t seq;			/* any message of the thread; 0: its last */
	/*
	 * edit: the user message seq and everything after it are superseded,
	 * and content takes its place. Otherwise seq is a user message or an
	 * answer, and that user message is answered again: everything after
	 * it is superseded.
	 */
	bool edit;
	struct str content, meta;	/* edit; meta: JSON object, or NULL */
	struct str client_id;		/* edit: as struct message has them */
	struct message_options options;
	struct str title;		/* edit of a thread's first message: its
					   title unless a person chose one */
	struct str client;		/* the page's tools (turn.client); or NULL */
	struct str provider, model;	/* of its service; or NULL */
	int64_t payer;			/* of it, as usage.payer */
	turn_text_fn *text_of_events;	/* to close a dead turn; or NULL */
	/* out: */
	struct message user;		/* edit: as stored; else only its seq */
	int64_t turn_number;
	bool titled;			/* the title was set by this call */
	int64_t variant_index, variant_count;	/* of the answer to come; or 0 */
	struct turn_evicted evicted;	/* together with it */
};

/*
 * Begins a turn that takes the place of the thread's tail, superseding it in
 * the same transaction. ERR_NOT_FOUND; ERR_BUSY with the running turn's id in
 * e->id; ERR_CONFLICT if seq was superseded, there is nothing to answer, or there
 * are LIM_VARIANTS already; ERR_INVALID_FIELD (messageId) if a message to be edited
 * is not a user message.
 */
int thread_replace(struct db *db, const struct owner *o, struct turn_replace *r,
		   struct err *e) MUST_CHECK;

struct variant {
	int64_t after_seq;	/* what it follows; 0: it begins the thread */
	int64_t head_seq;	/* of its first message */
	int64_t last_seq;	/* greater than any of its; 0: it is current */
	int64_t created_us;
};

struct variant_item {
	struct variant v;
	struct message *messages;	/* the first ones, arena */
	size_t n;
};

struct variant_page {
	struct str workspace_id, agent_id;	/* of the conversation */
	struct variant_item *items;		/* arena, oldest first */
	size_t n;
	int64_t total;
	bool more;
	int64_t next_seq;		/* head of the last item; when more */
};

/*
 * The variants at the place of a message of the thread: for a user message, its
 * edited forms; for any other, the answers to the same user message. A message
 * without others is the only item. after_seq: head of the last item before the page,
 * or 0; size: 1..LIM_PAGE_MAX; at most LIM_VARIANT_MESSAGES messages of each.
 * ERR_NOT_FOUND; ERR_CONFLICT when seq was superseded. Text in a.
 */
int thread_variants(struct db *db, const struct owner *o,
		    const struct uuid *conversation_id, int64_t seq,
		    int64_t after_seq, size_t size, struct arena *a,
		    struct variant_page *out, struct err *e) MUST_CHECK;

/*
 * The head of the variant of that index (from 1, oldest first) at the place of
 * message seq, without reading any text. ERR_NOT_FOUND; ERR_CONFLICT as above.
 */
int thread_variant_at(struct db *db, const struct owner *o,
		      const struct uuid *conversation_id, int64_t seq,
		      int64_t index, int64_t *head_seq,
		      struct err *e) MUST_CHECK;

/*
 * Makes the variant that begins with head_seq the thread again, as it was when
 * it was superseded; what is in its place now becomes a variant. Nothing
 * happens to one that is in the thread. A dead turn, or one that waits, is
 * ended together with it: *evicted. ERR_NOT_FOUND (no such variant);
 * ERR_BUSY with e->id; ERR_CONFLICT when its place is not in the thread.
 */
int thread_choose(struct db *db, const struct owner *o,
		  const struct uuid *conversation_id, int64_t head_seq,
		  turn_text_fn *text_of_events, struct turn_evicted *evicted,
		  struct err *e) MUST_CHECK;

/*
 * A new conversation (*id made by the caller) with the thread up to and
 * including seq, a user message or an answer, which keep their numbers;
 * variants and turns stay behind. The newest messages are copied at once, the
 * others by a job that is asked for in the same transaction. ERR_NOT_FOUND;
 * ERR_CONFLICT when seq was superseded; ERR_INVALID_FIELD (messageId) when it
 * is a step or a tool's result.
 */
int thread_fork(struct db *db, const struct owner *o,
		const struct uuid *conversation_id, int64_t seq,
		const struct uuid *id, struct err *e) MUST_CHECK;

#define FORK_COPY_JOB "fork-copy"

/*
 * Copies what a fork does not have yet, in batches, each a transaction, until
 * the monotonic until_ms. 1: it has it all, or is gone; 0: there is more; -1.
 * Several may do it at once.
 */
int thread_copy(struct db *db, const struct uuid *id, int64_t until_ms,
		struct err *e) MUST_CHECK;

/*
 * As thread_copy, for an owner who needs all messages of a conversation now:
 * nothing to do in most cases, and with a conversation of somebody else.
 * ERR_DB_RETRY when it takes too long. Not within db_tx.
 */
int thread_whole(struct db *db, const struct owner *o, const struct uuid *id,
		 struct err *e) MUST_CHECK;

/* The same for all forks of a conversation that is to be purged; as thread_copy. */
int thread_copy_forks(struct db *db, const struct uuid *of, int64_t until_ms,
		      struct err *e) MUST_CHECK;

#endif
