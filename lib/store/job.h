/*
 * Rows of jobs: work that outlives a response (lib/job runs it). A job is known
 * by its kind and what it is about, so asking twice for the same is one job. Who
 * takes one moves its due time to the end of a lease; while that lasts, nobody
 * else takes it, on no node, and after it anybody may. The due time that a taker
 * wrote says that the job is still theirs.
 */
#ifndef STORE_JOB_H
#define STORE_JOB_H

#include "store/store.h"

#define JOB_NEVER_US INT64_MAX		/* due time of one that failed for good */

struct job {
	struct str kind;	/* name of a row of job.def */
	struct str subject;	/* at most 64 bytes; by kind */
	struct str tenant_id;
	struct str args;	/* a JSON object as text, or none (p == NULL) */
	int64_t due_us;		/* of one that was taken: end of the lease */
	int64_t asked;		/* how often it was asked for */
	int64_t attempts;	/* this one included, of one that was taken */
	struct str error;	/* of the last attempt, or none */
	int64_t created_us;
};

/*
 * Asks for a job, from due_us on. If it is there already it runs once more after
 * the run that goes on now, with these args; one that failed for good begins
 * anew. db may be a transaction: then the job is there if it commits.
 */
int job_ask(struct db *db, const struct job *j, struct err *e) MUST_CHECK;

/*
 * Those that are due and whose kind is in kinds (names with commas between), due
 * for longest first, at most eight. Text in a.
 */
int job_due(struct db *db, struct str kinds, struct arena *a,
	    struct job **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * Takes one of them until lease_us from now and writes so into *j. Returns 1, 0
 * when somebody else was faster, -1.
 */
int job_take(struct db *db, struct job *j, int64_t lease_us,
	     struct err *e) MUST_CHECK;

/* It is done: the row goes, unless it was asked for again, then it is due. */
int job_done(struct db *db, const struct job *j, struct err *e) MUST_CHECK;

/*
 * It got on and needs another run (attempts 0), or failed with why and is tried
 * again: from due_us on, JOB_NEVER_US: never. Nothing happens when the lease was
 * lost to another taker meanwhile.
 */
int job_put_back(struct db *db, const struct job *j, int64_t due_us,
		 int64_t attempts, struct str why, struct err *e) MUST_CHECK;

/* All there are, due first, at most 1000. Text in a. */
int job_list(struct db *db, struct arena *a, struct job **out, size_t *n,
	     struct err *e) MUST_CHECK;

#endif
