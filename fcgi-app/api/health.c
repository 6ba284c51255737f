/* SPDX-License-Identifier: MIT */
/* Whether the process is alive, and if it can serve. Needs no identity. */
#include <stdlib.h>

#include "api/api.h"

#include <stdio.h>

#include "config.h"

#include "app.h"
#include "base/clock.h"
#include "base/log.h"
#include "llm/circuit.h"
#include "store/metric_sum.h"

#include "base/banned.h"

#define WRITE_MS 1000	/* between two trials */

/* GET /health: 200 {status:"ok", version}. Checks nothing. */
int api_health(struct request *rq, struct response *rs, struct err *e)
{
	struct jw w = resp_json(rs, 200);

	(void)rq;
	(void)e;
	jw_obj(&w);
	jw_kstrz(&w, "status", "ok");
	jw_kstrz(&w, "version", PACKAGE_VERSION);
	jw_end_obj(&w);
	return 0;
}

/*
 * The public text of a check: configuration errors without directories and wrong
 * values, everything else with its public message. The log has the rest.
 */
static const char *detail_of(const struct err *e)
{
	const char *text = *e->public ? e->public : e->text;
	const char *file = text, *p;

	if (e->code != ERR_CONFIG)
		return err_message(e);
	for (p = text; *p && *p != ':'; p++)
		if (*p == '/')
			file = p + 1;
	return file;
}

/*
 * The number of hosts and which are in use, by position: only the admin and doctor
 * see their names.
 */
static void write_hosts(struct jw *w, struct db *db)
{
	struct db_host *hosts = xcalloc(DB_HOSTS_MAX, sizeof(*hosts));
	size_t n = db_hosts(db, hosts);

	jw_key(w, "hosts");
	jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(w);
		jw_kbool(w, "ok", !hosts[i].bad);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	free(hosts);
}

static void write_check(struct jw *w, const char *name, const struct err *e,
			struct db *db)
{
	jw_key(w, name);
	jw_obj(w);
	jw_kbool(w, "ok", e->code == ERR_NONE);
	jw_kstrz(w, "detail", e->code ? detail_of(e) : "");
	if (db)
		write_hosts(w, db);
	jw_end_obj(w);
}

/*
 * Services that this process avoids after failures (llm/circuit.h); its log has
 * their names.
 */
static bool services_left_alone(const struct conf *c, struct err *e)
{
	char ids[CIRCUITS][LIM_SLUG_BYTES + 1];
	size_t n = circuit_open(ids, c->generation, clock_mono_ms());

	if (n)
		err_public(e, ERR_UPSTREAM, "%zu LLM service%s not answer and "
			   "%s not used for a while.", n,
			   n == 1 ? " does" : "s do", n == 1 ? "is" : "are");
	return n > 0;
}

/*
 * Whether rows can be written: not on a replica, a full disk or without the rights.
 * Once a second is enough; anybody can ask.
 */
static int try_write(struct app *app, struct err *e)
{
	int64_t now_ms = clock_mono_ms();
	int rc;

	if (now_ms - atomic_load(&app->wrote_ms) < WRITE_MS)
		return 0;
	rc = store_metric_sum_try(app->db, &app->process, e);
	if (rc == 0)
		atomic_store(&app->wrote_ms, now_ms);
	else	/* it answered just now */
		snprintf(e->public, sizeof(e->public),
			 "The database cannot be written to.");
	return rc;
}

/*
 * GET /ready: {status, checks: {database, schema, config, llmServices: {ok,
 * detail}}}; database also has hosts: [{ok}], in the order of the configuration.
 * 200 ready; 200 degraded if the configuration on disk is broken, so the previous
 * one is in force, or if an LLM service is avoided; 503 unavailable without
 * database or schema, or if nothing can be written.
 */
int api_ready(struct request *rq, struct response *rs, struct err *e)
{
	struct err database = ERR_INIT, schema = ERR_INIT, config = ERR_INIT,
		services = ERR_INIT;
	struct app *app = rq->app;
	const char *status = "ready";
	struct jw w;
	int rc;

	(void)e;
	rc = db_ping(app->db, &database);
	if (rc == 0)
		rc = db_schema_check(app->db, app->sql_dir, &schema);
	else
		err_set(&schema, database.code, "not checked");
	if (rc == 0)
		rc = try_write(app, &database);
	if (services_left_alone(rq->conf, &services) || !conf_live_ok(app->conf, &config))
		status = "degraded";
	if (rc < 0)
		status = "unavailable";
	w = resp_json(rs, rc < 0 ? 503 : 200);
	jw_obj(&w);
	jw_kstrz(&w, "status", status);
	jw_key(&w, "checks");
	jw_obj(&w);
	write_check(&w, "database", &database, app->db);
	write_check(&w, "schema", &schema, NULL);
	write_check(&w, "config", &config, NULL);
	write_check(&w, "llmServices", &services, NULL);
	jw_end_obj(&w);
	jw_end_obj(&w);
	return 0;
}
