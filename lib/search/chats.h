/* SPDX-License-Identifier: MIT */
/*
 * Search in the caller's own conversations (U28). Each user has an index: a base with
 * the user's id, in which each conversation is a document. A chunk belongs to one
 * message; its page is the message's seq (0: the title). New messages are appended; a
 * change of older messages or of the title causes the conversation to be reindexed.
 *
 * conversation.unindexed marks conversations that must be indexed. Statements that
 * change a thread or a title also set it, so no change is lost if a process dies, and
 * conversations that are older than the index are marked as well. Neither a turn nor a
 * new conversation does any indexing: a job checks every minute (job.def) and indexes
 * several turns at once, unless the user searches earlier.
 */
#ifndef SEARCH_CHATS_H
#define SEARCH_CHATS_H

#include "search/snippet.h"
#include "store/store.h"

/* Requests the job that runs chats_index for the owner. Inside or outside a transaction. */
int chats_want(struct db *db, const struct owner *o, struct err *e) MUST_CHECK;

/* Whether a conversation of the owner must be indexed: 1, 0 or -1. A quick query. */
int chats_owner_due(struct db *db, const struct owner *o, struct arena *a,
		    struct err *e) MUST_CHECK;

/* Whether any conversation must be indexed: 1, 0 or -1. A quick query. */
int chats_due(struct db *db, struct arena *a, struct err *e) MUST_CHECK;

/*
 * Requests that job for all owners of such conversations. Returns 1 if all are
 * done, 0 if until_ms (monotonic) was reached first, -1 on error.
 */
int chats_want_all(struct db *db, int64_t until_ms, struct err *e) MUST_CHECK;

/*
 * Indexes the owner's marked conversations in transactions of bounded size. Returns
 * 1 if none is left except those changed meanwhile, 0 if until_ms (monotonic) was
 * reached first, -1 on error. Can run concurrently and be repeated.
 */
int chats_index(struct db *db, const struct owner *o, int64_t until_ms,
		struct err *e) MUST_CHECK;

/*
 * Removes a deleted conversation from the index; a job deletes its rows. Does nothing
 * if a conversation with this id exists (again).
 */
int chats_forget(struct db *db, const struct uuid *conversation_id,
		 struct err *e) MUST_CHECK;

/* A query with filters; everything is borrowed. A filter with p == NULL matches all. */
struct chats_ask {
	struct str query;
	struct str workspace_id, agent_id;
	int64_t from_us, to_us;	/* in use at any time between; 0, INT64_MAX: all */
	size_t max;		/* 1 to LIM_CHATS_PASSAGES */
};

struct chats_found {
	struct uuid id;
	struct str workspace_id, agent_id;
	struct str title;	/* p == NULL: none */
	int64_t created_us, updated_us;
	int64_t seq;		/* of the best matching message; 0: the title */
	double score;
	struct str passage;	/* the chunk of it that matches */
	struct snippet snippet;	/* of the passage */
};

/*
 * Finds the owner's conversations that contain words of the query, best first. Each
 * is ranked by its best message among the LIM_CHATS_PASSAGES best chunks. In a.
 * Database errors.
 */
int chats_find(struct db *db, const struct owner *o, const struct chats_ask *ask,
	       struct arena *a, struct chats_found **out, size_t *n,
	       struct err *e) MUST_CHECK;

#endif
