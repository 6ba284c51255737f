/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "auth/identity.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "doctor/doctor.h"
#include "net/http.h"

#include "base/banned.h"

enum {
	ARRIVALS = 64, HEADERS = 8, ANSWER_BYTES = 4194304,
	CONNECT_MS = 5000, TOTAL_MS = 20000, REPORT_MS = 300000,
};

/* One request and its outcome. */
struct trial {
	const char *method, *path, *auth;
	const char *headers[HEADERS];
	size_t n_headers;
	struct str body;
	int total_ms;		/* 0 = TOTAL_MS */
	bool http2;
	/* out */
	struct http_result res;
	struct err e;
	json_t *json;		/* the answer, where it is JSON; kept */
	struct buf answer;
	int64_t arrivals_ms[ARRIVALS];
	size_t n_arrivals;
	size_t n_events;	/* of a stream: lines that begin one */
	int64_t began_ms, took_ms, answered_at_ms;
};

static int on_body(void *ctx, struct str bytes)
{
	struct trial *a = ctx;

	if (a->n_arrivals < ARRIVALS)
		a->arrivals_ms[a->n_arrivals++] = clock_mono_ms() - a->began_ms;
	buf_addstr(&a->answer, bytes);
	return 0;
}

static void run(struct measure *m, struct trial *a)
{
	struct http_request rq = {
		.method = a->method ? a->method : "GET",
		.url = arena_printf(m->arena, "%s%s", m->url, a->path),
		.headers = a->headers, .body = a->body, .http2 = a->http2,
		.connect_timeout_ms = CONNECT_MS,
		.total_timeout_ms = a->total_ms ? a->total_ms : TOTAL_MS,
		.max_body_bytes = ANSWER_BYTES, .watch_fd = -1,
		.on_body = on_body, .ctx = a,
	};
	struct err ignored = ERR_INIT;

	if (a->auth)
		a->headers[a->n_headers++] = a->auth;
	rq.n_headers = a->n_headers;
	a->answer = (struct buf)BUF_INIT(ANSWER_BYTES);
	a->e = (struct err)ERR_INIT;
	a->began_ms = clock_mono_ms();
	if (http_do(m->http, &rq, &a->res, &a->e) < 0 && !a->e.code)
		err_set(&a->e, ERR_UPSTREAM, "no answer");
	a->took_ms = clock_mono_ms() - a->began_ms;
	a->answered_at_ms = clock_now_us() / 1000;
	for (const char *p = a->answer.p; (p = strstr(p, "event:")) != NULL; p++)
		a->n_events++;
	if (strstr(a->res.content_type, "json"))
		a->json = jx_keep(m->arena, jx_load_lenient(
			buf_str(&a->answer), &ignored));
	buf_release(&a->answer);
	if (*a->res.server && !*m->server)
		m->server = arena_strdup(m->arena, a->res.server);
}

/*
 * Whether it was the responder that answered: it names every request, but for those of
 * a CGI program that cannot start.
 */
static bool ours(const struct trial *a)
{
	return a->json && (*a->res.request_id ||
			   (!strncmp(a->res.content_type, "application/problem+json", 24) &&
			    jx_str(a->json, "code").n));
}

static void put(struct measure *m, const char *key, json_t *value)
{
	json_object_set_new(m->measured, key, value);
}

static json_t *text(const char *s)
{
	return jx_string(str_of(s));
}

/* Signs in, by token or else by password; records what that shows. */
static void measure_reach(struct measure *m)
{
	const char *const ways[] = { m->bearer, m->basic, NULL };
	struct trial a;

	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		if (!ways[i] && i + 1 < ARRAY_LEN(ways))
			continue;
		a = (struct trial){ .path = "/api/v1/health", .auth = ways[i] };
		run(m, &a);
		if (a.res.status != 401)
			break;
	}
	put(m, "reach", json_pack("{s:i, s:b, s:b, s:o, s:o, s:o}", "status",
				  a.res.status, "ours",
				  ours(&a) && a.res.status == 200, "problem",
				  ours(&a) && a.res.status != 200, "detail",
				  jx_string(jx_str(a.json, "detail")), "error",
				  text(a.e.text), "location",
				  text(a.res.location)));
}

static void measure_page(struct measure *m)
{
	struct trial a = { .path = "/", .auth = m->basic };

	run(m, &a);
	put(m, "page", json_pack("{s:i, s:o}", "status", a.res.status, "type",
				 text(a.res.content_type)));
}

static void note_clock(struct measure *m, const struct trial *a)
{
	/* The process read its clock at about the middle of the request. */
	put(m, "clock", json_pack("{s:I, s:I, s:I, s:I}", "clientMs",
		(json_int_t)(a->answered_at_ms - a->took_ms / 2), "processMs",
		(json_int_t)jx_int(a->json, "timeMs", 0), "rttMs",
		(json_int_t)a->took_ms, "dateMs",
		(json_int_t)MAX(clock_http_ms(a->res.date), 0)));
}

static void measure_token(struct measure *m)
{
	struct trial a = { .path = "/api/v1/doctor/request", .auth = m->bearer };

	if (!m->bearer)
		return;
	run(m, &a);
	put(m, "token", json_pack("{s:i, s:b, s:b, s:o, s:o}", "status",
				  a.res.status, "ours", ours(&a), "unknown",
				  str_is(jx_str(a.json, "detail"), IDENTITY_WRONG),
				  "kind", jx_string(jx_str(a.json, "kind")), "detail",
				  jx_string(jx_str(a.json, "detail"))));
	if (a.res.status == 200 && ours(&a)) {
		m->entry = m->bearer;
		note_clock(m, &a);
	}
}

/* Which user arrives, with a sign-in at the web server or without one. */
static void measure_identity(struct measure *m)
{
	struct trial a = { .path = "/api/v1/me", .auth = m->basic };
	struct trial d = { .path = "/api/v1/doctor/request", .auth = m->basic };

	run(m, &a);
	if (!m->basic && a.res.status != 200)
		return;		/* nobody is signed in, which is not a
				 * finding */
	put(m, "identity", json_pack("{s:i, s:b, s:b, s:o, s:o, s:o}", "status",
		a.res.status, "ours", ours(&a), "signedIn", m->basic != NULL,
		"detail", jx_string(jx_str(a.json, "detail")),
		"user", jx_string(jx_str(a.json, "user")), "kind",
		jx_string(jx_str(a.json, "identityKind"))));
	if (m->entry || !m->basic)
		return;
	run(m, &d);
	if (d.res.status == 200 && ours(&d)) {
		m->entry = m->basic;
		note_clock(m, &d);
	}
}

/* header and more may be NULL. Returns the status. */
static int try_spoof(struct measure *m, json_t *list, const char *name,
		     const char *header, const char *more, const char *auth)
{
	struct trial a = { .path = "/api/v1/me", .auth = auth };

	if (header)
		a.headers[a.n_headers++] = header;
	if (more)
		a.headers[a.n_headers++] = more;
	run(m, &a);
	json_array_append_new(list, json_pack("{s:o, s:i, s:o, s:o}", "header",
		text(name), "status", a.res.status, "user",
		jx_string(jx_str(a.json, "user")), "kind",
		jx_string(jx_str(a.json, "identityKind"))));
	return a.res.status;
}

/* Spellings of a name: _ for no -, for each, for the first, for the last. */
enum spelling { AS_IT_IS, ALL_OTHER, FIRST_OTHER, LAST_OTHER, SPELLINGS };

/* "NAME: value". */
static const char *spelled(struct measure *m, const char *name,
			   enum spelling how, const char *value)
{
	char *line = arena_printf(m->arena, "%s: %s", name, value);
	char *first = strchr(line, '-'), *last = line + strlen(name);

	while (last > line && *last != '-')
		last--;
	for (char *p = line; *p != ':'; p++)
		if (*p == '-' && (how == ALL_OTHER ||
				  (how == FIRST_OTHER && p == first) ||
				  (how == LAST_OTHER && p == last)))
			*p = '_';
	return line;
}

/*
 * The header of an entry of the chain, also with _ for some or all -: servers that
 * accept such names make the same parameter of them, and a proxy that drops one
 * spelling may not drop the others. Once without the groups, which a proxy may set
 * itself, and once with them, which it may not pass on.
 */
static void spoof_own(struct measure *m, json_t *list,
		      const struct conf_identity *link)
{
	const char *user = link->user_header;
	/* With one - the first is each. */
	int end = strchr(user, '-') != strrchr(user, '-') ? SPELLINGS
							   : FIRST_OTHER;

	for (int how = AS_IT_IS; how < end; how++) {
		const char *line = spelled(m, user, (enum spelling)how,
					   DOCTOR_SPOOF_LOGIN);
		const char *name = arena_printf(m->arena, "%.*s",
						(int)strcspn(line, ":"), line);

		if (try_spoof(m, list, name, line, NULL, m->basic) != 200 &&
		    *link->groups_header)
			try_spoof(m, list, name, line,
				  spelled(m, link->groups_header,
					  (enum spelling)how, "-"), m->basic);
	}
}

/* The ways in which a client could claim an identity. */
static void measure_spoof(struct measure *m)
{
	static const char *const names[] = {
		"Remote-User", "REMOTE_USER", "X-Remote-User", "X-Forwarded-User",
	};
	/* "lamplighter-doctor-spoof:x" */
	static const char basic[] = "Authorization: Basic "
		"bGFtcGxpZ2h0ZXItZG9jdG9yLXNwb29mOng=";
	json_t *list = json_array();

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		try_spoof(m, list, names[i],
			  arena_printf(m->arena, "%s: " DOCTOR_SPOOF_LOGIN,
				       names[i]), NULL, m->basic);
	for (size_t i = 0; i < m->conf->n_chain; i++)
		if (m->conf->chain[i].kind == IDENTITY_TRUSTED_HEADER)
			spoof_own(m, list, &m->conf->chain[i]);
	try_spoof(m, list, "Authorization: Basic with a wrong password", NULL,
		  NULL, basic);
	put(m, "spoof", list);
}

static void measure_stream(struct measure *m, const char *key,
			   const char *header)
{
	/* With compression it is a browser's, which asks for HTTP/2 as well. */
	struct trial a = { .path = "/api/v1/doctor/probe", .auth = m->entry,
			   .http2 = strstr(header, "gzip") != NULL };
	json_t *arrivals = json_array();

	a.headers[a.n_headers++] = header;
	run(m, &a);
	for (size_t i = 0; i < a.n_arrivals; i++)
		json_array_append_new(arrivals, json_integer(a.arrivals_ms[i]));
	put(m, key, json_pack("{s:i, s:o, s:o}", "status", a.res.status,
			      "encoding", text(a.res.encoding), "arrivalsMs",
			      arrivals));
}

static const char *const write_headers[] = {
	"Content-Type: application/json", "X-Requested-With: lamplighter",
};

static void add_write_headers(struct trial *a)
{
	for (size_t i = 0; i < ARRAY_LEN(write_headers); i++)
		a->headers[a->n_headers++] = write_headers[i];
}

/* As large as the configuration allows. */
static void measure_body(struct measure *m)
{
	size_t n = (size_t)m->conf->limits.body_bytes;
	struct trial a = { .method = "POST", .path = "/api/v1/doctor/body",
			 .auth = m->entry };
	char *body = arena_alloc(m->arena, n + 1);

	memset(body, ' ', n);
	memcpy(body, "{}", 2);
	a.body = (struct str){ body, n };
	add_write_headers(&a);
	run(m, &a);
	put(m, "body", json_pack("{s:I, s:i, s:I}", "sent", (json_int_t)n,
		"status", a.res.status, "bytes",
		(json_int_t)jx_int(a.json, "bytes", 0)));
}

/* -- as the page writes ---------------------------------------------------------- */

/* "https://host:8443" of the URL. */
static const char *origin_of(const struct measure *m)
{
	const char *host = strstr(m->url, "://") + 3;

	return arena_printf(m->arena, "%.*s",
			    (int)(host - m->url) + (int)strcspn(host, "/"), m->url);
}

/* None is asked of tokens, but the answer says whose it seems to be. */
static void measure_write(struct measure *m, json_t *list, bool http2)
{
	const char *origin = origin_of(m);
	bool tls = !strncasecmp(m->url, "https:", 6);
	struct trial a = { .method = "POST", .path = "/api/v1/doctor/body",
			   .auth = m->entry, .body = STR("{}"),
			   .http2 = http2 };

	a.headers[a.n_headers++] = write_headers[0];
	a.headers[a.n_headers++] = arena_printf(m->arena, "Origin: %s", origin);
	if (tls)
		a.headers[a.n_headers++] = "Sec-Fetch-Site: same-origin";
	run(m, &a);
	if (http2 && a.res.version != 20)
		return;		/* the server does not offer it */
	json_array_append_new(list, json_pack("{s:s, s:i, s:b, s:o, s:o, s:o, s:o}",
		"version", http2 ? "2" : "1.1", "status", a.res.status, "ours",
		ours(&a), "sent", text(origin), "origin",
		jx_string(jx_str(a.json, "origin")), "host",
		jx_string(jx_str(a.json, "host")), "code",
		jx_string(jx_str(a.json, "code"))));
}

static void measure_writes(struct measure *m)
{
	json_t *list = json_array();

	measure_write(m, list, false);
	if (!strncasecmp(m->url, "https:", 6))
		measure_write(m, list, true);
	put(m, "writes", list);
}

/* The route has only POST: the responder's own 405 is a good answer. */
static void measure_methods(struct measure *m)
{
	static const char *const methods[] = { "PATCH", "PUT", "DELETE" };
	json_t *list = json_array();

	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		struct trial a = { .method = methods[i], .body = STR("{}"),
				   .path = "/api/v1/doctor/body", .auth = m->entry };

		add_write_headers(&a);
		run(m, &a);
		json_array_append_new(list, json_pack("{s:s, s:i, s:b}", "method",
			methods[i], "status", a.res.status, "ours", ours(&a)));
	}
	put(m, "methods", list);
}

/* -- silence --------------------------------------------------------------------- */

/* Takes as long as all others together, so it runs beside them. */
struct quiet {
	struct measure m;
	struct arena arena;
	struct trial a;
	pthread_t thread;
	bool runs;
};

static void *run_quiet(void *p)
{
	struct quiet *q = p;

	run(&q->m, &q->a);
	return NULL;
}

static void begin_quiet(const struct measure *m, struct quiet *q)
{
	*q = (struct quiet){ .m = *m, .arena = ARENA_INIT };
	q->m.arena = &q->arena;
	q->a = (struct trial){ .path = "/api/v1/doctor/quiet", .auth = m->entry,
			       .total_ms = DOCTOR_QUIET_MS + TOTAL_MS };
	q->runs = pthread_create(&q->thread, NULL, run_quiet, q) == 0;
}

/* Its stream has an event at its start and one at its end. */
static void end_quiet(struct measure *m, struct quiet *q)
{
	if (q->runs) {
		pthread_join(q->thread, NULL);
		put(m, "quiet", json_pack("{s:i, s:I, s:b}", "status",
			q->a.res.status, "ms", (json_int_t)q->a.took_ms, "ended",
			!q->a.e.code && q->a.n_events == 2));
	}
	arena_release(&q->arena);
}

void measure_all(struct measure *m)
{
	struct quiet q;

	m->server = "";
	m->entry = NULL;
	m->measured = jx_keep(m->arena, json_object());
	measure_reach(m);
	if (jx_int(jx_obj(m->measured, "reach"), "status", 0) == 0)
		return;
	measure_page(m);
	if (!jx_bool(jx_obj(m->measured, "reach"), "ours", false) &&
	    jx_int(jx_obj(m->measured, "reach"), "status", 0) != 401)
		return;
	measure_token(m);
	measure_identity(m);
	measure_spoof(m);
	if (!m->entry)
		return;
	begin_quiet(m, &q);
	measure_writes(m);
	measure_methods(m);
	measure_stream(m, "stream", "Accept-Encoding: identity");
	measure_stream(m, "compressed", "Accept-Encoding: gzip, deflate, br");
	measure_body(m);
	end_quiet(m, &q);
}

json_t *measure_report(struct measure *m, int *status)
{
	struct trial a = { .method = "POST", .path = "/api/v1/doctor",
			 .auth = m->entry, .total_ms = REPORT_MS };
	struct buf b = BUF_INIT(1048576);

	*status = 0;
	if (!m->entry)
		return NULL;
	put(m, "server", text(m->server));
	buf_adds(&b, "{\"measured\":");
	jx_dump(&b, m->measured);
	buf_addc(&b, '}');
	a.body = buf_str(&b);
	add_write_headers(&a);
	run(m, &a);
	buf_release(&b);
	*status = a.res.status;
	return a.res.status == 200 && ours(&a) ? a.json : NULL;
}
