/* SPDX-License-Identifier: MIT */
#include "job/work.h"

#include <sodium.h>
#include <string.h>
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
	PERSONS = 8,		/* after so many, one of nobody's */
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

int job_subject(const struct job_run *r, struct uuid *id, struct err *e)
{
	return uuid_parse(r->job->subject, id) ? 0
		: err_set(e, ERR_INTERNAL, "its subject is no id");
}

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

struct job job_taken(enum job_kind kind, struct str subject,
		     const struct owner *by, struct str args, int64_t now_us)
{
	return (struct job){
		.kind = str_of(kinds[kind].name), .subject = subject,
		.tenant_id = by->tenant_id, .user_id = by->user_id, .args = args,
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
		.turns = like->turns,
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

static int64_t lease_us(const struct job *j)
{
	return kind_of(j)->lease_s * INT64_C(1000000);
}

/* -- in turns -------------------------------------------------------------------- */

struct working {
	const struct job_run *like;
	int64_t most;		/* of a person's that run at the same time; 0: any number */
	struct arena due, a;
	bool any;		/* a job of this round was run, or taken by somebody else */
	int persons;		/* who had their turn in this round */
	size_t n;		/* runs */
};

static bool in_time(const struct working *k)
{
	const struct job_run *r = k->like;

	return clock_mono_ms() < r->until_ms && !(r->stop && atomic_load(r->stop));
}

/* Whether `most` other jobs of its person run. 1, 0, -1. */
static int is_full(const struct working *k, const struct job *j, struct err *e)
{
	int64_t n;

	if (!k->most)
		return 0;
	return store_job_running(k->like->db, j, &n, e) ? -1 : n >= k->most;
}

/*
 * Returns 1 if it was taken, 0, -1. Of those who take jobs of the same person at the
 * same time, whoever comes last sees all of them, and does not run another one.
 */
static int take_job(struct working *k, struct job *j, struct err *e)
{
	struct db *db = k->like->db;
	const int64_t due_us = j->due_us;
	int rc = is_full(k, j, e);

	if (rc)
		return rc < 0 ? -1 : 0;
	k->any = true;
	rc = store_job_take(db, j, lease_us(j), e);
	if (rc <= 0)
		return rc;
	rc = is_full(k, j, e);
	if (rc > 0)
		return store_job_put_back(db, j, due_us, j->attempts - 1, j->error,
					  e);
	return rc ? -1 : 1;
}

/* rc of finding *j: runs it if it can be taken. */
static int serve(struct working *k, int rc, struct job *j, struct err *e)
{
	if (rc > 0)
		rc = take_job(k, j, e);
	if (rc <= 0)
		return rc;
	rc = work_one(k->like, j, &k->a, e);
	arena_reset(&k->a);
	k->n += !rc;
	return rc;
}

static int serve_nobody(struct working *k, struct err *e)
{
	struct job j;

	if (!in_time(k))
		return 0;
	arena_reset(&k->due);
	return serve(k, store_job_nobodys(k->like->db, str_of(all_kinds), &k->due,
					  &j, e), &j, e);
}

/* Runs one job of each person after `after` up to `last`, and some of nobody's. */
static int serve_from(struct working *k, struct uuid after, const struct uuid *last,
		      struct err *e)
{
	struct job j;
	int found = 1, rc = 0;

	while (!rc && found > 0 && in_time(k)) {
		arena_reset(&k->due);
		found = store_job_next(k->like->db, str_of(all_kinds), &after, last,
				       &k->due, &j, e);
		if (found > 0)
			after = j.user_id;
		rc = serve(k, found, &j, e);
		if (!rc && found > 0 && ++k->persons % PERSONS == 0)
			rc = serve_nobody(k, e);
	}
	return rc;
}

/*
 * One job of each person. It begins anywhere among them: a process that has time for
 * a few jobs does not always run those of the same persons.
 */
static int serve_all(struct working *k, struct err *e)
{
	static const struct uuid first;
	struct uuid here, last;

	randombytes_buf(here.b, sizeof(here.b));
	memset(last.b, 0xff, sizeof(last.b));
	k->any = false;
	k->persons = 0;
	return serve_nobody(k, e) || serve_from(k, here, &last, e) ||
		serve_from(k, first, &here, e) ? -1 : 0;
}

int job_work(struct db *db, const struct conf *conf, struct http_pool *http,
	     const struct turn_deps *turns, int64_t until_ms, const atomic_bool *stop,
	     size_t *n, struct err *e)
{
	const struct job_run like = {
		.db = db, .conf = conf, .http = http, .turns = turns, .stop = stop,
		.until_ms = until_ms,
	};
	struct working k = {
		.like = &like, .most = conf->limits.user_jobs,
		.due = ARENA_INIT, .a = ARENA_INIT,
	};
	int rc;

	do
		rc = serve_all(&k, e);
	while (!rc && k.any && in_time(&k));
	arena_release(&k.due);
	arena_release(&k.a);
	if (n)
		*n += k.n;
	return rc ? -1 : k.any || !in_time(&k);
}

/* -- of some kinds --------------------------------------------------------------- */

/* Runs those that are due, one after the other, whoever asked for them. */
static int work(const struct job_run *like, struct str these, struct err *e)
{
	struct db *db = like->db;
	struct arena due = ARENA_INIT, a = ARENA_INIT;
	struct job *jobs;
	size_t n = 1;
	int rc = 0;

	while (!rc && n && clock_mono_ms() < like->until_ms) {
		arena_reset(&due);
		rc = store_job_due(db, these, &due, &jobs, &n, e);
		for (size_t i = 0; !rc && i < n &&
		     clock_mono_ms() < like->until_ms; i++) {
			rc = store_job_take(db, &jobs[i], lease_us(&jobs[i]), e);
			if (rc > 0)
				rc = work_one(like, &jobs[i], &a, e);
			arena_reset(&a);
		}
	}
	arena_release(&due);
	arena_release(&a);
	return rc < 0 ? -1 : 0;
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
		if (work(&like, these, e) < 0)
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

	if (job_subject(r, &id, e) || chats_forget(r->db, &id, e))
		return -1;
	rc = conversation_purge(r->db, &id, r->until_ms, e);
	return rc > 0 && ask_sweep(r, e) < 0 ? -1 : rc;
}

int job_agent_purge(const struct job_run *r, struct err *e)
{
	const struct owner by = { r->job->tenant_id, r->job->user_id };

	return conversation_delete_of(r->db, &by, r->job->args, r->until_ms, e);
}

int job_fork_copy(const struct job_run *r, struct err *e)
{
	struct uuid id;

	return job_subject(r, &id, e) ? -1
		: thread_copy(r->db, &id, r->until_ms, e);
}

void job_print_kinds(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		buf_addf(out, "%s\t%d s\t%d attempts\t%s\n", kinds[i].name,
			 kinds[i].lease_s, kinds[i].attempts, kinds[i].what);
}
