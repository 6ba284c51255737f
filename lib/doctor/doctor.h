/* SPDX-License-Identifier: MIT */
/*
 * doctor: what works in a deployment, what does not, and the line that fixes it. The
 * command and the page measure what only a client can see, through the real URL; the
 * responder checks what only it can see. Both become findings of one table of checks
 * (checks.def), with advice for the web server in use (advice.c). docs/doctor.md.
 *
 *   checks.def  the table       judge.c   what clients measured
 *   advice.c    lines to paste  look.c    what the responder can see
 */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "base/json.h"
#include "conf/conf.h"
#include "event/event.h"

struct db;
struct http_pool;
struct tool_env;

#define DOCTOR_SPOOF_LOGIN "lamplighter-doctor-spoof"	/* the made-up login */
#define DOCTOR_EVENTS     8	/* of the probe stream */
#define DOCTOR_EVENT_MS   250	/* between two of them */
#define DOCTOR_QUIET_MS   (TURN_IDLE_MS + 1000)	/* silence of the quiet stream, but for
						   one keep-alive */
#define DOCTOR_FINDINGS   256	/* beyond, the rest is counted only */

enum doctor_check {
#define DOCTOR(id, name, title) DOCTOR_##id,
#include "doctor/checks.def"
#undef DOCTOR
	DOCTOR__MAX
};

struct doctor_row {
	const char *name, *title;
};
extern const struct doctor_row doctor_rows[DOCTOR__MAX];

enum doctor_result { DOCTOR_OK, DOCTOR_WARNING, DOCTOR_PROBLEM };

struct doctor_finding {
	enum doctor_check check;
	enum doctor_result result;
	const char *subject;	/* which service, database, file; "" = none */
	const char *text;	/* one sentence */
	const char *advice;	/* lines to add or change; "" = none */
};

/* Which web server, and how it runs the responder. */
enum doctor_web {
	WEB_LIGHTTPD, WEB_LIGHTTPD_SPAWN, WEB_APACHE_PROXY, WEB_APACHE_FCGID,
	WEB_APACHE_CGI, WEB_NGINX, WEB_OTHER,
	WEB__MAX
};
const char *doctor_web_name(enum doctor_web w);

/* How the responder was started; GATEWAY_UNKNOWN from outside. */
enum doctor_gateway {
	GATEWAY_UNKNOWN, GATEWAY_SOCKET, GATEWAY_SPAWNED, GATEWAY_CGI,
};

/* By the name that the server gives itself ("Apache/2.4.62 (Debian)"). */
enum doctor_web doctor_web_of(struct str software, enum doctor_gateway g);

/*
 * How many requests it serves at the same time if nobody has configured that. files: how
 * many files its process may open, 0 if that is not known; lighttpd goes by it.
 */
int doctor_web_workers(enum doctor_web w, int64_t files);

/* Whether a proxy passed a request on, by the headers that it added. */
enum doctor_passed {
	PASSED_NOT, PASSED_ON,
	PASSED_BY_APACHE,	/* X-Forwarded-Server */
	PASSED_BY_LIGHTTPD,	/* X-Host */
};

enum doctor_topic {
	ADVICE_ROUTE, ADVICE_PAGE, ADVICE_TOKEN, ADVICE_BEARER, ADVICE_IDENTITY,
	ADVICE_PASSWORD, ADVICE_HEADER, ADVICE_ORIGIN, ADVICE_METHODS, ADVICE_STREAM,
	ADVICE_QUIET, ADVICE_COMPRESS, ADVICE_BROTLI, ADVICE_BODY, ADVICE_BASE,
	ADVICE_RESTART, ADVICE_WORKSPACE, ADVICE_WORKERS,
	ADVICE__MAX
};

struct doctor {
	/* in */
	struct arena *arena;	/* everything of the findings */
	const struct conf *conf;
	enum doctor_web web;	/* that runs or asks the responder */
	bool has_front;		/* clients talk to another one, a proxy: */
	enum doctor_web front;	/* of the kinds that are proxies, or WEB_OTHER */
	enum doctor_web second;	/* one more proxy, from its headers; or front */
	const char *front_name;	/* as it calls itself; "" = it does not */
	const char *base;	/* "/intranet/chat"; "" = the host's root */
	const char *header;	/* for ADVICE_HEADER; NULL: none yet */
	const char *origin;	/* for ADVICE_ORIGIN; NULL: none yet */
	/* out */
	struct doctor_finding items[DOCTOR_FINDINGS];
	size_t n;
	enum doctor_result worst;
};

/*
 * The lines for the server in use, with its base, this installation's paths and
 * limits.body_bytes; before them those for a proxy in front, if the topic is its
 * business too. In d's arena.
 */
const char *doctor_advice(const struct doctor *d, enum doctor_topic t);

/*
 * Finds out which web servers a request came through: outer is what a client sees
 * (Server), inner is what the responder sees (SERVER_SOFTWARE), "" = nothing.
 */
void doctor_name_servers(struct doctor *d, struct str outer, struct str inner,
			 enum doctor_passed p, enum doctor_gateway g);

/* Adds a finding. subject and advice are copied; fmt is its sentence. */
void doctor_add(struct doctor *d, enum doctor_check c, enum doctor_result r,
		const char *subject, const char *advice, const char *fmt, ...)
	PRINTF_LIKE(6, 7);

/* Sorts by check; then writes {result, server, front, base, items}. */
void doctor_write(struct doctor *d, struct jw *w);

/*
 * Findings from a client's measurements: an object as in docs/doctor.md. It is read
 * leniently; a missing member was not measured and is not assessed. Its texts are
 * cut and cleaned before they are shown.
 */
void doctor_judge(struct doctor *d, const json_t *measured);

/* Input of the checks from inside. */
struct doctor_inside {
	struct db *db;			/* ours */
	struct http_pool *http;
	struct tool_env *tools;
	const char *sql_dir;
	struct str document_root;	/* of the web server; n == 0: unknown */
	enum doctor_gateway gateway;
	bool socket_stays;		/* when the responder ends */
	/* How many answers may stay open, of all processes; answers 0: not known. */
	struct {
		int notifications, answers;
		int workers;		/* requests that the web server is believed to serve */
		int64_t refused;	/* requests that found no place, in this process */
	} places;
};

/*
 * Checks everything that needs no client. Each service has at most some seconds to
 * answer, all together less than a minute; checks that were left out then are
 * reported. Any thread that may block.
 */
void doctor_look(struct doctor *d, const struct doctor_inside *in);

#endif
