/* SPDX-License-Identifier: MIT */
/*
 * Rows of jobs: work that outlives a response (lib/job runs it). A job is
 * identified by its kind and subject, so requesting it twice makes one job. Taking
 * a job moves its due time to the end of a lease; until then nobody else on any
 * node can take it, and afterwards anybody can. A taker still owns the job if the
 * row has the due time that it wrote.
 *
 * A job belongs to the person who asked for it. Persons take turns, and a number of
 * one person's jobs run at the same time (limits.user_jobs); the others wait. A job
 * that another person asks for as well belongs to nobody from then on, like those of
 * the installation itself: it waits behind the jobs of neither of them.
 */
#ifndef STORE_JOB_H
#define STORE_JOB_H

#include "auth/owner.h"
#include "store/store.h"

#define JOB_NEVER_US INT64_MAX		/* due time of one that failed for good */

struct job {
	struct str kind;	/* name of a row of job.def */
	struct str subject;	/* at most 64 bytes; by kind */
	struct str tenant_id;
	struct uuid user_id;	/* the person who asked; nil: nobody in particular */
	struct str args;	/* a JSON object as text, or none (p == NULL) */
	int64_t due_us;		/* of one that was taken: end of the lease */
	int64_t asked;		/* how often it was asked for */
	int64_t attempts;	/* this one included, of one that was taken */
	struct str error;	/* of the last attempt, or none */
	int64_t created_us;
};

/*
 * Requests a job, to run from due_us on. If it exists already, it runs once more
 * after the current run, with these args; one that failed for good starts again.
 * db may be a transaction: the job then exists if it commits.
 */
int store_job_ask(struct db *db, const struct job *j, struct err *e) MUST_CHECK;

/* Requests one about an id for the person, without args, to run at once. */
int store_job_ask_for(struct db *db, struct str kind, const struct owner *by,
		      const struct uuid *subject, struct err *e) MUST_CHECK;

/*
 * The jobs that are due and whose kind is in kinds (names separated by commas),
 * longest due first, at most eight. Text in a.
 */
int store_job_due(struct db *db, struct str kinds, struct arena *a,
		  struct job **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * Takes one of them for lease_us from now, and updates *j. Returns 1, 0 if
 * somebody else was faster, -1.
 */
int store_job_take(struct db *db, struct job *j, int64_t lease_us,
		   struct err *e) MUST_CHECK;

/*
 * Of those that store_job_due finds, the first of the next person whose id is after
 * `after` and up to `last`. Returns 1, 0 if there is none, -1. Text in a.
 */
int store_job_next(struct db *db, struct str kinds, const struct uuid *after,
		   const struct uuid *last, struct arena *a, struct job *out,
		   struct err *e) MUST_CHECK;

/* The same of those that belong to nobody. */
int store_job_nobodys(struct db *db, struct str kinds, struct arena *a,
		      struct job *out, struct err *e) MUST_CHECK;

/* How many other jobs of its person run; 0 for nobody's. */
int store_job_running(struct db *db, const struct job *j, int64_t *n,
		      struct err *e) MUST_CHECK;

/* How many jobs of the person run, and how many there are. */
int store_job_held(struct db *db, const struct uuid *user, int64_t *running,
		   int64_t *all, struct err *e) MUST_CHECK;

/* Done: deletes the row, unless it was requested again; then it is due. */
int store_job_done(struct db *db, const struct job *j, struct err *e) MUST_CHECK;

/* As store_job_done, but whoever asked meanwhile is not served. */
int store_job_end(struct db *db, const struct job *j, struct err *e) MUST_CHECK;

/*
 * Not done: it made progress and needs another run (attempts 0), or failed with
 * why; it runs again from due_us on (JOB_NEVER_US: never). Does nothing if the
 * lease was lost to another taker in the meantime.
 */
int store_job_put_back(struct db *db, const struct job *j, int64_t due_us,
		       int64_t attempts, struct str why, struct err *e) MUST_CHECK;

/*
 * One of these kinds (names separated by commas) that was requested before a time and is
 * not done: about this subject, or NULL: any. The one that failed most often. Returns 1,
 * 0 if there is none, -1. Text in a.
 */
int store_job_left(struct db *db, struct str kinds, const struct uuid *subject,
		   int64_t before_us, struct arena *a, struct job *out,
		   struct err *e) MUST_CHECK;

/* How many jobs about the subject failed and are tried again, or were given up since then. */
int store_job_failed(struct db *db, struct str kind, struct str subject, int64_t since_us,
		     int64_t *n, struct err *e) MUST_CHECK;

/* All there are, due first, at most 1000. Text in a. */
int store_job_list(struct db *db, struct arena *a, struct job **out, size_t *n,
		   struct err *e) MUST_CHECK;

#endif
