/* SPDX-License-Identifier: MIT */
/*
 * How often somebody who is not signed in may ask, by address. Counted in the memory of a
 * process, minute by minute, at one of a fixed number of places: addresses that have the
 * same place have one count, so that nobody gets more by having many. One request of
 * plain CGI is one process, which counts nothing.
 */
#ifndef HOLD_RATE_H
#define HOLD_RATE_H

#include <pthread.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum { RATE_PLACES = 1024, RATE_WINDOW_MS = 60000 };

struct rate {
	pthread_mutex_t lock;		/* protects the following members */
	int64_t window;			/* number of the minute that is counted */
	int32_t all;
	int32_t v[RATE_PLACES];
};

#define RATE_INIT { .lock = PTHREAD_MUTEX_INITIALIZER }

/*
 * Counts a request of an address at now_ms (monotonic). ERR_SHARE, with the time to wait,
 * if it has asked `most` times in this minute, or all have asked most_all times. Any
 * thread.
 */
int rate_take(struct rate *r, struct str address, int64_t now_ms, int most, int most_all,
	      struct err *e) MUST_CHECK;

#endif
