/* SPDX-License-Identifier: MIT */
/*
 * Builds a request from arguments. Values from the model go into the places that
 * the admin chose, and cannot break out of them: in the path, each is
 * percent-encoded and must be a whole, plain segment; in the query and in forms it
 * is percent-encoded; in headers it is one line; in JSON it is JSON.
 */
#include "tool/http/http_tool.h"

#include <sodium.h>
#include <string.h>
#include <strings.h>

#include "auth/user_token.h"
#include "base/clock.h"
#include "base/limits.h"
#include "tool/core/template.h"
#include "tool/core/text.h"

#include "base/banned.h"

struct building {
	const struct conf_tool *c;
	const struct conf_tool_http *h;
	const json_t *args;
	struct arena *arena;
	struct http_call *out;
	struct err *e;
	struct buf url;
	bool has_query;
};

static bool sends_body(const char *method)
{
	return strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0 &&
	       strcmp(method, "DELETE") != 0;
}

/* -- path ------------------------------------------------------------------- */

static bool has_control(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return true;
	return false;
}

/*
 * Some servers decode %2F before they split the path, so a slash in a value would
 * become one in the path. Values must not contain slashes.
 */
static int add_path_value(struct building *b, struct str name)
{
	const json_t *v = json_object_getn(b->args, name.p, name.n);
	struct buf text = BUF_INIT(LIM_TOOL_URL_BYTES);
	int rc = 0;

	if (json_is_object(v) || json_is_array(v))
		rc = err_public(b->e, ERR_TOOL_ARGS, "%.*s cannot be a list or "
				"an object: it is part of a URL.",
				STR_ARG(name));
	else
		template_value(&text, v);
	if (rc == 0 && text.n == 0)
		rc = err_public(b->e, ERR_TOOL_ARGS, "%.*s must not be empty.",
				STR_ARG(name));
	if (rc == 0 && (memchr(text.p, '/', text.n) ||
			memchr(text.p, '\\', text.n) ||
			has_control(buf_str(&text))))
		rc = err_public(b->e, ERR_TOOL_ARGS, "%.*s must not have "
				"slashes, backslashes or control characters.",
				STR_ARG(name));
	if (rc == 0)
		buf_url(&b->url, buf_str(&text));
	buf_release(&text);
	return rc;
}

/* "." and ".." change the path, however they were formed. */
static int check_steps(struct building *b, size_t start)
{
	struct str rest = { b->url.p + start, b->url.n - start };

	while (rest.p) {
		struct str part = str_cut(&rest, '/');

		if (str_is(part, ".") || str_is(part, ".."))
			return err_public(b->e, ERR_TOOL_ARGS, "A part of the "
					  "URL's path would be \"%.*s\", which "
					  "is not allowed.", STR_ARG(part));
	}
	return 0;
}

static int build_path(struct building *b, struct str path)
{
	struct str literal, name;
	size_t start = b->url.n;

	while (template_next(&path, &literal, &name)) {
		buf_addstr(&b->url, literal);
		if (name.p && add_path_value(b, name) < 0)
			return -1;
	}
	return check_steps(b, start);
}

/* -- query and forms -------------------------------------------------------- */

/* "&key=value", with *first instead of the first "&". */
static void add_pair(struct buf *out, bool *any, char first, struct str key,
		     const json_t *v)
{
	struct buf text = BUF_INIT(2 * LIM_TOOL_ARGS_BYTES);
	size_t i;
	json_t *item;

	if (json_is_array(v)) {		/* repeated: a=1&a=2 */
		json_array_foreach((json_t *)v, i, item)
			add_pair(out, any, first, key, item);
		return;
	}
	if (!v || json_is_null(v))
		return;
	template_value(&text, v);
	buf_addc(out, *any ? '&' : first);
	*any = true;
	buf_url(out, key);
	buf_addc(out, '=');
	buf_url(out, buf_str(&text));
	buf_release(&text);
}

static void add_query(struct building *b, struct str key, const json_t *v)
{
	add_pair(&b->url, &b->has_query, '?', key, v);
}

/* Whether the argument is already used in the request. */
static bool placed(const struct conf_tool_http *h, struct str name)
{
	if (template_text_uses(str_of(h->url), name) ||
	    (h->query && template_uses(h->query, name)) ||
	    (h->body && template_uses(h->body, name)))
		return true;
	for (size_t i = 0; i < h->headers.n; i++)
		if (template_text_uses(str_of(h->headers.v[i]), name))
			return true;
	return false;
}

/*
 * Arguments that the declaration does not name are not sent: with one of them the
 * model could override a parameter that is already in the URL. To send them,
 * declare additionalProperties.
 */
static int check_names(const struct building *b)
{
	static const char *const says[] = {
		"additionalProperties", "allOf", "anyOf", "oneOf", "$ref",
	};
	const json_t *properties = jx_obj(b->c->parameters, "properties");
	const char *key;
	json_t *v;

	/* The schema, which was checked, has the name, or is more than a list. */
	for (size_t i = 0; i < ARRAY_LEN(says); i++)
		if (json_object_get(b->c->parameters, says[i]))
			return 0;
	json_object_foreach((json_t *)b->args, key, v)
		if (!json_object_get(properties, key))
			return err_public(b->e, ERR_TOOL_ARGS, "There is no "
					  "argument \"%.*s\".", STR_ARG(
					  text_quote(str_of(key), 64)));
	return 0;
}

/* The unused arguments, as an object in the arena. */
static json_t *left_over(struct building *b)
{
	json_t *out = jx_keep(b->arena, json_object());
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)b->args, key, v)
		if (!placed(b->h, str_of(key)))
			json_object_set_new(out, key, json_deep_copy(v));
	return out;
}

static void add_query_all(struct building *b, const json_t *map)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)map, key, v)
		add_query(b, str_of(key), v);
}

/* The query of the URL, after its "?", with encoded values. */
static void build_url_query(struct building *b, struct str query)
{
	struct str literal, name;

	buf_addc(&b->url, '?');
	b->has_query = query.n > 0;
	while (template_next(&query, &literal, &name)) {
		struct buf text = BUF_INIT(LIM_TOOL_URL_BYTES);

		buf_addstr(&b->url, literal);
		if (name.p)
			template_value(&text, json_object_getn(b->args, name.p,
							       name.n));
		buf_url(&b->url, buf_str(&text));
		buf_release(&text);
	}
}

static int build_url(struct building *b, struct str page)
{
	struct str rest = str_of(b->h->url);
	struct str scheme = { rest.p, strcspn(rest.p, ":") + 3 }, path, host;
	size_t host_bytes;

	rest.p += scheme.n;
	rest.n -= scheme.n;
	host_bytes = strcspn(rest.p, "/?");
	host = (struct str){ rest.p, host_bytes };
	rest = (struct str){ rest.p + host_bytes, rest.n - host_bytes };
	buf_addstr(&b->url, scheme);
	buf_addstr(&b->url, host);
	path = rest.n ? str_cut(&rest, '?') : rest;
	if (path.n == 0)
		buf_addc(&b->url, '/');
	else if (build_path(b, path) < 0)
		return -1;
	if (rest.p && rest.n)
		build_url_query(b, rest);
	if (b->h->query)
		add_query_all(b, jx_keep(b->arena, template_json(b->h->query,
								 b->args)));
	else if (!sends_body(b->h->method))
		add_query_all(b, left_over(b));
	if (page.p)
		add_query(b, str_of(b->h->page.param),
			  jx_keep(b->arena, jx_string(page)));
	if (!buf_ok(&b->url) || b->url.n > LIM_URI_BYTES)
		return err_public(b->e, ERR_TOOL_ARGS, "The arguments are too "
				  "long for a URL.");
	b->out->url = arena_memdup(b->arena, b->url.p, b->url.n);
	return 0;
}

/* -- headers ---------------------------------------------------------------- */

static void header(struct http_call *out, const char *line)
{
	/* The configuration has its own cap, but an OpenAPI document may add headers. */
	if (out->n_headers == LIM_TOOL_HEADERS)
		out->too_many = true;
	else
		out->headers[out->n_headers++] = line;
}

static bool has_header(const struct http_call *out, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < out->n_headers; i++)
		if (strncasecmp(out->headers[i], name, n) == 0 &&
		    out->headers[i][n] == ':')
			return true;
	return false;
}

static int build_header(struct building *b, const char *template)
{
	struct str rest = str_of(template), key = str_cut(&rest, ':');
	struct str value = str_trim(rest), only = template_only(value);
	struct buf text = BUF_INIT(LIM_TOOL_URL_BYTES);
	int rc = 0;

	template_fill(&text, value, b->args);
	if (has_control(buf_str(&text)) || !buf_ok(&text))
		rc = err_public(b->e, ERR_TOOL_ARGS, "An argument that is sent "
				"as the header %.*s must be one short line, "
				"without control characters.", STR_ARG(key));
	else if (text.n || !only.p)
		header(b->out, arena_printf(b->arena, "%.*s: %s", STR_ARG(key),
					    text.p));
	buf_release(&text);
	return rc;
}

static void secret(struct http_call *out, struct str s)
{
	out->secrets[out->n_secrets++] = s;
}

static struct str base64(struct arena *a, const char *text)
{
	size_t room = sodium_base64_ENCODED_LEN(strlen(text),
						sodium_base64_VARIANT_ORIGINAL);
	char *out = arena_alloc(a, room);

	sodium_bin2base64(out, room, (const unsigned char *)text, strlen(text),
			  sodium_base64_VARIANT_ORIGINAL);
	return str_of(out);
}

static int build_auth(struct building *b, const struct tool_ctx *ctx)
{
	const struct conf_tool_http *h = b->h;
	struct arena *a = b->arena;
	struct str s;

	switch (h->auth) {
	case HTTP_AUTH_NONE:
		return 0;
	case HTTP_AUTH_HEADER:
		header(b->out, arena_printf(a, "%s: %s", h->auth_header,
					    h->secret));
		break;
	case HTTP_AUTH_BEARER:
		header(b->out, arena_printf(a, "Authorization: Bearer %s",
					    h->secret));
		break;
	case HTTP_AUTH_BASIC:
		s = base64(a, arena_printf(a, "%s:%s", h->user, h->secret));
		header(b->out, arena_printf(a, "Authorization: Basic %s", s.p));
		secret(b->out, s);
		break;
	case HTTP_AUTH_USER_TOKEN:
		if (user_token_make(h->token, ctx->turn.by.who, clock_now_us(),
				    a, &s, b->e) < 0)
			return -1;
		if (h->auth_header[0])
			header(b->out, arena_printf(a, "%s: %s",
						    h->auth_header, s.p));
		else
			header(b->out, arena_printf(a, "Authorization: Bearer "
						    "%s", s.p));
		secret(b->out, s);
		secret(b->out, str_of(h->token->key));
		return 0;
	}
	secret(b->out, str_of(h->secret));
	return 0;
}

/* -- body ------------------------------------------------------------------- */

static void build_body(struct building *b)
{
	struct buf text = BUF_INIT(4 * LIM_TOOL_ARGS_BYTES);
	const json_t *j;
	const char *key, *type = "application/json";
	bool any = false;
	json_t *v;

	if (!b->h->body && !sends_body(b->h->method))
		return;
	j = b->h->body ? template_json(b->h->body, b->args) : left_over(b);
	if (!j)
		return;		/* "{name}" alone, which was not given */
	if (b->h->body)
		jx_keep(b->arena, (json_t *)j);
	if (b->h->body_type == BODY_FORM) {
		type = "application/x-www-form-urlencoded";
		json_object_foreach((json_t *)j, key, v)
			add_pair(&text, &any, '&', str_of(key), v);
		if (text.n)
			buf_shift(&text, 1);
	} else {
		jx_dump(&text, j);
	}
	b->out->body = arena_str(b->arena, buf_str(&text));
	buf_release(&text);
	if (!has_header(b->out, "Content-Type"))
		header(b->out, arena_printf(b->arena, "Content-Type: %s", type));
}

int tool_http_call_build(const struct conf_tool *c, const struct tool_ctx *ctx,
			 const json_t *args, struct str page, struct http_call *out,
			 struct err *e)
{
	struct building b = {
		.c = c, .h = c->http, .args = args, .arena = ctx->arena,
		.out = out, .e = e, .url = BUF_INIT(LIM_TOOL_URL_BYTES),
	};
	int rc;

	*out = (struct http_call){ .method = c->http->method };
	rc = check_names(&b);
	if (rc == 0)
		rc = build_url(&b, page);
	for (size_t i = 0; rc == 0 && i < c->http->headers.n; i++)
		rc = build_header(&b, c->http->headers.v[i]);
	if (rc == 0)
		rc = build_auth(&b, ctx);
	if (rc == 0) {
		build_body(&b);
		if (!has_header(out, "Accept"))
			header(out, "Accept: application/json, text/*;q=0.8, "
			       "*/*;q=0.1");
	}
	if (rc == 0 && out->too_many)
		rc = err_public(e, ERR_TOO_BIG, "A request of the tool \"%s\" "
				"would have more than %d headers.", c->name,
				LIM_TOOL_HEADERS);
	buf_release(&b.url);
	return rc;
}
