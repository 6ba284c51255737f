/* SPDX-License-Identifier: MIT */
#include "quota.h"

#include "app.h"
#include "file/extract.h"
#include "hold/stored.h"

#include "base/banned.h"

#define SHARE_LEAST 4		/* turns, streams: one user has several pages open */

struct share_limit quota_limit(const struct request *rq, enum share_kind kind)
{
	const struct conf *conf = rq->conf;
	struct share_limit l = { .part = conf->limits.user_share };

	switch (kind) {
	case SHARE_TURNS:
		l.all = conf->threads.max_turns;
		l.at_least = SHARE_LEAST;
		break;
	case SHARE_ANSWERS:
		l.all = places_here(rq, PLACE_ANSWER);
		l.at_least = SHARE_LEAST;
		break;
	case SHARE_STREAMS:
		l.all = places_here(rq, PLACE_NOTIFICATION);
		l.at_least = SHARE_LEAST;
		break;
	case SHARE_BODIES:
		l.all = conf->threads.max;
		l.at_least = SHARE_LEAST;
		break;
	case SHARE_ARRIVED:
		l.all = conf->limits.arriving_bytes;
		break;
	case SHARE_UNSENT:
		l.all = conf->limits.unsent_bytes;
		break;
	case SHARE_READERS:
		return file_extract_limit();
	case SHARE_JOBS:	/* so many of each user, of any number */
		return (struct share_limit){
			.part = 2, .at_least = conf->limits.user_jobs };
	case SHARE_STORING: case SHARE__MAX:
		break;
	}
	return l;
}

struct uuid quota_user(const struct request *rq)
{
	return share_user(rq->by.who, req_param(rq, "REMOTE_ADDR"));
}

int quota_take(const struct request *rq, enum share_kind kind,
	       struct share_part *part, struct err *e)
{
	struct uuid user = quota_user(rq);

	return share_take(rq->app->share, &user, kind, 1,
			  quota_limit(rq, kind), part, e);
}

bool quota_take_place(struct request *rq, enum place_kind kind,
		 struct share_part *part)
{
	static const enum share_kind kinds[PLACE__MAX] = {
		[PLACE_NOTIFICATION] = SHARE_STREAMS,
		[PLACE_ANSWER] = SHARE_ANSWERS,
	};
	int here = places_here(rq, kind);
	struct err full = ERR_INIT;

	if (here && quota_take(rq, kinds[kind], part, &full) == 0)
		return true;
	atomic_fetch_add(&rq->app->places.refused[kind], 1);
	return false;
}

int quota_store(struct request *rq, int64_t more, struct err *e)
{
	return hold_take(rq->app->db, rq->conf, &rq->by.owner, more, &rq->storing,
			   e);
}

int quota_store_on(struct request *rq, int64_t more, struct err *e)
{
	if (!rq->storing.of)
		return 0;
	share_give(&rq->storing);
	return quota_store(rq, more, e);
}
