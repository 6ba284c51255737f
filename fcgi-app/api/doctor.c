/* SPDX-License-Identifier: MIT */
/*
 * The routes that doctor uses (docs/doctor.md): what arrives of a request, a test
 * stream, a test body, and all findings.
 */
#include "api/api.h"

#include <string.h>
#include <strings.h>

#include "app.h"
#include "auth/csrf.h"
#include "base/clock.h"
#include "base/fields.h"
#include "body.h"
#include "caller.h"
#include "doctor/doctor.h"
#include "net/http.h"
#include "places.h"

#include "base/banned.h"

static struct str base_of(const struct request *rq)
{
	struct str base = req_param(rq, "LAMPLIGHTER_BASE");

	return base.n ? base : str_of(rq->conf->server.base);
}

/* What precedes the mount's root in the address. */
static struct str derived_base(const struct request *rq)
{
	struct str uri = req_param(rq, "REQUEST_URI"), path = str_cut(&uri, '?');
	size_t behind = rq->path.n + strlen(mount_roots[rq->mount]);

	if (str_starts(path, STR("http"))) {	/* the absolute form */
		const char *slash = path.n > 8
			? memchr(path.p + 8, '/', path.n - 8) : NULL;

		path = slash ? (struct str){ slash, path.n - (size_t)(slash -
								 path.p) }
			: STR("");
	}
	path.n -= MIN(path.n, behind);
	return path;
}

/* "basic", "bearer", "other", "none". */
static const char *authorization_of(const struct request *rq)
{
	struct str v = req_param(rq, "HTTP_AUTHORIZATION");

	if (!v.n)
		return "none";
	return v.n > 6 && !strncasecmp(v.p, "Basic ", 6) ? "basic"
		: v.n > 7 && !strncasecmp(v.p, "Bearer ", 7) ? "bearer" : "other";
}

static enum doctor_passed passed(const struct request *rq)
{
	static const char *const marks[] = {
		"HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_PROTO",
		"HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_REAL_IP",
	};

	if (req_param(rq, "HTTP_X_FORWARDED_SERVER").n)
		return PASSED_BY_APACHE;
	if (req_param(rq, "HTTP_X_HOST").n)
		return PASSED_BY_LIGHTTPD;
	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (req_param(rq, marks[i]).n)
			return PASSED_ON;
	return PASSED_NOT;
}

static void name_servers(struct doctor *d, const struct request *rq, struct str seen)
{
	doctor_name_servers(d, seen, req_param(rq, "SERVER_SOFTWARE"),
			    passed(rq), rq->app->gateway);
}

/* What the Origin of a write looks like from here (auth/csrf.h). */
static const char *origin_word(struct request *rq)
{
	static const char *const words[] = {
		[CSRF_NONE] = "none", [CSRF_OURS] = "own", [CSRF_FOREIGN] = "foreign",
	};

	return words[req_origin(rq)];
}

/*
 * GET /doctor/request: 200 {timeMs, server, base, user, kind, authorization,
 * https}: what of this request arrived.
 */
int api_doctor_request(struct request *rq, struct response *rs, struct err *e)
{
	struct doctor *d = arena_new(rq->arena, struct doctor);
	struct jw w = resp_json(rs, 200);

	(void)e;
	d->arena = rq->arena;
	name_servers(d, rq, STR(""));
	jw_obj(&w);
	jw_kint(&w, "timeMs", clock_now_us() / 1000);
	jw_kstrz(&w, "server", doctor_web_name(d->web));
	jw_kstr(&w, "base", derived_base(rq));
	jw_kstr(&w, "user", rq->by.who->login);
	jw_kstrz(&w, "kind", identity_kind_name(rq->by.who->kind));
	jw_kstrz(&w, "authorization", authorization_of(rq));
	jw_kbool(&w, "https", str_is(req_param(rq, "HTTPS"), "on") ||
		 str_is(req_param(rq, "REQUEST_SCHEME"), "https"));
	jw_kint(&w, "bodyBytes", rq->conf->limits.body_bytes);
	jw_end_obj(&w);
	return 0;
}

/*
 * POST /doctor/body {padding?}, which may contain blanks: 200 {bytes, origin, host}:
 * the number that arrived; whether it seems to come from the page ("own"), another
 * site ("foreign") or neither ("none"); and the Host that arrived.
 */
int api_doctor_body(struct request *rq, struct response *rs, struct err *e)
{
	static const struct field fields[] = {
		{ .key = "padding", .type = FIELD_TEXT },
	};
	struct str padding;
	int64_t length;
	struct jw w;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &padding,
			sizeof(padding), e) < 0 ||
	    req_length(rq, &length, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kint(&w, "bytes", MAX(length, 0));
	jw_kstrz(&w, "origin", origin_word(rq));
	jw_kstr(&w, "host", req_param(rq, "HTTP_HOST"));
	jw_end_obj(&w);
	return 0;
}

/*
 * GET /doctor/probe: an event stream of DOCTOR_EVENTS events "tick" {n, timeMs},
 * one per DOCTOR_EVENT_MS, sent like those of an answer.
 */
int api_doctor_probe(struct request *rq, struct response *rs, struct err *e)
{
	struct http_request wait = { .watch_fd = -1 };

	resp_open_stream(rs, "text/event-stream", STR(""));
	if (rs->head_only)
		return 0;
	for (int i = 0; i < DOCTOR_EVENTS && !rs->gone &&
	     !atomic_load(&rq->app->stopping); i++) {
		if (i && http_wait(&wait, DOCTOR_EVENT_MS, e) < 0)
			return -1;
		buf_addf(resp_stream(rs), "event: tick\ndata: {\"n\":%d,"
			 "\"timeMs\":%lld}\n\n", i,
			 (long long)(clock_now_us() / 1000));
		resp_flush(rs);
	}
	return 0;
}

/*
 * GET /doctor/quiet: an event stream with an event "tick" at its start and at its end,
 * and nothing between them but a keep-alive when one is due.
 */
int api_doctor_quiet(struct request *rq, struct response *rs, struct err *e)
{
	static const int waits_ms[] = { TURN_IDLE_MS, DOCTOR_QUIET_MS - TURN_IDLE_MS };
	static const char *const parts[] = { ": ka\n\n", "event: tick\ndata: {}\n\n" };
	struct http_request wait = { .watch_fd = -1 };

	resp_open_stream(rs, "text/event-stream", STR(""));
	if (rs->head_only)
		return 0;
	buf_adds(resp_stream(rs), parts[1]);
	resp_flush(rs);
	for (size_t i = 0; i < ARRAY_LEN(waits_ms) && !rs->gone &&
	     !atomic_load(&rq->app->stopping); i++) {
		if (http_wait(&wait, waits_ms[i], e) < 0)
			return -1;
		buf_adds(resp_stream(rs), parts[i]);
		resp_flush(rs);
	}
	return 0;
}

/* Checks where the base path comes from, and if it is right. */
static void look_base(struct doctor *d, const struct request *rq)
{
	struct str param = req_param(rq, "LAMPLIGHTER_BASE");
	struct str conf = str_of(rq->conf->server.base);

	if (param.n || conf.n)
		doctor_add(d, DOCTOR_BASE, DOCTOR_OK, "", "",
			   "%s, from %s.", d->base, param.n
			   ? "LAMPLIGHTER_BASE" : "server.base");
	else
		doctor_add(d, DOCTOR_BASE, DOCTOR_WARNING, "",
			   doctor_advice(d, ADVICE_BASE),
			   "%s was derived from the URL; the web server should "
			   "send it.", *d->base ? d->base : "The host's root");
}

/* The base in the form used in configurations, without a slash at its end. */
static const char *written_base(struct request *rq)
{
	struct str base = base_of(rq), decoded;
	struct err ignored = ERR_INIT;

	if (!base.n)
		base = derived_base(rq);
	if (path_decode(rq->arena, base, false, &decoded, &ignored) < 0)
		decoded = base;
	while (decoded.n && decoded.p[decoded.n - 1] == '/')
		decoded.n--;
	return arena_memdup(rq->arena, decoded.p, decoded.n);
}

/*
 * POST /doctor {measured}: 200 {result, server, front, base, items: [{check, title,
 * result, subject, text, advice}]}, ordered by check: an assessment of the client's
 * measurements and of what the responder sees. Takes as long as LLM services and
 * databases take to answer; causes no cost at providers.
 */
int api_doctor(struct request *rq, struct response *rs, struct err *e)
{
	static const struct field fields[] = {
		{ .key = "measured", .type = FIELD_OBJECT,
		  .flags = FIELD_REQUIRED },
	};
	const struct doctor_inside in = {
		.db = rq->app->db, .http = rq->app->http,
		.tools = rq->app->tools,
		.sql_dir = rq->app->sql_dir,
		.document_root = req_param(rq, "DOCUMENT_ROOT"),
		.gateway = rq->app->gateway,
		.socket_stays = rq->app->socket_stays,
		.places = {
			.notifications = places_hold_process(rq) ? 0
				: places_all(rq, PLACE_NOTIFICATION),
			.answers = places_all(rq, PLACE_ANSWER),
			.workers = places_workers(rq),
			.refused = atomic_load(
				&rq->app->places.refused[PLACE_NOTIFICATION]) +
				atomic_load(&rq->app->places.refused[PLACE_ANSWER]),
		},
	};
	struct doctor *d = arena_new(rq->arena, struct doctor);
	json_t *measured;
	struct jw w;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &measured,
			sizeof(measured), e) < 0)
		return -1;
	d->arena = rq->arena;
	d->conf = rq->conf;
	name_servers(d, rq, jx_str(measured, "server"));
	d->base = written_base(rq);
	doctor_judge(d, measured);
	look_base(d, rq);
	doctor_look(d, &in);
	w = resp_json(rs, 200);
	doctor_write(d, &w);
	return 0;
}
