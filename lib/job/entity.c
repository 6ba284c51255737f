/* SPDX-License-Identifier: MIT */
/* The job on the index of what is in a project. */
#include "job/work.h"

#include "entity/entity.h"

#include "base/banned.h"

/* subject: the project. A second run skips what is already indexed. */
int job_entity_index(const struct job_run *r, struct err *e)
{
	struct uuid id;

	return job_subject(r, &id, e) ? -1
		: entity_index(r->db, &id, r->until_ms, e);
}
