/* SPDX-License-Identifier: MIT */
#include "hold/rate.h"

#include <string.h>

#include "base/util.h"
#include "base/uuid.h"

#include "base/banned.h"

static size_t place_of(struct str address)
{
	const struct uuid u = uuid_of_name(STR("address"), address);

	return ((size_t)u.b[14] << 8 | u.b[15]) % RATE_PLACES;
}

int rate_take(struct rate *r, struct str address, int64_t now_ms, int most, int most_all,
	      struct err *e)
{
	const size_t at = place_of(address);
	const int64_t window = now_ms / RATE_WINDOW_MS;
	bool room;

	pthread_mutex_lock(&r->lock);
	if (window != r->window) {
		memset(r->v, 0, sizeof(r->v));
		r->all = 0;
		r->window = window;
	}
	room = r->v[at] < most && r->all < most_all;
	if (room) {
		r->v[at]++;
		r->all++;
	}
	pthread_mutex_unlock(&r->lock);
	if (room)
		return 0;
	e->retry_after_s = (int)((RATE_WINDOW_MS - now_ms % RATE_WINDOW_MS) / 1000 + 1);
	return err_public(e, ERR_SHARE, "Too many requests. Wait a minute.");
}
