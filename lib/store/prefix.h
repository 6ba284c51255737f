/* SPDX-License-Identifier: MIT */
/*
 * Threads of clients that send all of it with each request (docs/openai-server.md):
 * for each answer the hash of the thread up to it, as its client has it, with the
 * agent and the client. So the next request of the thread is recognised by one look-up
 * by key, however long it is, and only in the conversations of the same user.
 * Rows go with their conversation.
 */
#ifndef STORE_PREFIX_H
#define STORE_PREFIX_H

#include "store/store.h"

#define PREFIX_TRIES 4	/* hashes of one look-up */

struct prefix {
	struct uuid hash;
	struct uuid conversation_id;
	struct str workspace_id, agent_id;	/* of the conversation; only read */
	int64_t user_seq;	/* of the last user message in it */
	int64_t answer_seq;	/* of the answer; 0: the turn waited */
	struct uuid instructions;	/* hash of the client's system messages */
	int64_t last_seq, superseded;	/* of the conversation; only read */
};

/*
 * The first of n hashes (1 to PREFIX_TRIES, the longest thread first) that the owner
 * has: 1, with *at its number; 0: none; -1. Does not lock. Text in a.
 */
int prefix_find(struct db *db, const struct owner *o, const struct uuid *hashes,
		size_t n, struct arena *a, struct prefix *out, size_t *at,
		struct err *e) MUST_CHECK;

/* Notes a thread; one with the same hash is that of p from now on. */
int prefix_put(struct db *db, const struct owner *o, const struct prefix *p,
	       struct err *e) MUST_CHECK;

/* The conversation, one of the owner, is the client's from now on. */
int prefix_adopt(struct db *db, const struct owner *o, const struct uuid *id,
		 struct str client, struct err *e) MUST_CHECK;

/*
 * Whether conversations of clients have had no message since before_us: 1, 0, -1.
 * prefix_expire deletes them, until until_ms (monotonic): 1 if none is left, 0, -1.
 */
int prefix_expired(struct db *db, int64_t before_us, struct err *e) MUST_CHECK;
int prefix_expire(struct db *db, int64_t before_us, int64_t until_ms,
		  struct err *e) MUST_CHECK;

#endif
