/* SPDX-License-Identifier: MIT */
#include "app.h"

#include <sodium.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/recent.h"
#include "db/db.h"
#include "entity/pack.h"
#include "hold/line.h"
#include "hold/share.h"
#include "job/work.h"
#include "net/http.h"
#include "page_cache.h"
#include "store/blob.h"
#include "store/metric_sum.h"
#include "store/store.h"
#include "store/token_cache.h"
#include "tool/core/tool.h"
#include "event/live.h"
#include "event/notify.h"
#include "turn/unstored.h"

#include "base/banned.h"

#define BEGIN_STEP_MS 5		/* so at least 200 turns a second can begin */
#define WARM_UPSTREAMS 16	/* idle upstream connections that are kept: libcurl polls
				   each before the first request after a second */

#define WORK_MS    10000	/* maximum, after one response */

#define ACTIVE_MS  600000	/* interval of recording a user as active */

static struct recent active_users = RECENT_INIT;

/* Interval of checks for jobs of others: a minute, when dead turns are known to be dead. */
static int64_t look_ms(void)
{
	return 2 * store_turn_lease_us() / 1000;
}

static int open_libraries(struct err *e)
{
	/* Its own generator, seeded by the kernel: every request draws ids. */
	randombytes_set_implementation(&randombytes_internal_implementation);
	if (sodium_init() < 0)
		return err_set(e, ERR_INTERNAL, "libsodium does not start");
	jx_seed();
	if (http_global_init(e) < 0 || db_global_init(e) < 0)
		return -1;
	return 0;
}

int app_open(struct app *app, const char *conf_file, struct err *e)
{
	const struct conf *conf;
	const char *sql_dir = getenv("LAMPLIGHTER_SQL_DIR");

	*app = (struct app){ .jobs_looked_ms = clock_mono_ms(),
			     .form_key = KEY_CACHE("form"),
			     .mcp_key = KEY_CACHE("mcp"),
			     .unstored_key = KEY_CACHE(UNSTORED_KEY),
			     .sql_dir = sql_dir && *sql_dir ? sql_dir
				: LAMPLIGHTER_DATADIR "/sql" };
	app->process = uuid_new();
	if (open_libraries(e) < 0)
		return -1;
	app->conf = conf_live_open(conf_file, tool_check_conf, e);
	if (!app->conf)
		return -1;
	app->pages = page_cache_new();
	app->tokens = token_cache_new();
	app->share = share_process();
	conf = app_conf(app);
	blob_use(conf->file_dir, conf->file_store == FILE_STORE_DIRECTORY);
	app->db = store_open(&conf->db, e);
	conf_put(conf);
	if (!app->db)
		return -1;
	app->http = http_pool_new(WARM_UPSTREAMS);
	app->live = event_live_new(app->db, e);
	if (!app->live)
		return -1;
	app->notify = notify_new(app->db, e);
	if (!app->notify)
		return -1;
	app->tools = tool_env_new(app->http);
	app->packs = entity_packs_new();
	app->deps = (struct turn_deps){
		.db = app->db, .http = app->http, .live = app->live,
		.notify = app->notify, .tools = app->tools,
		.packs = app->packs,
		.unstored_key = &app->unstored_key,
		.begins = hold_line_new((int)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1),
				   BEGIN_STEP_MS),
	};
	return 0;
}

void app_close(struct app *app)
{
	struct err e = ERR_INIT;

	tool_env_free(app->tools);
	entity_packs_free(app->packs);
	notify_free(app->notify);	/* its streams watch live turns */
	event_live_free(app->live);
	hold_line_free(app->deps.begins);
	http_pool_free(app->http);
	if (app->db && store_metric_sum_leave(app->db, &app->process, &e) < 0)
		log_err("metrics", &e);
	places_leave(app);
	db_close(app->db);
	conf_live_close(app->conf);
	page_cache_free(app->pages);
	token_cache_free(app->tokens);
	db_global_end();
	http_global_cleanup();
}

const struct conf *app_conf(struct app *app)
{
	const struct conf *c = conf_live_get(app->conf);
	uint_fast64_t seen = atomic_load(&app->generation);

	/* Once per generation, and never for an older one. */
	if (c->generation > seen &&
	    atomic_compare_exchange_strong(&app->generation, &seen,
					   c->generation)) {
		log_setup((enum log_level)c->log.level,
			  (enum log_target)c->log.target);
		if (app->db)
			db_reconfigure(app->db, &c->db);
	}
	return c;
}

bool app_user_due(const struct uuid *user)
{
	return recent_claim(&active_users, user, ACTIVE_MS);
}

bool app_work_due(struct app *app)
{
	return !atomic_load(&app->stopping) &&
	       (atomic_load(&app->jobs_asked) ||
		clock_mono_ms() - atomic_load(&app->jobs_looked_ms) >= look_ms());
}

/* Of the threads that come when it is time, one checks. */
static bool is_mine(struct app *app, int64_t now_ms)
{
	int_fast64_t looked_ms = atomic_load(&app->jobs_looked_ms);

	return now_ms - looked_ms >= look_ms() &&
		atomic_compare_exchange_strong(&app->jobs_looked_ms, &looked_ms,
					       now_ms);
}

void app_count(struct app *app)
{
	struct err e = ERR_INIT;

	if (store_metric_sum_flush(app->db, &app->process, &e) < 0)
		log_err("metrics", &e);
}

void app_count_on(struct app *app)
{
	if (is_mine(app, clock_mono_ms()))
		app_count(app);
}

void app_work(struct app *app)
{
	int64_t now_ms = clock_mono_ms();
	const struct conf *conf;
	struct err e = ERR_INIT;
	bool look;
	int rc;

	if (atomic_load(&app->stopping))
		return;
	look = is_mine(app, now_ms);
	if (look)
		app_count(app);
	if (!atomic_exchange(&app->jobs_asked, false) && !look)
		return;
	conf = app_conf(app);
	if (look && job_look(app->db, conf, &e) < 0) {
		log_err("jobs", &e);
		err_clear(&e);
	}
	rc = job_work(app->db, conf, app->http, &app->deps, now_ms + WORK_MS,
		      &app->stopping, NULL, &e);
	conf_put(conf);
	if (rc > 0)
		atomic_store(&app->jobs_asked, true);
	else if (rc < 0)
		log_err("jobs", &e);
}
