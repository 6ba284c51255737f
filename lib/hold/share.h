/* SPDX-License-Identifier: MIT */
/*
 * What each user has of the process at the same time (share.def). A user gets at most a
 * part of the whole (limits.user_share), so that one user cannot exclude all others.
 * Counted for the person who asks, in memory, separately for each process, like the
 * limits themselves. What users have in the database: stored.h.
 */
#ifndef HOLD_SHARE_H
#define HOLD_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/uuid.h"

struct share;
struct identity;

enum share_kind {
#define SHARE(id, key, unit, retry_after_s, what) SHARE_##id,
#include "hold/share.def"
	SHARE__MAX
};

struct share_row {
	const char *key, *unit, *what;
	int retry_after_s;
};
extern const struct share_row share_rows[SHARE__MAX];

/* What a user has taken; all zero: nothing. */
struct share_part {
	struct share *of;	/* NULL: nothing */
	struct uuid user;
	enum share_kind kind;
	int64_t n;
};

/* A limit. */
struct share_limit {
	int64_t all;		/* for all users together; 0: no limit */
	int part;		/* one user: all / part; 0 or 1: no limit */
	int64_t at_least;	/* but at least this much */
};

/* That of the process, which is never freed. */
struct share *share_process(void);

/* Starts at zero for everybody. Owned: share_free, which accepts NULL. */
struct share *share_new(void);
void share_free(struct share *s);

/*
 * The holder that is counted: the user (of the tenant); for callers who are not
 * signed in, the address, because all of them are one user.
 */
struct uuid share_user(const struct identity *who, struct str address);

/*
 * Takes n (> 0) into *part, which was empty; ERR_SHARE with a time to wait if the
 * user would have too much, ERR_OVERLOADED if all users together would. A user who
 * has nothing of the kind always gets n. s NULL: nothing is counted. Any thread.
 */
int share_take(struct share *s, const struct uuid *user, enum share_kind kind,
	       int64_t n, struct share_limit limit, struct share_part *part,
	       struct err *e) MUST_CHECK;

/* The same, but waits until there is room, up to until_ms (monotonic). */
int share_wait(struct share *s, const struct uuid *user, enum share_kind kind,
	       int64_t n, struct share_limit limit, int64_t until_ms,
	       struct share_part *part, struct err *e) MUST_CHECK;

/* How much one user may have. INT64_MAX: no limit. */
int64_t share_most(const struct share_limit *l);

/* Returns part, which is empty afterwards. Any thread. */
void share_give(struct share_part *part);

/* How much the user has, or all users (NULL). */
int64_t share_count(struct share *s, const struct uuid *user,
		    enum share_kind kind);

#endif
