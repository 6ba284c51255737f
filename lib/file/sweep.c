/* SPDX-License-Identifier: MIT */
/* Deletes attachments that were never sent, and those of deleted conversations. */
#include "job/work.h"
#include "store/attachment.h"

#include "base/banned.h"

int job_attachment_sweep_due(struct db *db, const struct conf *conf, struct arena *a,
			     struct err *e)
{
	(void)conf;
	return attachment_sweep_due(db, a, e);
}

/* Concurrent runs are harmless: each deletes what it finds. */
int job_attachment_sweep(const struct job_run *r, struct err *e)
{
	return attachment_sweep(r->db, r->until_ms, e);
}
