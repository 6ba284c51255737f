/* SPDX-License-Identifier: MIT */
/*
 * The state of a process, created by main before the first request and only read
 * afterwards; the members do their own locking. There are no other globals.
 */
#ifndef APP_APP_H
#define APP_APP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"
#include "conf/conf.h"
#include "doctor/doctor.h"
#include "places.h"
#include "store/key.h"
#include "tool/core/env.h"
#include "turn/turn.h"

struct page_cache;
struct token_cache;
struct share;

struct app {
	struct conf_live *conf;
	struct db *db;
	struct http_pool *http;
	struct event_live *live;
	struct notify *notify;
	struct tool_env *tools;
	struct entity_packs *packs;
	struct turn_deps deps;		/* the six above, as turns need them */
	const char *sql_dir;		/* where the schema's files are */
	enum doctor_gateway gateway;	/* how we were started; set by main */
	bool socket_stays;		/* the socket outlives this process */

	atomic_int n_models;	/* requests that are waiting for a model */
	atomic_bool stopping;	/* nothing is accepted any more; waiting requests should end */
	atomic_bool jobs_asked;	/* this process has requested a job */
	atomic_int_fast64_t jobs_looked_ms;	/* when we last checked for jobs */
	atomic_int_fast64_t wrote_ms;	/* when /ready last wrote a row */
	struct uuid process;	/* created at start, for gauges */
	struct share *share;	/* of users; NULL: not counted */
	struct places places;	/* at the web server */
	struct page_cache *pages;	/* recently read threads */
	struct token_cache *tokens;	/* recently looked up */
	atomic_uint_fast64_t generation;	/* of conf, in force */

	struct key_cache form_key;	/* of form.c */
	struct key_cache mcp_key;	/* of api/mcp_tools.c */
	struct key_cache unstored_key;	/* of turn/unstored.h */
};

/*
 * Initialises libraries in the required order, then everything above. Makes no
 * connection: if the database is down, requests fail. main, before threads; the
 * caller has blocked the signals. app_close releases everything.
 */
int app_open(struct app *app, const char *conf_file, struct err *e) MUST_CHECK;
void app_close(struct app *app);

/*
 * This request's configuration (release it with conf_put). The log and database
 * settings of a new generation take effect here. Any thread.
 */
const struct conf *app_conf(struct app *app);

/*
 * Whether to record in the database that the user is active: true about once in ten
 * minutes per process, sometimes more often. Any thread.
 */
bool app_user_due(const struct uuid *user);

/* Whether app_work has something to do. Any thread. */
bool app_work_due(struct app *app);

/*
 * Adds this process's counters to the installation's totals (store/metric_sum.h),
 * about once a minute, and runs due jobs (job/work.h) for at most some seconds: at
 * once if this process requested one (jobs_asked), about once a minute for those of
 * others. Any thread that has sent its answer.
 */
void app_work(struct app *app);

/*
 * For a process that only finishes running turns, which may take an hour: app_count
 * adds its counters to the installation's totals; app_count_on does so about once a
 * minute. Failures are logged. Any thread.
 */
void app_count(struct app *app);
void app_count_on(struct app *app);

#endif
