/* SPDX-License-Identifier: MIT */
/*
 * Notices: changes of a user's conversations and jobs, numbered per user (E5, E8).
 * The key is the user, whose id is a hash of tenant and login, so no list can
 * contain rows of another user.
 *
 * They are hints for clients that follow many records at once; the record itself
 * is authoritative. They are kept for an hour.
 */
#ifndef STORE_NOTICE_H
#define STORE_NOTICE_H

#include "store/store.h"

enum notice_kind {
	NOTICE_TURN_STATUS = 1,	/* subject: the turn; word: its status */
	NOTICE_TITLE = 2,	/* title */
	NOTICE_CONVERSATION = 3,	/* word: created, renamed, deleted */
	NOTICE_JOB_PROGRESS = 4,	/* subject: the job; word: its status */
	/* word: what to read again; also without a number, made from rows of resource_change */
	NOTICE_REFRESH = 5,
	/*
	 * Never stored here, and without a number: made from rows of resource_change.
	 * subject: what was changed; conversation: its project; word: its kind; title: the
	 * verb; done: its version
	 */
	NOTICE_PATCH = 6,
};

struct notice {
	int64_t seq;		/* 1, 2, … per user; set by the store */
	int64_t kind;		/* enum notice_kind */
	struct uuid subject_id, conversation_id;	/* nil: none */
	struct str word;	/* at most 32 bytes; p == NULL: none */
	struct str title;	/* at most LIM_TITLE_CHARS; p == NULL: none */
	int64_t done, total;	/* of a job; -1: none or unknown */
	int64_t created_us;
};

/* A notice to be stored, and its user. */
struct notice_row {
	struct owner owner;
	struct notice notice;
};

/*
 * Starts listening: from now on, notices of this user are stored. *last_seq is
 * the newest number so far. 1 round trip, 3 the first time. Database errors.
 */
int notice_listen(struct db *db, const struct owner *o, int64_t *last_seq,
		  struct err *e) MUST_CHECK;

/*
 * Stores notices of any users, in this order for each user, in one transaction of
 * 4 round trips; 2 if none of the users has ever listened, in which case nothing is
 * stored. A commit with a lost answer may store them twice, with two numbers each.
 */
int notice_store(struct db *db, const struct notice_row *rows, size_t n,
		 struct err *e) MUST_CHECK;

/*
 * The newest numbers of n users (0: never listened), in the order of ids; one
 * statement per 256. The caller has checked that they may be watched.
 */
int notice_poll(struct db *db, const struct uuid *users, size_t n,
		int64_t *last_seqs, struct err *e) MUST_CHECK;

/* The notices after number after, at most max_rows, in order. Text in a. */
int notice_list(struct db *db, const struct owner *o, int64_t after,
		size_t max_rows, struct arena *a, struct notice **out,
		size_t *n, struct err *e) MUST_CHECK;

#endif
