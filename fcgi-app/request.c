/* SPDX-License-Identifier: MIT */
#include "request.h"

#include <stdio.h>
#include <stdlib.h>

#include "app.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "path.h"
#include "route.h"

#include "base/banned.h"

const char *const method_names[METHOD__MAX] = {
	[METHOD_GET] = "GET", [METHOD_HEAD] = "HEAD", [METHOD_POST] = "POST",
	[METHOD_PATCH] = "PATCH", [METHOD_PUT] = "PUT",
	[METHOD_DELETE] = "DELETE", [METHOD_OPTIONS] = "OPTIONS",
	[METHOD_OTHER] = "-",
};

static int read_params(struct request *rq, struct err *e)
{
	struct param *v;
	size_t n = 0, bytes = 0;

	for (const char *const *p = rq->conn->env; p && *p; p++) {
		n++;
		bytes += strlen(*p) + 1;
	}
	if (n > LIM_PARAMS || bytes > LIM_PARAMS_BYTES)
		return err_set(e, ERR_TOO_BIG, "%zu parameters, %zu bytes", n,
			       bytes);
	v = arena_zalloc(rq->arena, n + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		char *copy = arena_strdup(rq->arena, rq->conn->env[i]);
		char *eq = strchr(copy, '=');

		v[i].value = str_of(eq ? eq + 1 : copy + strlen(copy));
		if (eq)
			*eq = '\0';
		v[i].name = str_of(copy);
	}
	rq->params = v;
	rq->n_params = n;
	return 0;
}

/* -- repeated parameters -------------------------------------------------- */

/*
 * The headers of clients that affect identity, permissions, or which record is
 * used; plus the configured names of trusted_header.
 */
static const char *const deciding[] = {
	"CONTENT_LENGTH", "CONTENT_TYPE", "HTTP_AUTHORIZATION",
	"HTTP_CONTENT_LENGTH", "HTTP_CONTENT_TYPE", "HTTP_COOKIE", "HTTP_HOST",
	"HTTP_IDEMPOTENCY_KEY", "HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH",
	"HTTP_LAST_EVENT_ID", "HTTP_ORIGIN", "HTTP_SEC_FETCH_SITE",
	"HTTP_TRANSFER_ENCODING", "HTTP_X_API_TOKEN",
	"HTTP_X_HTTP_METHOD_OVERRIDE", "HTTP_X_REQUESTED_WITH",
};

/* A character of a parameter that a web server makes of a header: _ for -, upper case. */
static char cgi_char(char c)
{
	return c == '-' ? '_' : c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

/* Whether name is want: a parameter HTTP_…, or the name of a header. */
static bool is_named(struct str name, const char *want, bool header)
{
	if (header) {
		if (name.n < 5 || memcmp(name.p, "HTTP_", 5) != 0)
			return false;
		name.p += 5;
		name.n -= 5;
	}
	for (size_t i = 0; i < name.n; i++)
		if (!want[i] || cgi_char(name.p[i]) != cgi_char(want[i]))
			return false;
	return !want[name.n];
}

static int once(const struct request *rq, const char *want, bool header,
		struct err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < rq->n_params; i++)
		n += is_named(rq->params[i].name, want, header);
	if (n < 2)
		return 0;
	err_public(e, ERR_BAD_REQUEST, "A header that must be unique is sent "
		   "twice, or in two spellings (- and _).");
	return err_wrap(e, "%s", want);
}

/*
 * A proxy that sets X-User removes a client's X-User, but it may pass on X_User,
 * from which the web server behind it makes the same parameter. Their order must not
 * decide which one counts. Parameters that only the web server can set may come
 * twice; the last one counts (nginx, whose stock parameters an admin overrides).
 */
static int check_once(const struct request *rq, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(deciding); i++)
		if (once(rq, deciding[i], false, e) < 0)
			return -1;
	for (size_t i = 0; i < rq->conf->n_chain; i++) {
		const struct conf_identity *link = &rq->conf->chain[i];

		if (link->kind == IDENTITY_TRUSTED_HEADER &&
		    (once(rq, link->user_header, true, e) < 0 ||
		     once(rq, link->groups_header, true, e) < 0 ||
		     once(rq, link->secret_header, true, e) < 0))
			return -1;
	}
	return 0;
}

struct str req_param(const struct request *rq, const char *name)
{
	struct str want = str_of(name);

	for (size_t i = rq->n_params; i-- > 0;)
		if (str_eq(rq->params[i].name, want))
			return rq->params[i].value;
	return (struct str){ NULL, 0 };
}

struct str req_header(const struct request *rq, const char *name)
{
	char cgi[128] = "HTTP_";
	size_t n = strlen(cgi);

	for (; *name && n < sizeof(cgi) - 1; name++)
		cgi[n++] = cgi_char(*name);
	cgi[n] = '\0';
	return req_param(rq, cgi);
}

/*
 * The server's own id if it has one (Apache's mod_unique_id), so that its log and
 * ours can be compared; clients cannot set that parameter.
 */
static void choose_id(struct request *rq)
{
	struct str theirs = req_param(rq, "UNIQUE_ID");
	bool plain = theirs.n > 0 && theirs.n < sizeof(rq->id);
	struct uuid u;

	for (size_t i = 0; plain && i < theirs.n; i++)
		plain = strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstu"
			       "vwxyz0123456789@_-", theirs.p[i]) != NULL;
	if (plain) {
		memcpy(rq->id, theirs.p, theirs.n + 1);
		return;
	}
	u = uuid_new();
	uuid_format(&u, rq->id);
}

static enum method find_method(struct str name)
{
	for (int i = 0; i < METHOD_OTHER; i++)
		if (str_is(name, method_names[i]))
			return (enum method)i;
	return METHOD_OTHER;
}

/*
 * Some web servers and firewalls let only GET and POST through. A POST may then name
 * what it stands for, which changes no gate: those of the other method apply. A page of
 * another site cannot send the header without being allowed to.
 */
static int read_method(struct request *rq, struct err *e)
{
	struct str meant = req_param(rq, "HTTP_X_HTTP_METHOD_OVERRIDE");

	rq->method = find_method(req_param(rq, "REQUEST_METHOD"));
	if (rq->method != METHOD_POST || !meant.n)
		return 0;
	rq->method = find_method(meant);
	if (rq->method == METHOD_PATCH || rq->method == METHOD_PUT ||
	    rq->method == METHOD_DELETE || rq->method == METHOD_POST)
		return 0;
	rq->method = METHOD_POST;
	return err_public(e, ERR_BAD_REQUEST, "X-HTTP-Method-Override can be "
			  "PATCH, PUT or DELETE.");
}

int req_read(struct request *rq, struct app *app, const struct conf *conf,
	     struct conn *conn, struct arena *a, struct err *e)
{
	static const struct identity nobody;
	struct str base;
	struct uri_parts t;

	*rq = (struct request){
		.app = app, .conf = conf, .arena = a, .conn = conn,
		.by = { .conf = conf, .who = &nobody, .arena = a },
		.started_us = clock_mono_us(), .method = METHOD_OTHER,
	};
	if (read_params(rq, e) < 0) {
		choose_id(rq);
		return -1;
	}
	choose_id(rq);
	rq->by.lang = e->lang = lang_pick(req_header(rq, "Accept-Language"));
	if (read_method(rq, e) < 0)
		return -1;
	base = req_param(rq, "LAMPLIGHTER_BASE");
	if (path_split(req_param(rq, "REQUEST_URI"),
		       base.n ? base.p : conf->server.base, &t, e) < 0)
		return -1;
	rq->mount = t.mount;
	rq->path = t.path;
	rq->raw_query = t.query;
	return check_once(rq, e);
}

int req_pairs(struct request *rq, struct str text, size_t max,
	      const char *too_many, struct param **out, size_t *n,
	      struct err *e)
{
	struct param *v = arena_zalloc(rq->arena, max, sizeof(*v));

	*n = 0;
	while (text.n) {
		struct str value = str_cut(&text, '&');
		struct str name = str_cut(&value, '=');

		if (!name.n && !value.n)
			continue;
		if (*n == max)
			return err_public(e, ERR_BAD_REQUEST, "%s", too_many);
		if (path_decode(rq->arena, name, true, &v[*n].name, e) < 0 ||
		    path_decode(rq->arena, value, true, &v[*n].value, e) < 0)
			return -1;
		++*n;
	}
	*out = v;
	return 0;
}

/* Splits and decodes the query, once. */
static int read_query(struct request *rq, struct err *e)
{
	struct param *v;
	size_t n;

	if (rq->query_read)
		return 0;
	if (req_pairs(rq, rq->raw_query, LIM_QUERY_PARAMS,
		      "The query has too many parameters.", &v, &n, e) < 0)
		return -1;
	rq->query = v;
	rq->n_query = n;
	rq->query_read = true;
	return 0;
}

int req_query_names(struct request *rq, const char *names, struct err *e)
{
	if (read_query(rq, e) < 0)
		return -1;
	for (size_t i = 0; i < rq->n_query; i++) {
		struct str rest = str_of(names);
		bool known = false;

		while (rest.n && !known)
			known = str_eq(str_cut(&rest, ' '), rq->query[i].name);
		if (!known)
			return err_field(e, ERR_UNKNOWN_FIELD,
					 rq->query[i].name.p,
					 "There is no query parameter "
					 "\"%.60s\"; there are: %s.",
					 rq->query[i].name.p,
					 *names ? names : "none");
	}
	return 0;
}

int req_query(struct request *rq, const char *name, struct str *out,
	      struct err *e)
{
	*out = (struct str){ NULL, 0 };
	if (read_query(rq, e) < 0)
		return -1;
	for (size_t i = rq->n_query; i-- > 0;)
		if (str_is(rq->query[i].name, name)) {
			*out = rq->query[i].value;
			break;
		}
	return 0;
}

int req_query_text(struct request *rq, const char *name, int max,
		   struct str *out, struct err *e)
{
	if (req_query(rq, name, out, e) < 0)
		return -1;
	if (utf8_chars(*out) > (size_t)max)
		return err_field(e, ERR_INVALID_FIELD, name,
				 "%s may have at most %d characters.", name, max);
	return 0;
}

int req_query_int(struct request *rq, const char *name, int64_t dflt,
		  int64_t *out, struct err *e)
{
	struct str s;

	*out = dflt;
	if (req_query(rq, name, &s, e) < 0)
		return -1;
	if (!s.n)
		return 0;
	if (!str_int(s, out))
		return err_field(e, ERR_INVALID_FIELD, name,
				 "%s must be a whole number.", name);
	return 0;
}

int req_length(const struct request *rq, int64_t *out, struct err *e)
{
	struct str s = req_param(rq, "CONTENT_LENGTH");

	*out = -1;
	if (!s.n)
		return 0;
	if (s.p[0] == '-' || s.p[0] == '+' || !str_int(s, out))
		return err_public(e, ERR_BAD_REQUEST,
				  "The content length is not a number.");
	return 0;
}

/* Takes the bytes that the body will have in memory. */
static int hold_body(struct request *rq, int64_t bytes, struct err *e)
{
	struct uuid user = route_user(rq);

	if (rq->arrived.of || !bytes)
		return 0;
	return share_take(rq->app->share, &user, SHARE_ARRIVED, bytes,
			  route_limit(rq, SHARE_ARRIVED), &rq->arrived, e);
}

static int too_big(size_t cap, struct err *e)
{
	return err_public(e, ERR_TOO_BIG, "The body may have at most %zu bytes.", cap);
}

/* To b, which must be empty, with the cap cap + 1. */
static int read_body(struct request *rq, size_t cap, struct buf *b, struct err *e)
{
	int64_t length;
	ssize_t got = 0;
	bool some = true;

	if (req_length(rq, &length, e) < 0)
		return -1;
	if (length > 0 && (uint64_t)length > cap)
		return too_big(cap, e);
	if (hold_body(rq, length >= 0 ? length : (int64_t)cap, e) < 0)
		return -1;
	/* One byte more than allowed reveals a body that is too long. */
	while (some && b->n <= cap) {
		size_t want = length >= 0 ? (size_t)length - b->n : 16384;

		want = MIN(want, cap + 1 - b->n);
		if (!want || !buf_reserve(b, want))
			break;
		got = rq->conn->read(rq->conn, b->p + b->n, want);
		some = got > 0;
		b->n += some ? (size_t)got : 0;
	}
	if (b->n > cap)
		too_big(cap, e);
	else if (got == CONN_SLOW)
		err_set(e, ERR_SLOW, "%zu bytes of the body came", b->n);
	else if (got < 0 || (length > 0 && b->n < (size_t)length))
		err_public(e, ERR_BAD_REQUEST, "The body is incomplete.");
	return e->code ? -1 : 0;
}

static void forget_body(struct buf *b)
{
	if (b->n)
		explicit_bzero(b->p, b->n);	/* it may contain a key */
	buf_release(b);
}

int req_body(struct request *rq, size_t cap, struct str *out, struct err *e)
{
	struct buf b = BUF_INIT(cap + 1);
	int rc = read_body(rq, cap, &b, e);

	if (rc == 0)
		*out = (struct str){ arena_memdup(rq->arena, b.p, b.n), b.n };
	forget_body(&b);
	return rc;
}

json_t *req_body_json(struct request *rq, size_t cap, unsigned how, struct err *e)
{
	struct buf b = BUF_INIT(cap + 1);
	json_t *body = NULL;
	struct str text;

	if (read_body(rq, cap, &b, e) == 0 && !b.n && how & REQ_JSON_OPTIONAL)
		body = json_object();
	else if (!e->code && !route_is_json(req_param(rq, "CONTENT_TYPE")))
		err_set(e, ERR_MEDIA_TYPE, "not JSON");
	else if (!e->code) {
		text = buf_str(&b);
		/* Some clients on Windows send one, and RFC 8259, 8.1 lets us ignore it. */
		if (str_starts(text, STR("\ufeff")))
			text.p += 3, text.n -= 3;
		body = how & REQ_JSON_REPAIRED ? jx_load_repaired(text, e)
			: jx_load(text, e);
	}
	forget_body(&b);
	return body;
}

ssize_t req_body_some(struct request *rq, char *p, size_t n, struct err *e)
{
	int64_t length;
	ssize_t got;

	if (req_length(rq, &length, e) < 0)
		return -1;
	if (length >= 0)
		n = MIN(n, (size_t)MAX(length - rq->body_bytes, 0));
	got = n ? rq->conn->read(rq->conn, p, n) : 0;
	if (got == CONN_SLOW)
		return err_set(e, ERR_SLOW, "%lld bytes of the body came",
			       (long long)rq->body_bytes);
	if (got < 0 || (got == 0 && n && length > 0))
		return err_public(e, ERR_BAD_REQUEST, "The body is "
				  "incomplete.");
	rq->body_bytes += got;
	return got;
}

int req_body_hold(struct request *rq, size_t cap, struct err *e)
{
	int64_t length;

	if (req_length(rq, &length, e) < 0)
		return -1;
	if (length > 0 && (uint64_t)length > cap)
		return too_big(cap, e);
	return hold_body(rq, length >= 0 ? length : (int64_t)cap, e);
}

int req_body_all(struct request *rq, struct buf *b, const char *what, struct err *e)
{
	char piece[16384];
	ssize_t n;

	while ((n = req_body_some(rq, piece, sizeof(piece), e)) > 0)
		buf_add(b, piece, (size_t)n);
	if (n < 0)
		return -1;
	return buf_ok(b) ? 0 : err_set(e, ERR_TOO_BIG, "%s", what);
}
