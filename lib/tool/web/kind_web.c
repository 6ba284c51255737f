/* SPDX-License-Identifier: MIT */
/* Kinds web_search and web_visit. See web.h. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "net/guard.h"
#include "net/http.h"
#include "net/robots.h"
#include "net/url.h"
#include "tool/core/env.h"
#include "tool/core/text.h"
#include "tool/http/http_tool.h"
#include "tool/schemas.h"
#include "tool/web/web.h"

#include "base/banned.h"

/* -- pages ----------------------------------------------------------------- */

/* -- robots.txt ------------------------------------------------------------ */

enum {
	KEEP_MS = 3600000,
	FETCH_MS = 5000,
};

/* -- asking a site --------------------------------------------------------- */

struct getting {
	struct buf *body;
	char *location;
	size_t n_location;
};

static void on_header(void *ctx, struct str name, struct str value)
{
	struct getting *g = ctx;

	if (g->location && name.n == 8 && !strncasecmp(name.p, "location", 8))
		snprintf(g->location, g->n_location, "%.*s", STR_ARG(value));
}

static int on_body(void *ctx, struct str bytes)
{
	struct getting *g = ctx;

	buf_addstr(g->body, bytes);
	return 0;
}

static int web_get(const struct tool_ctx *ctx, const struct web_want *w,
		   const char *url, struct buf *body, char *location,
		   size_t n_location, struct http_result *res, struct err *e)
{
	const struct net_guard guard = { .allow = w->allow };
	struct getting g = { body, location, n_location };
	const struct http_request r = {
		.method = "GET", .url = url, .headers = w->headers,
		.n_headers = w->n_headers, .guard = &guard,
		.abort = ctx->turn.abort, .watch_fd = -1,
		.total_timeout_ms = w->timeout_ms,
		.max_body_bytes = w->max_bytes, .on_header = on_header,
		.on_body = on_body, .ctx = &g,
	};

	if (location)
		location[0] = '\0';
	return http_do(tool_env_http(ctx->turn.env), &r, res, e);
}

/* The failure of a web_get in the model's words. Returns -1. */
static int web_failed(const char *what, const struct err *cause, struct err *e)
{
	if (cause->code == ERR_CANCELLED) {
		*e = *cause;
		return -1;
	}
	if (cause->code == ERR_ADDRESS_REFUSED)
		return err_public(e, ERR_TOOL_FAILED, "%s has an address that "
				  "may not be reached from here.", what);
	if (cause->code == ERR_UPSTREAM_TIMEOUT)
		return err_public(e, ERR_TOOL_TIMEOUT, "%s did not answer in "
				  "time.", what);
	if (cause->code == ERR_TOO_BIG)
		return err_public(e, ERR_TOOL_FAILED, "%s is too large.", what);
	return err_public(e, ERR_TOOL_FAILED, "%s cannot be reached.", what);
}

/* The rules as text: "" allows all. NULL: an error on our side. */
static json_t *fetch(const struct tool_ctx *ctx, const struct conf_list *allow,
		     const char *root, struct err *e)
{
	static const char *const headers[] = {
		"Accept: text/plain, */*;q=0.1",
	};
	const struct web_want want = {
		.headers = headers, .n_headers = ARRAY_LEN(headers),
		.allow = allow, .max_bytes = LIM_ROBOTS_BYTES,
		.timeout_ms = FETCH_MS,
	};
	struct buf body = BUF_INIT(LIM_ROBOTS_BYTES), next = BUF_INIT(8192);
	struct http_result res = { .status = 0 };
	struct err cause = ERR_INIT;
	char to[4096];
	json_t *text = NULL;
	int rc = -1;

	buf_adds(&next, root);
	for (int hop = 0; hop <= LIM_REDIRECTS; hop++) {
		struct buf joined = BUF_INIT(8192);

		buf_reset(&body);
		rc = web_get(ctx, &want, next.p, &body, to, sizeof(to), &res,
			     &cause);
		if (rc < 0 || res.status / 100 != 3 || !to[0] ||
		    !url_join(next.p, str_of(to), &joined)) {
			buf_release(&joined);
			break;
		}
		buf_release(&next);
		next = joined;
	}
	if (cause.code == ERR_CANCELLED || cause.code == ERR_ADDRESS_REFUSED)
		*e = cause;
	else if (rc == 0 && res.status / 100 == 2)
		text = jx_string(buf_str(&body));
	else if (rc == 0 && res.status / 100 == 4)
		text = json_string("");
	else
		text = json_string("User-agent: *\nDisallow: /\n");
	buf_release(&body);
	buf_release(&next);
	return text;
}

/*
 * Whether the robots.txt of its site, which is kept for a while, allows reading
 * url. If the site fails to deliver its rules, nothing is allowed.
 * ERR_TOOL_FAILED with a public text when it may not; errors of the request.
 */
static int web_robots_check(const struct tool_ctx *ctx, const struct conf_list *allow,
			    const char *url, struct err *e)
{
	struct buf root = BUF_INIT(8192);
	const char *key;
	struct tool_shared *kept;
	json_t *text;
	bool fine;

	if (!url_join(url, STR("/robots.txt"), &root)) {
		buf_release(&root);
		return err_public(e, ERR_TOOL_ARGS, "This is not a web "
				  "address.");
	}
	key = arena_printf(ctx->arena, "robots %s", root.p);
	kept = tool_env_take(ctx->turn.env, key);
	if (!kept) {
		text = fetch(ctx, allow, root.p, e);
		if (text)
			kept = tool_env_keep(ctx->turn.env, key, text, KEEP_MS);
	}
	buf_release(&root);
	if (!kept)
		return -1;
	fine = robots_allow((struct str){ json_string_value(kept->value),
					   json_string_length(kept->value) },
			     robots_path(url));
	tool_env_put(kept);
	return fine ? 0 : err_public(e, ERR_TOOL_FAILED, "The site does not "
				      "allow programs to read this page "
				      "(robots.txt).");
}

/* -- the tool -------------------------------------------------------------- */

int web_check_origin(const struct tool_ctx *ctx, struct str address,
		   struct err *e)
{
	if (!ctx->host || ctx->host->is_from_others(ctx, address))
		return 0;
	return err_public(e, ERR_TOOL_DENIED, "Only addresses that the user "
			  "gave or a result contains can be visited, exactly "
			  "as written there. Search first, or ask the user.");
}

/* Follows redirects; each address is checked again. */
static int follow(const struct tool_ctx *ctx, const struct web_want *w,
		  struct buf *url, struct buf *body, struct http_result *res,
		  struct err *e)
{
	int64_t until_ms = clock_mono_ms() + w->timeout_ms;
	char to[4096];

	for (int hop = 0; hop <= LIM_REDIRECTS; hop++) {
		struct err cause = ERR_INIT;
		struct buf next = BUF_INIT(8192);
		struct web_want left = *w;

		if (web_robots_check(ctx, w->allow, url->p, &cause) < 0)
			return cause.public[0] ? (*e = cause, -1)
				: web_failed("The site", &cause, e);
		buf_reset(body);
		left.timeout_ms = (int)MAX(until_ms - clock_mono_ms(), 1);
		if (web_get(ctx, &left, url->p, body, to, sizeof(to), res,
			    &cause) < 0)
			return cause.code == ERR_TOO_BIG
				? err_public(e, ERR_TOOL_FAILED, "%s is too "
					     "large: at most %zu bytes are "
					     "read.", w->what, w->max_bytes)
				: web_failed(w->what, &cause, e);
		if (res->status / 100 != 3 || !to[0])
			return 0;
		if (!url_join(url->p, str_of(to), &next)) {
			buf_release(&next);
			return err_public(e, ERR_TOOL_FAILED, "%s redirects to "
					  "something that is not a web "
					  "address.",
					  w->what);
		}
		buf_release(url);
		*url = next;
	}
	return err_public(e, ERR_TOOL_FAILED, "%s redirects too often.", w->what);
}

/* The host of a complete address without a login. */
static struct str host_of(struct str url)
{
	const char *p = url.n ? memmem(url.p, url.n, "://", 3) : NULL;
	struct str host;

	if (!p)
		return (struct str){ NULL, 0 };
	p += 3;
	host = (struct str){ p, strcspn(p, "/?#\\") };
	for (p = memchr(host.p, '@', host.n); p;
	     p = memchr(host.p, '@', host.n))
		host = (struct str){ p + 1, (size_t)(host.p + host.n - p) - 1 };
	return host;
}

int web_fetch(const struct tool_ctx *ctx, const struct web_want *w,
	      struct str asked, struct buf *url, struct buf *body,
	      struct http_result *res, struct err *e)
{
	int rc;

	if (web_check_origin(ctx, asked, e) < 0)
		return -1;
	if (!url_join("http://none.invalid/", asked, url) ||
	    !strncmp(url->p, "http://none.invalid", 19))
		return err_public(e, ERR_TOOL_ARGS, "This is not a complete "
				  "address that begins with http:// or "
				  "https://.");
	rc = follow(ctx, w, url, body, res, e);
	origins_add(ctx->from, ORIGIN_WEB, host_of(buf_str(url)));
	if (rc < 0)
		return -1;
	return res->status / 100 == 2 ? 0
		: err_public(e, ERR_TOOL_FAILED, "The site answered %d.",
			     res->status);
}

/* -- the tools ---------------------------------------------------------------- */

enum {
	TIMEOUT_MS = 20000,
	SNIPPET_CHARS = 500,
};

#define BRAVE_URL "https://api.search.brave.com/res/v1/web/search"

/* -- when ------------------------------------------------------------------- */

bool web_asked(const struct conf_list *words, struct str message)
{
	static const char *const addresses[] = { "http://*", "https://*", "www.*" };

	if (!message.n)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(addresses); i++)
		if (text_has_word(message, str_of(addresses[i])))
			return true;
	return text_has_words(message, words);
}

/* -- web_visit -------------------------------------------------------------- */

/* The body as text, after the address that it came from. */
static int write_page(const char *url, const struct http_reading *how,
		      const struct http_result *res, const struct buf *body,
		      struct buf *out, struct err *e)
{
	static const struct conf_tool_http as_it_is = {
		.output = OUTPUT_AUTO, .select = "",
		.response_bytes = LIM_WEB_PAGE_BYTES,
	};
	struct http_answer a;
	int rc = tool_http_answer_read(&as_it_is, how, res, body, &a, e);

	if (rc == 0) {
		buf_addf(out, "[page %s]\n\n", url);
		if (a.json)
			jx_dump(out, a.json);
		else
			buf_addstr(out, buf_str(&a.text));
	}
	tool_http_answer_release(&a);
	return rc;
}

static const char *const page_headers[] = {
	"Accept: text/html, text/plain;q=0.9, application/json;q=0.8, "
	"*/*;q=0.1",
};

static int visit_run(const struct tool *t, const struct tool_ctx *ctx,
		     const json_t *args, struct buf *out, bool *is_json,
		     struct err *e)
{
	const struct conf_web_visit *v =
		((const struct conf_tool *)t->data)->web_visit;
	const struct web_want want = {
		.what = "The page", .headers = page_headers,
		.n_headers = ARRAY_LEN(page_headers), .allow = &v->allow_private,
		.max_bytes = (size_t)v->page_bytes,
		.timeout_ms = MIN(t->timeout_ms, TIMEOUT_MS),
	};
	struct buf url = BUF_INIT(8192), body = BUF_INIT(want.max_bytes);
	/* Reading gets the time that fetching left. */
	const struct http_reading how = {
		.what = want.what, .abort = ctx->turn.abort,
		.until_ms = clock_mono_ms() + t->timeout_ms,
	};
	struct http_result res = { .status = 0 };
	int rc;

	*is_json = false;
	rc = web_fetch(ctx, &want, jx_str(args, "url"), &url, &body, &res, e);
	if (rc == 0)
		rc = write_page(url.p, &how, &res, &body, out, e);
	buf_release(&url);
	buf_release(&body);
	return rc;
}

static int visit_dry_run(const struct tool *t, const struct tool_ctx *ctx,
			 const json_t *args, struct buf *out, struct err *e)
{
	(void)t;
	(void)ctx;
	(void)e;
	buf_adds(out, "GET ");
	buf_addstr(out, jx_str(args, "url"));
	buf_addf(out, "\n%s\n(if the robots.txt of the site allows it)\n",
		 page_headers[0]);
	return 0;
}

/* -- web_search ------------------------------------------------------------- */

/* The request of an engine, and where its results are. */
static const struct engine {
	const char *format, *list, *within, *snippet;
} engines[] = {
	[ENGINE_SEARXNG] = { "%s/search?format=json&q=", "results", NULL,
			     "content" },
	[ENGINE_BRAVE] = { "%s?q=", "results", "web", "description" },
};

static const char search_accept[] = "Accept: application/json";

static void engine_url(const struct conf_web_search *s, struct str query,
		       struct buf *url)
{
	size_t n;

	buf_adds(url, *s->url ? s->url : BRAVE_URL);
	n = url->n;
	while (n && url->p[n - 1] == '/')
		url->p[--n] = '\0';
	url->n = n;
	buf_adds(url, engines[s->engine].format + 2);
	buf_url(url, query);
	if (s->engine == ENGINE_BRAVE)
		buf_addf(url, "&count=%d", s->max_results);
}

static void write_results(const struct conf_web_search *s, const json_t *answer,
			  struct buf *out)
{
	const struct engine *en = &engines[s->engine];
	const json_t *list = jx_arr(en->within ? jx_obj(answer, en->within)
				    : answer, en->list), *r;
	struct jw w = jw_on(out);
	int n = 0;
	size_t i;

	jw_obj(&w);
	jw_key(&w, "results");
	jw_arr(&w);
	json_array_foreach((json_t *)list, i, r) {
		struct str url = jx_str(r, "url");

		if (!url.n || url.n > 4096 || n++ >= s->max_results)
			continue;
		jw_obj(&w);
		jw_kstr(&w, "title", utf8_head(jx_str(r, "title"), 200));
		jw_kstr(&w, "url", url);
		jw_kstr(&w, "snippet", utf8_head(jx_str(r, en->snippet),
						 SNIPPET_CHARS));
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
}

static int search_run(const struct tool *t, const struct tool_ctx *ctx,
		      const json_t *args, struct buf *out, bool *is_json,
		      struct err *e)
{
	const struct conf_web_search *s =
		((const struct conf_tool *)t->data)->web_search;
	const char *headers[2] = { search_accept, NULL };
	const struct web_want want = {
		.headers = headers, .n_headers = *s->api_key ? 2 : 1,
		.allow = s->allow_private.n ? &s->allow_private
					    : &ctx->turn.by.conf->allow_private,
		.max_bytes = LIM_WEB_SEARCH_BYTES, .timeout_ms = TIMEOUT_MS,
	};
	struct buf url = BUF_INIT(16384), body = BUF_INIT(LIM_WEB_SEARCH_BYTES);
	struct http_result res = { .status = 0 };
	struct err cause = ERR_INIT;
	json_t *answer = NULL;
	int rc = -1;

	engine_url(s, jx_str(args, "query"), &url);
	if (*s->api_key)
		headers[1] = arena_printf(ctx->arena,
			"X-Subscription-Token: %s", s->api_key);
	if (web_get(ctx, &want, url.p, &body, NULL, 0, &res, &cause) < 0)
		web_failed("The search engine", &cause, e);
	else if (res.status != 200)
		err_public(e, ERR_TOOL_FAILED, "The search engine answered %d.",
			   res.status);
	else if (!(answer = jx_load_lenient(buf_str(&body), &cause)))
		err_public(e, ERR_TOOL_FAILED, "The search engine's answer "
			   "cannot be understood.");
	else
		rc = 0;
	*is_json = true;
	if (rc == 0)
		write_results(s, answer, out);
	json_decref(answer);
	buf_release(&url);
	buf_release(&body);
	return rc;
}

static int search_dry_run(const struct tool *t, const struct tool_ctx *ctx,
			  const json_t *args, struct buf *out, struct err *e)
{
	const struct conf_web_search *s =
		((const struct conf_tool *)t->data)->web_search;
	struct buf url = BUF_INIT(16384);

	(void)ctx;
	(void)e;
	engine_url(s, jx_str(args, "query"), &url);
	buf_addf(out, "GET %s\n%s%s\n", url.p, search_accept,
		 *s->api_key ? "\nX-Subscription-Token: ***" : "");
	buf_release(&url);
	return 0;
}

static int search_check(const struct conf *conf, const struct workspace *w,
			const struct conf_tool *c, struct err *e)
{
	(void)conf;
	(void)w;
	if (c->web_search->engine == ENGINE_SEARXNG && !*c->web_search->url)
		return err_field(e, ERR_CONFIG, "web_search",
				 "searxng needs the url of an instance");
	return 0;
}

/* -- the kinds -------------------------------------------------------------- */

const struct tool_kind kind_web_search = {
	.name = "web_search",
	.section = offsetof(struct conf_tool, web_search),
	.check = search_check,
	.row = {
		.schema = SCHEMA_web_search, .external = true,
		.timeout_ms = TIMEOUT_MS, .run = search_run,
		.dry_run = search_dry_run,
	},
};

const struct tool_kind kind_web_visit = {
	.name = "web_visit",
	.section = offsetof(struct conf_tool, web_visit),
	.row = {
		.schema = SCHEMA_web_visit, .external = true,
		.timeout_ms = 2 * TIMEOUT_MS, .run = visit_run,
		.dry_run = visit_dry_run,
	},
};
