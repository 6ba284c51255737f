/* SPDX-License-Identifier: MIT */
/* Jobs on the index of conversations. */
#include "job/work.h"

#include "search/chats.h"

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
