/* SPDX-License-Identifier: MIT */
/* Reads web pages. See web.h. */
#include <stdio.h>
#include <strings.h>

#include "base/clock.h"
#include "base/limits.h"
#include "net/guard.h"
#include "net/http.h"
#include "net/robots.h"
#include "net/url.h"
#include "tool/core/env.h"
#include "tool/web/web.h"

#include "base/banned.h"

/* -- robots.txt ------------------------------------------------------------ */

enum {
	KEEP_MS = 3600000,
	FETCH_MS = 5000,
};

/* -- asking a site --------------------------------------------------------- */

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

int web_get(const struct tool_ctx *ctx, const struct web_want *w,
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

int web_failed(const char *what, const struct err *cause, struct err *e)
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

int web_check_said(const struct tool_ctx *ctx, struct str address,
		   struct err *e)
{
	if (!ctx->host || ctx->host->was_said(ctx, address))
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

	if (web_check_said(ctx, asked, e) < 0)
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
