/* Kinds web_search and web_visit. See web.h. */
#include "tool/web.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <strings.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "net/guard.h"
#include "net/url.h"
#include "tool/dataset.h"
#include "tool/http_tool.h"
#include "tool/kind.h"

#include "base/banned.h"

enum {
	TIMEOUT_MS = 20000,
	PAGE_BYTES = 16777216,	/* the most that page_bytes may say */
	ANSWER_BYTES = 2097152,
	HOPS = 5,
	SNIPPET_CHARS = 500,
};

#define BRAVE_URL "https://api.search.brave.com/res/v1/web/search"

/* -- when ------------------------------------------------------------------- */

bool web_asked(struct str message)
{
	static const char *const signs[] = {
		"http://", "https://", "www.", "search the web", "web search",
		"websearch", "search online", "look up online", "up online",
		"on the internet", "on the web", "research", "google",
		"im internet", "im web", "im netz", "websuche", "recherchier",
		"sur internet", "sur le web", "en internet",
	};

	for (size_t i = 0; i < message.n; i++)
		for (size_t k = 0; k < ARRAY_LEN(signs); k++) {
			size_t n = strlen(signs[k]);

			if (message.n - i >= n &&
			    !strncasecmp(message.p + i, signs[k], n))
				return true;
		}
	return false;
}

static bool advertise(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	return ctx->web;
}

/* -- one request ------------------------------------------------------------ */

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

static int get(const struct tool_ctx *ctx, const char *url,
	       const char *const *headers, size_t n_headers,
	       const struct conf_list *allow, int timeout_ms, size_t max_bytes,
	       struct getting *g, struct http_result *res, struct err *e)
{
	const struct net_guard guard = { allow };
	const struct http_request r = {
		.method = "GET", .url = url, .headers = headers,
		.n_headers = n_headers, .guard = &guard, .abort = ctx->abort,
		.watch_fd = -1, .total_timeout_ms = timeout_ms,
		.max_body_bytes = max_bytes, .on_header = on_header,
		.on_body = on_body, .ctx = g,
	};

	if (g->location)
		g->location[0] = '\0';
	return http_do(tool_env_http(ctx->env), &r, res, e);
}

int web_get(const struct tool_ctx *ctx, const struct conf_list *allow,
	    const char *url, int timeout_ms, size_t max_bytes,
	    struct buf *body, char *location, size_t n_location,
	    struct http_result *res, struct err *e)
{
	static const char *const headers[] = {
		"Accept: text/html, text/plain;q=0.9, application/json;q=0.8, "
		"*/*;q=0.1",
	};
	struct getting g = { body, location, n_location };

	return get(ctx, url, headers, 1, allow, timeout_ms, max_bytes, &g,
		   res, e);
}

/* A failure in the model's words. */
static int say(const char *what, const struct err *cause, struct err *e)
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
	err_public(e, ERR_TOOL_FAILED, "%s cannot be reached.", what);
	return -1;
}

/* -- web_visit -------------------------------------------------------------- */

static bool was_said(const struct tool_ctx *ctx, struct str url)
{
	return !ctx->host || ctx->host->was_said(ctx->host->ctx, url);
}

/* The body as text, behind the address that it came from. */
static int write_page(const char *url, const struct http_result *res,
		      const struct buf *body, struct buf *out, struct err *e)
{
	static const struct conf_tool_http as_it_is = {
		.output = OUTPUT_AUTO, .select = "",
		.response_bytes = PAGE_BYTES,
	};
	struct http_answer a;
	int rc = http_answer_read(&as_it_is, res, body, &a, e);

	if (rc == 0) {
		buf_addf(out, "[page %s]\n\n", url);
		if (a.json)
			jx_dump(out, a.json);
		else
			buf_addstr(out, buf_str(&a.text));
	}
	http_answer_release(&a);
	return rc;
}

/* Follows redirects; each address is asked about anew. */
static int fetch_page(const struct tool_ctx *ctx,
		      const struct conf_web_visit *v, struct buf *url,
		      struct buf *body, struct http_result *res, struct err *e)
{
	int64_t until_ms = clock_mono_ms() + TIMEOUT_MS;
	char to[4096];

	for (int hop = 0; hop < HOPS; hop++) {
		struct err cause = ERR_INIT;
		struct buf next = BUF_INIT(8192);

		if (robots_check(ctx, &v->allow_private, url->p, &cause) < 0)
			return cause.public[0] ? (*e = cause, -1)
				: say("The site", &cause, e);
		buf_reset(body);
		if (web_get(ctx, &v->allow_private, url->p,
			    (int)MAX(until_ms - clock_mono_ms(), 1),
			    (size_t)v->page_bytes, body, to, sizeof(to), res, &cause) < 0)
			return say("The page", &cause, e);
		if (res->status / 100 != 3 || !to[0])
			return 0;
		if (!url_join(url->p, str_of(to), &next))
			return err_public(e, ERR_TOOL_FAILED, "The page leads "
					  "to what is no address of the web.");
		buf_release(url);
		*url = next;
	}
	return err_public(e, ERR_TOOL_FAILED, "The page leads from one address "
			  "to the next without an end.");
}

static int visit_run(const struct tool *t, const struct tool_ctx *ctx,
		     const json_t *args, struct buf *out, bool *is_json,
		     struct err *e)
{
	struct str asked = jx_str(args, "url");
	const struct conf_web_visit *v =
		((const struct conf_tool *)t->data)->web_visit;
	struct buf url = BUF_INIT(8192);
	struct buf body = BUF_INIT((size_t)v->page_bytes);
	struct http_result res = { .status = 0 };
	int rc = -1;

	*is_json = false;
	if (!was_said(ctx, asked))
		err_public(e, ERR_TOOL_DENIED, "Only addresses that the user "
			   "gave or a result contains can be visited, exactly as "
			   "they stand there. Search first, or ask the user.");
	else if (!url_join("http://none.invalid/", asked, &url) ||
		 !strncmp(url.p, "http://none.invalid", 19))
		err_public(e, ERR_TOOL_ARGS, "url must be a whole address that "
			   "begins with http:// or https://.");
	else
		rc = fetch_page(ctx, v, &url, &body, &res, e);
	if (rc == 0 && res.status / 100 != 2)
		rc = err_public(e, ERR_TOOL_FAILED, "The site answered %d.",
				res.status);
	if (rc == 0)
		rc = write_page(url.p, &res, &body, out, e);
	buf_release(&url);
	buf_release(&body);
	return rc;
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
	const struct conf_list *allow = s->allow_private.n ? &s->allow_private
		: &ctx->conf->allow_private;
	const char *headers[2] = { "Accept: application/json", NULL };
	struct buf url = BUF_INIT(16384), body = BUF_INIT(ANSWER_BYTES);
	struct getting g = { .body = &body };
	struct http_result res = { .status = 0 };
	struct err cause = ERR_INIT;
	json_t *answer = NULL;
	int rc = -1;

	engine_url(s, jx_str(args, "query"), &url);
	if (*s->api_key)
		headers[1] = arena_printf(ctx->arena,
			"X-Subscription-Token: %s", s->api_key);
	if (get(ctx, url.p, headers, headers[1] ? 2 : 1, allow, TIMEOUT_MS,
		ANSWER_BYTES, &g, &res, &cause) < 0)
		say("The search engine", &cause, e);
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

static int search_check(const struct conf *conf, const struct conf_workspace *w,
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

static json_t *search_schema, *visit_schema;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static json_t *schema_of(const char *name, const char *what, int max)
{
	return json_pack("{s:s, s:{s:{s:s, s:s, s:i, s:i}}, s:[s], s:b}",
		"type", "object", "properties", name, "type", "string",
		"description", what, "minLength", 1, "maxLength", max,
		"required", name, "additionalProperties", 0);
}

static void make_schemas(void)
{
	search_schema = schema_of("query", "What to look for, in a few words",
				  400);
	visit_schema = schema_of("url", "The page's address, exactly as the "
				 "user or a result has it", 4000);
}

/* Its arguments are the kind's own, whatever the declaration says. */
static int describe(const struct tool *t, const struct tool_ctx *ctx,
		    struct tool_offer *o, struct err *e)
{
	(void)ctx;
	(void)e;
	pthread_once(&once, make_schemas);
	o->schema = t->run == search_run ? search_schema : visit_schema;
	o->schema_bytes = 200;
	return 0;
}

const struct tool_kind kind_web_search = {
	.name = "web_search",
	.section = offsetof(struct conf_tool, web_search),
	.check = search_check,
	.row = {
		.timeout_ms = TIMEOUT_MS, .advertise = advertise,
		.describe = describe, .run = search_run,
	},
};

const struct tool_kind kind_web_visit = {
	.name = "web_visit",
	.section = offsetof(struct conf_tool, web_visit),
	.row = {
		.timeout_ms = 2 * TIMEOUT_MS, .advertise = advertise,
		.describe = describe, .run = visit_run,
	},
};
