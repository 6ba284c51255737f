/* SPDX-License-Identifier: MIT */
/* What was below a deleted row (BELOW of resource.def): hidden at once, deleted here. */
#include "base/clock.h"
#include "job/work.h"
#include "resource/call.h"
#include "resource/purge.h"
#include "store/job.h"

#include "base/banned.h"

/*
 * An INSERT that did not see the deletion may be committed after it, on any node: within
 * this time, or the statement was ended.
 */
enum { LATE_S = 120 };

static int request_purge(const struct caller *by, const struct resource *r,
			 struct resource_change *k, struct err *e)
{
	(void)r;
	k->job_due = true;
	return store_job_ask_for(by->db, STR("below-purge"), &by->owner, &k->row.id,
				 e);
}

const struct resource_hooks below_hooks = { .gone = request_purge };

int job_below_purge(const struct job_run *r, struct err *e)
{
	const int64_t last_us = r->job->created_us + LATE_S * INT64_C(1000000);
	struct uuid id;
	int rc = job_subject(r, &id, e) ? -1
		: resource_purge_below(r->db, &id, r->until_ms, e);

	if (rc <= 0 || clock_now_us() >= last_us)
		return rc;
	*r->due_us = last_us;
	return 0;
}
