/* SPDX-License-Identifier: MIT */
/* Requests to a site: one at a time, with delays, and only to the site itself. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "intake/site.h"
#include "net/guard.h"
#include "net/robots.h"
#include "net/url.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	TICK_MS = 100,		/* interval of checks for a shutdown */
	WAIT_S = 60,		/* maximum delay that a response can impose */
	URL_CAP = 8192,
};

/* Stored instead of rules: the site did not deliver them. */
#define NO_RULES "!"

static bool is_stopped(const struct site *s)
{
	const atomic_bool *stop = s->k->io->stop;

	return stop && atomic_load(stop);
}

/* -- one request -------------------------------------------------------------------- */

struct site_call {
	const struct site *s;
	struct site_answer *out;
};

static bool is(struct str name, const char *want)
{
	return name.n == strlen(want) && !strncasecmp(name.p, want, name.n);
}

/* A value that is too long counts as absent. */
static void take_header(char *out, size_t n, struct str value)
{
	if (value.n < n)
		snprintf(out, n, "%.*s", STR_ARG(value));
}

static void on_header(void *ctx, struct str name, struct str value)
{
	struct site_answer *w = ((struct site_call *)ctx)->out;

	if (is(name, "location"))
		take_header(w->to, sizeof(w->to), value);
	else if (is(name, "etag"))
		take_header(w->etag, sizeof(w->etag), value);
	else if (is(name, "last-modified"))
		take_header(w->modified, sizeof(w->modified), value);
	else if (is(name, "x-robots-tag"))
		w->noindex |= robots_noindex(value);
}

static int on_body(void *ctx, struct str bytes)
{
	buf_addstr(&((struct site_call *)ctx)->out->body, bytes);
	return 0;
}

static int on_tick(void *ctx)
{
	return is_stopped(((struct site_call *)ctx)->s) ? -1 : 0;
}

/* Returns 1; 0 if the process ends; -1 with a public text. */
static int request(struct site *s, const char *const *headers, size_t n,
		   size_t max_bytes, int timeout_ms, struct site_answer *out,
		   struct err *e)
{
	const struct net_guard guard = { .allow = &s->k->s->allow_private };
	struct site_call call = { s, out };
	const struct http_request r = {
		.method = "GET", .url = out->url.p, .headers = headers,
		.n_headers = n, .guard = &guard, .watch_fd = -1,
		.total_timeout_ms = timeout_ms, .max_body_bytes = max_bytes,
		.tick_ms = TICK_MS, .on_tick = on_tick,
		.on_header = on_header, .on_body = on_body, .ctx = &call,
	};
	struct http_result res = { .status = 0 };
	struct err why = ERR_INIT;
	int rc;

	out->noindex = false;
	out->to[0] = out->etag[0] = out->modified[0] = '\0';
	buf_release(&out->body);
	out->body = (struct buf)BUF_INIT(max_bytes + 1);
	rc = http_do(s->k->io->http, &r, &res, &why);
	s->count.bytes += (int64_t)out->body.n;
	out->status = res.status;
	out->wait_s = 0;
	if (!str_int(str_of(res.retry_after), &out->wait_s) || out->wait_s < 0)
		out->wait_s = 0;
	snprintf(out->content_type, sizeof(out->content_type), "%s",
		 res.content_type);
	if (rc == 0)
		return 1;
	switch (why.code) {
	case ERR_CANCELLED:
		return 0;
	case ERR_ADDRESS_REFUSED:
		return err_public(e, ERR_ADDRESS_REFUSED, "Its address may not "
				  "be reached from here: a private one must be "
				  "in allow_private of the source.");
	case ERR_UPSTREAM_TIMEOUT:
		return err_public(e, why.code, "The site did not answer in time.");
	case ERR_TOO_BIG:
		return err_public(e, ERR_TOO_BIG, "It is too large: at most %zu "
				  "bytes are read.", max_bytes);
	default:
		return err_public(e, why.code, "The site cannot be reached.");
	}
}

/* Waits until the next request may be sent. 1; 0 if the run ends first; -1. */
static int wait_turn(struct site *s, struct err *e)
{
	struct site_call call = { s, NULL };
	const struct http_request r = {
		.watch_fd = -1, .tick_ms = TICK_MS, .on_tick = on_tick,
		.ctx = &call,
	};
	struct intake_state *st = &s->k->st;
	int64_t ms = (st->next_us - clock_now_us() + 999) / 1000;

	/* Limits the delay if the clock was set back. */
	ms = MIN(ms, LIM_SITE_DELAY_MS);
	if (ms > 0 && ms >= s->k->io->until_ms - clock_mono_ms())
		return 0;
	if (ms > 0 && http_wait(&r, (int)ms, e)) {
		if (e->code != ERR_CANCELLED)
			return -1;
		err_clear(e);
		return 0;
	}
	st->next_us = clock_now_us() + s->delay_ms * 1000;
	return 1;
}

/* -- with redirects ------------------------------------------------------------------ */

bool site_has(const char *base, const char *url)
{
	struct buf safe = BUF_INIT(URL_CAP);
	bool has = url_same_origin(base, url);

	if (!has && !strncasecmp(base, "http://", 7)) {
		buf_addf(&safe, "https://%s", base + 7);
		has = buf_ok(&safe) && url_same_origin(safe.p, url);
	}
	buf_release(&safe);
	return has;
}

/* Follows a redirect. Returns 1 if the answer is none; 0; -1. */
static int follow(struct site *s, const char *base, const char *const *headers,
		  size_t n, size_t max_bytes, struct site_answer *out,
		  struct err *e)
{
	int64_t until_ms = clock_mono_ms() + s->k->s->timeout_ms;

	for (int hop = 0; hop <= LIM_REDIRECTS; hop++) {
		struct buf next = BUF_INIT(URL_CAP);
		int rc = request(s, headers, n, max_bytes,
				 (int)MAX(until_ms - clock_mono_ms(), 1), out, e);

		if (rc <= 0 || out->status / 100 != 3 || out->status == 304)
			return rc;
		if (!url_join(out->url.p, str_of(out->to), &next) ||
		    !site_has(base, next.p)) {
			buf_release(&next);
			return err_public(e, ERR_ADDRESS_REFUSED, "It "
					  "redirects to an address outside of "
					  "the site.");
		}
		buf_release(&out->url);
		out->url = next;
	}
	return err_public(e, ERR_UPSTREAM_PROTOCOL, "It redirects too often.");
}

void site_answer_release(struct site_answer *w)
{
	buf_release(&w->url);
	buf_release(&w->body);
}

static void begin_answer(struct site_answer *out, const char *url)
{
	*out = (struct site_answer){
		.url = BUF_INIT(URL_CAP), .body = BUF_INIT(1),
	};
	buf_adds(&out->url, url);
}

/* The source's headers for url: secrets of one site are not sent to others. */
static size_t n_extra(const struct site *s, const char *url)
{
	const struct conf_intake *c = s->k->s;

	return site_has(*c->sitemap ? c->sitemap : c->urls.v[0], url)
		? c->headers.n : 0;
}

int site_get(struct site *s, const struct site_page *p, bool fresh,
	     size_t max_bytes, struct site_answer *out, struct err *e)
{
	const struct conf_list *extra = &s->k->s->headers;
	const char **headers = arena_zalloc(&s->one, extra->n + 2,
					    sizeof(*headers));
	const char *url = arena_str(&s->one, p->url).p;
	size_t n = 0;
	int rc;

	begin_answer(out, url);
	for (size_t max = n_extra(s, url); n < max; n++)
		headers[n] = extra->v[n];
	if (!fresh && p->etag.n)
		headers[n++] = arena_printf(&s->one, "If-None-Match: %.*s",
					    STR_ARG(p->etag));
	if (!fresh && p->modified.n)
		headers[n++] = arena_printf(&s->one, "If-Modified-Since: %.*s",
					    STR_ARG(p->modified));
	rc = wait_turn(s, e);
	if (rc > 0)
		rc = follow(s, url, headers, n, max_bytes, out, e);
	if (rc > 0 && out->wait_s)
		s->k->st.next_us = clock_now_us() +
			MIN(out->wait_s, WAIT_S) * 1000000;
	return rc;
}

/* -- robots.txt ---------------------------------------------------------------------------- */

/*
 * Returns 1; 0 if the run ends first; -1 for internal errors. Failures of the
 * site are stored.
 */
static int fetch_rules(struct site *s, struct err *e)
{
	const struct conf_list *extra = &s->k->s->headers;
	struct site_answer w;
	struct err why = ERR_INIT;
	int rc;

	begin_answer(&w, s->rules_at.p);
	rc = wait_turn(s, &why);
	if (rc > 0)
		rc = follow(s, s->rules_at.p, extra->v,
			    n_extra(s, s->rules_at.p), LIM_ROBOTS_BYTES, &w,
			    &why);
	if (rc < 0 && !*why.public)
		*e = why;
	else if (rc)	/* redirects to other sites are ignored; of long rules
			   the beginning counts */
		rc = 1;
	buf_reset(&s->rules);
	if (rc > 0 && (why.code == ERR_TOO_BIG ||
		       (!why.code && w.status / 100 == 2)))
		buf_addstr(&s->rules, (struct str){
			w.body.p, MIN(w.body.n, LIM_ROBOTS_BYTES) });
	else if (rc > 0 && why.code != ERR_ADDRESS_REFUSED &&
		 (why.code || w.status / 100 != 4))
		buf_adds(&s->rules, NO_RULES);
	else if (rc > 0 && why.code == ERR_ADDRESS_REFUSED && !w.status)
		buf_adds(&s->rules, NO_RULES);
	site_answer_release(&w);
	return rc;
}

/* Loads the rules that this run has read, or reads them. 1, 0, -1. */
static int load_rules(struct site *s, struct err *e)
{
	const struct intake_run *k = s->k;
	const struct db_val key[] = {
		DB_U(&k->at.base), DB_S(str_of(k->s->name)), DB_I(k->st.run),
		DB_S(buf_str(&s->rules_at)),
	};
	struct str rules;
	int rc = db_text(k->io->db, STMT_INTAKE_RULES, key, &s->one, &rules, e);

	if (rc < 0)
		return -1;
	if (rc) {
		buf_reset(&s->rules);
		buf_addstr(&s->rules, rules);
		return 1;
	}
	rc = fetch_rules(s, e);
	if (rc > 0 && db_exec(k->io->db, STMT_INTAKE_RULES_PUT,
			      DB_ARGS(key[0], key[1], key[3], key[3], key[2],
				      DB_B(buf_str(&s->rules))), NULL, e))
		return -1;
	return rc;
}

int site_allows(struct site *s, const char *url, struct err *e)
{
	struct buf at = BUF_INIT(URL_CAP);
	int rc = 1;

	if (s->k->s->robots == ROBOTS_IGNORE)
		return 1;
	if (!url_join(url, STR("/robots.txt"), &at)) {
		buf_release(&at);
		return err_public(e, ERR_INVALID_FIELD, "This is not an address of the "
				  "web.");
	}
	if (str_eq(buf_str(&at), buf_str(&s->rules_at))) {
		buf_release(&at);
	} else {
		buf_release(&s->rules_at);
		s->rules_at = at;
		rc = load_rules(s, e);
		if (rc > 0)
			s->delay_ms = MAX(s->k->s->delay_ms, MIN(
				robots_delay_ms(buf_str(&s->rules)),
				LIM_SITE_DELAY_MS));
		else
			buf_reset(&s->rules_at);
	}
	if (rc <= 0)
		return rc;
	if (str_is(buf_str(&s->rules), NO_RULES))
		return err_public(e, ERR_UPSTREAM_CONNECT, "The site's robots.txt "
				  "cannot be read.");
	return robots_allow(buf_str(&s->rules), robots_path(url)) ? 1 : 2;
}
