/*
 * How slowly a request body may arrive: within a total time, and not below a
 * minimum rate, so that a client that sends single bytes cannot occupy a worker.
 * The rule is that of Apache's mod_reqtimeout: at first PACE_GRACE_MS, and for
 * each byte that came some time more, but never more than whole_ms.
 */
#ifndef APP_PACE_H
#define APP_PACE_H

#include <stddef.h>
#include <stdint.h>

#define PACE_GRACE_MS 20000
#define PACE_DRAIN_MS 3000	/* for the rest of a body that nobody wants */

struct pace {
	int64_t whole_ms;	/* for all of it; 0: no limits at all */
	int64_t rate_bytes;	/* a second; 0: no least rate */
	int64_t began_ms;	/* monotonic, of the first read; 0: none yet */
	uint64_t bytes;		/* that came */
};

/*
 * How long the next read may wait from now_ms (monotonic, not 0) on, at most
 * most_ms; 0: the body is too slow. The first call starts the clock.
 */
int pace_wait_ms(struct pace *p, int64_t now_ms, int most_ms);

/*
 * Waits until fd is readable. 1: it is, or has hung up; 0: the body is too slow, or
 * nothing came for most_ms; -1: errno.
 */
int pace_wait(struct pace *p, int fd, int most_ms);

#endif
