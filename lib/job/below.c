/* SPDX-License-Identifier: MIT */
/*
 * What was below a deleted row (BELOW of resource.def): hidden at once, deleted here, and
 * with it the row itself, if it was kept to be restored (resource/bin.h).
 */
#include "base/clock.h"
#include "base/limits.h"
#include "job/work.h"
#include "resource/bin.h"
#include "resource/change.h"
#include "resource/purge.h"
#include "store/job.h"

#include "base/banned.h"

/*
 * An INSERT that did not see the deletion may be committed after it, on any node: within
 * this time, or the statement was ended.
 */
enum { LATE_S = 120 };

/* As long as the deletion can be taken back, what was below the row stays. */
static int64_t due_of(const struct resource *r, const struct resource_change *k)
{
	return k->for_good || !resource_kind(r) ? clock_now_us()
		: resource_bin_until(clock_now_us());
}

static int request_purge(const struct caller *by, const struct resource *r,
			 struct resource_change *k, struct err *e)
{
	char id[UUID_TEXT_BYTES];

	k->job_due = true;
	return store_job_ask(by->db, &(struct job){
		.kind = STR("below-purge"), .subject = str_of(uuid_format(&k->row.id, id)),
		.tenant_id = by->owner.tenant_id, .user_id = by->owner.user_id,
		.due_us = due_of(r, k) }, e);
}

const struct resource_hooks below_hooks = { .gone = request_purge };

int job_below_purge(const struct job_run *r, struct err *e)
{
	const int64_t last_us = r->job->created_us + LATE_S * INT64_C(1000000);
	struct uuid id;
	struct caller by = caller_of(r->conf, NULL, r->db, r->arena);
	int rc;

	by.owner = (struct owner){ r->job->tenant_id, r->job->user_id };
	rc = job_subject(r, &id, e) ? -1 : resource_bin_end(&by, &id, r->due_us, e);

	if (rc || *r->due_us)
		return rc;
	rc = resource_purge_below(r->db, &id, r->until_ms, e);
	if (rc <= 0 || clock_now_us() >= last_us)
		return rc;
	*r->due_us = last_us;
	return 0;
}
