#include "store/store.h"

#include "auth/identity.h"
#include "base/clock.h"
#include "store/conversation.h"
#include "store/job.h"
#include "store/notice.h"
#include "store/stmt.h"
#include "store/tool_output.h"
#include "store/turn.h"

#include "base/banned.h"

#define KEPT_US        INT64_C(3600000000)	/* events and notices */
#define FAILED_JOB_US  INT64_C(1209600000000)	/* jobs that failed: two weeks */
#define TIDY_ROWS      1000
#define TIDY_BATCHES   20	/* the rest is for the next time */

const struct db_stmt store_stmts[STMT__MAX] = {
#define STMT(id, params_, columns_, sql_) \
	[STMT_##id] = { .name = #id, .params = params_, \
			.columns = columns_, .sql = sql_ },
#define STMT_WHOLE(id, params_, columns_, sql_) \
	[STMT_##id] = { .name = #id, .params = params_, .columns = columns_, \
			.sql = DB_WHOLE(sql_), .whole = true },
#include "store/stmt.def"
#undef STMT
#undef STMT_WHOLE
};

struct owner owner_of(const struct identity *who)
{
	return (struct owner){ who->tenant, who->user_id };
}

struct db *store_open(const struct conf_db *conf, int wait_ms, struct err *e)
{
	const struct db_options o = {
		.conf = conf,
		.stmts = store_stmts,
		.n_stmts = STMT__MAX,
		.wait_ms = wait_ms,
	};

	return db_open(&o, e);
}

int store_tidy(struct db *db, struct err *e)
{
	int64_t now_us = clock_now_us(), before_us = now_us - KEPT_US;
	int64_t n = TIDY_ROWS;

	for (int i = 0; i < TIDY_BATCHES && n == TIDY_ROWS; i++)
		if (turn_events_expire(db, before_us, TIDY_ROWS, &n, e))
			return -1;
	n = TIDY_ROWS;
	for (int i = 0; i < TIDY_BATCHES && n == TIDY_ROWS; i++)
		if (notice_expire(db, before_us, TIDY_ROWS, &n, e))
			return -1;
	n = TIDY_ROWS;
	for (int i = 0; i < TIDY_BATCHES && n == TIDY_ROWS; i++)
		if (tool_output_expire(db, TIDY_ROWS, &n, e))
			return -1;
	n = TIDY_ROWS;
	for (int i = 0; i < TIDY_BATCHES && n == TIDY_ROWS; i++)
		if (job_expire(db, now_us - FAILED_JOB_US, TIDY_ROWS, &n, e))
			return -1;
	return conversation_adopt(db, e);
}

void store_print_statements(struct buf *out)
{
	for (size_t i = 0; i < STMT__MAX; i++) {
		const struct db_stmt *s = &store_stmts[i];

		buf_addf(out, "%s (%s) -> (%s)\n    %s\n", s->name, s->params,
			 s->columns, s->sql);
	}
}
