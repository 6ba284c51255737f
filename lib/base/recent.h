/* SPDX-License-Identifier: MIT */
/*
 * What was noted last of each of many users, in the memory of a process: a fixed number of
 * places by a part of the id, so that another id may take one. Then nothing is known of
 * the first, which must only cost that it is found out again. Any thread.
 */
#ifndef BASE_RECENT_H
#define BASE_RECENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/uuid.h"

enum { RECENT_PLACES = 4096 };

struct recent {
	pthread_mutex_t lock;	/* protects the following member */
	struct {
		struct uuid id;
		int64_t value, at_ms;	/* at_ms 0: the place is free */
	} v[RECENT_PLACES];
};

#define RECENT_INIT { .lock = PTHREAD_MUTEX_INITIALIZER }

/*
 * Notes value of id, now; what was noted of it, or of another id at the same place, gives
 * way. Any thread.
 */
void recent_note(struct recent *r, const struct uuid *id, int64_t value);

/* How many ms ago something was noted of id: *value, which may be NULL. -1: nothing. */
int64_t recent_age_ms(struct recent *r, const struct uuid *id, int64_t *value);

/*
 * Notes 0, unless something was noted at most within_ms ago. Returns whether it did, to
 * one of several threads.
 */
bool recent_claim(struct recent *r, const struct uuid *id, int64_t within_ms);

#endif
