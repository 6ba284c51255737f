/*
 * The state of a process, made by main before the first request and only read
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
#include "store/key.h"
#include "tool/core/env.h"
#include "turn/turn.h"

struct page_cache;
struct token_cache;
struct seen;
struct share;

struct app {
	struct conf_live *conf;
	struct db *db;
	struct http_pool *http;
	struct turn_live *live;
	struct notify *notify;
	struct tool_env *tools;
	struct tool_api tool_api;	/* of tools; api/resource_tool.c */
	struct turn_deps deps;		/* the five above, as turns take them */
	const char *sql_dir;		/* where the schema's files are */
	enum doctor_gateway gateway;	/* how we were started; main sets it */
	bool socket_stays;		/* when this process ends; so does main */

	atomic_int n_models;	/* requests that wait for a model now */
	atomic_bool stopping;	/* nothing is accepted; who only waits should leave */
	atomic_bool jobs_asked;	/* somebody here asked for a job */
	atomic_int_fast64_t jobs_looked_ms;	/* when we last looked for any */
	struct uuid process;	/* made when it starts, for gauges */
	struct share *share;	/* of users; NULL: not counted */
	struct seen *seen;	/* users noted lately */
	struct page_cache *pages;	/* of threads read lately */
	struct token_cache *tokens;	/* looked up lately */
	atomic_uint_fast64_t generation;	/* of conf, that is in force */

	struct key_cache form_key;	/* of form.c */
	struct key_cache unstored_key;	/* of turn/unstored.h */
};

/*
 * Initialises libraries in the required order, then everything above. Makes no
 * connection: if the database is down, requests fail. main, before threads; the
 * caller has blocked the signals. app_close ends it all.
 */
int app_open(struct app *app, const char *conf_file, struct err *e) MUST_CHECK;
void app_close(struct app *app);

/*
 * This request's configuration (release it with conf_put). The log and database
 * settings of a new generation take effect here. Any thread.
 */
const struct conf *app_conf(struct app *app);

/*
 * Whether it is time to note in the database that the user is active: true about
 * once in ten minutes per process, rarely more often. Any thread.
 */
bool app_user_due(struct app *app, const struct uuid *user);

/* Whether app_work has something to do. Any thread. */
bool app_work_due(struct app *app);

/*
 * Adds what was counted to the installation's sums (store/metric_sum.h), about
 * once a minute, and runs jobs that are due (job/work.h), for some seconds at
 * most: at once if this process requested one (jobs_asked), and about once a
 * minute for those of others. Any thread that has completed its answer.
 */
void app_work(struct app *app);

/*
 * For a process that only finishes what runs, which may take an hour: app_count
 * adds what was counted to the installation's sums; app_count_on does so about once
 * a minute. Failures are logged. Any thread.
 */
void app_count(struct app *app);
void app_count_on(struct app *app);

#endif
