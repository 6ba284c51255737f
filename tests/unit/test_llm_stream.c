/* SPDX-License-Identifier: MIT */
/* llm_stream against a server inside the test: retries, repairs, abort. */
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "llm_unit.h"
#include "net/http.h"
#include "peer.h"

#define TEXT(t) "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":" \
	"{\"content\":\"" t "\"},\"finish_reason\":null}]}\n\n"
#define STOP "data: {\"choices\":[{\"index\":0,\"delta\":{}," \
	"\"finish_reason\":\"stop\"}]}\n\n"
#define DONE "data: [DONE]\n\n"

static struct http_pool *pool;

struct run {
	struct llm_service s;
	struct llm_request r;
	struct llm_io io;
	struct llm_message m;
	struct buf out;		/* events as lines */
	struct err e;
	struct http_abort *pull_at_text;
	bool stop_at_text;
	int n_flush, n_idle, idle_says;
	char url[64];
};

static int handler(void *ctx, const struct llm_event *ev)
{
	struct run *t = ctx;

	record(&t->out, ev);
	if (ev->type == LLM_EV_TEXT && t->pull_at_text)
		http_abort_now(t->pull_at_text);
	return ev->type == LLM_EV_TEXT && t->stop_at_text ? -1 : 0;
}

static int on_flush(void *ctx)
{
	((struct run *)ctx)->n_flush++;
	return 0;
}

static int on_idle(void *ctx)
{
	struct run *t = ctx;

	t->n_idle++;
	return t->idle_says;
}

static void prepare(struct run *t, const struct peer *p)
{
	*t = (struct run){
		.s = { .id = "s", .provider = "openai", .model = "m",
			SET(api_key, "sk-secret-key"), .retries = 2,
			SET(url, t->url),
			.connect_timeout_ms = 2000,
			.first_byte_timeout_ms = 5000,
			.idle_timeout_ms = 5000 },
		.m = { .role = LLM_USER, .text = STR("12345678") },
		.io = { .http = pool, .watch_fd = -1, .flush_fn = on_flush,
			.idle_fn = on_idle },
		.out = BUF_INIT(1 << 20),
	};
	t->r = (struct llm_request){ .service = &t->s, .messages = &t->m,
		.n_messages = 1, .stream = true };
	snprintf(t->url, sizeof(t->url), "http://127.0.0.1:%d/v1", p->port);
}

static int stream(struct run *t)
{
	struct arena a = ARENA_INIT;
	int rc;

	err_clear(&t->e);
	buf_reset(&t->out);
	rc = llm_stream(&t->r, &t->io, &a, handler, t, &t->e);
	arena_release(&a);
	assert_int_equal(rc < 0, t->e.code != ERR_NONE);
	return rc;
}

/* How often the events have this type. */
static int count(const struct run *t, const char *type)
{
	char want[50];
	int n = 0;

	snprintf(want, sizeof(want), "{\"event\":\"%s\"", type);
	for (const char *p = t->out.p; (p = strstr(p, want)); p++)
		n++;
	return n;
}

static int ok(int fd)
{
	peer_stream(fd);
	peer_chunk(fd, TEXT("hello"));
	peer_chunk(fd, STOP DONE);
	return peer_end(fd);
}

static int serve_ok(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	return ok(fd);
}

static void answers(void **state)
{
	struct peer *p = peer_start(serve_ok);
	struct run t;

	(void)state;
	prepare(&t, p);
	assert_int_equal(stream(&t), 0);
	assert_has(t.out.p, "\"text\":\"hello\"");
	assert_int_equal(count(&t, "done"), 1);
	/* D5: nothing was said about usage. */
	assert_has(t.out.p, "{\"input\":2,\"output\":2,\"estimated\":true}");
	assert_true(t.n_flush >= 1);
	assert_int_equal(stream(&t), 0);
	assert_int_equal(atomic_load(&p->n_conns), 1);	/* warm */
	assert_has(peer_last(p), "Authorization: Bearer sk-secret-key");
	peer_stop(p);
	buf_release(&t.out);
}

/* Failures before the first delta, then an answer. */
static int serve_retry(struct peer *p, int fd, int n)
{
	(void)p;
	switch (n) {
	case 1:
		return peer_reply(fd, "429 Slow down", "Retry-After-Ms: 1\r\n",
				  "{\"error\":{\"code\":\"rate_limit_exceeded\"}}");
	case 2:		/* A3: in the stream, but nothing was delivered */
		peer_stream(fd);
		peer_chunk(fd, "data: {\"error\":{\"message\":\"Overloaded\","
			   "\"code\":503},\"usage\":{\"prompt_tokens\":1,"
			   "\"completion_tokens\":1}}\n\n");
		return peer_end(fd);
	default:
		return ok(fd);
	}
}

/* P-A7, P-A8. */
static void a7_a8_retries_before_the_first_delta(void **state)
{
	struct peer *p = peer_start(serve_retry);
	struct run t;

	(void)state;
	prepare(&t, p);
	assert_int_equal(stream(&t), 0);
	assert_int_equal(atomic_load(&p->n_reqs), 3);
	assert_int_equal(count(&t, "error"), 0);
	assert_int_equal(count(&t, "usage"), 1);
	assert_int_equal(count(&t, "done"), 1);
	peer_stop(p);
	buf_release(&t.out);
}

static int serve_500(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	return peer_reply(fd, "500 Oops", "Retry-After-Ms: 1\r\n",
			  "<html>key sk-secret-key</html>");
}

static void retries_have_an_end(void **state)
{
	struct peer *p = peer_start(serve_500);
	const int saved = dup(STDERR_FILENO);
	char log[4096];
	struct run t;
	int fds[2];
	ssize_t n;

	(void)state;
	prepare(&t, p);
	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	log_setup(LOG_LVL_INFO, LOG_TO_STDERR);
	assert_int_equal(stream(&t), -1);
	log_setup(LOG_LVL_ERROR, LOG_TO_STDERR);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(fds[1]);
	n = read(fds[0], log, sizeof(log) - 1);
	close(fds[0]);
	assert_true(n > 0);
	log[n] = '\0';
	assert_has(log, "model request retried");
	assert_lacks(log, "sk-secret");
	assert_int_equal(t.e.code, ERR_UPSTREAM);
	assert_int_equal(atomic_load(&p->n_reqs), 3);
	assert_int_equal(count(&t, "error"), 1);
	assert_int_equal(count(&t, "usage"), 0);
	assert_lacks(t.e.text, "sk-secret");
	assert_lacks(t.out.p, "sk-secret");
	peer_stop(p);
	buf_release(&t.out);
}

/*
 * P-A1, P-A8: a wait longer than anybody's patience is not kept to; a good
 * status with nothing behind it is no answer.
 */
static int serve_later(struct peer *p, int fd, int n)
{
	(void)p;
	if (n == 1)
		return peer_reply(fd, "503 Later", "Retry-After: 3600\r\n", "");
	if (n == 2) {
		peer_stream(fd);
		return peer_end(fd);
	}
	return ok(fd);
}

static void a1_a8_retried_in_our_time(void **state)
{
	struct peer *p = peer_start(serve_later);
	int64_t start = clock_mono_ms();
	struct run t;

	(void)state;
	prepare(&t, p);
	assert_int_equal(stream(&t), 0);
	assert_int_equal(atomic_load(&p->n_reqs), 3);
	assert_in_range(clock_mono_ms() - start, 700, 30000);
	peer_stop(p);
	buf_release(&t.out);
}

static int serve_no_retry(struct peer *p, int fd, int n)
{
	(void)p;
	if (n == 1)
		return peer_reply(fd, "500 Oops", "x-should-retry: false\r\n",
				  "");
	if (n == 2)
		return peer_reply(fd, "429 Pay", "", "{\"error\":{\"code\":"
				  "\"insufficient_quota\"}}");
	return peer_reply(fd, "401 No", "", "");
}

/* P-A9. */
static void a9_not_retried(void **state)
{
	static const enum err_code want[] = {
		ERR_UPSTREAM, ERR_UPSTREAM_QUOTA, ERR_UPSTREAM_AUTH,
	};
	struct peer *p = peer_start(serve_no_retry);
	struct run t;

	(void)state;
	prepare(&t, p);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(stream(&t), -1);
		assert_int_equal(t.e.code, want[i]);
		assert_int_equal(atomic_load(&p->n_reqs), i + 1);
	}
	peer_stop(p);
	buf_release(&t.out);
}

/* P-A1, P-A7: once something was delivered, an early end is final. */
static int serve_cut(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	peer_stream(fd);
	peer_chunk(fd, TEXT("half"));
	return -1;
}

static void a7_no_retry_after_the_first_delta(void **state)
{
	struct peer *p = peer_start(serve_cut);
	struct run t;

	(void)state;
	prepare(&t, p);
	assert_int_equal(stream(&t), -1);
	assert_int_equal(t.e.code, ERR_UPSTREAM_EARLY_END);
	assert_int_equal(atomic_load(&p->n_reqs), 1);
	assert_has(t.out.p, "\"text\":\"half\"");
	assert_int_equal(count(&t, "usage"), 1);
	assert_has(t.out.p, "\"estimated\":true");
	assert_int_equal(count(&t, "error"), 1);
	peer_stop(p);
	buf_release(&t.out);
}

/* P-A1, P-A2, P-D3: cut, but after finish_reason: that is an answer. */
static int serve_cut_late(struct peer *p, int fd, int n)
{
	(void)p;
	peer_stream(fd);
	peer_chunk(fd, TEXT("all") STOP);
	if (n == 2) {		/* D3: usage after the reason */
		peer_chunk(fd, "data: {\"choices\":[],\"usage\":"
			   "{\"prompt_tokens\":5,\"completion_tokens\":6}}\n\n");
		return peer_end(fd);
	}
	return -1;
}

static void a2_d3_end_without_done(void **state)
{
	struct peer *p = peer_start(serve_cut_late);
	struct run t;

	(void)state;
	prepare(&t, p);
	assert_int_equal(stream(&t), 0);
	assert_int_equal(count(&t, "done"), 1);
	assert_int_equal(stream(&t), 0);
	assert_has(t.out.p, "\"input\":5,");
	assert_int_equal(atomic_load(&p->n_reqs), 2);
	peer_stop(p);
	buf_release(&t.out);
}

/* P-E1: the other name of max_tokens, once, and then remembered. */
static int serve_e1(struct peer *p, int fd, int n)
{
	(void)n;
	if (strstr(peer_last(p), "max_completion_tokens"))
		return peer_reply(fd, "400 Bad", "", "{\"error\":{\"message\":"
			"\"Unrecognized request argument supplied: "
			"max_completion_tokens\",\"code\":null}}");
	return ok(fd);
}

static void e1_max_tokens_swapped_once(void **state)
{
	struct peer *p = peer_start(serve_e1);
	struct run t;

	(void)state;
	prepare(&t, p);
	t.s.model = "e1";
	t.s.max_output_tokens = 77;
	assert_int_equal(stream(&t), 0);
	assert_int_equal(atomic_load(&p->n_reqs), 2);
	assert_has(peer_last(p), "\"max_tokens\":77");
	assert_int_equal(stream(&t), 0);
	assert_int_equal(atomic_load(&p->n_reqs), 3);
	peer_stop(p);
	buf_release(&t.out);
}

static int n_tools_of(struct peer *p)
{
	int n = 0;

	for (const char *s = peer_last(p); s; s = strstr(s + 1, "\"function\":{"))
		n++;
	return n - 1;
}

static int serve_few_tools(struct peer *p, int fd, int n)
{
	(void)n;
	if (n_tools_of(p) > 12)
		return peer_reply(fd, "400 Bad", "", "{\"error\":{\"message\":"
			"\"Expected 12 or less functions but got more.\"}}");
	return ok(fd);
}

static int serve_no_number(struct peer *p, int fd, int n)
{
	(void)n;
	if (n_tools_of(p) > 12)
		return peer_reply(fd, "400 Bad", "", "{\"error\":{\"message\":"
			"\"too many tools\"}}");
	return ok(fd);
}

static int serve_no_word(struct peer *p, int fd, int n)
{
	(void)n;
	if (n_tools_of(p) > 128)
		return peer_reply(fd, "400 Bad", "",
			"{\"type\":\"error\",\"code\":\"invalid-argument\"}");
	return ok(fd);
}

/* A server that takes fewer tools gets as many as it says, and is remembered. */
static void fewer_tools(void **state)
{
	static int (*const serve[])(struct peer *p, int fd, int n) = {
		serve_few_tools, serve_no_number, serve_no_word,
	};
	static const char *const models[] = { "few-tools", "no-number", "no-word" };
	static const size_t n_tools[] = { 40, 40, 140 };
	static const int then[] = { 12, 10, 128 }, tries[] = { 2, 3, 2 };
	struct llm_tool tools[140];
	char names[140][16];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		snprintf(names[i], sizeof(names[i]), "tool_%zu", i);
		tools[i] = (struct llm_tool){ .name = names[i], .description = "d" };
	}
	for (size_t i = 0; i < ARRAY_LEN(serve); i++) {
		struct peer *p = peer_start(serve[i]);
		struct run t;

		prepare(&t, p);
		t.s.model = models[i];
		t.r.tools = tools;
		t.r.n_tools = n_tools[i];
		assert_int_equal(stream(&t), 0);
		assert_int_equal(atomic_load(&p->n_reqs), tries[i]);
		assert_int_equal(n_tools_of(p), then[i]);
		assert_int_equal(stream(&t), 0);
		assert_int_equal(atomic_load(&p->n_reqs), tries[i] + 1);
		peer_stop(p);
		buf_release(&t.out);
	}
}

static int serve_bad_tool(struct peer *p, int fd, int n)
{
	(void)n;
	if (strstr(peer_last(p), "\"bad_tool\""))
		return peer_reply(fd, "400 Bad", "", "{\"error\":{\"message\":"
			"\"Invalid schema for function 'bad_tool': In context=(), "
			"'type' is missing.\",\"param\":\"tools[1].function."
			"parameters\",\"code\":\"invalid_function_parameters\"}}");
	return ok(fd);
}

/* One tool whose schema a server refuses costs neither the turn nor the others. */
static void refused_tool(void **state)
{
	static const struct llm_tool tools[] = {
		{ .name = "good_tool", .description = "d" },
		{ .name = "bad_tool", .description = "d" },
		{ .name = "other_tool", .description = "d" },
	};
	struct peer *p = peer_start(serve_bad_tool);
	struct run t;

	(void)state;
	prepare(&t, p);
	t.s.model = "bad-tool";
	t.r.tools = tools;
	t.r.n_tools = ARRAY_LEN(tools);
	assert_int_equal(stream(&t), 0);
	assert_int_equal(atomic_load(&p->n_reqs), 2);
	assert_has(peer_last(p), "\"good_tool\"");
	assert_has(peer_last(p), "\"other_tool\"");
	peer_stop(p);
	buf_release(&t.out);
}

static int serve_b12(struct peer *p, int fd, int n)
{
	(void)n;
	if (strstr(peer_last(p), "\"sig\""))
		return peer_reply(fd, "400 Bad", "", "{\"error\":{\"message\":"
			"\"Corrupted thought signature.\"}}");
	return ok(fd);
}

/* P-B12. */
static void b12_signatures_stripped_once(void **state)
{
	struct peer *p = peer_start(serve_b12);
	struct llm_tool_call call = { .id = STR("c"), .name = STR("f"),
		.args = STR("{}") };
	struct llm_message m[] = {
		{ .role = LLM_USER, .text = STR("x") },
		{ .role = LLM_ASSISTANT, .calls = &call, .n_calls = 1 },
		{ .role = LLM_TOOL, .call_id = STR("c"), .text = STR("y") },
	};
	struct run t;

	(void)state;
	prepare(&t, p);
	call.opaque = json_pack("{s:s, s:s, s:s, s:{s:s}}", "provider",
		"openai", "model", "m", "url", t.url, "members", "sig", "S");
	t.r.messages = m;
	t.r.n_messages = 3;
	assert_int_equal(stream(&t), 0);
	assert_int_equal(atomic_load(&p->n_reqs), 2);
	/* Not remembered: the next history may be fine. */
	assert_int_equal(stream(&t), 0);
	assert_int_equal(atomic_load(&p->n_reqs), 4);
	json_decref(call.opaque);
	peer_stop(p);
	buf_release(&t.out);
}

static int serve_b18(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	peer_stream(fd);
	peer_chunk(fd, "event: error\ndata: {\"error\":{\"message\":\"Failed "
		   "to call a function.\",\"code\":\"tool_use_failed\"}}\n\n");
	return peer_end(fd);
}

/* P-B18. */
static void b18_tool_use_failed_once(void **state)
{
	struct peer *p = peer_start(serve_b18);
	struct run t;

	(void)state;
	prepare(&t, p);
	t.s.retries = 5;
	assert_int_equal(stream(&t), -1);
	assert_int_equal(atomic_load(&p->n_reqs), 2);
	peer_stop(p);
	buf_release(&t.out);
}

static int serve_stall(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	peer_stream(fd);
	peer_chunk(fd, TEXT("one"));
	return peer_stall(fd);
}

static void abort_and_stop(void **state)
{
	struct peer *p = peer_start(serve_stall);
	struct err e = ERR_INIT;
	struct run t;

	(void)state;
	prepare(&t, p);
	t.io.abort = t.pull_at_text = http_abort_new(&e);
	assert_int_equal(stream(&t), -1);
	assert_int_equal(t.e.code, ERR_CANCELLED);
	assert_int_equal(count(&t, "error"), 1);
	/* P-D5: disconnecting does not dodge the budget. */
	assert_has(t.out.p, "{\"input\":2,\"output\":1,\"estimated\":true}");
	assert_int_equal(atomic_load(&p->n_reqs), 1);
	t.pull_at_text = NULL;
	assert_int_equal(stream(&t), -1);	/* never sent: no usage */
	assert_int_equal(count(&t, "usage"), 0);
	assert_int_equal(atomic_load(&p->n_reqs), 1);
	http_abort_free(t.io.abort);
	t.io.abort = NULL;
	/* The handler stops: it hears nothing more. */
	t.stop_at_text = true;
	assert_int_equal(stream(&t), -1);
	assert_int_equal(t.e.code, ERR_CANCELLED);
	assert_int_equal(count(&t, "error"), 0);
	t.stop_at_text = false;
	/* So does the idle function. */
	t.io.idle_ms = 5;
	t.idle_says = -1;
	assert_int_equal(stream(&t), -1);
	assert_int_equal(t.e.code, ERR_CANCELLED);
	assert_int_equal(t.n_idle, 1);
	/* And an idle stream is given up. */
	t.idle_says = 0;
	t.s.idle_timeout_ms = 400;	/* many times idle_ms, on a busy machine */
	assert_int_equal(stream(&t), -1);
	assert_int_equal(t.e.code, ERR_UPSTREAM_TIMEOUT);
	assert_true(t.n_idle >= 3);
	peer_stop(p);
	buf_release(&t.out);
}

static atomic_int ticks_since_reply;	/* -1: no reply was sent yet */

static int serve_wait_long(struct peer *p, int fd, int n)
{
	int rc = peer_reply(fd, "503 Later", "Retry-After: 50\r\n", "");

	(void)p, (void)n;
	atomic_store(&ticks_since_reply, 0);
	return rc;
}

/* Pulls when the reply surely has arrived, so that it is the wait that ends. */
static int pull(void *ctx)
{
	if (atomic_load(&ticks_since_reply) >= 0 &&
	    atomic_fetch_add(&ticks_since_reply, 1) == 5)
		http_abort_now(((struct run *)ctx)->io.abort);
	return 0;
}

static void abort_in_backoff(void **state)
{
	struct peer *p = peer_start(serve_wait_long);
	struct err e = ERR_INIT;
	struct run t;
	int64_t start = clock_mono_ms();

	(void)state;
	atomic_store(&ticks_since_reply, -1);
	prepare(&t, p);
	t.io.abort = http_abort_new(&e);
	t.io.idle_ms = 20;
	t.io.idle_fn = pull;
	assert_int_equal(stream(&t), -1);
	assert_int_equal(t.e.code, ERR_CANCELLED);
	assert_int_equal(count(&t, "usage"), 0);
	assert_in_range(clock_mono_ms() - start, 0, 5000);
	http_abort_free(t.io.abort);
	peer_stop(p);
	buf_release(&t.out);
}

/* Comments keep the connection, but not for ever. */
static int serve_comments(struct peer *p, int fd, int n)
{
	struct pollfd f = { .fd = fd, .events = POLLIN };

	(void)p, (void)n;
	peer_stream(fd);
	while (poll(&f, 1, 3) == 0)
		peer_chunk(fd, ": ka\n\n");
	return -1;
}

static void keep_alives_are_no_progress(void **state)
{
	struct peer *p = peer_start(serve_comments);
	struct run t;

	(void)state;
	prepare(&t, p);
	t.s.first_byte_timeout_ms = 500;
	t.s.idle_timeout_ms = 400;	/* no pause of a busy peer lasts so long */
	t.s.retries = 0;
	assert_int_equal(stream(&t), -1);
	assert_int_equal(t.e.code, ERR_UPSTREAM_TIMEOUT);
	assert_has(t.e.text, "keep-alives");
	peer_stop(p);
	buf_release(&t.out);
}

static int serve_html(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	return peer_reply(fd, "200 OK", "Content-Type: text/html\r\n",
			  "<html>Please sign in</html>");
}

/* P-A12. */
static void a12_html_page(void **state)
{
	struct peer *p = peer_start(serve_html);
	struct run t;

	(void)state;
	prepare(&t, p);
	assert_int_equal(stream(&t), -1);
	assert_int_equal(t.e.code, ERR_UPSTREAM_PROTOCOL);
	assert_has(t.e.text, "Please sign in");
	assert_int_equal(atomic_load(&p->n_reqs), 1);
	peer_stop(p);
	buf_release(&t.out);
}

#define ANSWER "{\"choices\":[{\"index\":0,\"message\":{\"content\":" \
	"\"hello\"},\"finish_reason\":\"stop\"}]}"

static int serve_a13(struct peer *p, int fd, int n)
{
	static const char json[] = "Content-Type: application/json\r\n";

	(void)p;
	if (n == 1)
		return peer_reply(fd, "200 OK", json, ANSWER);
	if (n == 2)
		return peer_reply(fd, "200 OK", json, "\n\n\r\n" ANSWER "\n");
	if (n == 3)
		return peer_reply(fd, "200 OK", json, TEXT("hello") STOP DONE);
	return peer_reply(fd, "200 OK", n == 4 ? "" : "Content-Type: "
			  "text/plain\r\n", "\n" TEXT("hello") STOP DONE);
}

/* P-A13: a stream was asked for; what comes is taken for what it is. */
static void a13_whatever_the_type(void **state)
{
	struct peer *p = peer_start(serve_a13);
	struct run t;

	(void)state;
	prepare(&t, p);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(stream(&t), 0);
		assert_int_equal(count(&t, "text"), 1);
		assert_has(t.out.p, "\"text\":\"hello\"");
		assert_int_equal(count(&t, "done"), 1);
	}
	peer_stop(p);
	buf_release(&t.out);
}

static int serve_call(struct peer *p, int fd, int n)
{
	const char *name = strstr(peer_last(p), "\"name\":\"mcp_tool_");
	char body[400];

	(void)n;
	assert_non_null(name);
	snprintf(body, sizeof(body), "{\"choices\":[{\"index\":0,\"message\":"
		 "{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":"
		 "\"%.17s\",\"arguments\":\"{}\"}},{\"id\":\"b\",\"function\":"
		 "{\"name\":\"invented\"}}]},\"finish_reason\":\"stop\"}]}",
		 name + 8);
	return peer_reply(fd, "200 OK", "Content-Type: application/json\r\n",
			  body);
}

/* P-B14, P-B17: the caller sees its own names; invented ones as they are. */
static void b14_names_come_back(void **state)
{
	struct peer *p = peer_start(serve_call);
	struct llm_tool tool = { .name = "mcp/tool" };
	struct run t;

	(void)state;
	prepare(&t, p);
	t.r.tools = &tool;
	t.r.n_tools = 1;
	t.r.stream = false;
	assert_int_equal(stream(&t), 0);
	assert_has(t.out.p, "\"tool-start\",\"index\":0,\"id\":\"a\",\"name\":"
		   "\"mcp/tool\"");
	assert_has(t.out.p, "\"tool-call\",\"index\":0,\"id\":\"a\",\"name\":"
		   "\"mcp/tool\"");
	assert_has(t.out.p, "\"name\":\"invented\",\"args\":\"{}\"");
	peer_stop(p);
	buf_release(&t.out);
}

static void unusable_service(void **state)
{
	struct peer *p = peer_start(serve_ok);
	struct run t;

	(void)state;
	prepare(&t, p);
	t.s.set.api_key = false;
	assert_int_equal(stream(&t), -1);
	assert_int_equal(t.e.code, ERR_LLM_NO_CREDENTIAL);
	assert_int_equal(count(&t, "error"), 1);
	t.s.provider = "nobody";
	assert_int_equal(stream(&t), -1);
	assert_int_equal(t.e.code, ERR_LLM_UNSUPPORTED);
	peer_stop(p);
	t.s.provider = "openai";
	t.s.api_key = "k";
	t.s.set.api_key = true;
	t.s.retries = 0;
	assert_int_equal(stream(&t), -1);	/* nobody listens any more */
	assert_int_equal(t.e.code, ERR_UPSTREAM_CONNECT);
	buf_release(&t.out);
}

static int setup(void **state)
{
	log_setup(LOG_LVL_ERROR, LOG_TO_STDERR);
	*state = pool = peer_pool_open(4);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(a7_a8_retries_before_the_first_delta),
		cmocka_unit_test(retries_have_an_end),
		cmocka_unit_test(a1_a8_retried_in_our_time),
		cmocka_unit_test(a9_not_retried),
		cmocka_unit_test(a7_no_retry_after_the_first_delta),
		cmocka_unit_test(a2_d3_end_without_done),
		cmocka_unit_test(e1_max_tokens_swapped_once),
		cmocka_unit_test(fewer_tools),
		cmocka_unit_test(refused_tool),
		cmocka_unit_test(b12_signatures_stripped_once),
		cmocka_unit_test(b18_tool_use_failed_once),
		cmocka_unit_test(abort_and_stop),
		cmocka_unit_test(abort_in_backoff),
		cmocka_unit_test(keep_alives_are_no_progress),
		cmocka_unit_test(a12_html_page),
		cmocka_unit_test(a13_whatever_the_type),
		cmocka_unit_test(b14_names_come_back),
		cmocka_unit_test(unusable_service),
	};

	return cmocka_run_group_tests(tests, setup, peer_pool_close);
}
