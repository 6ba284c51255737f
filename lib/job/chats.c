/* SPDX-License-Identifier: MIT */
/* Jobs on the index of conversations, and on those of programs. */
#include "job/work.h"

#include "base/clock.h"
#include "search/chats.h"
#include "store/prefix.h"

#include "base/banned.h"

/* subject: the user. A second run skips what is already indexed. */
int job_conversation_index(const struct job_run *r, struct err *e)
{
	struct owner o = { .tenant_id = r->job->tenant_id };

	return job_subject(r, &o.user_id, e) ? -1
		: chats_index(r->db, &o, r->until_ms, e);
}

int job_conversation_look_due(struct db *db, const struct conf *conf, struct arena *a,
			      struct err *e)
{
	(void)conf;
	return chats_due(db, a, e);
}

/* A job that is requested twice is one job. */
int job_conversation_look(const struct job_run *r, struct err *e)
{
	return chats_want_all(r->db, r->until_ms, e);
}

/* What was said last before this time is too old; 0: nothing is. */
static int64_t expired_before_us(const struct conf *conf)
{
	return conf->client_keep_days ? clock_now_us() -
		conf->client_keep_days * INT64_C(86400000000) : 0;
}

int job_client_expire_due(struct db *db, const struct conf *conf, struct arena *a,
			  struct err *e)
{
	int64_t before_us = expired_before_us(conf);

	(void)a;
	return before_us ? prefix_expired(db, before_us, e) : 0;
}

int job_client_expire(const struct job_run *r, struct err *e)
{
	int64_t before_us = expired_before_us(r->conf);

	return before_us ? prefix_expire(r->db, before_us, r->until_ms, e) : 1;
}
