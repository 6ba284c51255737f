/* fcgi-app/dialect: every event on the wire, and what it costs. */
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "dialect/dialect.h"
#include "turn/turn.h"
#include "unit.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define MAX_TOKEN_US 50		/* a sanitizer's time is not ours */
#else
#define MAX_TOKEN_US 2
#endif

static const struct conf_workspace workspace = { .id = "lab" };
static const struct conf_agent agent = { .id = "helper" };
static struct message message = {
	.seq = 2, .role = ROLE_ASSISTANT, .created_us = 1700000000123456,
	.content = { "a\nb \"c\"", 7 },
	.meta = { "{\"finish_reason\":\"stop\"}", 24 },
};
static struct turn_run run = {
	.in = { .workspace = &workspace, .agent = &agent },
};

/* The frame of ev: exactly one event with one data line, as JSON. */
static json_t *frame(const struct turn_event *ev, const char *name)
{
	const struct dialect *d = dialect_get(DIALECT_NATIVE);
	struct dialect_state st = { .style = RECORD_AGENT_SCOPED };
	struct buf b = BUF_INIT(100000);
	char head[80];
	json_t *j;
	size_t n;

	dialect_encode(d, &b, ev, &st);
	n = (size_t)snprintf(head, sizeof(head), "event: %s\nid: %u\ndata: ",
			     name, ev->seq);
	assert_true(b.n > n + 2);
	assert_memory_equal(b.p, head, n);
	assert_string_equal(b.p + b.n - 2, "\n\n");
	assert_ptr_equal(memchr(b.p + n, '\n', b.n - n), b.p + b.n - 2);
	assert_null(memchr(b.p, '\r', b.n));
	j = json_loadb(b.p + n, b.n - n - 2, JSON_DECODE_ANY, NULL);
	assert_non_null(j);
	buf_release(&b);
	return j;
}

static void every_event(void **state)
{
	static const char *const names[TURN_EV__MAX] = {
		[TURN_EV_USER_MESSAGE] = "user-message",
		[TURN_EV_CONTEXT_USAGE] = "context-usage",
		[TURN_EV_STATUS] = "status", [TURN_EV_TOKEN] = "token",
		[TURN_EV_TOKEN_RESET] = "token-reset",
		[TURN_EV_REASONING] = "reasoning",
		[TURN_EV_TOOL_CALL] = "tool-call",
		[TURN_EV_TOOL_RESULT] = "tool-result",
		[TURN_EV_TITLE] = "title", [TURN_EV_WARNING] = "warning",
		[TURN_EV_DONE] = "done", [TURN_EV_ERROR] = "error",
	};

	(void)state;
	for (int t = 0; t < TURN_EV__MAX; t++) {
		struct turn_event ev = {
			.type = (enum turn_event_type)t, .seq = 7,
			.text = STR("t\n\xc3\xa4"), .code = STR("c"),
			.call_id = STR("id1"), .tool_name = STR("query_data"),
			.args = STR("{\"a\":\n 1}"), .result = STR("[1,\r\n2]"),
			.result_json = true, .duration_ms = 3,
			.input_tokens = 1, .context_tokens = 2, .n_messages = 3,
			.message = &message, .run = &run,
		};

		if (names[t])
			json_decref(frame(&ev, names[t]));
		else
			assert_null(dialect_native.rows[t].write);
	}
}

static void payloads(void **state)
{
	struct turn_event ev = {
		.type = TURN_EV_TOOL_CALL, .seq = 1, .args = STR("not json"),
		.call_id = STR("c1"), .tool_name = STR("t"), .run = &run,
	};
	json_t *j = frame(&ev, "tool-call");

	(void)state;
	/* What is no JSON is shown as text: the frame stays readable. */
	assert_str_is(jx_str(j, "args"), "not json");
	assert_str_is(jx_str(j, "callId"), "c1");
	json_decref(j);

	ev.type = TURN_EV_TOOL_RESULT;
	ev.result = STR("plain");
	ev.is_error = true;
	j = frame(&ev, "tool-result");
	assert_str_is(jx_str(j, "result"), "plain");
	assert_true(jx_bool(j, "isError", false));
	json_decref(j);
	ev.result = STR("{\"rows\":[[1]]}");
	ev.result_json = true;
	j = frame(&ev, "tool-result");
	assert_non_null(jx_obj(j, "result"));
	json_decref(j);

	ev = (struct turn_event){ .type = TURN_EV_DONE, .seq = 9,
				  .message = &message, .run = &run };
	j = frame(&ev, "done");
	assert_str_is(jx_str(j, "workspaceId"), "lab");
	assert_str_is(jx_str(j, "agentId"), "helper");
	assert_str_is(jx_str(j, "role"), "agent");
	assert_str_is(jx_str(j, "content"), "a\nb \"c\"");
	assert_str_is(jx_str(jx_obj(j, "metadata"), "finish_reason"), "stop");
	json_decref(j);
}

static void preamble_and_keep_alive_are_comments(void **state)
{
	const struct dialect *d = dialect_get(DIALECT_NATIVE);

	(void)state;
	assert_string_equal(d->content_type, "text/event-stream");
	assert_str_is(d->preamble, ": ok\nretry: 2000\n\n");
	assert_str_is(d->keep_alive, ": ka\n\n");
}

/* A token must cost well under a microsecond; generous, for slow machines. */
static void a_token_is_cheap(void **state)
{
	struct turn_event ev = { .type = TURN_EV_TOKEN, .run = &run,
				 .text = STR(" lamplighter") };
	struct dialect_state st = { .style = RECORD_PLAIN };
	struct buf b = BUF_INIT(1000000);
	int64_t best_us = INT64_MAX;

	(void)state;
	for (int round = 0; round < 20; round++) {
		int64_t start = clock_mono_us();

		buf_reset(&b);
		for (ev.seq = 1; ev.seq <= 10000; ev.seq++)
			dialect_encode(&dialect_native, &b, &ev, &st);
		best_us = MIN(best_us, clock_mono_us() - start);
	}
	print_message("# %lld ns a token\n", (long long)best_us / 10);
	assert_true(best_us < 10000 * MAX_TOKEN_US);
	buf_release(&b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event),
		cmocka_unit_test(payloads),
		cmocka_unit_test(preamble_and_keep_alive_are_comments),
		cmocka_unit_test(a_token_is_cheap),
	};

	return cmocka_run_group_tests_name("dialect", tests, NULL, NULL);
}
