/* SPDX-License-Identifier: MIT */
#include "store/job.h"

#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "store/stmt.h"

#include "base/banned.h"

#define LOOK_ROWS   8		/* per look: other processes take jobs, too */
#define LIST_ROWS   1000
#define ERROR_CHARS 300

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct job, m, t)
	JOB_FIELDS(F, COMMA)
#undef F
};

int store_job_ask(struct db *db, const struct job *j, struct err *e)
{
	return db_exec(db, STMT_JOB_ASK,
		       DB_ARGS(DB_S(j->kind), DB_S(j->subject),
			       DB_S(j->tenant_id), DB_U_IF(&j->user_id),
			       DB_S_IF(j->args),
			       DB_I(j->due_us), DB_I(clock_now_us())),
		       NULL, e);
}

int store_job_ask_for(struct db *db, struct str kind, const struct owner *by,
		      const struct uuid *subject, struct err *e)
{
	char id[UUID_TEXT_BYTES];

	return store_job_ask(db, &(struct job){
		.kind = kind, .subject = str_of(uuid_format(subject, id)),
		.tenant_id = by->tenant_id, .user_id = by->user_id,
		.due_us = clock_now_us() }, e);
}

int store_job_due(struct db *db, struct str kinds, struct arena *a,
		  struct job **out, size_t *n, struct err *e)
{
	return db_list(db, STMT_JOB_DUE,
		       DB_ARGS(DB_I(clock_now_us()), DB_S(kinds),
			       DB_I(LOOK_ROWS)),
		       a, fields, sizeof(**out), 0, out, n, e);
}

int store_job_left(struct db *db, struct str kinds, const struct uuid *subject,
		   int64_t before_us, struct arena *a, struct job *out,
		   struct err *e)
{
	char id[UUID_TEXT_BYTES];
	const struct str about = subject ? str_of(uuid_format(subject, id))
		: (struct str){ NULL, 0 };

	return db_get(db, STMT_JOB_LEFT,
		      DB_ARGS(DB_S(kinds), DB_I(before_us), DB_S_IF(about),
			      DB_S_IF(about)), a, fields, out, e);
}

int store_job_failed(struct db *db, struct str kind, struct str subject, int64_t since_us,
		     int64_t *n, struct err *e)
{
	return db_int(db, STMT_JOB_FAILED, DB_ARGS(DB_S(kind), DB_S(subject), DB_I(since_us)),
		      n, e);
}

int store_job_take(struct db *db, struct job *j, int64_t lease_us, struct err *e)
{
	int64_t until_us = clock_now_us() + lease_us;
	struct db_result r;

	if (db_exec(db, STMT_JOB_TAKE,
		    DB_ARGS(DB_I(until_us), DB_S(j->kind), DB_S(j->subject),
			    DB_I(j->due_us)), &r, e))
		return -1;
	if (!r.affected)
		return 0;
	j->due_us = until_us;
	j->attempts++;
	return 1;
}

/* -- in turns ------------------------------------------------------------------ */

int store_job_next(struct db *db, struct str kinds, const struct uuid *after,
		   const struct uuid *last, struct arena *a, struct job *out,
		   struct err *e)
{
	return db_get(db, STMT_JOB_NEXT,
		      DB_ARGS(DB_U(after), DB_U(last), DB_I(clock_now_us()),
			      DB_S(kinds)), a, fields, out, e);
}

int store_job_nobodys(struct db *db, struct str kinds, struct arena *a,
		      struct job *out, struct err *e)
{
	return db_get(db, STMT_JOB_NOBODYS,
		      DB_ARGS(DB_I(clock_now_us()), DB_S(kinds)), a, fields, out,
		      e);
}

int store_job_running(struct db *db, const struct job *j, int64_t *n, struct err *e)
{
	*n = 0;
	if (uuid_is_nil(&j->user_id))
		return 0;
	return db_int(db, STMT_JOB_RUNNING,
		      DB_ARGS(DB_U(&j->user_id), DB_I(clock_now_us()),
			      DB_S(j->kind), DB_S(j->subject)), n, e) < 0 ? -1 : 0;
}

static int take_held(void *ctx, const struct db_val *row, struct err *e)
{
	int64_t *held = ctx;

	(void)e;
	held[0] = row[0].i;
	held[1] = row[1].i;
	return 0;
}

int store_job_held(struct db *db, const struct uuid *user, int64_t *running,
		   int64_t *all, struct err *e)
{
	struct arena a = ARENA_INIT;
	int64_t held[2] = { 0, 0 };
	int rc = db_each(db, STMT_JOB_HELD,
			 DB_ARGS(DB_U(user), DB_I(clock_now_us()), DB_U(user)),
			 &a, take_held, held, e);

	arena_release(&a);
	*running = held[0];
	*all = held[1];
	return rc;
}

/* -- at the end ---------------------------------------------------------------- */

int store_job_done(struct db *db, const struct job *j, struct err *e)
{
	struct db_result r;

	if (db_exec(db, STMT_JOB_DONE,
		    DB_ARGS(DB_S(j->kind), DB_S(j->subject), DB_I(j->due_us),
			    DB_I(j->asked)), &r, e))
		return -1;
	if (r.affected)
		return 0;
	/* Somebody has asked for it again while it ran: it may have missed what they changed. */
	return store_job_put_back(db, j, clock_now_us(), 0, (struct str){ NULL, 0 },
				  e);
}

int store_job_end(struct db *db, const struct job *j, struct err *e)
{
	return db_exec(db, STMT_JOB_END,
		       DB_ARGS(DB_S(j->kind), DB_S(j->subject),
			       DB_I(j->due_us)), NULL, e);
}

int store_job_put_back(struct db *db, const struct job *j, int64_t due_us,
		       int64_t attempts, struct str why, struct err *e)
{
	return db_exec(db, STMT_JOB_PUT_BACK,
		       DB_ARGS(DB_I(due_us), DB_I(attempts),
			       DB_S_IF(utf8_head(why, ERROR_CHARS)),
			       DB_S(j->kind), DB_S(j->subject),
			       DB_I(j->due_us)), NULL, e);
}

int store_job_list(struct db *db, struct arena *a, struct job **out, size_t *n,
		   struct err *e)
{
	return db_list(db, STMT_JOB_LIST, DB_ARGS(DB_I(LIST_ROWS)), a, fields,
		       sizeof(**out), 0, out, n, e);
}
