/* SPDX-License-Identifier: MIT */
/* fcgi-app/dialect: every event on the wire, and what it costs. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "dialect/ag_ui.h"
#include "dialect/ai_sdk.h"
#include "dialect/dialect.h"
#include "dialect/notice.h"
#include "dialect/openai.h"
#include "store/wait.h"
#include "tool/core/tool.h"
#include "turn/turn.h"
#include "unit.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define MAX_TOKEN_US 50		/* a sanitizer's time is not ours */
#else
#define MAX_TOKEN_US 2
#endif

static const struct workspace workspace = { .id = "lab" };
static const struct agent agent = { .id = "helper" };
static struct message message = {
	.seq = 2, .role = ROLE_ASSISTANT, .created_us = 1700000000123456,
	.content = { "a\nb \"c\"", 7 },
	.meta = { "{\"finish_reason\":\"stop\"}", 24 },
};
static struct turn_run run = {
	.in = { .target = { .workspace = &workspace, .agent = &agent } },
};

static const struct turn_wait waits[] = {
	{ .kind = WAIT_APPROVAL, .status = WAIT_OPEN, .call_id = { "id1", 3 },
	  .tool = { "query_data", 10 }, .effect = TOOL_DESTRUCTIVE,
	  .flags = WAIT_EDITABLE, .reason = { "policy", 6 },
	  .args = { "{\"a\":\n 1}", 9 },
	  .digest = { "0123456789abcdef0123456789abcdef", 32 },
	  .expires_us = 1700000000123456 },
	{ .kind = WAIT_CLIENT, .status = WAIT_OPEN, .call_id = { "id2", 3 },
	  .tool = { "click", 5 }, .args = { "{}", 2 } },
	{ .kind = WAIT_QUESTION, .status = WAIT_OPEN, .call_id = { "id3", 3 },
	  .tool = { "ask_user", 8 }, .args = {
		"{\"question\":\"Which?\",\"options\":[\"Red\",\"Blue\"]}", 46 } },
};

static struct arena arena = ARENA_INIT;

/* A stream of d: as nobody asked for anything, or for all there is. */
static struct dialect_state state_of(enum dialect_id d, bool asked)
{
	static const struct ag_ui_asked ag_ui = {
		.thread_id = { "th", 2 }, .run_id = { "ru", 2 },
	};
	static const struct openai_asked openai = {
		.model = { "lab/\"x\"", 7 }, .want_usage = true,
	};
	static const struct ai_sdk_asked ai_sdk = { 6 };
	static const void *const all[DIALECT__MAX] = {
		[DIALECT_AI_SDK] = &ai_sdk, [DIALECT_AG_UI] = &ag_ui,
		[DIALECT_OPENAI] = &openai,
	};
	struct dialect_state st = dialect_open(d, RECORD_PLAIN,
					       asked ? all[d] : NULL, &arena);

	st.retry_due = asked;
	return st;
}

/* The frame of ev: exactly one event with one data line, as JSON. */
static json_t *frame(const struct turn_event *ev, const char *name)
{
	const struct dialect *d = dialect_get(DIALECT_NATIVE);
	struct dialect_state st = dialect_open(
		DIALECT_NATIVE, RECORD_AGENT_SCOPED, NULL, &arena);
	struct buf b = BUF_INIT(100000);
	char head[80];
	json_t *j;
	size_t n;

	st.retry_due = false;
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
			.waits = waits, .n_waits = ARRAY_LEN(waits),
		};

		if (dialect_rows[t][DIALECT_NATIVE].name)
			json_decref(frame(&ev, dialect_rows[t]
					  [DIALECT_NATIVE].name));
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

/* One event of a type, with everything that any type has. */
static struct turn_event sample(enum turn_event_type t)
{
	return (struct turn_event){
		.type = t, .seq = 7, .text = STR("t\n\xc3\xa4"),
		.code = STR("c"), .call_id = STR("id1"),
		.tool_name = STR("query_data"), .args = STR("{\"a\":\n 1}"),
		.result = STR("[1,\r\n2]"), .result_json = true,
		.duration_ms = 3, .input_tokens = 1, .context_tokens = 2,
		.n_messages = 3, .message = &message, .run = &run,
		.waits = waits, .n_waits = ARRAY_LEN(waits),
	};
}

/* Only whole frames: lines of known fields, data that is JSON or the end mark. */
static size_t assert_sane_frames(struct str s)
{
	size_t n = 0;

	if (s.n)
		assert_true(s.n > 2 && s.p[s.n - 1] == '\n' &&
			    s.p[s.n - 2] == '\n');
	assert_null(s.n ? memchr(s.p, '\r', s.n) : NULL);
	while (s.n) {
		struct str line = str_cut(&s, '\n');
		json_t *j;

		if (!line.n || line.p[0] == ':' ||
		    str_starts(line, STR("event: ")) ||
		    str_starts(line, STR("id: ")) ||
		    str_starts(line, STR("retry: ")))
			continue;
		assert_true(str_starts(line, STR("data: ")));
		n++;
		if (str_is(line, "data: [DONE]"))
			continue;
		j = json_loadb(line.p + 6, line.n - 6, 0, NULL);
		assert_non_null(j);
		json_decref(j);
	}
	return n;
}

/*
 * Every event has a decision in every dialect: it is shown, or left out.
 * P-F3: what keeps a stream alive is a comment in all of them.
 */
static void every_dialect_decides_every_event(void **state)
{
	(void)state;
	for (int d = 0; d < DIALECT__MAX; d++) {
		const struct dialect *dl = dialect_get((enum dialect_id)d);

		assert_int_equal(dialect_find(str_of(dl->name)), d);
		assert_non_null(dl->content_type);
		assert_int_equal(dl->header == NULL, dl->value == NULL);
		assert_sane_frames(dl->preamble);
		assert_sane_frames(dl->keep_alive);
		assert_sane_frames(dl->end);
		assert_true(dl->keep_alive.p[0] == ':');
		for (int t = 0; t < TURN_EV__MAX; t++) {
			const struct dialect_row *row = &dialect_rows[t][d];

			if (!row->name == !row->left_out)
				fail_msg("%s has no one decision about %s",
					 dl->name, event_table[t].name);
			/* A writer of its own where the row says so only. */
			if (row->own != (dl->own[t] != NULL) ||
			    (row->name && !row->own && !dl->any))
				fail_msg("%s writes %s otherwise than said",
					 dl->name, event_table[t].name);
		}
		/* The end of a turn is never left out, nor is its text. */
		assert_non_null(dialect_rows[TURN_EV_TOKEN][d].name);
		assert_non_null(dialect_rows[TURN_EV_DONE][d].name);
		assert_non_null(dialect_rows[TURN_EV_ERROR][d].name);
		assert_int_equal(dl->id, d);
	}
	assert_int_equal(dialect_find(STR("nonsense")), DIALECT__MAX);
	assert_int_equal(dialect_find(STR("")), DIALECT__MAX);
}

/* Whatever order events come in, what is written are whole frames. */
static void frames_are_whole_in_any_order(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int d = 0; d < DIALECT__MAX; d++) {
		struct dialect_state st = state_of((enum dialect_id)d, true);
		struct buf b = BUF_INIT(1000000);

		for (int i = 0; i < 2000; i++) {
			struct turn_event ev;

			seed = seed * 1103515245 + 12345;
			ev = sample((enum turn_event_type)
				    ((seed >> 16) % TURN_EV__MAX));
			ev.is_error = seed & 0x1000000;
			ev.result_json = seed & 0x2000000;
			if (seed & 0x4000000)
				ev.args = STR("not json");
			buf_reset(&b);
			dialect_encode(dialect_get((enum dialect_id)d), &b,
				       &ev, &st);
			assert_true(buf_ok(&b));
			assert_sane_frames(buf_str(&b));
		}
		buf_release(&b);
	}
}

/* How often needle is in what dialect d writes for the events. */
static size_t count(enum dialect_id d, const enum turn_event_type *types,
		    size_t n, const char *needle)
{
	struct dialect_state st = state_of(d, true);
	struct buf b = BUF_INIT(1000000);
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		struct turn_event ev = sample(types[i]);

		dialect_encode(dialect_get(d), &b, &ev, &st);
	}
	for (const char *p = b.p; (p = strstr(p, needle)) != NULL; p++)
		found++;
	buf_release(&b);
	return found;
}

/* P-F4: parts and messages that were opened are closed, once each. */
static void parts_are_closed(void **state)
{
	static const enum turn_event_type turn[] = {
		TURN_EV_SESSION, TURN_EV_CONTEXT_USAGE, TURN_EV_REASONING,
		TURN_EV_REASONING, TURN_EV_TOKEN, TURN_EV_TOKEN,
		TURN_EV_TOOL_CALL, TURN_EV_TOOL_RESULT, TURN_EV_TOKEN_RESET,
		TURN_EV_CONTEXT_USAGE, TURN_EV_TOKEN, TURN_EV_REASONING,
		TURN_EV_TOKEN, TURN_EV_DONE,
	};
	static const struct {
		enum dialect_id dialect;
		const char *open, *close;
		size_t times;
	} t[] = {
		{ DIALECT_AI_SDK, "\"text-start\"", "\"text-end\"", 3 },
		{ DIALECT_AI_SDK, "\"reasoning-start\"", "\"reasoning-end\"", 2 },
		{ DIALECT_AI_SDK, "\"start-step\"", "\"finish-step\"", 2 },
		{ DIALECT_AG_UI, "TEXT_MESSAGE_START", "TEXT_MESSAGE_END", 3 },
		{ DIALECT_AG_UI, "REASONING_START", "REASONING_END", 2 },
		{ DIALECT_AG_UI, "TOOL_CALL_START", "TOOL_CALL_END", 1 },
		{ DIALECT_AG_UI, "RUN_STARTED", "RUN_FINISHED", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		assert_int_equal(count(t[i].dialect, turn, ARRAY_LEN(turn),
				       t[i].open), t[i].times);
		assert_int_equal(count(t[i].dialect, turn, ARRAY_LEN(turn),
				       t[i].close), t[i].times);
		/* The same when the turn is cut off anywhere. */
		for (size_t n = 1; n < ARRAY_LEN(turn); n++) {
			enum turn_event_type cut[ARRAY_LEN(turn)];

			memcpy(cut, turn, n * sizeof(*turn));
			cut[n] = TURN_EV_ERROR;
			if (strcmp(t[i].open, "RUN_STARTED") == 0)
				continue;
			assert_int_equal(count(t[i].dialect, cut, n + 1,
					       t[i].open),
					 count(t[i].dialect, cut, n + 1,
					       t[i].close));
		}
	}
}

/* An answer that no token brought is still told. */
static void unsaid_answers_are_said(void **state)
{
	static const enum turn_event_type silent[] = {
		TURN_EV_SESSION, TURN_EV_CONTEXT_USAGE, TURN_EV_DONE,
	};

	(void)state;
	for (int d = 0; d < DIALECT__MAX; d++)
		assert_int_equal(count((enum dialect_id)d, silent,
				       ARRAY_LEN(silent), "a\\nb"), 1);
}

static void preamble_and_keep_alive_are_comments(void **state)
{
	const struct dialect *d = dialect_get(DIALECT_NATIVE);

	(void)state;
	assert_string_equal(d->content_type, "text/event-stream");
	assert_str_is(d->preamble, ": ok\n\n");
	assert_str_is(d->keep_alive, ": ka\n\n");
}

/* In the block of the first event that is shown, and nowhere else. */
static void the_first_event_says_when_to_come_back(void **state)
{
	static const enum dialect_id ids[] = {
		DIALECT_NATIVE, DIALECT_FORGE, DIALECT_V2,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		const struct dialect *d = dialect_get(ids[i]);
		struct turn_event ev = {
			.type = TURN_EV_TOKEN, .seq = 1, .run = &run,
			.text = STR("a"),
		};
		struct dialect_state st = dialect_open(ids[i], RECORD_PLAIN,
						       NULL, &arena);
		struct buf b = BUF_INIT(100000);
		struct str first, rest;

		dialect_encode(d, &b, &ev, &st);
		assert_true(str_starts(buf_str(&b), STR("retry: 2000\nevent: ")));
		assert_false(st.retry_due);
		rest = buf_str(&b);
		first = str_cut(&rest, '\n');
		assert_true(first.n && rest.n);
		assert_null(strstr(rest.p, "retry: "));
		buf_release(&b);
	}
}

/* v2: deltas that wait for their client together become one (D28). */
static void waiting_deltas_are_joined(void **state)
{
	const struct dialect *d = dialect_get(DIALECT_V2);
	struct turn_event ev = { .type = TURN_EV_TOKEN, .run = &run };
	struct dialect_state st = state_of(DIALECT_V2, false);
	struct buf b = BUF_INIT(100000);

	(void)state;
	for (ev.seq = 8; ev.seq <= 11; ev.seq++) {
		ev.text = ev.seq % 2 ? STR("a\"b") : STR("");
		dialect_encode(d, &b, &ev, &st);
	}
	assert_string_equal(b.p, "event: text_delta\ndata: {\"type\":"
			    "\"text_delta\",\"delta\":\"a\\\"ba\\\"b\"}\n"
			    "id: 11\n\n");
	/* What was sent, another kind, or an event between: a new frame. */
	buf_reset(&b);
	ev.text = STR("c");
	dialect_encode(d, &b, &ev, &st);
	ev.seq++;
	ev.type = TURN_EV_REASONING;
	dialect_encode(d, &b, &ev, &st);
	ev.seq += 2;
	dialect_encode(d, &b, &ev, &st);
	assert_int_equal(assert_sane_frames(buf_str(&b)), 3);
	assert_non_null(strstr(b.p, "\"delta\":\"c\"}\nid: 12\n\n"));
	buf_release(&b);
}

/* A token must cost well under a microsecond; generous, for slow machines. */
static void a_token_is_cheap(void **state)
{
	struct turn_event ev = { .type = TURN_EV_TOKEN, .run = &run,
				 .text = STR(" lamplighter") };
	struct buf b = BUF_INIT(10000000);

	(void)state;
	for (int d = 0; d < DIALECT__MAX; d++) {
		const struct dialect *dl = dialect_get((enum dialect_id)d);
		struct dialect_state st = state_of((enum dialect_id)d, false);
		int64_t best_us = INT64_MAX;

		for (int round = 0; round < 10; round++) {
			int64_t start = clock_mono_us();

			buf_reset(&b);
			for (ev.seq = 1; ev.seq <= 10000; ev.seq++)
				dialect_encode(dl, &b, &ev, &st);
			best_us = MIN(best_us, clock_mono_us() - start);
		}
		assert_true(buf_ok(&b));
		print_message("# %s: %lld ns a token\n", dl->name,
			      (long long)best_us / 10);
		assert_true(best_us < 10000 * MAX_TOKEN_US);
	}
	buf_release(&b);
}

/* -- the golden streams -------------------------------------------------------- */

/* A turn with everything: twice, the second time with what is left out else. */
static void play(struct buf *b, enum dialect_id d, struct dialect_state *st,
		 bool second)
{
	static const enum turn_event_type turn[] = {
		TURN_EV_SESSION, TURN_EV_USER_MESSAGE, TURN_EV_TITLE,
		TURN_EV_STATUS, TURN_EV_SERVICE, TURN_EV_CONTEXT_USAGE,
		TURN_EV_REASONING,
		TURN_EV_REASONING, TURN_EV_TOKEN, TURN_EV_TOKEN,
		TURN_EV_TOOL_CALL, TURN_EV_TOOL_PROGRESS, TURN_EV_TOOL_RESULT,
		TURN_EV_TOKEN_RESET, TURN_EV_SUGGESTED_ACTION, TURN_EV_WARNING,
		TURN_EV_CONTEXT_USAGE, TURN_EV_TOOL_CALL, TURN_EV_TOOL_RESULT,
		TURN_EV_APPROVAL_REQUEST, TURN_EV_CLIENT_TOOL_CALL,
		TURN_EV_CLARIFICATION, TURN_EV_WAITING, TURN_EV_SESSION,
		TURN_EV_STATUS, TURN_EV_TOKEN, TURN_EV_AGENT_STATE, TURN_EV_DONE,
		TURN_EV_ERROR,
	};

	for (size_t i = 0; i < ARRAY_LEN(turn); i++) {
		struct turn_event ev = sample(turn[i]);

		ev.seq = (uint32_t)i + 1;
		if (turn[i] == TURN_EV_STATUS)
			ev.text = i < 11 ? STR("thinking") : STR("executing");
		if (turn[i] == TURN_EV_WAITING && second)
			ev.waits++, ev.n_waits = 1;
		if (turn[i] == TURN_EV_APPROVAL_REQUEST)
			ev.n_waits = 1;
		if (turn[i] == TURN_EV_CLIENT_TOOL_CALL)
			ev.waits = &waits[1];
		if (turn[i] == TURN_EV_CLARIFICATION)
			ev.waits = &waits[2];
		if (turn[i] == TURN_EV_SUGGESTED_ACTION)
			ev.args = STR("{\"action\":\"a\",\"url\":\"/x\"}");
		if (second) {
			ev.text = turn[i] == TURN_EV_STATUS ? ev.text : STR("");
			ev.args = STR("");
			ev.is_error = true;
			ev.result = i < 15 ? STR("{\"error\":{\"code\":"
				"\"tool_not_approved\",\"message\":\"No.\"}}")
				: STR("plain");
			ev.result_json = i < 15;
		}
		dialect_encode(dialect_get(d), b, &ev, st);
	}
}

/*
 * Every event in every dialect, byte for byte. LAMPLIGHTER_GOLDEN=write writes
 * the file.
 */
static void streams_are_golden(void **state)
{
	static const struct message failed = {
		.seq = 3, .role = ROLE_ASSISTANT,
		.meta = STR("{\"finish_reason\":\"error\",\"error\":{\"code\":"
			    "\"upstream_auth\",\"message\":\"Refused.\","
			    "\"retryable\":true}}"),
	};
	const struct message fine = message;
	struct buf b = BUF_INIT(10000000), want = BUF_INIT(10000000);
	char path[4096], chunk[4096];
	size_t n;
	FILE *f;

	(void)state;
	for (int d = 0; d < DIALECT__MAX; d++)
		for (int v = 0; v < 3; v++) {
			struct dialect_state st = state_of((enum dialect_id)d,
							   v > 0);

			message = v == 2 ? failed : fine;
			buf_addf(&b, "== %s, %d\n", dialect_get(
				 (enum dialect_id)d)->name, v);
			play(&b, (enum dialect_id)d, &st, v > 0);
		}
	message = fine;
	snprintf(path, sizeof(path), "%s/tests/fixtures/dialects/streams.txt",
		 getenv("LAMPLIGHTER_SRCDIR"));
	if (getenv("LAMPLIGHTER_GOLDEN")) {
		f = fopen(path, "w");
		assert_non_null(f);
		fwrite(b.p, 1, b.n, f);
		fclose(f);
	}
	f = fopen(path, "r");
	assert_non_null(f);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_add(&want, chunk, n);
	fclose(f);
	assert_true(buf_ok(&b) && buf_ok(&want));
	assert_string_equal(b.p, want.p);
	buf_release(&b);
	buf_release(&want);
}

#define X "01000000-0000-0000-0000-000000000000"
#define Y "02000000-0000-0000-0000-000000000000"

/* -- notices ------------------------------------------------------------------ */

static void notices_have_their_forms(void **state)
{
	struct uuid x = { .b = { 1 } }, y = { .b = { 2 } };
	const struct {
		struct notice n;
		const char *name, *native, *forge;
	} rows[] = {
		{ { .kind = NOTICE_TURN_STATUS, .subject_id = x,
		    .conversation_id = y, .word = STR("interrupted") },
		  "turn-status", "{\"turnId\":\"" X "\",\"conversationId\":\"" Y
		  "\",\"status\":\"interrupted\"}",
		  "{\"Case\":\"AITaskStatusChanged\",\"Fields\":[\"" X "\",\"" Y
		  "\",\"Interrupted\"]}" },
		{ { .kind = NOTICE_TITLE, .conversation_id = y,
		    .title = STR("a\nb") },
		  "title", "{\"conversationId\":\"" Y "\",\"title\":\"a\\nb\"}",
		  NULL },
		{ { .kind = NOTICE_CONVERSATION, .conversation_id = y,
		    .word = STR("created") },
		  "conversation", "{\"conversationId\":\"" Y
		  "\",\"change\":\"created\",\"title\":null}", NULL },
		{ { .kind = NOTICE_CONVERSATION, .conversation_id = y,
		    .word = STR("deleted"), .title = STR("gone") },
		  "conversation", "{\"conversationId\":\"" Y
		  "\",\"change\":\"deleted\"}", NULL },
		{ { .kind = NOTICE_JOB_PROGRESS, .subject_id = x,
		    .word = STR("running"), .done = 3, .total = -1 },
		  "job-progress", "{\"jobId\":\"" X "\",\"status\":\"running\","
		  "\"done\":3,\"total\":null}", NULL },
		{ { .kind = NOTICE_REFRESH, .word = STR("all") },
		  "refresh", "{\"what\":\"all\"}", NULL },
	};
	struct notice unknown = { .kind = 99, .word = STR("x") };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf b = BUF_INIT(4096);
		struct jw w = jw_on(&b);
		const char *forge = dialect_notice_name(DIALECT_FORGE, &rows[i].n);

		assert_string_equal(dialect_notice_name(DIALECT_NATIVE, &rows[i].n),
				    rows[i].name);
		dialect_notice_data(DIALECT_NATIVE, &w, &rows[i].n);
		assert_string_equal(b.p, rows[i].native);
		assert_int_equal(forge != NULL, rows[i].forge != NULL);
		if (forge) {
			assert_string_equal(forge, "AITaskStatusChanged");
			buf_reset(&b);
			w = jw_on(&b);
			dialect_notice_data(DIALECT_FORGE, &w, &rows[i].n);
			assert_string_equal(b.p, rows[i].forge);
		}
		buf_release(&b);
	}
	/* A later version's kind is left out, not shown as something else. */
	assert_null(dialect_notice_name(DIALECT_NATIVE, &unknown));
	assert_null(dialect_notice_name(DIALECT_FORGE, &unknown));
	for (int d = 0; d < DIALECT__MAX; d++)
		assert_int_equal(dialect_notice_speaks((enum dialect_id)d),
				 d == DIALECT_NATIVE || d == DIALECT_FORGE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event),
		cmocka_unit_test(payloads),
		cmocka_unit_test(every_dialect_decides_every_event),
		cmocka_unit_test(frames_are_whole_in_any_order),
		cmocka_unit_test(parts_are_closed),
		cmocka_unit_test(unsaid_answers_are_said),
		cmocka_unit_test(the_first_event_says_when_to_come_back),
		cmocka_unit_test(preamble_and_keep_alive_are_comments),
		cmocka_unit_test(waiting_deltas_are_joined),
		cmocka_unit_test(streams_are_golden),
		cmocka_unit_test(a_token_is_cheap),
		cmocka_unit_test(notices_have_their_forms),
	};

	int rc = cmocka_run_group_tests_name("dialect", tests, NULL, NULL);

	arena_release(&arena);
	return rc;
}
