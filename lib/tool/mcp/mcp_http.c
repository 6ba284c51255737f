/* SPDX-License-Identifier: MIT */
/*
 * One exchange over Streamable HTTP: a POST whose answer is one JSON document
 * or a stream of events. Callbacks run on lib/net's thread; what may block,
 * answering a request of the server in the middle of its stream (P-G3), is done
 * while the transfer stalls, by the caller's thread.
 *
 * A server of the session era may close a stream before its answer; the stream is
 * then continued with GET and Last-Event-ID. In the modern era, a broken stream is
 * the end, and closing it cancels the request (P-G4).
 */
#include "tool/mcp/mcp_peer.h"

#include <stdio.h>
#include <strings.h>

#include "base/clock.h"
#include "base/limits.h"
#include "net/guard.h"
#include "net/http.h"
#include "net/sse.h"

#include "base/banned.h"

enum {
	LINGER_MS = 50,		/* for the end of the body after the answer */
	TICK_MS = 500,
	NOTIFY_MS = 5000,
	RESUMES = 20,		/* of one stream */
	RESUME_MS = 1000,	/* where the server names no time */
	RESUME_MAX_MS = 10000,
	HEADERS = 64,		/* 32 configured, 24 of arguments, ours */
	SMALL_BYTES = 65536,	/* answers that nobody reads */
};

struct exchange {
	struct mcp_peer *peer;
	struct mcp_call *call;
	const struct mcp_mode *mode;
	struct mcp_outcome *out;
	int64_t id, life_ms;
	bool sse, late;
	struct sse_reader reader;
	struct buf body;
	json_t *replies;	/* array: to be posted */
	size_t n_replies;
	struct err e;
};

/* -- headers --------------------------------------------------------------- */

struct headers {
	const char *v[HEADERS];
	size_t n;
	struct arena arena;
};

static void add_header(struct headers *h, const char *text)
{
	if (h->n < HEADERS)
		h->v[h->n++] = text;
}

static void standard(struct headers *h, const struct mcp_mode *m)
{
	if (m->version[0])
		add_header(h, arena_printf(&h->arena, "MCP-Protocol-Version: %s",
					   m->version));
	if (m->session[0])
		add_header(h, arena_printf(&h->arena, "Mcp-Session-Id: %s",
					   m->session));
}

/* The admin's headers, the same for every request, including credentials. */
static void configured(struct headers *h, const struct mcp_call *c)
{
	const struct conf_list *list = &c->server->headers;

	for (size_t i = 0; i < list->n; i++)
		add_header(h, list->v[i]);
	if (c->credential)
		add_header(h, c->credential);
	for (size_t i = 0; i < c->n_headers; i++)
		add_header(h, c->headers[i]);
}

static void routing(struct headers *h, const struct mcp_call *c)
{
	struct buf value = BUF_INIT(8192);

	add_header(h, arena_printf(&h->arena, "Mcp-Method: %s", c->method));
	if (c->name.n) {
		mcp_header_value(&value, c->name);
		add_header(h, arena_printf(&h->arena, "Mcp-Name: %s", value.p));
	}
	buf_release(&value);
}

/* -- what arrives ---------------------------------------------------------- */

static bool visible(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < 0x21 || s.p[i] > 0x7e)
			return false;
	return s.n > 0 && s.n < MCP_SESSION_BYTES;
}

static bool is_named(struct str name, const char *want)
{
	return name.n == strlen(want) && !strncasecmp(name.p, want, name.n);
}

/*
 * The authentication that a refusal asks for (8.6), in plain characters for
 * people.
 */
static void take_needs(struct exchange *x, struct str value)
{
	size_t n = MIN(value.n, sizeof(x->out->needs) - 1);

	for (size_t i = 0; i < n; i++)
		x->out->needs[i] = value.p[i] >= 0x20 && value.p[i] < 0x7f
			? value.p[i] : '?';
	x->out->needs[n] = '\0';
}

static void on_header(void *ctx, struct str name, struct str value)
{
	struct exchange *x = ctx;

	if (is_named(name, "mcp-session-id") && visible(value))
		snprintf(x->out->session, sizeof(x->out->session), "%.*s",
			 STR_ARG(value));
	else if (is_named(name, "www-authenticate"))
		take_needs(x, value);
}

static int on_head(void *ctx, const struct http_result *res)
{
	struct exchange *x = ctx;

	x->out->status = res->status;
	x->sse = strncasecmp(res->content_type, "text/event-stream", 17) == 0;
	x->life_ms = clock_mono_ms();
	return 0;
}

static void take_message(struct exchange *x, json_t *message)
{
	json_t *reply = NULL;
	bool life = false;

	switch (mcp_hear(x->peer, x->call, x->id, message, &reply, &life)) {
	case MCP_ANSWER:
		x->out->answered = true;
		break;
	case MCP_ASKED:
		if (x->n_replies++ < LIM_MCP_REPLIES && x->mode->session[0]) {
			if (!x->replies)
				x->replies = json_array();
			json_array_append_new(x->replies, reply);
		} else {
			json_decref(reply);
		}
		break;
	case MCP_NOTHING:
		break;
	}
	if (life)
		x->life_ms = clock_mono_ms();
}

/* One message, or a batch of them (2025-03-26). */
static void take_text(struct exchange *x, struct str text)
{
	struct err ignored = ERR_INIT;
	json_auto_t *j = jx_load_lenient(text, &ignored);
	json_t *m;
	size_t i;

	if (json_is_object(j))
		take_message(x, j);
	json_array_foreach(j, i, m)
		if (!x->out->answered)
			take_message(x, m);
}

static int on_event(void *ctx, struct str name, struct str data)
{
	struct exchange *x = ctx;

	(void)name;
	take_text(x, data);
	return x->out->answered ? -1 : 0;
}

/* No messages, except keep-alives, for longer than the call allows. */
static bool silent(struct exchange *x)
{
	x->late = clock_mono_ms() - x->life_ms > x->call->timeout_ms;
	return x->late;
}

static int on_body(void *ctx, struct str bytes)
{
	struct exchange *x = ctx;

	if (!x->sse) {
		buf_addstr(&x->body, bytes);
		if (buf_ok(&x->body))
			return silent(x) ? -1 : 0;
		return err_set(&x->e, ERR_TOO_BIG, "an answer over %d bytes",
			       LIM_MCP_MESSAGE_BYTES);
	}
	if (sse_feed(&x->reader, bytes, on_event, x, &x->e) < 0)
		return x->out->answered ? LINGER_MS : -1;
	return silent(x) ? -1 : 0;
}

static int on_tick(void *ctx)
{
	return silent(ctx) ? -1 : 0;
}

static int on_batch(void *ctx)
{
	const struct exchange *x = ctx;

	return x->replies ? HTTP_STALL : 0;
}

/* -- small posts ----------------------------------------------------------- */

/* Sends text (may be NULL) and waits briefly until it is accepted. */
static void post(struct mcp_peer *p, const struct mcp_call *c,
		 const struct mcp_mode *m, const char *method, struct str text,
		 const char *mcp_method)
{
	const struct net_guard guard = { .allow = &p->allow_private };
	struct headers h = { .n = 0 };
	struct http_request r = {
		.method = method, .url = c->server->url, .body = text,
		.guard = &guard,
		.connect_timeout_ms = MCP_CONNECT_MS,
		.total_timeout_ms = NOTIFY_MS, .max_body_bytes = SMALL_BYTES,
		.watch_fd = -1,
	};
	struct http_result res;
	struct err ignored = ERR_INIT;

	add_header(&h, "Content-Type: application/json");
	add_header(&h, "Accept: application/json, text/event-stream");
	standard(&h, m);
	if (mcp_method && m->era == MCP_ERA_STATELESS)
		add_header(&h, arena_printf(&h.arena, "Mcp-Method: %s", mcp_method));
	configured(&h, c);
	r.headers = h.v;
	r.n_headers = h.n;
	if (http_do(p->http, &r, &res, &ignored) < 0)
		err_clear(&ignored);
	arena_release(&h.arena);
}

/* In the caller's thread, while the transfer is paused. */
static void on_stall(void *ctx)
{
	struct exchange *x = ctx;
	json_auto_t *replies = jx_move(&x->replies);
	json_t *reply;
	size_t i;

	json_array_foreach(replies, i, reply) {
		struct buf b = BUF_INIT(65536);

		jx_dump(&b, reply);
		post(x->peer, x->call, x->mode, "POST", buf_str(&b), NULL);
		buf_release(&b);
	}
}

void mcp_http_notify(struct mcp_peer *p, const struct mcp_call *c,
		     const struct mcp_mode *m, const char *method,
		     int64_t cancelled)
{
	struct buf b = BUF_INIT(4096);

	mcp_write_notice(&b, method, cancelled);
	post(p, c, m, "POST", buf_str(&b), method);
	buf_release(&b);
}

void mcp_http_end(struct mcp_peer *p, const struct conf_mcp *s,
		  const struct mcp_mode *m)
{
	const struct mcp_call c = { .server = s };

	if (m->session[0])
		post(p, &c, m, "DELETE", (struct str){ NULL, 0 }, NULL);
}

/* -- the exchange ---------------------------------------------------------- */

static int transfer(struct exchange *x, const struct headers *h,
		    struct str body, int left_ms)
{
	const struct net_guard guard = { .allow = &x->peer->allow_private };
	const struct http_request r = {
		.guard = &guard,
		.method = body.p ? "POST" : "GET", .url = x->call->server->url,
		.headers = h->v, .n_headers = h->n, .body = body,
		.once = body.p && !x->call->repeatable,
		.connect_timeout_ms = MCP_CONNECT_MS,
		.total_timeout_ms = left_ms, .max_body_bytes = LIM_MCP_ANSWER_BYTES,
		.abort = x->call->abort, .watch_fd = -1, .tick_ms = TICK_MS,
		.on_header = on_header, .on_head = on_head, .on_body = on_body,
		.on_tick = on_tick, .on_batch = on_batch,
		.on_stall = on_stall, .ctx = x,
	};
	struct http_result res = { .status = 0 };
	struct err e = ERR_INIT;
	int rc;

	x->sse = false;
	rc = http_do(x->peer->http, &r, &res, &e);
	x->out->sent |= res.sent;
	if (x->out->answered)
		return 0;
	if (x->late)
		return err_set(&x->e, ERR_UPSTREAM_TIMEOUT, "silent for %d ms",
			       x->call->timeout_ms);
	if (rc < 0 && x->e.code == ERR_NONE)
		x->e = e;
	if (rc < 0)
		return -1;
	if (x->sse)
		(void)!sse_finish(&x->reader, on_event, x, &e);
	else if (x->body.n)
		take_text(x, buf_str(&x->body));
	return 0;
}

/* The first request; then, in a session, the rest of a stream that was cut. */
static int go_on(struct exchange *x, int64_t end_ms)
{
	for (int n = 0; n < RESUMES; n++) {
		struct headers h = { .n = 0 };
		struct http_request wait = {
			.abort = x->call->abort, .watch_fd = -1,
		};
		int ms = x->reader.retry_ms >= 0 ? x->reader.retry_ms
			: RESUME_MS;
		int rc;

		if (x->out->answered || x->mode->era != MCP_ERA_SESSION ||
		    !x->reader.id.n || !x->sse || x->out->status / 100 != 2)
			return 0;
		ms = MIN(ms, RESUME_MAX_MS);
		if (clock_mono_ms() + ms >= end_ms)
			return err_set(&x->e, ERR_UPSTREAM_TIMEOUT,
				       "no answer before the time was over");
		if (http_wait(&wait, ms, &x->e) < 0)
			return -1;
		add_header(&h, "Accept: text/event-stream");
		standard(&h, x->mode);
		add_header(&h, arena_printf(&h.arena, "Last-Event-ID: %s",
					    x->reader.id.p));
		configured(&h, x->call);
		err_clear(&x->e);
		sse_resume(&x->reader);
		rc = transfer(x, &h, (struct str){ NULL, 0 },
			      (int)(end_ms - clock_mono_ms()));
		arena_release(&h.arena);
		if (rc < 0 && x->e.code != ERR_UPSTREAM_EARLY_END)
			return -1;
	}
	return 0;
}

static int first(struct exchange *x, int64_t end_ms)
{
	struct buf text = BUF_INIT(4 * LIM_TOOL_ARGS_BYTES);
	struct headers h = { .n = 0 };
	int rc;

	mcp_write(&text, x->call, x->id, x->mode->era);
	if (!buf_ok(&text)) {
		buf_release(&text);
		return err_set(&x->e, ERR_TOO_BIG, "a request over %d bytes",
			       4 * LIM_TOOL_ARGS_BYTES);
	}
	add_header(&h, "Content-Type: application/json");
	add_header(&h, "Accept: application/json, text/event-stream");
	standard(&h, x->mode);
	if (x->mode->era == MCP_ERA_STATELESS)
		routing(&h, x->call);
	configured(&h, x->call);
	rc = transfer(x, &h, buf_str(&text), (int)(end_ms - clock_mono_ms()));
	arena_release(&h.arena);
	buf_release(&text);
	/* A stream that broke can be continued like one that was closed. */
	if (rc < 0 && x->e.code == ERR_UPSTREAM_EARLY_END && x->reader.id.n &&
	    x->mode->era == MCP_ERA_SESSION)
		return 0;
	return rc;
}

/* In a session, the server must be told to stop (8.4); but never initialize. */
static void cancel(struct exchange *x)
{
	if (x->mode->era == MCP_ERA_SESSION && x->mode->opened &&
	    x->out->sent && (x->e.code == ERR_CANCELLED ||
			     x->e.code == ERR_UPSTREAM_TIMEOUT))
		mcp_http_notify(x->peer, x->call, x->mode,
				"notifications/cancelled", x->id);
}

int mcp_http_exchange(struct mcp_peer *p, struct mcp_call *c,
		      const struct mcp_mode *m, struct mcp_outcome *out,
		      struct err *e)
{
	struct exchange x = {
		.peer = p, .call = c, .mode = m, .out = out, .e = ERR_INIT,
		.id = atomic_fetch_add(&p->next_id, 1),
		.life_ms = clock_mono_ms(), .body = BUF_INIT(LIM_MCP_MESSAGE_BYTES),
	};
	int64_t end_ms = x.life_ms + (int64_t)c->timeout_ms * MCP_LONGEST;

	sse_init(&x.reader);
	if (first(&x, end_ms) == 0 && !out->answered) {
		x.e = (struct err)ERR_INIT;
		(void)!go_on(&x, end_ms);
	}
	if (!out->answered && x.e.code != ERR_NONE)
		cancel(&x);
	sse_release(&x.reader);
	buf_release(&x.body);
	json_decref(x.replies);
	if (out->answered || x.e.code == ERR_NONE)
		return 0;
	*e = x.e;
	return -1;
}
