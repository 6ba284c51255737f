/* SPDX-License-Identifier: MIT */
/*
 * How slowly a request body may arrive: within a total time, and not below a
 * minimum rate, so that a client that sends single bytes cannot occupy a worker.
 * The rule of Apache's mod_reqtimeout: PACE_GRACE_MS at first, some more time for
 * each received byte, but never more than whole_ms.
 */
#ifndef APP_PACE_H
#define APP_PACE_H

#include <stddef.h>
#include <stdint.h>

#define PACE_GRACE_MS 20000
#define PACE_DRAIN_MS 3000	/* for the rest of a body, which is discarded */

struct pace {
	int64_t whole_ms;	/* for the whole body; 0: no limits at all */
	int64_t rate_bytes;	/* per second; 0: no minimum rate */
	int64_t began_ms;	/* monotonic, of the first read; 0: none yet */
	uint64_t bytes;		/* received so far */
};

/*
 * How long the next read may wait, from now_ms (monotonic, not 0), at most most_ms;
 * 0: the body is too slow. The first call starts the clock.
 */
int pace_wait_ms(struct pace *p, int64_t now_ms, int most_ms);

/*
 * Waits until fd is readable. 1: it is, or it has hung up; 0: the body is too slow,
 * or nothing arrived for most_ms; -1: errno.
 */
int pace_wait(struct pace *p, int fd, int most_ms);

#endif
