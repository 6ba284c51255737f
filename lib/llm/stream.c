/* SPDX-License-Identifier: MIT */
/*
 * llm_stream: one request, with its retries, as one sequence of events.
 *
 * A failure is retried only while nothing was delivered (P-A7), by the policy of
 * the official client: at most `retries` times, after the server's delay if it
 * is at most 60 s, else 0.5 s doubling to 8 s less up to a quarter. After a refusal
 * that names a part of the request, it is sent once without it (P-E1, P-E2, P-E6, P-E7,
 * P-B12), and a repair that helped is remembered for the process.
 */
#include "llm/llm.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "llm/build.h"
#include "llm/decoder.h"
#include "llm/toolname.h"
#include "metric/metric.h"
#include "net/guard.h"
#include "net/http.h"

#include "base/banned.h"

enum {
	KEY_HEAD = 8,	/* bytes by which a key is found; fewer of it tell little */
	FEW_TOOLS = 16,	/* every server takes so many */
	MANY_TOOLS = 128,	/* not every server takes more */
	MOST_DROPPED = 4,	/* tools that one request is sent again without */
};

#define LINGER_OVER_MS 50	/* for the end of body after the last event */
#define LINGER_USAGE_MS 3000	/* for usage after finish_reason (P-D3) */

/*
 * Repairs that helped, by service: a direct-mapped table of hash and bits.
 * A lost or wrong entry costs one request, so a word per slot is enough.
 */
static _Atomic uint64_t memory[64];

#define REPAIR_MASK ((1u << REPAIR_BITS) - 1)

struct attempt {
	const struct llm_request *r;
	struct llm_request narrowed;	/* that one, without refused tools */
	int n_dropped;			/* of these */
	struct arena *arena;
	const struct llm_io *io;
	llm_handler *fn;
	void *ctx;
	struct llm_decoder *d;
	struct llm_wire wire;
	struct net_guard guard;
	struct buf error_body;
	bool bad_status;
	bool delivered;		/* the handler has seen something */
	bool handler_stopped;
	bool terminal;		/* DONE went to the handler */
	bool has_usage;
	struct llm_usage usage;	/* held back until it is final */
	char warning[320];	/* the same, all of them; "" = none */
	struct err failed;	/* the ERROR that was held back */
	struct llm_fault fault;
	int64_t last_event_ms;
	uint64_t n_events;
	int stall_ms;		/* life without progress; 0 = no limit */
};

/* -- what was learned ----------------------------------------------------- */

static uint64_t service_hash(const struct llm_service *s)
{
	const char *parts[] = { s->provider, s->url, s->model };
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		for (const char *p = parts[i] ? parts[i] : ""; ; p++) {
			h = (h ^ (unsigned char)*p) * UINT64_C(1099511628211);
			if (!*p)
				break;
		}
	return h;
}

static unsigned recall(const struct llm_service *s)
{
	uint64_t h = service_hash(s);
	uint64_t v = atomic_load(&memory[h % ARRAY_LEN(memory)]);

	return v >> REPAIR_BITS == h >> REPAIR_BITS ? v & REPAIR_MASK : 0;
}

static void remember(const struct llm_service *s, unsigned repair)
{
	uint64_t h = service_hash(s);

	/* The first is the history's fault; without tools, a service is much less
	   than it may be, so each request tries them. */
	repair &= ~(unsigned)(REPAIR_STRIP | REPAIR_TOOLS);
	if (repair)
		atomic_store(&memory[h % ARRAY_LEN(memory)],
			     (h & ~(uint64_t)REPAIR_MASK) | repair);
}

/* -- events on their way -------------------------------------------------- */

static int pass_on(struct attempt *t, const struct llm_event *ev)
{
	t->delivered = true;
	if (t->fn(t->ctx, ev) < 0) {
		t->handler_stopped = true;
		return -1;
	}
	return 0;
}

/* Emits what belongs right before a terminal event, once that is certain. */
static int pass_held(struct attempt *t)
{
	int rc = 0;

	if (t->warning[0])
		rc = pass_on(t, &(struct llm_event){ .type = LLM_EV_WARNING,
			     .text = str_of(t->warning) });
	if (rc == 0 && t->has_usage)
		rc = pass_on(t, &(struct llm_event){ .type = LLM_EV_USAGE,
			     .usage = t->usage });
	return rc;
}

/* Names come back as the caller knows them; an ERROR waits for a decision. */
static int on_event(void *ctx, const struct llm_event *ev)
{
	struct attempt *t = ctx;
	struct llm_event named;
	size_t n;

	switch (ev->type) {
	case LLM_EV_ERROR:
		t->failed = *ev->err;
		t->fault = *llm_decoder_fault(t->d);
		return 0;
	case LLM_EV_USAGE:
		t->usage = ev->usage;
		t->has_usage = true;
		return 0;
	case LLM_EV_WARNING:
		n = strlen(t->warning);
		snprintf(t->warning + n, sizeof(t->warning) - n, "%s%.*s",
			 n ? "; " : "", STR_ARG(ev->text));
		return 0;
	case LLM_EV_TOOL_START:
	case LLM_EV_TOOL_CALL:
		named = *ev;
		named.name = toolname_back(ev->name, t->r->tools,
					   t->r->n_tools);
		return pass_on(t, &named);
	case LLM_EV_DONE:
		t->terminal = true;
		return pass_held(t) < 0 ? -1 : pass_on(t, ev);
	default:
		return pass_on(t, ev);
	}
}

/* -- the transfer --------------------------------------------------------- */

static int on_head(void *ctx, const struct http_result *res)
{
	struct attempt *t = ctx;

	t->bad_status = res->status < 200 || res->status > 299;
	llm_decoder_content_type(t->d, str_of(res->content_type));
	t->last_event_ms = clock_mono_ms();
	/* A stream lasts; another attempt builds its own. */
	if (res->body_sent)
		buf_release(&t->wire.body);
	return 0;
}

/* Comments keep a stream alive, but not without limit. */
static bool stalled(struct attempt *t)
{
	uint64_t n = llm_decoder_events(t->d);
	int64_t now;

	if (!t->stall_ms)
		return false;
	if (n != t->n_events) {
		t->n_events = n;
		t->last_event_ms = 0;
		return false;
	}
	now = clock_mono_ms();
	if (!t->last_event_ms)
		t->last_event_ms = now;
	return now - t->last_event_ms > t->stall_ms;
}

static int on_body(void *ctx, struct str bytes)
{
	struct attempt *t = ctx;
	struct err ignored = ERR_INIT;

	if (t->bad_status) {
		buf_add(&t->error_body, bytes.p, MIN(bytes.n,
			LIM_ERROR_BODY_BYTES - t->error_body.n));
		return t->error_body.n < LIM_ERROR_BODY_BYTES ? 0 : 1;
	}
	if (llm_decoder_feed(t->d, bytes, on_event, t, &ignored) < 0)
		return -1;
	if (llm_decoder_over(t->d))
		return LINGER_OVER_MS;
	if (stalled(t)) {
		err_set(&t->failed, ERR_UPSTREAM_TIMEOUT,
			"only keep-alives for %d ms", t->stall_ms);
		return -1;
	}
	return llm_decoder_finished(t->d) ? LINGER_USAGE_MS : 0;
}

static int on_tick(void *ctx)
{
	struct attempt *t = ctx;

	return t->io->idle_fn ? t->io->idle_fn(t->ctx) : 0;
}

static int on_batch(void *ctx)
{
	struct attempt *t = ctx;

	return t->io->flush_fn ? t->io->flush_fn(t->ctx) : 0;
}

static void on_stall(void *ctx)
{
	struct attempt *t = ctx;

	if (t->io->stall_fn)
		t->io->stall_fn(t->ctx);
}

/*
 * The key must not get into the log, whatever a provider echoes; nor as much of it as is
 * left where the text was cut.
 */
static void mask(char *text, const char *key)
{
	const size_t n = MIN(key ? strlen(key) : 0, KEY_HEAD);
	char *p = text;

	if (n < 4)
		return;
	for (; *p; p++)
		if (strncmp(p, key, n) == 0)
			for (size_t i = 0; key[i] && p[i] == key[i]; i++)
				p[i] = '*';
}

static void answered_badly(struct attempt *t, const struct http_result *res)
{
	struct str body = buf_str(&t->error_body);

	t->fault = (struct llm_fault){ .retry_after_ms = -1 };
	llm_fault_of_answer(&(struct llm_answer){
		.status = res->status, .body = body,
		.retry_after = str_of(res->retry_after),
		.retry_after_ms = str_of(res->retry_after_ms),
		.should_retry = str_of(res->should_retry),
		.tokens = t->wire.tokens,
	}, &t->fault, &t->failed);
	err_wrap(&t->failed, "%s%s%s", t->r->service->provider,
		 res->request_id[0] ? " " : "", res->request_id);
	if (log_on(LOG_LVL_DEBUG)) {
		char head[501];

		snprintf(head, sizeof(head), "%.*s", (int)MIN(body.n, 500),
			 body.p);
		mask(head, t->r->service->api_key);
		log_debug("model error", "body", head);
	}
}

static void transport_failed(struct attempt *t, const struct err *why)
{
	if (t->failed.code == ERR_NONE)
		t->failed = *why;
	t->fault = (struct llm_fault){
		.code = t->failed.code, .retry_after_ms = -1,
		.retry = err_row(&t->failed)->retryable,
	};
	if (t->failed.code == ERR_CANCELLED)
		t->fault.retry = false;
}

/* One request and its answer. Afterwards t->terminal or t->failed has the result. */
static void attempt(struct attempt *t, const struct http_request *base)
{
	struct http_request q = *base;
	struct http_result res;
	struct err e = ERR_INIT, ignored = ERR_INIT;
	int rc;

	q.url = t->wire.url;
	t->guard = guard_for_secret(t->r->service->guard, q.url);
	q.headers = t->wire.headers;
	q.n_headers = t->wire.n_headers;
	q.body = buf_str(&t->wire.body);
	rc = http_do(t->io->http, &q, &res, &e);
	if (!res.sent || t->bad_status)
		llm_decoder_estimate(t->d, -1);	/* nothing was used */
	if (t->handler_stopped || t->terminal)
		return;
	if (rc == 0 && t->bad_status) {
		answered_badly(t, &res);
	} else if (t->failed.code != ERR_NONE && t->fault.code != ERR_NONE) {
		return;		/* an error in the stream */
	} else if (rc == 0 || (llm_decoder_finished(t->d) &&
			       e.code != ERR_CANCELLED)) {
		/* The answer is there, whatever became of the end of its transfer. */
		if (llm_decoder_finish(t->d, on_event, t, &ignored) < 0)
			return;
	} else {
		transport_failed(t, &e);
	}
}

/* -- retries -------------------------------------------------------------- */

static int backoff_ms(const struct llm_fault *f, int n)
{
	uint8_t r = 0;

	/* Workers that failed together must not try again together. */
	if (getrandom(&r, sizeof(r), GRND_NONBLOCK) < 0)
		r = (uint8_t)clock_mono_us();
	return llm_backoff_ms(f, n, r);
}

/* The failure is final: USAGE if something was used, ERROR, e. */
static int give_up(struct attempt *t, struct err *e)
{
	mask(t->failed.text, t->r->service->api_key);
	if (!t->handler_stopped && t->d && !llm_decoder_over(t->d)) {
		struct err why = t->failed;

		if (llm_decoder_fail(t->d, &why, on_event, t) < 0)
			t->handler_stopped = true;
	}
	if (!t->handler_stopped && pass_held(t) == 0)
		(void)pass_on(t, &(struct llm_event){
			.type = LLM_EV_ERROR, .err = &t->failed });
	if (e->code == ERR_NONE) {
		if (t->handler_stopped)
			err_set(e, ERR_CANCELLED, "stopped by the caller");
		else
			*e = t->failed;
	}
	return -1;
}

/*
 * How many tools the request may have, if it seems to be refused for them; 0: as many as
 * it has. Some of the tools are more than none, which `fix` may be about.
 */
static unsigned fewer_tools(const struct attempt *t, unsigned fix)
{
	const size_t n = t->wire.n_tools;
	unsigned most = llm_fewer_tools(&t->fault, n);

	if (fix & ~(unsigned)(REPAIR_TOOLS | REPAIR_SHORT_TOOLS))
		return 0;
	/* Without a number: half of them, and again. */
	if (!most && !fix && !t->fault.counts.n_n && n >= FEW_TOOLS &&
	    t->fault.repair & REPAIR_SHORT_TOOLS)
		most = (unsigned)n / 2;
	return most;
}

/* Leaves out the tool that the request is refused for: the others are not to blame. */
static bool drop_tool(struct attempt *t)
{
	const size_t n = t->wire.n_tools;
	struct llm_tool *tools;
	struct str *names;
	size_t bad, k = 0;

	if (t->n_dropped == MOST_DROPPED || t->fault.code != ERR_UPSTREAM_REQUEST ||
	    !t->fault.counts.tools || n < 2)
		return false;
	names = arena_zalloc(t->arena, n, sizeof(*names));
	for (size_t i = 0; i < n; i++) {
		char name[TOOLNAME_BYTES];

		names[i] = arena_str(t->arena, toolname_wire(
			str_of(t->wire.tools[i]->name), name));
	}
	bad = llm_refused_tool(buf_str(&t->error_body), names, n);
	if (bad == n)
		return false;
	log_warn("a tool is left out that the service refuses", "service",
		 t->r->service->id, "tool", names[bad].p, "because", t->failed.text);
	tools = arena_zalloc(t->arena, t->r->n_tools, sizeof(*tools));
	for (size_t i = 0; i < t->r->n_tools; i++)
		if (&t->r->tools[i] != t->wire.tools[bad])
			tools[k++] = t->r->tools[i];
	t->narrowed = *t->r;
	t->narrowed.tools = tools;
	t->narrowed.n_tools = k;
	t->r = &t->narrowed;
	t->n_dropped++;
	return true;
}

/* What to do after a failure: true = send again with t->… and *repair. */
static bool again(struct attempt *t, unsigned *repair, int *n_retries,
		  int *n_once, const struct http_request *base, struct err *e)
{
	unsigned fix = t->fault.repair & t->wire.repairs & ~*repair;
	unsigned most = fewer_tools(t, fix);
	int max = t->r->service->retries;

	if (t->delivered || t->handler_stopped)
		return false;
	if (!(fix & ~(unsigned)REPAIR_TOOLS) && drop_tool(t))
		return true;
	if (most) {
		log_info("model request repaired: fewer tools", "service",
			 t->r->service->id, "because", t->failed.text);
		*repair = *repair % REPAIR_MOST_TOOLS + most * REPAIR_MOST_TOOLS;
		return true;
	}
	/* Some servers refuse many tools without a word about them. */
	if (!fix && t->fault.code == ERR_UPSTREAM_REQUEST && t->wire.n_tools > MANY_TOOLS)
		fix = REPAIR_SHORT_TOOLS & ~*repair;
	if (fix & REPAIR_TOP_P)		/* one of two may be enough */
		fix &= ~(unsigned)REPAIR_SAMPLING;
	if (fix) {
		log_info("model request repaired", "service",
			 t->r->service->id, "because", t->failed.text);
		*repair |= fix;
		return true;
	}
	if (!t->fault.retry || *n_retries >= max ||
	    (t->fault.once && (*n_once)++ > 0))
		return false;
	log_info("model request retried", "service", t->r->service->id,
		 "because", t->failed.text);
	return http_wait(base, backoff_ms(&t->fault, (*n_retries)++), e) == 0;
}

static int left_ms(const struct llm_service *s, int64_t start)
{
	int64_t left = s->total_timeout_ms - (clock_mono_ms() - start);

	return s->total_timeout_ms ? (int)MAX(left, 1) : 0;
}

static struct http_request base_request(struct attempt *t)
{
	const struct llm_service *s = t->r->service;

	return (struct http_request){
		.method = "POST",
		.connect_timeout_ms = s->connect_timeout_ms,
		.first_byte_timeout_ms = s->first_byte_timeout_ms,
		.idle_timeout_ms = s->idle_timeout_ms,
		.abort = t->io->abort, .watch_fd = t->io->watch_fd,
		.tick_ms = t->io->idle_ms, .on_head = on_head,
		.on_body = on_body, .on_tick = on_tick, .on_batch = on_batch,
		.on_stall = on_stall, .ctx = t,
		.guard = s->guard ? &t->guard : NULL,
	};
}

static int fail_early(struct attempt *t, const struct err *why, struct err *e)
{
	t->failed = *why;
	return give_up(t, e);
}

static void meanwhile(void *ctx)
{
	struct attempt *t = ctx;

	t->io->meanwhile_fn(t->ctx);
}

/* The request, and the state before any answer. */
static int prepare_attempt(struct attempt *t, unsigned repair, struct arena *a,
			   struct err *e)
{
	const struct llm_service *s = t->r->service;

	llm_decoder_free(t->d);
	t->d = NULL;
	buf_release(&t->wire.body);
	if (build_request(t->r, repair, a, &t->wire, e) < 0)
		return -1;
	t->d = llm_decoder_new(s->provider, s, e);
	if (!t->d)
		return -1;
	llm_decoder_history(t->d, t->r);
	llm_decoder_estimate(t->d, t->wire.tokens);
	buf_reset(&t->error_body);
	t->bad_status = t->has_usage = false;
	t->warning[0] = '\0';
	t->failed = (struct err)ERR_INIT;
	t->fault = (struct llm_fault){ .code = ERR_NONE };
	t->last_event_ms = 0;
	t->n_events = 0;
	return 0;
}

static void count_tokens(const char *direction, int64_t n)
{
	if (n > 0)
		metric_add(METRIC_TOKENS, direction, NULL, n);
}

/* Logs the whole call, including all attempts. */
static void count_attempt(const struct attempt *t, int rc, const struct err *e)
{
	static const char prefix[] = "upstream_";
	const char *code = err_row(e)->code;

	if (rc < 0 && !strncmp(code, prefix, sizeof(prefix) - 1))
		metric_add(METRIC_UPSTREAM_ERRORS, code + sizeof(prefix) - 1,
			   NULL, 1);
	if (!t->has_usage)
		return;
	count_tokens("input", t->usage.input);
	count_tokens("cache_read", t->usage.cache_read);
	count_tokens("cache_write", t->usage.cache_write);
	count_tokens("output", t->usage.output);
}

int llm_stream(const struct llm_request *r, const struct llm_io *io,
	       struct arena *a, llm_handler *fn, void *ctx, struct err *e)
{
	const struct llm_service *s = r->service;
	struct attempt t = {
		.r = r, .arena = a, .io = io, .fn = fn, .ctx = ctx,
		.error_body = BUF_INIT(LIM_ERROR_BODY_BYTES),
		.stall_ms = MAX(s->first_byte_timeout_ms,
				5 * s->idle_timeout_ms),
	};
	struct http_request base = base_request(&t);
	unsigned repair = recall(s), repair_at_start = repair;
	int64_t start = clock_mono_ms();
	int n_retries = 0, n_once = 0, rc;

	if (io->meanwhile_fn)
		base.meanwhile = meanwhile;
	base.sends_first = io->sends_first;
	for (;;) {
		struct err mine = ERR_INIT;

		if (prepare_attempt(&t, repair, a, &mine) < 0) {
			rc = fail_early(&t, &mine, e);
			break;
		}
		base.total_timeout_ms = left_ms(s, start);
		attempt(&t, &base);
		mask(t.failed.text, s->api_key);	/* again() logs it */
		if (t.warning[0])
			log_warn("model answer", "service", s->id, "warning",
				 t.warning);
		if (t.terminal && !t.handler_stopped) {
			if (repair != repair_at_start)
				remember(s, repair);
			rc = 0;
			break;
		}
		if (!again(&t, &repair, &n_retries, &n_once, &base, &mine)) {
			if (mine.code != ERR_NONE && !t.handler_stopped)
				t.failed = mine;
			rc = give_up(&t, e);
			break;
		}
	}
	count_attempt(&t, rc, e);
	llm_decoder_free(t.d);
	buf_release(&t.wire.body);
	buf_release(&t.error_body);
	return rc;
}
