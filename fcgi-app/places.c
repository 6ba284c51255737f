/* SPDX-License-Identifier: MIT */
#include "places.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app.h"
#include "base/clock.h"
#include "base/log.h"
#include "request.h"
#include "store/web_process.h"

#include "base/banned.h"

enum {
	LOOK_MS = 10000,
	HOST_BYTES = 65,
};

static int percent_of(const struct conf *conf, enum place_kind kind)
{
	return kind == PLACE_NOTIFICATION ? conf->server.notification_percent
		: conf->server.answer_percent;
}

/* The web server of this request, and whether an open answer takes a process. */
static enum doctor_web places_web(const struct request *rq)
{
	return doctor_web_of(req_param(rq, "SERVER_SOFTWARE"), rq->app->gateway);
}

bool places_hold_process(const struct request *rq)
{
	return rq->app->gateway == GATEWAY_CGI ||
		places_web(rq) == WEB_APACHE_FCGID;
}

bool places_close_idle(const struct request *rq)
{
	const enum doctor_web web = places_web(rq);

	return (web == WEB_APACHE_PROXY || web == WEB_APACHE_FCGID ||
		web == WEB_APACHE_CGI) &&
		str_starts(req_param(rq, "SERVER_PROTOCOL"), STR("HTTP/1"));
}

/* The soft limit of files of a process; 0: it cannot be read. */
static uint32_t files_of(pid_t pid)
{
	char name[48], line[256];
	long files = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%ld/limits", (long)pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Max open files %ld", &files) == 1)
			break;
	if (f)
		fclose(f);
	return (uint32_t)MIN(MAX(files, 0), INT32_MAX);
}

/* The same of the web server, if it is on this machine; read once for each process. */
static int64_t web_files(const struct request *rq)
{
	atomic_int_fast64_t *known = &rq->app->places.web;
	int64_t k = atomic_load(known);
	struct ucred peer = { .pid = 0 };
	socklen_t n = sizeof(peer);

	if (rq->conn->fd < 0 || getsockopt(rq->conn->fd, SOL_SOCKET, SO_PEERCRED, &peer,
					   &n) < 0 || peer.pid <= 0)
		return 0;
	if (k >> 32 != peer.pid) {
		k = (int64_t)peer.pid << 32 | files_of(peer.pid);
		atomic_store(known, k);
	}
	return k & UINT32_MAX;
}

int places_workers(const struct request *rq)
{
	const enum doctor_web web = places_web(rq);

	if (rq->conf->server.workers)
		return rq->conf->server.workers;
	return doctor_web_workers(web, web == WEB_LIGHTTPD || web == WEB_LIGHTTPD_SPAWN
				  ? web_files(rq) : 0);
}

int places_all(const struct request *rq, enum place_kind kind)
{
	return (int)((int64_t)places_workers(rq) * percent_of(rq->conf, kind) / 100);
}

int places_here(const struct request *rq, enum place_kind kind)
{
	int here = places_all(rq, kind) /
		(1 + atomic_load(&rq->app->places.others));

	if (kind == PLACE_ANSWER)
		return here;
	return places_hold_process(rq) ? 0
		: MIN(here, rq->conf->limits.notification_streams);
}

bool places_check(struct request *rq)
{
	struct app *app = rq->app;

	if (rq->brief || !places_hold_process(rq))
		return !rq->brief;
	places_look(app);
	rq->brief = !places_here(rq, PLACE_ANSWER);
	if (rq->brief) {
		atomic_fetch_add(&app->places.refused[PLACE_ANSWER], 1);
		places_leave(app);
	}
	return !rq->brief;
}

int places_refuse(struct err *e)
{
	e->retry_after_s = 5;
	return err_set(e, ERR_OVERLOADED, "too many open answers for the web server "
		       "(server.workers)");
}

static bool look_due(int64_t looked_ms, int64_t now_ms)
{
	return !looked_ms || now_ms - looked_ms >= LOOK_MS;
}

bool places_look_due(const struct places *p)
{
	return look_due(atomic_load(&p->looked_ms), clock_mono_ms());
}

void places_look(struct app *app)
{
	int64_t now_ms = clock_mono_ms();
	int64_t before_ms = atomic_load(&app->places.looked_ms);
	char host[HOST_BYTES] = "";
	struct err e = ERR_INIT;
	int64_t n = 0;

	/* One thread at a time. */
	if (!look_due(before_ms, now_ms) ||
	    !atomic_compare_exchange_strong(&app->places.looked_ms, &before_ms,
					    now_ms))
		return;
	(void)gethostname(host, sizeof(host) - 1);
	if (store_web_process_seen(app->db, &app->process, str_of(host), &n,
				   &e) < 0) {
		log_err("processes with open answers", &e);
		return;
	}
	atomic_store(&app->places.recorded, true);
	atomic_store(&app->places.others, (int)MAX(n - 1, 0));
}

void places_leave(struct app *app)
{
	struct err e = ERR_INIT;

	if (!atomic_exchange(&app->places.recorded, false))
		return;
	atomic_store(&app->places.looked_ms, 0);
	if (store_web_process_gone(app->db, &app->process, &e) < 0)
		log_err("processes with open answers", &e);
}
