/* SPDX-License-Identifier: MIT */
#include "request.h"

#include <stdio.h>
#include <stdlib.h>

#include "app.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "path.h"

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

	/* From the last one on: see check_once. */
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
static void set_id(struct request *rq)
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
	/* A refusal has a request id, too. */
	if (read_params(rq, e) < 0) {
		set_id(rq);
		return -1;
	}
	set_id(rq);
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
