/* The job that reads the sources that are due. */
#include "base/log.h"
#include "intake/item.h"
#include "job/work.h"

#include "base/banned.h"

#define MINUTE_US INT64_C(60000000)

/* 1, 0, -1. */
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
	return st.going || st.begun_us + s->every * MINUTE_US <= clock_now_us();
}

int job_knowledge_sync_due(struct db *db, const struct conf *conf, struct arena *a,
			   struct err *e)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < conf->knowledge.n_sources; i++)
		rc = is_due(db, conf, &conf->knowledge.sources[i], a, e);
	return rc;
}

/*
 * A source that was read is not due for a second run. One that cannot be read keeps
 * none of the others waiting, and has its turn when it is due next.
 */
int job_knowledge_sync(const struct job_run *r, struct err *e)
{
	const struct intake_io io = {
		.db = r->db, .conf = r->conf, .until_ms = r->until_ms,
		.stop = r->stop,
	};

	for (size_t i = 0; i < r->conf->knowledge.n_sources; i++) {
		const struct conf_intake *s = &r->conf->knowledge.sources[i];
		struct intake_state st;
		struct err why = ERR_INIT;
		int rc = is_due(r->db, r->conf, s, r->arena, e);

		if (rc < 0)
			return -1;
		if (rc)
			rc = intake_sync(&io, s, false, r->arena, &st, &why);
		else
			rc = 1;
		if (rc == 0 || clock_mono_ms() >= r->until_ms)
			return 0;
		if (rc < 0) {
			err_wrap(&why, "source %s", s->name);
			log_err("knowledge-sync", &why);
		}
	}
	return 1;
}
