/* SPDX-License-Identifier: MIT */
/*
 * What is remembered of a conversation beyond its newest messages: versions of a summary
 * and of the agent state, and facts (docs/memory.md).
 *
 * A version belongs to the message that it ends with (seen_seq). Threads are paths in a
 * tree whose numbers only grow, so it is right for every thread that has this message, and
 * for no other: editing or choosing a variant needs no write here.
 */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include "memory/fact.h"
#include "store/store.h"

enum memory_why {
	MEMORY_TURNS = 1, MEMORY_CHARACTERS = 2, MEMORY_BUDGET = 3,	/* folded */
	MEMORY_RESULTS = 4,	/* results of tools */
	MEMORY_EDITED = 5, MEMORY_REMOVED = 6,	/* by the user */
	MEMORY_CLEARED = 7,	/* the agent state: by the user, or since they archived it */
};

struct memory {
	int64_t number;		/* of the version; 0: there is none */
	int64_t seen_seq;	/* message.seq of the last message that it knows */
	int64_t upto_seq;	/* of the last one that the summary replaces; 0: none */
	int64_t replaces;	/* number of the version that it was made from; 0: none */
	int64_t why;		/* enum memory_why */
	struct str summary;
	struct str state;	/* JSON; p == NULL: empty */
	struct str kept;	/* JSON array of numbers; p == NULL: none */
	struct str origins;	/* JSON array; p == NULL: nobody else's text */
	struct str service;	/* that wrote it; p == NULL: none */
	int64_t created_us;
	int64_t here;		/* of a list: it belongs to the thread as it is */
};

/*
 * The version that the thread has before message before_seq (INT64_MAX: now); number 0 if
 * there is none, also for another user's conversation. 1 round trip. Text in a.
 */
int memory_get(struct db *db, const struct owner *o, const struct uuid *conversation,
	       int64_t before_seq, struct arena *a, struct memory *out,
	       struct err *e) MUST_CHECK;

/* The versions that are kept, of all variants, newest first. Text in a. */
int memory_list(struct db *db, const struct owner *o, const struct uuid *conversation,
		struct arena *a, struct memory **out, size_t *n,
		struct err *e) MUST_CHECK;

/* The greatest number that was given to a version; 0: none yet. */
int memory_last(struct db *db, const struct owner *o, const struct uuid *conversation,
		int64_t *number, struct err *e) MUST_CHECK;

/*
 * Stores a version with number last + 1, and n facts; facts that are there stay as they
 * are. One that the user has removed (MEMORY_REMOVED) deletes all earlier versions and
 * facts, another the oldest versions beyond LIM_MEMORY_VERSIONS; one that clears
 * (MEMORY_CLEARED) gives its state to all of them. ERR_CONFLICT if `last` is not the last
 * number any more, or the conversation was deleted.
 */
int memory_put(struct db *db, const struct owner *o, const struct uuid *conversation,
	       int64_t last, const struct memory *m, const struct fact *facts,
	       size_t n_facts, struct err *e) MUST_CHECK;

/*
 * Clears the agent state (D38), of earlier versions and variants too: nothing of it comes
 * back from messages that are there now. Summary and facts stay. *number: the version that
 * says so; 0: there was none to clear. ERR_CONFLICT: others write too fast.
 */
int memory_clear(struct db *db, const struct owner *o, const struct uuid *conversation,
		 struct arena *a, int64_t *number, struct err *e) MUST_CHECK;

/*
 * Facts of the thread with seq < before_seq (INT64_MAX: all), newest first, at most size;
 * words: that have this text, in any case, among the newest LIM_LOOKED_AT (n == 0: all).
 * Text in a.
 */
int memory_facts(struct db *db, const struct owner *o, const struct uuid *conversation,
		 int64_t before_seq, struct str words, size_t size, struct arena *a,
		 struct fact **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * -- showing -------------------------------------------------------------------------
 */

/* The members of kept, at most MEMORY_KEPT, into out. Returns their number. */
enum { MEMORY_KEPT = 4 };
size_t memory_kept(const struct memory *m, int64_t out[MEMORY_KEPT]);

/* Writes the record ConversationMemory. state: whether with its agent state. */
void memory_write(struct jw *w, const struct uuid *conversation, const struct memory *m,
		  bool state, struct arena *a);

/* Writes the record ConversationFact. */
void memory_fact_write(struct jw *w, const struct uuid *conversation,
		       const struct fact *f);

#endif
