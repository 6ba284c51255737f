/* SPDX-License-Identifier: MIT */
/* Kinds web_search and web_visit. See web.h. */
#include "tool/web/web.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "net/http.h"
#include "tool/core/text.h"
#include "tool/http/http_tool.h"
#include "tool/schemas.h"

#include "base/banned.h"

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
