/* SPDX-License-Identifier: MIT */
/* doctor: what works in a deployment, what does not, and how to fix it. */
#include <getopt.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "auth/identity.h"
#include "auth/policy.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/utf8.h"
#include "cli.h"
#include "conf/conf.h"
#include "db/db.h"
#include "doctor/doctor.h"
#include "net/http.h"
#include "store/token.h"
#include "tool/core/tool.h"

#include "base/banned.h"

struct http_pool;

struct measure {
	/* in */
	struct http_pool *http;
	struct arena *arena;
	const struct conf *conf;
	const char *url;	/* of the chat, without a slash at its end */
	const char *bearer;	/* "Authorization: Bearer …"; NULL: none */
	const char *basic;	/* "Authorization: Basic …"; NULL: none */
	/* out */
	const char *server;	/* what the web server calls itself, or "" */
	const char *entry;	/* the header that got us in, or NULL */
	json_t *measured;	/* kept by the arena */
};

/* -- measuring ------------------------------------------------------------- */

/*
 * What can be measured of a deployment through its URL: the object `measured` of
 * POST /doctor (docs/doctor.md).
 */

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

static void run_trial(struct measure *m, struct trial *a)
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

static void put_result(struct measure *m, const char *key, json_t *value)
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
		run_trial(m, &a);
		if (a.res.status != 401)
			break;
	}
	put_result(m, "reach", json_pack("{s:i, s:b, s:b, s:o, s:o, s:o}", "status",
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

	run_trial(m, &a);
	put_result(m, "page", json_pack("{s:i, s:o}", "status", a.res.status, "type",
					text(a.res.content_type)));
}

static void note_clock(struct measure *m, const struct trial *a)
{
	/* The process read its clock at about the middle of the request. */
	put_result(m, "clock", json_pack("{s:I, s:I, s:I, s:I}", "clientMs",
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
	run_trial(m, &a);
	put_result(m, "token", json_pack("{s:i, s:b, s:b, s:o, s:o}", "status",
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

	run_trial(m, &a);
	if (!m->basic && a.res.status != 200)
		return;		/* nobody is signed in, which is not a
				 * finding */
	put_result(m, "identity", json_pack("{s:i, s:b, s:b, s:o, s:o, s:o}", "status",
		a.res.status, "ours", ours(&a), "signedIn", m->basic != NULL,
		"detail", jx_string(jx_str(a.json, "detail")),
		"user", jx_string(jx_str(a.json, "user")), "kind",
		jx_string(jx_str(a.json, "identityKind"))));
	if (m->entry || !m->basic)
		return;
	run_trial(m, &d);
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
	run_trial(m, &a);
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
	put_result(m, "spoof", list);
}

static void measure_stream(struct measure *m, const char *key,
			   const char *header)
{
	/* With compression it is a browser's, which asks for HTTP/2 as well. */
	struct trial a = { .path = "/api/v1/doctor/probe", .auth = m->entry,
			   .http2 = strstr(header, "gzip") != NULL };
	json_t *arrivals = json_array();

	a.headers[a.n_headers++] = header;
	run_trial(m, &a);
	for (size_t i = 0; i < a.n_arrivals; i++)
		json_array_append_new(arrivals, json_integer(a.arrivals_ms[i]));
	put_result(m, key, json_pack("{s:i, s:o, s:o}", "status", a.res.status,
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
	run_trial(m, &a);
	put_result(m, "body", json_pack("{s:I, s:i, s:I}", "sent", (json_int_t)n,
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
	run_trial(m, &a);
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
	put_result(m, "writes", list);
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
		run_trial(m, &a);
		json_array_append_new(list, json_pack("{s:s, s:i, s:b}", "method",
			methods[i], "status", a.res.status, "ours", ours(&a)));
	}
	put_result(m, "methods", list);
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

	run_trial(&q->m, &q->a);
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
		put_result(m, "quiet", json_pack("{s:i, s:I, s:b}", "status",
			q->a.res.status, "ms", (json_int_t)q->a.took_ms, "ended",
			!q->a.e.code && q->a.n_events == 2));
	}
	arena_release(&q->arena);
}

/*
 * Measures everything; takes some seconds. Never fails: what it cannot measure is
 * missing in the object, or has its status there.
 */
static void measure_all(struct measure *m)
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

/*
 * Lets the responder check and assess: its answer as JSON, kept by the arena; NULL
 * if that failed (*status is the HTTP status; 0 = no answer).
 */
static json_t *measure_report(struct measure *m, int *status)
{
	struct trial a = { .method = "POST", .path = "/api/v1/doctor",
			 .auth = m->entry, .total_ms = REPORT_MS };
	struct buf b = BUF_INIT(1048576);

	*status = 0;
	if (!m->entry)
		return NULL;
	put_result(m, "server", text(m->server));
	buf_adds(&b, "{\"measured\":");
	jx_dump(&b, m->measured);
	buf_addc(&b, '}');
	a.body = buf_str(&b);
	add_write_headers(&a);
	run_trial(m, &a);
	buf_release(&b);
	*status = a.res.status;
	return a.res.status == 200 && ours(&a) ? a.json : NULL;
}

/* -- doctor ------------------------------------------------------------------- */

#define LOGIN    "lamplighter-doctor"
#define TOKEN_US (10LL * 60 * 1000000)	/* it is revoked earlier */

struct doctor_options {
	const char *url, *user;
	bool json;
};

static int read_options(struct cli *cli, int argc, char **argv,
			struct doctor_options *o)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "user", required_argument, NULL, 'u' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	*o = (struct doctor_options){ .url = NULL };
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'j')
			o->json = true;
		else if (c == 'u')
			o->user = optarg;
		else
			return cli_usage(cli, "invalid option");
	}
	if (optind < argc)
		o->url = argv[optind++];
	if (optind < argc)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[optind]);
	if (o->url && strncasecmp(o->url, "http://", 7) &&
	    strncasecmp(o->url, "https://", 8))
		return cli_usage(cli, "URL must begin with http:// or https://");
	if (o->user && !o->url)
		return cli_usage(cli, "--user needs a URL");
	if (o->url && strpbrk(o->url, "?#"))
		return cli_usage(cli, "URL must be the address of the page, without ? and #");
	if (o->user && strchr(o->user, ':'))
		return cli_usage(cli, "NAME must not contain a colon");
	if (o->user && !getenv("LAMPLIGHTER_PASSWORD"))
		return cli_usage(cli, "--user needs the password in "
				 "$LAMPLIGHTER_PASSWORD");
	return CLI_OK;
}

/* Blanks as in addresses, and no slash at the end. */
static const char *clean_url(struct arena *a, const char *url)
{
	struct buf b = BUF_INIT(8192);
	const char *out;

	for (const char *p = url; *p; p++) {
		if (*p == ' ')
			buf_adds(&b, "%20");
		else
			buf_addc(&b, *p);
	}
	while (b.n && b.p[b.n - 1] == '/')
		b.p[--b.n] = '\0';
	out = arena_strdup(a, b.p);
	buf_release(&b);
	return out;
}

/* The path of a URL, as configurations write it. */
static const char *base_of(struct arena *a, const char *url)
{
	const char *slash = strchr(strstr(url, "://") + 3, '/');
	struct buf b = BUF_INIT(8192);
	const char *out;

	for (const char *p = slash ? slash : ""; *p; p++) {
		int high = *p == '%' ? hex_digit(p[1]) : -1;
		int low = high >= 0 ? hex_digit(p[2]) : -1;

		if (low >= 0) {
			buf_addc(&b, (char)(high << 4 | low));
			p += 2;
		} else {
			buf_addc(&b, *p);
		}
	}
	out = arena_strdup(a, b.p);
	buf_release(&b);
	return out;
}

static const char *basic_header(struct arena *a, const char *user)
{
	const char *password = getenv("LAMPLIGHTER_PASSWORD");
	char *plain = arena_printf(a, "%s:%s", user, password);
	size_t n = sodium_base64_ENCODED_LEN(strlen(plain),
					     sodium_base64_VARIANT_ORIGINAL);
	char *text = arena_alloc(a, n);

	sodium_bin2base64(text, n, (const unsigned char *)plain, strlen(plain),
			  sodium_base64_VARIANT_ORIGINAL);
	return arena_printf(a, "Authorization: Basic %s", text);
}

/* -- our token -------------------------------------------------------------------- */

/* A group that may do what doctor needs; "" = everybody may; NULL: nobody. */
static const char *group_for(const struct conf *c)
{
	const char *want = permission_rows[PERM_ADMIN_DOCTOR].name;

	for (size_t i = 0; i < c->n_roles; i++) {
		const struct conf_role *r = &c->roles[i];

		for (size_t k = 0; k < r->permissions.n; k++)
			if (r->groups.n && policy_covers(
					str_of(r->permissions.v[k]),
					str_of(want)))
				return strcmp(r->groups.v[0], "*")
					? r->groups.v[0] : "";
	}
	return NULL;
}

static bool takes_tokens(const struct conf *c)
{
	for (size_t i = 0; i < c->n_chain; i++)
		if (c->chain[i].kind == IDENTITY_API_TOKEN)
			return true;
	return false;
}

/* The header with a token for the responder's routes; NULL: there is none. */
static const char *make_token(struct cli_session *s, struct doctor *d,
			      struct uuid *id)
{
	const char *group = group_for(s->conf);
	json_auto_t *groups = json_array();
	char text[TOKEN_TEXT_BYTES];
	struct err e = ERR_INIT;
	struct token_new n = {
		.tenant_id = str_of(s->conf->tenant), .login = STR(LOGIN),
		.name = STR("doctor"),
		.expires_us = clock_now_us() + TOKEN_US,
	};

	if (!takes_tokens(s->conf)) {
		doctor_add(d, DOCTOR_TOKEN, DOCTOR_WARNING, "",
			   "identity: {chain: [{kind: api_token}, …]}"
			   "   # in lamplighter.yaml",
			   "The identity chain accepts no API tokens. Without one "
			   "or --user, doctor cannot check streams and "
			   "bodies.");
		return NULL;
	}
	if (!group) {
		doctor_add(d, DOCTOR_TOKEN, DOCTOR_WARNING, "",
			   arena_printf(&s->arena, "roles: {admin: {groups: "
					"[it], permissions: [\"%s\"]}}"
					"   # in lamplighter.yaml",
					permission_rows[PERM_ADMIN_DOCTOR].name),
			   "No role has the permission that doctor needs: "
			   "streams and bodies cannot be checked.");
		return NULL;
	}
	if (*group)
		json_array_append_new(groups, json_string(group));
	n.groups = str_of(jx_text(&s->arena, groups));
	if (token_create(s->db, &n, text, id, &e) < 0)
		return NULL;	/* the database is checked anyway */
	return arena_printf(&s->arena, "Authorization: Bearer %s", text);
}

/* -- the report -------------------------------------------------------------------- */

static void print_lines(const char *s)
{
	struct str rest = str_of(s);

	while (rest.n) {
		struct str line = str_cut(&rest, '\n');

		printf("             %.*s\n", STR_ARG(line));
	}
}

static void print_report(const json_t *report, const char *where)
{
	static const struct {
		const char *result, *shown;
	} words[] = { { "ok", "ok" }, { "warning", "WARNING" },
		      { "problem", "PROBLEM" } };
	const json_t *item;
	size_t i;

	printf("%s  (%.*s%s%s)\n\n", where, STR_ARG(jx_str(report, "front")),
	       jx_str(report, "front").n ? " in front of " : "",
	       json_string_value(json_object_get(report, "server")));
	json_array_foreach(jx_arr(report, "items"), i, item) {
		struct str result = jx_str(item, "result");
		struct str subject = jx_str(item, "subject");
		const char *word = "?";

		for (size_t k = 0; k < ARRAY_LEN(words); k++)
			if (str_is(result, words[k].result))
				word = words[k].shown;
		printf("%-8s %s%s%.*s: %.*s\n", word,
		       json_string_value(json_object_get(item, "check")),
		       subject.n ? " " : "", STR_ARG(subject),
		       STR_ARG(jx_str(item, "text")));
		print_lines(json_string_value(json_object_get(item, "advice")));
	}
}

static int finish(const json_t *report, const struct doctor_options *o)
{
	struct str result = jx_str(report, "result");

	if (o->json) {
		struct buf b = BUF_INIT(CLI_OUT_BYTES);

		jx_dump(&b, report);
		buf_addc(&b, '\n');
		(void)cli_print(&b);
	} else {
		print_report(report, o->url ? o->url : "from this machine");
	}
	return str_is(result, "ok") ? 0 : str_is(result, "warning") ? 1 : 2;
}

/* Without the responder: all checks are made from here. */
static json_t *own_report(struct cli_session *s, struct doctor *d,
			  const json_t *measured)
{
	const char *env = getenv("LAMPLIGHTER_SQL_DIR");
	struct buf b = BUF_INIT(CLI_OUT_BYTES);
	struct err ignored = ERR_INIT;
	const struct doctor_inside in = {
		.db = s->db, .http = s->http, .tools = s->tools,
		.sql_dir = env && *env ? env : LAMPLIGHTER_DATADIR "/sql",
	};
	struct jw w = jw_on(&b);
	json_t *report;

	doctor_judge(d, measured);
	doctor_look(d, &in);
	doctor_write(d, &w);
	report = jx_keep(&s->arena, jx_load(buf_str(&b), &ignored));
	buf_release(&b);
	return report;
}

static bool answered(const json_t *measured)
{
	const json_t *reach = jx_obj(measured, "reach");

	return jx_bool(reach, "ours", false) || jx_bool(reach, "problem", false);
}

static json_t *through(struct cli_session *s, struct doctor *d,
		       const struct doctor_options *o)
{
	struct measure m = {
		.http = s->http, .arena = &s->arena, .conf = s->conf,
		.url = o->url,
		.basic = o->user ? basic_header(&s->arena, o->user) : NULL,
	};
	struct err ignored = ERR_INIT;
	json_t *report;
	struct uuid id;
	int status;

	m.bearer = make_token(s, d, &id);
	measure_all(&m);
	report = measure_report(&m, &status);
	if (m.bearer)
		(void)!token_revoke(s->db, str_of(s->conf->tenant), &id,
				    &ignored);
	if (report)
		return report;
	d->base = base_of(&s->arena, m.url);
	doctor_name_servers(d, str_of(m.server), STR(""), false, GATEWAY_UNKNOWN);
	doctor_add(d, DOCTOR_BASE, DOCTOR_WARNING, "", "", status
		   ? "The responder refused the request (%d). The rest was "
		     "checked from here, with this user's rights."
		   : answered(m.measured)
		   ? "The responder answers, but accepts neither the token nor "
		     "the sign-in. The rest was checked from here, with this "
		     "user's rights."
		   : "The responder could not be reached. The rest was "
		     "checked from here, with this user's rights.", status);
	return own_report(s, d, m.measured);
}

int cli_doctor(struct cli *cli, int argc, char **argv)
{
	struct doctor_options o;
	struct cli_session s;
	struct doctor *d;
	json_t *report;
	int rc = read_options(cli, argc, argv, &o);

	if (rc != CLI_OK)
		return rc;
	if (cli_session_open(&s, cli))
		return CLI_USAGE;	/* a problem, as its exit status says */
	if (cli_session_tools(&s)) {
		cli_session_close(&s);
		return CLI_USAGE;
	}
	d = arena_new(&s.arena, struct doctor);
	d->arena = &s.arena;
	d->conf = s.conf;
	d->web = WEB_OTHER;
	d->base = "";
	if (o.url)
		o.url = clean_url(&s.arena, o.url);
	report = o.url ? through(&s, d, &o)
		: own_report(&s, d, NULL);
	rc = finish(report, &o);
	cli_session_close(&s);
	return rc;
}
