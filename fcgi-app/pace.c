/* SPDX-License-Identifier: MIT */
#include "pace.h"

#include <errno.h>
#include <poll.h>

#include "base/clock.h"
#include "base/util.h"

#include "base/banned.h"

int pace_wait_ms(struct pace *p, int64_t now_ms, int most_ms)
{
	int64_t until_ms;

	if (!p->whole_ms)
		return most_ms;
	if (!p->began_ms)
		p->began_ms = now_ms;
	until_ms = p->began_ms + p->whole_ms;
	if (p->rate_bytes)
		until_ms = MIN(until_ms, p->began_ms + PACE_GRACE_MS +
			       (int64_t)(p->bytes * 1000 /
					 (uint64_t)p->rate_bytes));
	return (int)MIN(MAX(until_ms - now_ms, 0), most_ms);
}

int pace_wait(struct pace *p, int fd, int most_ms)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	int ms, rc;

	do {
		ms = pace_wait_ms(p, clock_mono_ms(), most_ms);
		rc = ms ? poll(&in, 1, ms) : 0;
	} while (rc < 0 && errno == EINTR);
	return rc;
}
