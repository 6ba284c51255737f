/* SPDX-License-Identifier: MIT */
/* The job that reads the sources that are due. */
#include "base/log.h"
#include "intake/item.h"
#include "job/work.h"

#include "base/banned.h"

#define MINUTE_US INT64_C(60000000)

/* Returns 1, 0 or -1. */
static int is_due(struct db *db, const struct conf *conf,
		  const struct conf_intake *s, struct arena *a, struct err *e)
{
	struct intake_state st;

	if (!s->every)
		return 0;
	if (intake_state_get(db, conf, str_of(s->name), a, &st, e)) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 1;
	}
	if (st.lease_until_us > clock_now_us())
		return 0;
	return st.going || st.begun_us + s->every * MINUTE_US <= clock_now_us();
}

/* Returns 1 if a removed source is not recorded yet or its time has come; 0; -1. */
static int leaves(struct db *db, const struct conf *conf, struct arena *a,
		  struct err *e)
{
	struct intake_left *v;
	size_t n;
	int rc = intake_left_list(db, conf, a, &v, &n, e);

	for (size_t i = 0; !rc && i < n; i++)
		rc = v[i].left_us + INTAKE_GRACE_US <= clock_now_us();
	return rc;
}

int job_knowledge_sync_due(struct db *db, const struct conf *conf, struct arena *a,
			   struct err *e)
{
	int rc = leaves(db, conf, a, e);

	for (size_t i = 0; !rc && i < conf->knowledge.n_sources; i++)
		rc = is_due(db, conf, &conf->knowledge.sources[i], a, e);
	return rc;
}

/*
 * Reads a source if it is due. Returns 1 if it was read or is not due; 0 if
 * there is more; -1. *next_us: when it may continue, if that is later.
 */
static int sync_one(const struct job_run *r, const struct intake_io *io,
		    const struct conf_intake *s, int64_t *next_us, struct err *e)
{
	struct intake_state st;
	struct err why = ERR_INIT;
	int rc = is_due(r->db, r->conf, s, r->arena, e);

	if (rc <= 0)
		return rc < 0 ? -1 : 1;
	rc = intake_sync(io, s, false, r->arena, &st, &why);
	if (rc < 0 && why.code != ERR_BUSY) {
		err_wrap(&why, "source %s", s->name);
		log_err("knowledge-sync", &why);
	}
	*next_us = st.next_us;
	return rc != 0;
}

/*
 * A second run is harmless: a source that was read is not due. A source that
 * cannot be read, or whose site requires a pause, does not delay the others,
 * and is read again when it is due.
 */
int job_knowledge_sync(const struct job_run *r, struct err *e)
{
	const struct intake_io io = {
		.db = r->db, .conf = r->conf, .until_ms = r->until_ms,
		.stop = r->stop, .http = r->http,
	};
	int64_t due_us = INT64_MAX;
	int rc = intake_leave(&io, r->arena, e);

	if (rc <= 0)
		return rc;
	for (size_t i = 0; i < r->conf->knowledge.n_sources; i++) {
		int64_t next_us = 0;

		rc = sync_one(r, &io, &r->conf->knowledge.sources[i], &next_us,
			      e);
		if (rc < 0)
			return -1;
		if (rc == 0)
			due_us = MIN(due_us, next_us);
		if (clock_mono_ms() >= r->until_ms)
			break;
	}
	if (clock_mono_ms() >= r->until_ms)
		return 0;
	if (due_us != INT64_MAX)
		*r->due_us = due_us;
	return due_us == INT64_MAX;
}
