/* SPDX-License-Identifier: MIT */
/*
 * What a user stores in the database (stored.def), and limits.stored_mb. It is not kept
 * in counters, which every statement that writes or deletes would have to maintain and
 * all turns of a user would wait for: it is summed over index entries, and
 * thus right after deletes, failed uploads and killed processes. A turn does not wait
 * for that: it looks at the last sum of this process, which hold_refresh makes after a
 * turn was answered or a prompt or agent was written. What is refused is counted again first.
 *
 * Documents in bases of the tenant are the tenant's. What a source of a knowledge base
 * brings is no user's.
 */
#ifndef HOLD_STORED_H
#define HOLD_STORED_H

#include "auth/owner.h"
#include "conf/conf.h"
#include "hold/share.h"

struct db;

enum hold_kind {
#define STORED(id, key, words, what) STORED_##id,
#include "hold/stored.def"
	STORED__MAX
};

struct hold_row {
	const char *key, *words, *what;
};
extern const struct hold_row hold_rows[STORED__MAX];

struct stored {			/* bytes */
	int64_t v[STORED__MAX];
};

/* The sum, in bytes. */
int64_t hold_total(const struct stored *s);

/* Sums what the user stores: milliseconds, more for a user who has very much. */
int hold_sum(struct db *db, const struct owner *o, struct stored *out,
	       struct err *e) MUST_CHECK;

/*
 * Takes room for `more` bytes (at least 1), which a request is going to store; *part is
 * given back when it has, so that requests that run at the same time are counted
 * together. ERR_TOO_BIG, public, with what takes the room.
 */
int hold_take(struct db *db, const struct conf *conf, const struct owner *o,
		int64_t more, struct share_part *part, struct err *e) MUST_CHECK;

/* The same for a fork of the conversation up to message seq. */
int hold_take_fork(struct db *db, const struct conf *conf, const struct owner *o,
		   const struct uuid *conversation, int64_t seq,
		   struct share_part *part, struct err *e) MUST_CHECK;

/*
 * Whether the user may begin a turn, or write a prompt, an agent or the like, which
 * are small: ERR_TOO_BIG as hold_take. Asks the database only
 * if the last sum of this process was too large, or, if it serves a single request
 * (hold_alone), always.
 */
int hold_check(struct db *db, const struct conf *conf, const struct owner *o,
	       struct err *e) MUST_CHECK;

/*
 * Sums again if the last sum of this process is older than half a minute and than 60 times
 * what it took: of one who has very much, that is a part of the database's time. One of
 * the threads that ask at the same time does it.
 */
void hold_refresh(struct db *db, const struct conf *conf, const struct owner *o);

/* The process serves one request (plain CGI): it remembers nothing. Called by main. */
void hold_alone(void);

#endif
