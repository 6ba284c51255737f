/*
 * Search over one's own conversations (U28). Each user has an index of their own: a
 * base whose id is the user's, in which a conversation is a document and each chunk
 * is of one message (its page is the message's seq; 0: the title). New messages are
 * appended; what changes older ones or the title has all of it indexed again.
 *
 * conversation.unindexed marks what the index has to look at: whoever changes a
 * thread or a title sets it in the same statement, so nothing is forgotten when a
 * process dies, and what was there before the index did is found in the same way.
 * A turn does nothing else, and neither does a new conversation: the look of each
 * minute (job.def) indexes what several turns have said in one go, unless its user
 * searches before.
 */
#ifndef SEARCH_CHATS_H
#define SEARCH_CHATS_H

#include "search/snippet.h"
#include "store/store.h"

/* Asks for the job that does chats_index for the owner. In a transaction or not. */
int chats_want(struct db *db, const struct owner *o, struct err *e) MUST_CHECK;

/* Whether a conversation of the owner has to be indexed: 1, 0, -1. A short read. */
int chats_owner_due(struct db *db, const struct owner *o, struct arena *a,
		    struct err *e) MUST_CHECK;

/* Whether any conversation has to be indexed: 1, 0, -1. A short read. */
int chats_due(struct db *db, struct arena *a, struct err *e) MUST_CHECK;

/* Asks for that job for all who have such conversations. 1; 0 at until_ms; -1. */
int chats_want_all(struct db *db, int64_t until_ms, struct err *e) MUST_CHECK;

/*
 * Indexes what is due of the owner, until until_ms (monotonic), in transactions of
 * bounded size. 1: nothing is due any more but what was changed meanwhile; 0; -1.
 * May run in several places, and again.
 */
int chats_index(struct db *db, const struct owner *o, int64_t until_ms,
		struct err *e) MUST_CHECK;

/*
 * Takes a conversation that was deleted out of the index; its rows go with a job.
 * One that exists stays, also if it has the id of a deleted one.
 */
int chats_forget(struct db *db, const struct uuid *conversation_id,
		 struct err *e) MUST_CHECK;

/* What is looked for. Borrowed; p == NULL: any. */
struct chats_ask {
	struct str query;
	struct str workspace_id, agent_id;
	int64_t from_us, to_us;	/* used in between; 0 and INT64_MAX: at any time */
	size_t max;		/* 1 to LIM_CHATS_PASSAGES */
};

struct chats_found {
	struct uuid id;
	struct str workspace_id, agent_id;
	struct str title;	/* none: p == NULL */
	int64_t created_us, updated_us;
	int64_t seq;		/* of the message that fits best; 0: the title */
	double score;
	struct str passage;	/* the part of it that was found, a page at most */
	struct snippet snippet;	/* of that */
};

/*
 * The owner's conversations that have words of the query, best first: each by the
 * best of its messages, among the LIM_CHATS_PASSAGES best of all. In a.
 */
int chats_find(struct db *db, const struct owner *o, const struct chats_ask *ask,
	       struct arena *a, struct chats_found **out, size_t *n,
	       struct err *e) MUST_CHECK;

#endif
