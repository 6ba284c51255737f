/*
 * Runs jobs (store/job.h): in the thread that has just finished a response, and
 * in `lamplighter work`. No thread or process of their own: whoever has a moment
 * takes what is due. A run that dies with its process is taken up by another
 * when its lease is over.
 */
#ifndef JOB_WORK_H
#define JOB_WORK_H

#include <stdatomic.h>

#include "base/buf.h"
#include "store/job.h"

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
	struct arena *arena;	/* of this run */
	int64_t until_ms;	/* monotonic: when it must have stopped */
};

/*
 * Does the job, or a part of it that ends before until_ms. Returns 1 when it is
 * done, 0 when it got on and needs another run, -1 with why. It may run again
 * after it was done, and beside another run of its own whose lease was over, so
 * all it does must be harmless twice.
 */
typedef int job_fn(const struct job_run *r, struct err *e);

#define JOB(id, name, run, lease_s, attempts, what) \
	int run(const struct job_run *r, struct err *e) MUST_CHECK;
#include "job/job.def"
#undef JOB

/*
 * Runs what is due, one after the other, until nothing is, or the monotonic time
 * until_ms is over, or *stop (may be NULL). A job that fails is put back for
 * later, longer each time (30 s to an hour), and that is logged; after its last
 * attempt it stays as failed. *n (may be NULL) counts the runs. Returns 1 when
 * there may be more, 0 when nothing is due, -1 where the store cannot be asked.
 */
int job_work(struct db *db, int64_t until_ms, const atomic_bool *stop,
	     size_t *n, struct err *e) MUST_CHECK;

/* One line a row: `list jobs`. */
void job_print_kinds(struct buf *out);

#endif
