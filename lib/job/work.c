/* SPDX-License-Identifier: MIT */
#include "job/work.h"

#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"
#include "metric/metric.h"
#include "search/chats.h"
#include "store/attachment.h"
#include "store/conversation.h"
#include "store/thread.h"

#include "base/banned.h"

enum {
	RUN_MS = 1000,		/* of one run, so that a stop is seen soon */
	RETRY_S = 30, RETRY_MAX_S = 3600,
	FINISH_ATTEMPTS = 3, PAUSE_MS = 200,	/* of job_finish */
};

static const struct kind {
	const char *name, *what;
	job_fn *run;
	int lease_s, attempts;
} kinds[JOB__MAX] = {
#define JOB(id, name_, run_, lease_s_, attempts_, what_) \
	[JOB_##id] = { .name = name_, .what = what_, .run = run_, \
		       .lease_s = lease_s_, .attempts = attempts_ },
#include "job/job.def"
#undef JOB
};

static const char all_kinds[] =
#define JOB(id, name, run, lease_s, attempts, what) name ","
#include "job/job.def"
#undef JOB
	;

static const struct kind *kind_of(const struct job *j)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_is(j->kind, kinds[i].name))
			return &kinds[i];
	BUG("job: a kind that was not asked for");
}

static int put_back(struct db *db, const struct kind *k, const struct job *j,
		    struct err *why, struct err *e)
{
	int64_t retry_s = RETRY_S;

	log_err("job", why);
	for (int64_t i = 1; i < j->attempts && retry_s < RETRY_MAX_S; i++)
		retry_s = MIN(retry_s * 2, RETRY_MAX_S);
	return store_job_put_back(db, j, j->attempts >= k->attempts ? JOB_NEVER_US
				  : clock_now_us() + retry_s * 1000000, j->attempts,
				  str_of(why->text), e);
}

struct job job_taken(enum job_kind kind, struct str subject, struct str tenant_id,
		     struct str args, int64_t now_us)
{
	return (struct job){
		.kind = str_of(kinds[kind].name), .subject = subject,
		.tenant_id = tenant_id, .args = args,
		.due_us = now_us + kinds[kind].lease_s * INT64_C(1000000),
		.asked = 1, .attempts = 1, .created_us = now_us,
	};
}

int job_settle(struct db *db, const struct job *j, int rc, int64_t due_us,
	       struct err *why, struct err *e)
{
	const struct kind *k = kind_of(j);

	metric_add(METRIC_JOBS, rc > 0 ? "done" : rc == 0 ? "continued"
		   : j->attempts >= k->attempts ? "abandoned" : "failed", NULL,
		   1);
	if (rc > 0)
		return store_job_done(db, j, e);
	if (rc == 0)
		return store_job_put_back(db, j, MAX(clock_now_us(), due_us), 0,
					  (struct str){ NULL, 0 }, e);
	err_wrap(why, "%s %.*s", k->name, STR_ARG(j->subject));
	return put_back(db, k, j, why, e);
}

/* A job that was taken. */
static int work_one(const struct job_run *like, const struct job *j,
		    struct arena *a, struct err *e)
{
	const struct kind *k = kind_of(j);
	int64_t due_us = 0;
	struct job_run r = {
		.job = j, .db = like->db, .conf = like->conf, .http = like->http,
		.stop = like->stop, .arena = a, .due_us = &due_us,
		.until_ms = MIN(like->until_ms, clock_mono_ms() + RUN_MS),
	};
	struct err why = ERR_INIT;
	int rc;

	/* A run that ended its process counts too. */
	if (j->attempts > k->attempts)
		rc = err_set(&why, ERR_INTERNAL, "it never came to an end");
	else
		rc = k->run(&r, &why);
	return job_settle(like->db, j, rc, due_us, &why, e);
}

int job_look(struct db *db, const struct conf *conf, struct err *e)
{
	static const struct {
		enum job_kind kind;
		int (*when)(struct db *db, const struct conf *conf,
			    struct arena *a, struct err *e);
	} looks[] = {
#define JOB(...)
#define JOB_WHEN(id, name, run, lease_s, attempts, when_, what) \
		{ .kind = JOB_##id, .when = when_ },
#include "job/job.def"
#undef JOB
	};
	struct arena a = ARENA_INIT;
	int rc = 0, any = 0;

	for (size_t i = 0; rc >= 0 && i < ARRAY_LEN(looks); i++) {
		struct job j = {
			.kind = str_of(kinds[looks[i].kind].name),
			.subject = STR("all"), .tenant_id = STR(""),
			.due_us = clock_now_us(),
		};

		rc = looks[i].when(db, conf, &a, e);
		if (rc <= 0)
			continue;
		rc = store_job_ask(db, &j, e);
		any = 1;
	}
	arena_release(&a);
	return rc < 0 ? -1 : any;
}

/* As job_work, of these kinds. */
static int work(const struct job_run *like, struct str these, size_t *n,
		struct err *e)
{
	struct db *db = like->db;
	const atomic_bool *stop = like->stop;
	const int64_t until_ms = like->until_ms;
	struct arena due = ARENA_INIT, a = ARENA_INIT;
	struct job *jobs;
	size_t n_jobs;
	int rc;

	do {
		arena_reset(&due);
		rc = store_job_due(db, these, &due, &jobs, &n_jobs, e);
		if (rc || !n_jobs)
			break;
		rc = 1;
		for (size_t i = 0; rc > 0 && i < n_jobs; i++) {
			int taken;

			if (clock_mono_ms() >= until_ms ||
			    (stop && atomic_load(stop)))
				break;
			taken = store_job_take(db, &jobs[i],
				kind_of(&jobs[i])->lease_s * INT64_C(1000000),
				e);
			if (taken < 0 ||
			    (taken && work_one(like, &jobs[i], &a, e)))
				rc = -1;
			else if (taken && n)
				(*n)++;
			arena_reset(&a);
		}
	} while (rc > 0 && clock_mono_ms() < until_ms &&
		 !(stop && atomic_load(stop)));
	arena_release(&due);
	arena_release(&a);
	return rc;
}

int job_work(struct db *db, const struct conf *conf, struct http_pool *http,
	     int64_t until_ms, const atomic_bool *stop, size_t *n,
	     struct err *e)
{
	return work(&(struct job_run){
		.db = db, .conf = conf, .http = http, .stop = stop,
		.until_ms = until_ms }, str_of(all_kinds), n, e);
}

/* Returns 1 if one is left, 0, -1: it fails again and again. */
static int is_left(struct db *db, struct str these, const struct uuid *subject,
		   int64_t before_us, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct job j;
	int rc = store_job_left(db, these, subject, before_us, &a, &j, e);

	if (rc > 0 && j.error.p && j.attempts >= FINISH_ATTEMPTS)
		rc = err_set(e, ERR_INTERNAL, "the job %.*s %.*s fails: %.*s",
			     STR_ARG(j.kind), STR_ARG(j.subject),
			     STR_ARG(j.error));
	arena_release(&a);
	return rc;
}

int job_finish(struct db *db, const struct conf *conf, struct str these,
	       const struct uuid *subject, struct err *e)
{
	const int64_t before_us = clock_now_us();
	struct job_run like = { .db = db, .conf = conf };
	int rc;

	do {
		like.until_ms = clock_mono_ms() + RUN_MS;
		if (work(&like, these, NULL, e) < 0)
			return -1;
		rc = is_left(db, these, subject, before_us, e);
		if (rc > 0)
			nanosleep(&(struct timespec){
				.tv_nsec = PAUSE_MS * 1000000L }, NULL);
	} while (rc > 0);
	return rc;
}

/*
 * Starts the sweep after the purge of a conversation without waiting for
 * job_look.
 */
static int ask_sweep(const struct job_run *r, struct err *e)
{
	int due = attachment_sweep_due(r->db, r->arena, e);

	if (due <= 0)
		return due;
	return store_job_ask(r->db, &(struct job){
		.kind = str_of(kinds[JOB_ATTACHMENT_SWEEP].name),
		.subject = STR("all"), .tenant_id = STR(""),
		.due_us = clock_now_us(),
	}, e);
}

int job_conversation_purge(const struct job_run *r, struct err *e)
{
	struct uuid id;
	int rc;

	if (!uuid_parse(r->job->subject, &id))
		return err_set(e, ERR_INTERNAL, "its subject is no id");
	if (chats_forget(r->db, &id, e))
		return -1;
	rc = conversation_purge(r->db, &id, r->until_ms, e);
	return rc > 0 && ask_sweep(r, e) < 0 ? -1 : rc;
}

int job_agent_purge(const struct job_run *r, struct err *e)
{
	return conversation_delete_of(r->db, r->job->tenant_id, r->job->args,
				      r->until_ms, e);
}

int job_fork_copy(const struct job_run *r, struct err *e)
{
	struct uuid id;

	if (!uuid_parse(r->job->subject, &id))
		return err_set(e, ERR_INTERNAL, "its subject is no id");
	return thread_copy(r->db, &id, r->until_ms, e);
}

void job_print_kinds(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		buf_addf(out, "%s\t%d s\t%d attempts\t%s\n", kinds[i].name,
			 kinds[i].lease_s, kinds[i].attempts, kinds[i].what);
}
