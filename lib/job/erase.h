/* SPDX-License-Identifier: MIT */
/*
 * Deletes everything of a user (A38): each table as lib/resource/resource.def says.
 * Conversations, knowledge bases and files are deleted by their jobs, which are run to
 * the end.
 */
#ifndef JOB_ERASE_H
#define JOB_ERASE_H

#include "conf/conf.h"
#include "resource/erase.h"

/* n more rows of the table were deleted, or stay without the user's id. */
typedef void job_erased(const char *table, bool kept, int64_t n, void *ctx);

/*
 * May be interrupted and repeated. The user's turns are cancelled; what the user does
 * meanwhile may remain. ERR_INTERNAL if a job has failed; database errors.
 */
int job_erase_user(struct db *db, const struct conf *conf, const struct owner *o,
		   struct str login, job_erased *report, void *ctx,
		   struct err *e) MUST_CHECK;

#endif
