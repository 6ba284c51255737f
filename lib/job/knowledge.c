/* SPDX-License-Identifier: MIT */
/* Jobs on knowledge bases and their indexes. Their subject is the base. */
#include "job/work.h"

#include "knowledge/embed.h"
#include "knowledge/kb.h"

#include "base/banned.h"

/* Passages that have vectors are skipped. */
int job_knowledge_embed(const struct job_run *r, struct err *e)
{
	const struct llm_call io = { .http = r->http, .stop = r->stop };
	struct uuid id;

	if (job_subject(r, &id, e))
		return -1;
	return r->http ? embed_base(r->db, r->conf, &io, &id, r->until_ms, e) : 1;
}

/* A second run finds only what is left. */
int job_knowledge_purge(const struct job_run *r, struct err *e)
{
	struct uuid id;

	int rc = job_subject(r, &id, e) ? -1
		: kb_leave_files(r->db, r->job->tenant_id, &id, r->until_ms, e);

	return rc <= 0 ? rc : search_base_purge(r->db, &id, r->until_ms, e);
}

/* The same. */
int job_search_tidy(const struct job_run *r, struct err *e)
{
	struct uuid id;

	return job_subject(r, &id, e) ? -1
		: search_tidy(r->db, &id, false, r->until_ms, e);
}
