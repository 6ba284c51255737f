/* SPDX-License-Identifier: MIT */
/*
 * Tools of kind `http`: a request to a web service, made of the admin's
 * templates and the model's arguments. This file checks declarations and runs
 * calls: attempts, pages and failures. The service's answers, its errors included,
 * are untrusted text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "auth/user_token.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "net/guard.h"
#include "net/url.h"
#include "tool/core/env.h"
#include "tool/http/http_tool.h"
#include "tool/core/kind.h"
#include "tool/core/secret.h"
#include "tool/core/template.h"
#include "tool/core/text.h"

#include "base/banned.h"

enum {
	RETRY_MS = 250,		/* before the second attempt; then twice, … */
	RETRY_MOST_MS = 5000,
	LINK_BYTES = 2048,
	ERROR_BODY_BYTES = 2000,
};

/* -- the declaration -------------------------------------------------------- */

static int check_names(const char *field, struct str unknown, struct err *e)
{
	char path[80];

	if (!unknown.p)
		return 0;
	snprintf(path, sizeof(path), "http.%s", field);
	return err_field(e, ERR_CONFIG, path, "{%.*s} is not one of the tool's "
			 "parameters", STR_ARG(unknown));
}

static bool is_required(const json_t *schema, struct str name)
{
	const json_t *item;
	size_t i;

	json_array_foreach(jx_arr(schema, "required"), i, item)
		if (str_is(name, json_string_value(item)))
			return true;
	return false;
}

static int check_path_names(const struct conf_tool *c, struct err *e)
{
	struct str rest = str_of(c->http->url), path = str_cut(&rest, '?');
	struct str literal, name;

	while (template_next(&path, &literal, &name))
		if (name.p && !is_required(c->parameters, name))
			return err_field(e, ERR_CONFIG, "http.url", "{%.*s} is "
					 "in the path, so the parameter must "
					 "be required", STR_ARG(name));
	return 0;
}

static int check_headers(const struct conf_tool *c, struct err *e)
{
	static const char *const ours[] = {
		"Host", "Content-Length", "Transfer-Encoding", "Connection",
		"Upgrade", "TE", "Trailer", "Expect",
	};
	const struct conf_list *l = &c->http->headers;

	for (size_t i = 0; i < l->n; i++) {
		struct str rest = str_of(l->v[i]), name = str_cut(&rest, ':');
		char field[64];
		int rc;

		snprintf(field, sizeof(field), "headers[%zu]", i);
		rc = check_names(field, template_text_unknown(rest,
							  c->parameters), e);
		if (rc < 0)
			return -1;
		snprintf(field, sizeof(field), "http.headers[%zu]", i);
		for (size_t k = 0; k < ARRAY_LEN(ours); k++)
			if (name.n == strlen(ours[k]) &&
			    strncasecmp(name.p, ours[k], name.n) == 0)
				return err_field(e, ERR_CONFIG, field, "%s "
						 "cannot be set here", ours[k]);
	}
	return 0;
}

static int check_flat(const json_t *map, const char *field, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)map, key, v)
		if (json_is_object(v))
			return err_field(e, ERR_CONFIG, field, "%.60s must be a "
					 "value or a list of values", key);
	return 0;
}

/* "BEFORE WHAT", at the key of this section. Always -1. */
static int wrong(const char *section, const char *key, const char *before,
		 const char *what, struct err *e)
{
	char field[64];

	snprintf(field, sizeof(field), "%s.%s", section, key);
	return err_field(e, ERR_CONFIG, field, "%s %s", before, what);
}

int tool_http_check_auth(const struct conf_tool_http *h, const char *section,
			 struct err *e)
{
	static const char *const names[] = {
		"none", "header", "bearer", "basic", "user_token",
	};
	bool token = h->auth == HTTP_AUTH_USER_TOKEN;
	bool secret = h->auth != HTTP_AUTH_NONE && !token;
	struct err fault = ERR_INIT;

	if (secret && !h->secret[0])
		return wrong(section, "auth", names[h->auth], "needs secret:", e);
	if (secret && strlen(h->secret) < SECRET_LEAST_BYTES)
		return wrong(section, "secret", "it is too short to be",
			     "masked: it needs at least 6 characters", e);
	if (!secret && h->secret[0])
		return wrong(section, "secret", "does not belong to auth",
			     names[h->auth], e);
	if ((h->auth == HTTP_AUTH_BASIC) != (h->user[0] != '\0'))
		return wrong(section, "auth", "basic, and only basic,",
			     "needs user:", e);
	if (h->auth == HTTP_AUTH_HEADER && !h->auth_header[0])
		return wrong(section, "auth", "header", "needs auth_header:", e);
	if (h->auth != HTTP_AUTH_HEADER && !token && h->auth_header[0])
		return wrong(section, "auth_header", "does not belong to auth",
			     names[h->auth], e);
	if (token != (h->token != NULL))
		return wrong(section, "auth", "user_token, and only user_token,",
			     "needs token:", e);
	if (token && user_token_check(h->token, &fault) < 0)
		return wrong(section, "token.key", "the key", fault.public, e);
	return 0;
}

static int check_page(const struct conf_tool_http *h, struct err *e)
{
	bool how = h->page.next[0] || h->page.param[0];

	if ((h->page.max > 1) != how)
		return err_field(e, ERR_CONFIG, "http.page", "needs max: above 1, "
				 "and next: or param:");
	if (how && strcmp(h->method, "GET") != 0)
		return err_field(e, ERR_CONFIG, "http.page", "needs the method "
				 "GET");
	if (strcmp(h->page.next, "link") == 0 && h->page.param[0])
		return err_field(e, ERR_CONFIG, "http.page.param", "is not "
				 "used with next: link");
	return 0;
}

static int http_check(const struct conf *conf, const struct workspace *w,
		      const struct conf_tool *c, struct err *e)
{
	const struct conf_tool_http *h = c->http;

	(void)conf;
	(void)w;
	if (check_names("url", template_text_unknown(str_of(h->url),
						     c->parameters), e) < 0 ||
	    check_names("query", template_unknown(h->query, c->parameters),
			e) < 0 ||
	    check_names("body", template_unknown(h->body, c->parameters),
			e) < 0 ||
	    check_path_names(c, e) < 0 || check_headers(c, e) < 0 ||
	    check_flat(h->query, "http.query", e) < 0 ||
	    tool_http_check_auth(h, "http", e) < 0 || check_page(h, e) < 0)
		return -1;
	if (h->body && (strcmp(h->method, "GET") == 0 ||
			strcmp(h->method, "HEAD") == 0))
		return err_field(e, ERR_CONFIG, "http.body", "%s has no body",
				 h->method);
	if (h->body_type == BODY_FORM)
		return check_flat(h->body, "http.body", e);
	return 0;
}

/* -- one answer ------------------------------------------------------------- */

struct course {
	const struct tool *t;
	const struct tool_ctx *ctx;
	const struct conf_tool_http *h;
	struct http_call call;
	struct http_result res;
	struct buf body;
	char link[LINK_BYTES];		/* rel=next of the answer, or "" */
	int64_t until_ms;
	struct err *e;
};

static int on_body(void *ctx, struct str bytes)
{
	buf_addstr(&((struct course *)ctx)->body, bytes);
	return 0;
}

/* <URL>; rel="next" among others (RFC 8288). */
static void on_header(void *ctx, struct str name, struct str value)
{
	struct course *k = ctx;

	if (name.n != 4 || strncasecmp(name.p, "link", 4) != 0)
		return;
	while (value.n) {
		struct str before = str_cut(&value, '<');
		struct str url = str_cut(&value, '>');
		struct str rest = value, params;
		char text[256];

		(void)before;
		params = str_cut(&rest, '<');
		snprintf(text, sizeof(text), "%.*s", STR_ARG(params));
		if ((strcasestr(text, "rel=\"next\"") ||
		     strcasestr(text, "rel=next")) &&
		    url.n && url.n < sizeof(k->link))
			snprintf(k->link, sizeof(k->link), "%.*s",
				 STR_ARG(url));
	}
}

static int say(struct course *k, const struct err *cause)
{
	switch (cause->code) {
	case ERR_CANCELLED:
		*k->e = *cause;
		return -1;
	case ERR_ADDRESS_REFUSED:
		log_err("http tool", cause);
		return err_public(k->e, ERR_TOOL_FAILED, "The service's address "
				  "may not be reached from here "
				  "(net.allow_private).");
	case ERR_UPSTREAM_TIMEOUT:
		return err_public(k->e, ERR_TOOL_TIMEOUT, "The service did not "
				  "answer in time.");
	case ERR_TOO_BIG:
		return err_public(k->e, ERR_TOOL_FAILED, "The service's answer "
				  "has more than %d bytes. Ask for less.",
				  k->h->response_bytes);
	default:
		log_err("http tool", cause);
		return err_public(k->e, ERR_TOOL_FAILED, "The service cannot be "
				  "reached at the moment.");
	}
}

/* Whether the method may be sent twice. */
static bool tool_http_idempotent(const char *method)
{
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 ||
	       strcmp(method, "PUT") == 0 || strcmp(method, "DELETE") == 0;
}

static bool worth_another(const struct course *k, int rc,
			  const struct err *cause)
{
	if (rc < 0 && !k->res.sent)
		return cause->code == ERR_UPSTREAM_CONNECT;
	if (!tool_http_idempotent(k->call.method))
		return false;
	if (rc < 0)
		return cause->code == ERR_UPSTREAM_EARLY_END;
	return k->res.status == 429 || (k->res.status >= 502 &&
					k->res.status <= 504);
}

static int pause_ms(const struct course *k, int attempt)
{
	long s = strtol(k->res.retry_after, NULL, 10);
	int ms = RETRY_MS << MIN(attempt, 5);

	if (s > 0 && s < 3600)
		ms = MAX(ms, (int)s * 1000);
	return ms;
}

/* One request, with retries, until there is an answer of any status. 0 or -1. */
static int fetch(struct course *k)
{
	const struct conf_list *own = &k->h->allow_private;
	struct net_guard guard = {
		.allow = own->n ? own : &k->ctx->turn.by.conf->allow_private,
	};
	struct http_request r = {
		.method = k->call.method, .url = k->call.url,
		.headers = k->call.headers, .n_headers = k->call.n_headers,
		.body = k->call.body, .abort = k->ctx->turn.abort,
		.watch_fd = -1,
		.max_body_bytes = (size_t)k->h->response_bytes,
		.guard = &guard, .on_body = on_body, .on_header = on_header,
		.ctx = k,
	};

	for (int attempt = 0; ; attempt++) {
		int64_t left = k->until_ms - clock_mono_ms();
		struct err cause = ERR_INIT;
		int rc, ms;

		buf_reset(&k->body);
		k->link[0] = '\0';
		r.total_timeout_ms = (int)MAX(left, 1);
		rc = http_do(tool_env_http(k->ctx->turn.env), &r, &k->res,
			     &cause);
		ms = pause_ms(k, attempt);
		if (attempt >= k->h->retries || !worth_another(k, rc, &cause) ||
		    ms > RETRY_MOST_MS || clock_mono_ms() + ms >= k->until_ms)
			return rc < 0 ? say(k, &cause) : 0;
		err_clear(&cause);
		if (http_wait(&r, ms, &cause) < 0)
			return say(k, &cause);
	}
}

static void mask(const struct http_call *c, struct buf *b)
{
	for (size_t i = 0; i < c->n_secrets; i++)
		secret_mask(b, c->secrets[i]);
}

/* -- the result ------------------------------------------------------------- */

static int read_answer(const struct course *k, const struct conf_tool_http *h,
		       struct http_answer *out, struct err *e)
{
	const struct http_reading how = {
		.what = "The service's page", .until_ms = k->until_ms,
		.abort = k->ctx->turn.abort,
	};

	return tool_http_answer_read(h, &how, &k->res, &k->body, out, e);
}

/* {"error":{"code","message"},"body":…}, with the service's body. Returns 1. */
static int write_failure(struct course *k, struct buf *out)
{
	struct http_answer a;
	struct err ignored = ERR_INIT;
	struct conf_tool_http whole = *k->h;
	struct jw w = jw_on(out);
	char text[80];

	whole.select = "";
	whole.output = OUTPUT_AUTO;
	snprintf(text, sizeof(text), "http_%d", k->res.status);
	jw_obj(&w);
	jw_key(&w, "error");
	jw_obj(&w);
	jw_kstrz(&w, "code", text);
	snprintf(text, sizeof(text), "The service answered %d%s.", k->res.status,
		 k->res.status < 400 ? ", a redirect, which is not followed"
		 : "");
	jw_kstrz(&w, "message", text);
	jw_end_obj(&w);
	if (read_answer(k, &whole, &a, &ignored) == 0) {
		struct buf part = BUF_INIT(4 * ERROR_BODY_BYTES);

		utf8_scrub(&part, text_quote(buf_str(&a.text),
					     ERROR_BODY_BYTES));
		if (a.json || part.n)
			jw_key(&w, "body");
		if (a.json)
			jw_json(&w, a.json);
		else if (part.n)
			jw_str(&w, buf_str(&part));
		buf_release(&part);
	}
	tool_http_answer_release(&a);
	jw_end_obj(&w);
	return 1;
}

static int write_one(struct course *k, struct buf *out, bool *is_json)
{
	struct http_answer a;
	int rc = read_answer(k, k->h, &a, k->e);

	*is_json = true;
	if (rc == 0 && a.json) {
		jx_dump(out, a.json);
	} else if (rc == 0 && k->body.n == 0) {
		buf_addf(out, "{\"status\":%d}", k->res.status);
	} else if (rc == 0) {
		*is_json = false;
		buf_addstr(out, str_trim(buf_str(&a.text)));
	}
	tool_http_answer_release(&a);
	return rc;
}

/* The next page's URL or cursor as the answer has it; "" = there is none. */
static struct str next_of(struct course *k, const json_t *whole)
{
	const json_t *v;
	struct buf text = BUF_INIT(LINK_BYTES);
	struct str out;

	if (strcmp(k->h->page.next, "link") == 0)
		return arena_str(k->ctx->arena, str_of(k->link));
	v = jx_pointer(whole, k->h->page.next);
	if (json_is_string(v) || json_is_integer(v))
		template_value(&text, v);
	out = arena_str(k->ctx->arena, buf_str(&text));
	buf_release(&text);
	return out;
}

/* 1: k->call asks for the next page. 0: there is none. -1: error. */
static int turn_page(struct course *k, const json_t *args, int page,
		     const json_t *whole)
{
	const struct conf_tool *c = k->t->data;
	struct buf url = BUF_INIT(LIM_TOOL_URL_BYTES);
	struct arena *a = k->ctx->arena;
	struct str next;
	int rc = 1;

	if (!k->h->page.next[0]) {
		next = str_of(arena_printf(a, "%lld", k->h->page.first +
					   (long long)page * k->h->page.step));
		return tool_http_call_build(c, k->ctx, args, next, &k->call,
					    k->e) < 0 ? -1 : 1;
	}
	next = next_of(k, whole);
	if (next.n == 0)
		return 0;
	if (k->h->page.param[0])
		return tool_http_call_build(c, k->ctx, args, next, &k->call,
					    k->e) < 0 ? -1 : 1;
	/* Our secrets are sent only to the host that the admin configured. */
	if (!url_join(k->call.url, next, &url) ||
	    !url_same_origin(k->call.url, url.p))
		rc = err_public(k->e, ERR_TOOL_FAILED, "The service names a "
				"next page on another server, which is not "
				"followed.");
	else
		k->call.url = arena_memdup(a, url.p, url.n);
	buf_release(&url);
	return rc;
}

/* Adds the page's items. 1: continue, 0: it was the last page, -1: error. */
static int take_page(struct course *k, const json_t *args, int page,
		     json_t *items)
{
	struct http_answer a;
	int rc = read_answer(k, k->h, &a, k->e);
	size_t n = json_array_size(a.json);

	if (rc == 0 && !json_is_array(a.json)) {
		rc = err_public(k->e, ERR_TOOL_FAILED, "The service's answer "
				"is not a list%s%.100s.",
				k->h->select[0] ? " at " : "",
				k->h->select);
	} else if (rc == 0) {
		json_array_extend(items, a.json);
		rc = n ? turn_page(k, args, page + 1, a.whole) : 0;
	}
	tool_http_answer_release(&a);
	return rc;
}

/* {"items":[…],"pages":n,"more":…} */
static int write_pages(struct course *k, const json_t *args, struct buf *out)
{
	json_auto_t *items = json_array();
	struct jw w = jw_on(out);
	size_t bytes = k->body.n;
	int rc = take_page(k, args, 0, items), pages = 1;

	while (rc > 0 && pages < k->h->page.max &&
	       bytes < (size_t)k->h->response_bytes) {
		if (fetch(k) < 0)
			return -1;
		mask(&k->call, &k->body);
		if (k->res.status / 100 != 2)
			break;
		bytes += k->body.n;
		rc = take_page(k, args, pages, items);
		pages++;
	}
	if (rc < 0)
		return -1;
	jw_obj(&w);
	jw_key(&w, "items");
	jw_json(&w, items);
	jw_kint(&w, "pages", pages);
	jw_kbool(&w, "more", rc > 0);
	jw_end_obj(&w);
	return 0;
}

static struct str first_page(struct course *k)
{
	if (k->h->page.max < 2 || k->h->page.next[0])
		return (struct str){ NULL, 0 };
	return str_of(arena_printf(k->ctx->arena, "%d", k->h->page.first));
}

int tool_http_run(const struct tool *t, const struct tool_ctx *ctx,
		    const json_t *args, struct buf *out, bool *is_json,
		    struct err *e)
{
	const struct conf_tool *c = t->data;
	struct course k = {
		.t = t, .ctx = ctx, .h = c->http, .e = e,
		.body = BUF_INIT((size_t)c->http->response_bytes + 1),
		.until_ms = clock_mono_ms() + t->timeout_ms,
	};
	int rc = tool_http_call_build(c, ctx, args, first_page(&k), &k.call, e);

	*is_json = true;
	if (rc == 0)
		rc = fetch(&k);
	if (rc == 0) {
		mask(&k.call, &k.body);
		if (k.res.status / 100 != 2)
			rc = write_failure(&k, out);
		else if (k.h->page.max > 1)
			rc = write_pages(&k, args, out);
		else
			rc = write_one(&k, out, is_json);
		mask(&k.call, out);
	}
	buf_release(&k.body);
	return rc;
}

int tool_http_dry_run(const struct tool *t, const struct tool_ctx *ctx,
			const json_t *args, struct buf *out, struct err *e)
{
	const struct conf_tool *c = t->data;
	struct course k = { .t = t, .ctx = ctx, .h = c->http };

	if (tool_http_call_build(c, ctx, args, first_page(&k), &k.call, e) < 0)
		return -1;
	buf_addf(out, "%s %s\n", k.call.method, k.call.url);
	for (size_t i = 0; i < k.call.n_headers; i++)
		buf_addf(out, "%s\n", k.call.headers[i]);
	if (k.call.body.p)
		buf_addf(out, "\n%.*s\n", STR_ARG(k.call.body));
	mask(&k.call, out);
	return 0;
}

const struct tool_kind kind_http = {
	.name = "http",
	.section = offsetof(struct conf_tool, http),
	.check = http_check,
	.row = {
		.timeout_ms = 15000,
		.run = tool_http_run, .dry_run = tool_http_dry_run,
	},
};
