/* SPDX-License-Identifier: MIT */
/*
 * Runs jobs (store/job.h) in threads that have just finished a response, and in
 * `lamplighter work`. Jobs have no thread or process of their own: the next idle
 * one takes a job that is due. If a process dies, another one takes up the run
 * when its lease is over.
 */
#ifndef JOB_WORK_H
#define JOB_WORK_H

#include <stdatomic.h>

#include "base/buf.h"
#include "conf/conf.h"
#include "store/job.h"

struct http_pool;
struct turn_deps;	/* turn/turn.h */

enum job_kind {
#define JOB(id, name, run, lease_s, attempts, what) JOB_##id,
#include "job/job.def"
#undef JOB
	JOB__MAX
};

/* One run. */
struct job_run {
	const struct job *job;
	struct db *db;
	const struct conf *conf;
	struct http_pool *http;	/* NULL: no requests to other servers */
	const struct turn_deps *turns;	/* NULL: no turn is run here */
	const atomic_bool *stop;	/* a wait should end; may be NULL */
	struct arena *arena;	/* of this run */
	int64_t until_ms;	/* monotonic: when it must have stopped */
	int64_t *due_us;	/* earliest time of another run; 0 */
};

/*
 * Does the job, or a part of it that ends before until_ms. Returns 1 when it is
 * done, 0 if it made progress and needs another run, -1 with the error. It may
 * run again after it was done, and in parallel to a run whose lease was over, so
 * everything it does must be idempotent.
 */
typedef int job_fn(const struct job_run *r, struct err *e);

/* The id that the job is about. ERR_INTERNAL. */
int job_subject(const struct job_run *r, struct uuid *id, struct err *e) MUST_CHECK;

#define JOB(id, name, run, lease_s, attempts, what) \
	int run(const struct job_run *r, struct err *e) MUST_CHECK;
#include "job/job.def"
#undef JOB

#define JOB(...)
#define JOB_WHEN(id, name, run, lease_s, attempts, when, what) \
	int when(struct db *db, const struct conf *conf, struct arena *a, \
		 struct err *e) MUST_CHECK;
#include "job/job.def"
#undef JOB

/*
 * Requests the jobs of JOB_WHEN rows that have something to do: for periodic
 * callers, before job_work. 1 if there are any, 0, -1. Costs a short read per
 * row. Any thread.
 */
int job_look(struct db *db, const struct conf *conf, struct err *e) MUST_CHECK;

/*
 * Runs the jobs that are due, one after the other, until there are none, the
 * monotonic time until_ms has passed, or *stop (may be NULL) is set. A job that
 * fails is logged and postponed, longer each time (30 s to an hour); after its
 * last attempt it stays as failed. http and turns may be NULL. *n (may be NULL) counts the
 * runs. Returns 1 if there may be more, 0 if nothing is due, -1 if the store cannot
 * be read.
 *
 * Those who asked take turns: one job of each person, then the next one of each, so
 * nobody waits for the many jobs of another. While limits.user_jobs of a person run,
 * here or in other processes, the others of this person wait, and are not "due".
 */
int job_work(struct db *db, const struct conf *conf, struct http_pool *http,
	     const struct turn_deps *turns, int64_t until_ms, const atomic_bool *stop,
	     size_t *n, struct err *e) MUST_CHECK;

/*
 * Runs jobs of these kinds (names separated by commas) until none is left of those that
 * have been requested about the subject, NULL: any. Waits for those that other processes
 * have taken or that are postponed, for however long it takes. Without HTTP.
 * ERR_INTERNAL, with its name, if one has failed three times.
 */
int job_finish(struct db *db, const struct conf *conf, struct str these,
	       const struct uuid *subject, struct err *e) MUST_CHECK;

/*
 * A job that the requesting process takes at once, in one statement: its first
 * attempt, with a lease from now_us on. Texts are borrowed.
 */
struct job job_taken(enum job_kind kind, struct str subject,
		     const struct owner *by, struct str args, int64_t now_us);

/*
 * Stores the outcome of a run of a taken job: rc, due_us and *why as a job_fn left
 * them. A failure is logged and postponed, as job_work does.
 */
int job_settle(struct db *db, const struct job *j, int rc, int64_t due_us,
	       struct err *why, struct err *e) MUST_CHECK;

/* One line a row: `list jobs`. */
void job_print_kinds(struct buf *out);

#endif
