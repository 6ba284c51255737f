/* SPDX-License-Identifier: MIT */
/* Request builders: lib/llm/build.c, openai_build.c, anthropic_build.c, … */
#include "base/utf8.h"
#include "llm/build.h"
#include "llm/toolname.h"
#include "llm_unit.h"

#define SERVICE .id = "s", .model = "m", SET(api_key, "sk-test")

struct built {
	struct arena arena;
	struct llm_wire wire;
	json_t *body;
};

static struct built *build_with(const struct llm_request *r, unsigned repair)
{
	static struct built b;
	struct err e = ERR_INIT;

	json_decref(b.body);
	buf_release(&b.wire.body);
	arena_release(&b.arena);
	b = (struct built){ .arena = ARENA_INIT };
	if (build_request(r, repair, &b.arena, &b.wire, &e) < 0)
		fail_msg("%s", e.text);
	b.body = jx_load(buf_str(&b.wire.body), &e);
	if (!b.body)
		fail_msg("%s: %s", e.text, b.wire.body.p);
	return &b;
}

static struct built *build(const struct llm_request *r)
{
	return build_with(r, 0);
}

static bool has_header(const struct llm_wire *w, const char *h)
{
	for (size_t i = 0; i < w->n_headers; i++)
		if (strcmp(w->headers[i], h) == 0)
			return true;
	return false;
}

static const struct llm_message hello = { .role = LLM_USER, .text = { "hi", 2 } };

/* A question, a call, its result. */
static const struct llm_tool_call calls[] = {
	{ .id = { "call_1", 6 }, .name = { "query_data", 10 },
	  .args = { "{\"limit\":1}", 11 } },
	{ .id = { "toolu/2", 7 }, .name = { "a.b", 3 }, .args = { "{bad", 4 } },
};
static const struct llm_message loop[] = {
	{ .role = LLM_USER, .text = { "how many?", 9 } },
	{ .role = LLM_ASSISTANT, .text = { "I look.", 7 }, .calls = calls,
	  .n_calls = 2 },
	{ .role = LLM_TOOL, .call_id = { "call_1", 6 }, .text = { "7", 1 },
	  .tool_name = { "query_data", 10 } },
	{ .role = LLM_TOOL, .call_id = { "toolu/2", 7 }, .is_error = true,
	  .text = { "{\"error\":\"x\"}", 13 }, .tool_name = { "a.b", 3 } },
};

static void urls_and_headers(void **state)
{
	static const struct {
		struct llm_service s;
		const char *url, *header;
	} t[] = {
		{ { SERVICE, .provider = "openai" }, "https://api.openai.com/v1/chat/completions", "Authorization: Bearer sk-test" },
		{ { SERVICE, .provider = "openai", SET(url, "http://h/v1/") }, "http://h/v1/chat/completions", "Content-Type: application/json" },
		{ { SERVICE, .provider = "openai_compatible", SET(url, "http://h/v1/chat/completions") }, "http://h/v1/chat/completions", "Authorization: Bearer sk-test" },
		{ { SERVICE, .provider = "azure", SET(url, "https://x.azure.com") }, "https://x.azure.com/openai/deployments/m/chat/completions?api-version=2024-10-21", "api-key: sk-test" },
		{ { SERVICE, .provider = "azure", SET(url, "https://x"), SET(deployment, "d e"), SET(api_version, "2025-01-01") }, "https://x/openai/deployments/d%20e/chat/completions?api-version=2025-01-01", "api-key: sk-test" },
		{ { SERVICE, .provider = "anthropic" }, "https://api.anthropic.com/v1/messages", "x-api-key: sk-test" },
		{ { SERVICE, .provider = "anthropic", SET(url, "https://h/v1") }, "https://h/v1/messages", "anthropic-version: 2023-06-01" },
		{ { SERVICE, .provider = "anthropic", SET(api_version, "2026-10-21") }, "https://api.anthropic.com/v1/messages", "anthropic-version: 2026-10-21" },
		{ { SERVICE, .provider = "ollama" }, "http://127.0.0.1:11434/api/chat", "Authorization: Bearer sk-test" },
	};
	const char *own[] = { "Authorization: Bearer other", "X-Title: x" };
	struct llm_service s = { SERVICE, .provider = "anthropic",
		.extra_headers = { own, 2 } };
	struct llm_request r = { .messages = &hello, .n_messages = 1 };
	struct err e = ERR_INIT;
	struct arena a = ARENA_INIT;
	struct llm_wire w;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct built *b;

		r.service = &t[i].s;
		b = build(&r);
		assert_string_equal(b->wire.url, t[i].url);
		if (!has_header(&b->wire, t[i].header))
			fail_msg("no header %s", t[i].header);
	}
	/* P-E13: exactly one credential. */
	r.service = &s;
	assert_true(has_header(&build(&r)->wire, own[0]));
	assert_true(has_header(&build(&r)->wire, own[1]));
	assert_false(has_header(&build(&r)->wire, "x-api-key: sk-test"));
	own[1] = "X-Evil: a\r\nHost: b";
	assert_int_equal(llm_build(&r, &a, &w, &e), -1);
	assert_int_equal(e.code, ERR_CONFIG);
	arena_release(&a);
}

static enum err_code check(const struct llm_service *s)
{
	struct err e = ERR_INIT;

	return llm_check_service(s, &e) < 0 ? e.code : ERR_NONE;
}

static void b17_b18_unusable_services(void **state)
{
	struct llm_service s = { SERVICE, .provider = "nobody" };

	(void)state;
	assert_int_equal(check(&s), ERR_LLM_UNSUPPORTED);
	s.provider = "gemini_native";
	assert_int_equal(check(&s), ERR_LLM_UNSUPPORTED);
	s.provider = "openai";
	assert_int_equal(check(&s), ERR_NONE);
	s.set.api_key = false;
	assert_int_equal(check(&s), ERR_LLM_NO_CREDENTIAL);
	s.provider = "ollama";
	assert_int_equal(check(&s), ERR_NONE);
	s.provider = "openai_compatible";
	assert_int_equal(check(&s), ERR_CONFIG);	/* no url */
	s.url = "http://h";
	s.set.url = true;
	assert_int_equal(check(&s), ERR_NONE);
}

/* P-E2, P-E8: nothing that was not asked for. */
static void e2_e8_minimal_request(void **state)
{
	struct llm_service s = { SERVICE, .provider = "openai" };
	struct llm_request r = { .service = &s, .messages = &hello,
		.n_messages = 1 };

	(void)state;
	assert_string_equal(sorted(build(&r)->body), "{\"messages\":["
		"{\"content\":\"hi\",\"role\":\"user\"}],\"model\":\"m\","
		"\"stream\":false}");
	s.temperature = 0.25;
	s.top_p = 1;
	s.reasoning_effort = "low";
	s.set.temperature = s.set.top_p = s.set.reasoning_effort = true;
	r.stream = true;
	r.max_output_tokens = 50;
	assert_string_equal(sorted(build(&r)->body),
		"{\"max_completion_tokens\":50,\"messages\":[{\"content\":"
		"\"hi\",\"role\":\"user\"}],\"model\":\"m\","
		"\"reasoning_effort\":\"low\",\"stream\":true,"
		"\"stream_options\":{\"include_obfuscation\":false,"
		"\"include_usage\":true},\"temperature\":0.25,\"top_p\":1}");
	/* P-E1, P-E2, P-E7, repaired. */
	assert_string_equal(sorted(build_with(&r, REPAIR_MAX_TOKENS |
		REPAIR_SAMPLING | REPAIR_STREAM_OPTIONS)->body),
		"{\"max_tokens\":50,\"messages\":[{\"content\":\"hi\","
		"\"role\":\"user\"}],\"model\":\"m\","
		"\"reasoning_effort\":\"low\",\"stream\":true}");
}

static void quirks_and_extra_body(void **state)
{
	json_t *quirks = json_pack("{s:s, s:b, s:s, s:s}", "max_tokens_field",
		"max_tokens", "include_usage", 0, "system_role", "developer",
		"auth_header", "X-Key: <{key}>");
	json_t *extra = json_pack("{s:i, s:{s:i}, s:s}", "seed", 1, "nested",
				  "a", 2, "model", "override");
	struct llm_service s = { SERVICE, .provider = "openai", .quirks = quirks,
		.extra_body = extra, .max_output_tokens = 9 };
	struct llm_request r = { .service = &s, .messages = &hello,
		.n_messages = 1, .system = (struct str[]){ STR("be"), STR("nice") },
		.n_system = 2, .stream = true };
	struct built *b;

	(void)state;
	b = build(&r);
	assert_string_equal(sorted(b->body),
		"{\"max_tokens\":9,\"messages\":[{\"content\":\"be\\n\\nnice\","
		"\"role\":\"developer\"},{\"content\":\"hi\",\"role\":\"user\""
		"}],\"model\":\"override\",\"nested\":{\"a\":2},\"seed\":1,"
		"\"stream\":true}");
	assert_true(has_header(&b->wire, "X-Key: <sk-test>"));
	/* P-E6: folded into the first user message. */
	assert_has(sorted(build_with(&r, REPAIR_SYSTEM_ROLE)->body),
		   "[{\"content\":\"be\\n\\nnice\\n\\nhi\",\"role\":\"user\"}]");
	json_decref(quirks);
	json_decref(extra);
}

/* P-E5, P-E11, P-E12: a history with calls, and tools. */
static void openai_tool_loop(void **state)
{
	json_t *schema = json_pack("{s:s}", "type", "object");
	struct llm_tool tools[] = {
		{ .name = "zeta", .description = "z", .schema = schema },
		{ .name = "a.b", .description = NULL, .schema = NULL },
	};
	struct llm_service s = { SERVICE, .provider = "vllm" };
	struct llm_request r = { .service = &s, .messages = loop,
		.n_messages = 4, .tools = tools, .n_tools = 2 };
	struct buf want = BUF_INIT(5000);
	char wire[TOOLNAME_BYTES];

	(void)state;
	toolname_wire(STR("a.b"), wire);
	buf_addf(&want, "{\"messages\":["
		"{\"content\":\"how many?\",\"role\":\"user\"},"
		"{\"content\":\"I look.\",\"role\":\"assistant\",\"tool_calls\""
		":[{\"function\":{\"arguments\":\"{\\\"limit\\\":1}\",\"name\":"
		"\"query_data\"},\"id\":\"call_1\",\"type\":\"function\"},"
		"{\"function\":{\"arguments\":\"{}\",\"name\":\"%s\"},\"id\":"
		"\"toolu/2\",\"type\":\"function\"}]},"
		"{\"content\":\"7\",\"role\":\"tool\",\"tool_call_id\":"
		"\"call_1\"},{\"content\":\"{\\\"error\\\":\\\"x\\\"}\","
		"\"role\":\"tool\",\"tool_call_id\":\"toolu/2\"}],\"model\":"
		"\"m\",\"stream\":false,\"tools\":[{\"function\":"
		"{\"description\":\"\",\"name\":\"%s\",\"parameters\":"	/* E12 */
		"{\"properties\":{},\"type\":\"object\"}},\"type\":\"function\""
		"},{\"function\":{\"description\":\"z\",\"name\":\"zeta\","
		"\"parameters\":{\"properties\":{},\"type\":\"object\"}},"	/* E11 */
		"\"type\":\"function\"}]}", wire, wire);
	assert_string_equal(sorted(build(&r)->body), want.p);
	r.no_tool_calls = true;
	assert_has(sorted(build(&r)->body), "\"tool_choice\":\"none\"");
	s.provider = "ollama_v1";		/* E5: none = left out */
	assert_null(json_object_get(build(&r)->body, "tools"));
	assert_null(json_object_get(build(&r)->body, "tool_choice"));
	s.provider = "vllm";
	s.capabilities = LLM_CAN_CHAT;		/* B21 */
	assert_null(json_object_get(build(&r)->body, "tools"));
	buf_release(&want);
	json_decref(schema);
}

/* P-B5, P-B6: ids as the provider takes them, equal in call and result. */
static void b5_b6_call_ids(void **state)
{
	static const struct {
		const char *provider;
		bool alnum9;
	} t[] = { { "mistral", true }, { "anthropic", false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct llm_service s = { SERVICE, .provider = t[i].provider };
		struct llm_request r = { .service = &s, .messages = loop,
			.n_messages = 4 };
		json_t *m = json_object_get(build(&r)->body, "messages");
		struct str id, back;

		if (t[i].alnum9) {
			json_t *list = json_object_get(json_array_get(m, 1),
						       "tool_calls");

			id = jx_str(json_array_get(list, 1), "id");
			back = jx_str(json_array_get(m, 3), "tool_call_id");
			assert_int_equal(id.n, 9);
		} else {
			json_t *use = json_object_get(json_array_get(m, 1),
						      "content");
			json_t *res = json_object_get(json_array_get(m, 2),
						      "content");

			id = jx_str(json_array_get(use, 2), "id");
			back = jx_str(json_array_get(res, 1), "tool_use_id");
			assert_true(id.n > 0);
			assert_null(memchr(id.p, '/', id.n));
			assert_str_is(jx_str(json_array_get(use, 1), "id"),
				      "call_1");	/* fits: stays */
		}
		assert_true(str_eq(id, back));
	}
}

/* P-B15, P-C5: each call answered once and at once; C5: no empty messages. */
static void b15_history_is_put_right(void **state)
{
	struct llm_message m[] = {
		{ .role = LLM_TOOL, .call_id = STR("gone"), .text = STR("x") },
		{ .role = LLM_ASSISTANT },
		loop[1],
		loop[3],
		{ .role = LLM_USER, .text = STR("next") },
		{ .role = LLM_TOOL, .call_id = STR("call_1"), .text = STR("late") },
	};
	struct llm_service s = { SERVICE, .provider = "openai" };
	struct llm_request r = { .service = &s, .messages = m,
		.n_messages = ARRAY_LEN(m) };
	json_t *list;

	(void)state;
	list = json_object_get(build(&r)->body, "messages");
	assert_int_equal(json_array_size(list), 6);
	assert_str_is(jx_str(json_array_get(list, 0), "role"), "user");
	assert_str_is(jx_str(json_array_get(list, 1), "role"), "assistant");
	assert_str_is(jx_str(json_array_get(list, 2), "tool_call_id"), "call_1");
	assert_has(jx_str(json_array_get(list, 2), "content").p, "not run");
	assert_str_is(jx_str(json_array_get(list, 3), "tool_call_id"), "toolu/2");
	assert_str_is(jx_str(json_array_get(list, 4), "role"), "assistant");
	assert_str_is(jx_str(json_array_get(list, 5), "content"), "next");
	/* Anthropic wants a user first. */
	s.provider = "anthropic";
	list = json_object_get(build(&r)->body, "messages");
	assert_str_is(jx_str(json_array_get(list, 0), "role"), "user");
	/* Results first, then the text, in one message. */
	assert_int_equal(json_array_size(list), 3);
	assert_int_equal(json_array_size(json_object_get(
		json_array_get(list, 2), "content")), 3);
}

#define SAYS(who, words) { .role = LLM_##who, .text = STR(words) }

/*
 * The roles of a history as templates with strict rules want them: a user first and
 * last, in turn; a step and its results count as the assistant's.
 */
static void roles_in_turn(void **state)
{
	static const char *const providers[] = { "openai", "ollama", "anthropic" };
	static const struct llm_message step = {
		.role = LLM_ASSISTANT, .text = STR("I look."), .calls = calls,
		.n_calls = 1,
	}, quiet = { .role = LLM_ASSISTANT, .calls = calls, .n_calls = 1 }, got = {
		.role = LLM_TOOL, .call_id = STR("call_1"), .text = STR("7"),
		.tool_name = STR("query_data"),
	};
	const struct llm_message t[][6] = {
		{ SAYS(USER, "failed"), SAYS(USER, "stopped"), SAYS(USER, "now") },
		{ SAYS(USER, "a"), SAYS(ASSISTANT, "b"), SAYS(ASSISTANT, "c"),
		  SAYS(USER, "d") },
		{ SAYS(ASSISTANT, "cut off before"), SAYS(USER, "a") },
		{ SAYS(USER, "a"), SAYS(ASSISTANT, ""), SAYS(USER, "b") },
		{ SAYS(USER, "a"), SAYS(ASSISTANT, "and at the end") },
		{ SAYS(USER, "a"), SAYS(SYSTEM, "in the middle"),
		  SAYS(ASSISTANT, "b"), SAYS(SYSTEM, "last") },
		{ SAYS(USER, "a"), step, got, SAYS(USER, "stopped there") },
		{ SAYS(USER, "a"), quiet, got, SAYS(ASSISTANT, "b"), SAYS(USER, "c") },
		{ SAYS(USER, "a"), SAYS(ASSISTANT, "b"), step, got,
		  SAYS(USER, "c") },
		{ SAYS(USER, "a"), got, SAYS(USER, "b") },
		{ SAYS(USER, "a"), SAYS(ASSISTANT, "\n\n"), SAYS(USER, " \n"),
		  SAYS(USER, "b") },
		{ SAYS(USER, "") }, { SAYS(USER, "a"), SAYS(USER, ""), },
	};

	(void)state;
	for (size_t p = 0; p < ARRAY_LEN(providers); p++)
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
	for (unsigned without = 0; without < 3; without++) {
		struct llm_service s = { SERVICE, .provider = providers[p],
			.capabilities = without == 1 ? LLM_CAN_CHAT : 0 };
		struct llm_request r = { .service = &s, .messages = t[i] };
		struct str role, last = STR("");
		json_t *list, *m;
		size_t at;

		while (r.n_messages < 6 && (t[i][r.n_messages].text.p ||
					    t[i][r.n_messages].n_calls))
			r.n_messages++;
		list = json_object_get(build_with(&r, without == 2
			? REPAIR_ROLES : 0)->body, "messages");
		json_array_foreach(list, at, m) {
			role = jx_str(m, "role");
			assert_false(str_is(role, "system"));
			assert_null(strstr(sorted(m), "\"\\n"));
			if (without)
				assert_false(str_is(role, "tool"));
			if (str_eq(role, last) && !str_is(role, "tool"))
				fail_msg("%s, %zu: %s", providers[p], i,
					 sorted(list));
			if (str_is(role, "user") && str_is(last, "tool"))
				fail_msg("%s, %zu: a user after a tool: %s",
					 providers[p], i, sorted(list));
			last = role;
		}
		assert_str_is(jx_str(json_array_get(list, 0), "role"), "user");
		assert_str_is(last, "user");
	}
}

/* Nothing that was said is lost by that; images stay with their user. */
static void joined_messages_are_whole(void **state)
{
	static const struct llm_image images[] = {
		{ .media_type = "image/png", .base64 = STR("AAAA"),
		  .data_url = STR("data:image/png;base64,AAAA") },
		{ .media_type = "image/png", .base64 = STR("BBBB"),
		  .data_url = STR("data:image/png;base64,BBBB") },
	};
	const struct llm_message m[] = {
		{ .role = LLM_USER, .text = STR("one"), .images = images,
		  .n_images = 1 },
		{ .role = LLM_USER, .text = STR("two"), .images = images + 1,
		  .n_images = 1 },
	};
	static const struct llm_message ran[] = {
		SAYS(USER, "how many?"),
		{ .role = LLM_ASSISTANT, .text = STR("I look."), .calls = calls,
		  .n_calls = 1 },
		{ .role = LLM_TOOL, .call_id = STR("call_1"), .text = STR("7 of them"),
		  .tool_name = STR("query_data") },
	};
	struct llm_service s = { SERVICE, .provider = "openai" };
	struct llm_request r = { .service = &s, .messages = m, .n_messages = 2 };
	const char *text;

	(void)state;
	s.capabilities = LLM_CAN_CHAT | LLM_CAN_VISION;
	text = sorted(json_object_get(build(&r)->body, "messages"));
	assert_has(text, "base64,AAAA");
	assert_has(text, "base64,BBBB");
	assert_has(text, "one\\n\\ntwo");
	/* A service without tools is told of earlier calls in words. */
	r.messages = ran;
	r.n_messages = 3;
	text = sorted(json_object_get(build(&r)->body, "messages"));
	assert_has(text, "I look.");
	assert_has(text, "[Result of the tool query_data]\\n7 of them");
	assert_lacks(text, "tool_calls");
}

/* DeepSeek refuses answers without their reasoning, even those of other models. */
static void reasoning_of_all_answers(void **state)
{
	const struct llm_message m[] = {
		SAYS(USER, "a"), SAYS(ASSISTANT, "b"), SAYS(USER, "c"),
	};
	struct llm_service s = { SERVICE, .provider = "openai" };
	struct llm_request r = { .service = &s, .messages = m, .n_messages = 3 };

	(void)state;
	assert_true(build(&r)->wire.repairs & REPAIR_REASONING);
	assert_lacks(sorted(build(&r)->body), "reasoning_content");
	assert_has(sorted(build_with(&r, REPAIR_REASONING)->body),
		   "{\"content\":\"b\",\"reasoning_content\":\"\",\"role\":"
		   "\"assistant\"}");
}

static void short_tools(void **state)
{
	static char names[200][12];
	char longer[1501];
	struct llm_tool tools[200];
	struct llm_service s = { SERVICE, .provider = "openai" };
	struct llm_request r = { .service = &s, .messages = &hello,
		.n_messages = 1, .tools = tools, .n_tools = 200 };
	json_t *list;

	(void)state;
	memset(longer, 'x', 1500);
	longer[1500] = '\0';
	for (size_t i = 0; i < 200; i++) {
		snprintf(names[i], sizeof(names[i]), "tool_%zu", i);
		tools[i] = (struct llm_tool){ .name = names[i],
			.description = longer };
	}
	list = json_object_get(build(&r)->body, "tools");
	assert_int_equal(json_array_size(list), 200);
	assert_true(build(&r)->wire.repairs & REPAIR_SHORT_TOOLS);
	list = json_object_get(build_with(&r, REPAIR_SHORT_TOOLS)->body, "tools");
	assert_int_equal(json_array_size(list), 128);
	assert_int_equal(jx_str(jx_obj(json_array_get(list, 0), "function"),
				"description").n, 1024);
	assert_null(json_object_get(build_with(&r, REPAIR_TOOLS)->body, "tools"));
	list = json_object_get(build_with(&r, 20 * REPAIR_MOST_TOOLS)->body, "tools");
	assert_int_equal(json_array_size(list), 20);
	assert_int_equal(build_with(&r, 20 * REPAIR_MOST_TOOLS)->wire.n_tools, 20);
	r.n_tools = 1;
	tools[0].description = "short";
	assert_false(build(&r)->wire.repairs & REPAIR_SHORT_TOOLS);
}

/* Templates change names; a name that could be two of the offered is neither. */
static void names_come_back(void **state)
{
	static const struct llm_tool tools[] = {
		{ .name = "query_data" }, { .name = "read_result" },
		{ .name = "files.list-all" }, { .name = "ticket-close" },
		{ .name = "ticket_close" },
	};
	static const char *const t[][2] = {
		{ "query_data", "query_data" }, { "query-data", "query_data" },
		{ "QueryData", "query_data" }, { "queryData", "query_data" },
		{ "functions.query_data", "query_data" },
		{ "default_api:query_data", "query_data" },
		{ "functions.query_data:0", "query_data" },
		{ "<function=query_data>", "query_data" },
		{ "[TOOL_CALLS]query_data", "query_data" },
		{ "query_data.drop", "query_data.drop" }, { ":0", ":0" },
		{ "query_data<|channel|>commentary", "query_data" },
		{ " read_result ", "read_result" },
		{ "files.list-all", "files.list-all" },
		{ "files_list_all", "files.list-all" },
		{ "list_all", "files.list-all" },
		{ "ticket-close", "ticket-close" },
		{ "ticketclose", "ticketclose" }, { "drop_data", "drop_data" },
		{ "", "" }, { "...", "..." },
		{ "assistant<|channel|>commentary to=functions.read_result", "read_result" },
		{ "commentary to=functions.read_result<|constrain|>json", "read_result" },
		{ "read_result or ticket-close", "read_result or ticket-close" },
		{ "<|im_start|>system call read_result", "<|im_start|>system call read_result" },
		{ "undo-read_result", "undo-read_result" },
		{ "to=functions.read_result code", "read_result" },
		{ "assistant<|channel|>commentary to=functions.files.list-all<|call|>",
		  "files.list-all" },
		/* a sentence, an address, the text behind a header: no names */
		{ "note:read_result everything", "note:read_result everything" },
		{ "see http://a/read_result for it", "see http://a/read_result for it" },
		{ "no/read_result<b>", "no/read_result<b>" },
		{ "to=made_up<|message|>a.read_result <", "to=made_up<|message|>a.read_result <" },
		{ "<|a|>auto=read_result<", "<|a|>auto=read_result<" },
		{ "<|a|>to=x.read_result<", "<|a|>to=x.read_result<" },
		{ "query_data<|a|>to=read_result", "query_data<|a|>to=read_result" },
		{ "<|a|>to=query_data to=read_result", "<|a|>to=query_data to=read_result" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		assert_str_is(toolname_back(str_of(t[i][0]), tools,
					    ARRAY_LEN(tools)), t[i][1]);
}

/* What a recorded answer asks to be replayed. */
static json_t *kept_replay;

static int keep_replay(void *ctx, const struct llm_event *ev)
{
	(void)ctx;
	if (ev->type == LLM_EV_DONE && ev->replay)
		kept_replay = json_deep_copy(ev->replay);
	return 0;
}

/* The recorded exchange: our second request is the one the API accepted. */
static void anthropic_thinking_replay(void **state)
{
	struct llm_service s = { SERVICE, .provider = "anthropic",
		SET(thinking_budget_tokens, 3000), .max_output_tokens = 4096 };
	struct buf turn1 = slurp("tests/fixtures/providers/anthropic/"
				 "thinking-tool-turn1.json");
	struct buf turn2 = slurp("tests/fixtures/providers/anthropic/"
				 "thinking-tool-turn2.request.json");
	struct err e = ERR_INIT;
	struct llm_decoder *d;
	json_t *schema = json_pack("{s:b, s:{}, s:s}", "additionalProperties",
				   0, "properties", "type", "object");
	struct llm_tool tool = { .name = "get_user_country",
		.description = "", .schema = schema };
	struct llm_tool_call call = { .name = STR("get_user_country"),
		.id = STR("toolu_01YGzqpRE16Vricda3Aqcejo"), .args = STR("{}") };
	struct llm_message m[] = {
		{ .role = LLM_USER, .text = STR("What is the largest city in "
						"the user country?") },
		{ .role = LLM_ASSISTANT, .calls = &call, .n_calls = 1,
		  .text = STR("not this text but the blocks") },
		{ .role = LLM_TOOL, .call_id = call.id, .text = STR("Mexico") },
	};
	struct llm_request r = { .service = &s, .messages = m, .n_messages = 3,
		.tools = &tool, .n_tools = 1 };
	json_t *want, *result;

	(void)state;
	s.model = "claude-sonnet-4-0";
	d = llm_decoder_new("anthropic", &s, &e);
	assert_int_equal(llm_decoder_feed(d, buf_str(&turn1), keep_replay,
					  NULL, &e), 0);
	assert_int_equal(llm_decoder_finish(d, keep_replay, NULL, &e), 0);
	llm_decoder_free(d);
	assert_non_null(kept_replay);
	m[1].replay = kept_replay;
	want = jx_load(buf_str(&turn2), &e);
	assert_non_null(want);
	/* We leave out what is the default anyway. */
	json_object_del(want, "tool_choice");
	result = json_array_get(json_object_get(json_array_get(json_object_get(
		want, "messages"), 2), "content"), 0);
	json_object_del(result, "is_error");
	assert_string_equal(sorted(build(&r)->body), sorted(want));

	/* P-B12: another model, or told so: only text and calls, no thinking. */
	assert_lacks(sorted(build_with(&r, REPAIR_STRIP)->body), "signature");
	s.model = "claude-other";
	assert_lacks(sorted(build(&r)->body), "signature");
	/* Then thinking cannot be asked for inside this loop. */
	assert_null(json_object_get(build(&r)->body, "thinking"));
	json_decref(want);
	json_decref(kept_replay);
	json_decref(schema);
	buf_release(&turn1);
	buf_release(&turn2);
}

/*
 * The blocks of an answer with thinking come back as they were, but for its calls: of one
 * that the turn has left out there is no result, and a long id is that of the result.
 */
static void anthropic_replay_has_the_calls_of_the_message(void **state)
{
	static const char id[] = "toolu_with_an_id_that_is_longer_than_forty_bytes";
	struct llm_service s = { SERVICE, .provider = "anthropic" };
	struct llm_tool_call call = { .name = STR("a"), .id = STR(id), .args = STR("{}") };
	json_t *replay = json_pack("{s:s, s:s, s:[{s:s, s:s, s:s}, {s:s, s:s, s:s, s:{}},"
		" {s:s, s:s, s:s, s:{}}]}", "provider", "anthropic", "model", "m", "content",
		"type", "thinking", "thinking", "t", "signature", "sig",
		"type", "tool_use", "id", id, "name", "a", "input",
		"type", "tool_use", "id", "left_out", "name", "b", "input");
	struct llm_message m[] = {
		{ .role = LLM_USER, .text = STR("q") },
		{ .role = LLM_ASSISTANT, .calls = &call, .n_calls = 1, .replay = replay },
		{ .role = LLM_TOOL, .call_id = call.id, .text = STR("r") },
	};
	struct llm_request r = { .service = &s, .messages = m, .n_messages = 3 };
	json_t *list, *used, *result;

	(void)state;
	s.model = "m";
	list = json_object_get(build(&r)->body, "messages");
	used = json_object_get(json_array_get(list, 1), "content");
	result = json_array_get(json_object_get(json_array_get(list, 2), "content"), 0);
	assert_int_equal(json_array_size(used), 2);
	assert_has(sorted(used), "\"signature\":\"sig\"");
	assert_string_equal(json_string_value(json_object_get(json_array_get(used, 1), "id")),
			    json_string_value(json_object_get(result, "tool_use_id")));
	json_decref(replay);
}

/* P-B11, P-B12, P-B13. */
static void b11_b13_members_replayed(void **state)
{
	json_t *replay = json_pack("{s:s, s:s, s:{s:s, s:s}}", "provider",
		"deepseek", "model", "m", "members", "reasoning_content", "R",
		"extra_content", "X");
	json_t *opaque = json_pack("{s:s, s:s, s:{s:s}}", "provider",
		"deepseek", "model", "m", "members", "sig", "S");
	struct llm_tool_call c = calls[0];
	struct llm_message m[] = {
		loop[0], loop[1], loop[2], { .role = LLM_USER, .text = STR("more") },
		loop[1], loop[2],
	};
	struct llm_service s = { SERVICE, .provider = "deepseek" };
	struct llm_request r = { .service = &s, .messages = m, .n_messages = 6 };
	json_t *list;

	(void)state;
	c.opaque = opaque;
	m[1].calls = m[4].calls = &c;
	m[1].n_calls = m[4].n_calls = 1;
	m[1].replay = m[4].replay = replay;
	list = json_object_get(build(&r)->body, "messages");
	/* tool-loop: reasoning only in the turn that is going on. */
	assert_lacks(sorted(json_array_get(list, 1)), "reasoning_content");
	assert_has(sorted(json_array_get(list, 1)), "extra_content");
	assert_has(sorted(json_array_get(list, 1)), "\"sig\":\"S\"");
	/* Behind the words that keep the roles in turn. */
	assert_has(sorted(json_array_get(list, 5)), "\"reasoning_content\":\"R\"");
	assert_lacks(sorted(build_with(&r, REPAIR_STRIP)->body), "\"sig\"");
	s.url = "https://elsewhere";
	s.set.url = true;
	assert_lacks(sorted(build(&r)->body), "\"sig\"");
	s.set.url = false;
	s.provider = "openai";
	assert_lacks(sorted(build(&r)->body), "reasoning_content");
	json_decref(replay);
	json_decref(opaque);
}

/* E30: marks on the last tool, the last system block, the message before. */
static void e30_cache_marks(void **state)
{
	struct llm_tool tools[] = { { .name = "b" }, { .name = "a" } };
	struct llm_service s = { SERVICE, .provider = "anthropic",
		.prompt_cache = true };
	struct llm_request r = { .service = &s, .messages = loop,
		.n_messages = 4, .tools = tools, .n_tools = 2,
		.system = (struct str[]){ STR("one"), STR("two") },
		.n_system = 2 };
	const char *text;
	int n = 0;

	(void)state;
	text = sorted(build(&r)->body);
	for (const char *p = text; (p = strstr(p, "cache_control")); p++)
		n++;
	assert_int_equal(n, 3);
	assert_has(text, "{\"cache_control\":{\"type\":\"ephemeral\"},"
		   "\"text\":\"two\",\"type\":\"text\"}");
	assert_has(text, "{\"cache_control\":{\"type\":\"ephemeral\"},"
		   "\"description\":\"\",\"input_schema\":{\"properties\":{},"
		   "\"type\":\"object\"},\"name\":\"b\"}");
	s.prompt_cache = false;
	assert_lacks(sorted(build(&r)->body), "cache_control");
}

static void anthropic_rules(void **state)
{
	struct llm_service s = { SERVICE, .provider = "anthropic",
		SET(thinking_budget_tokens, 5000), .max_output_tokens = 1000 };
	struct llm_request r = { .service = &s, .messages = &hello,
		.n_messages = 1 };
	const char *text;

	(void)state;
	/* max_tokens is required and above the budget. */
	text = sorted(build(&r)->body);
	assert_has(text, "\"max_tokens\":9096");
	assert_has(text, "\"thinking\":{\"budget_tokens\":5000,\"type\":"
		   "\"enabled\"}");
	s.max_output_tokens = 0;
	s.set.thinking_budget_tokens = false;
	assert_has(sorted(build(&r)->body), "\"max_tokens\":4096");
	/* A history with calls wants declarations, but nothing may be called. */
	r.messages = loop;
	r.n_messages = 4;
	text = sorted(build(&r)->body);
	assert_has(text, "\"tool_choice\":{\"type\":\"none\"}");
	assert_has(text, "{\"input_schema\":{\"type\":\"object\"},\"name\":"
		   "\"query_data\"}");
	assert_has(text, "\"is_error\":true");
}

/* P-E3, P-E4: the native address, and what can be said there. */
static void ollama_request(void **state)
{
	json_t *extra = json_pack("{s:{s:i}, s:s}", "options", "num_ctx", 2048,
				  "keep_alive", "5m");
	struct llm_service s = { SERVICE, .provider = "ollama",
		.context_tokens = 8192, .max_output_tokens = 64 };
	struct llm_request r = { .service = &s, .messages = loop,
		.n_messages = 3, .stream = true };
	char wire[TOOLNAME_BYTES];
	struct buf want = BUF_INIT(4000);

	(void)state;
	s.temperature = 0.5;
	s.set.temperature = true;
	toolname_wire(STR("a.b"), wire);
	buf_addf(&want, "{\"messages\":[{\"content\":\"how many?\",\"role\":"
		"\"user\"},{\"content\":\"I look.\",\"role\":\"assistant\","
		"\"tool_calls\":[{\"function\":{\"arguments\":{\"limit\":1},"
		"\"name\":\"query_data\"},\"id\":\"call_1\"},{\"function\":"
		"{\"arguments\":{},\"name\":\"%s\"},\"id\":\"toolu/2\"}]},"
		"{\"content\":\"7\",\"role\":\"tool\",\"tool_call_id\":"
		"\"call_1\",\"tool_name\":\"query_data\"},{\"content\":"
		"\"{\\\"error\\\":\\\"This tool call was not run.\\\"}\","
		"\"role\":\"tool\",\"tool_call_id\":\"toolu/2\",\"tool_name\":"
		"\"%s\"}],\"model\":\"m\",\"options\":{\"num_ctx\":8192,"
		"\"num_predict\":64,\"temperature\":0.5},\"stream\":true}",
		wire, wire);
	assert_string_equal(sorted(build(&r)->body), want.p);	/* E3, E4 */
	s.extra_body = extra;
	assert_has(sorted(build(&r)->body), "\"keep_alive\":\"5m\"");
	assert_has(sorted(build(&r)->body), "\"num_ctx\":2048");
	assert_lacks(sorted(build(&r)->body), "8192");
	json_decref(extra);
	buf_release(&want);
}

/* P-E8, P-E9: strict only where it is known and kept. */
static void typed_output(void **state)
{
	json_t *closed = json_pack("{s:s, s:{s:{s:s}}, s:[s], s:b}", "type",
		"object", "properties", "a", "type", "integer", "required",
		"a", "additionalProperties", 0);
	json_t *open = json_pack("{s:s, s:{s:{s:s}}}", "type", "object",
				 "properties", "a", "type", "integer");
	struct llm_service s = { SERVICE, .provider = "openai",
		SET(url, "http://h") };
	struct llm_request r = { .service = &s, .messages = &hello,
		.n_messages = 1, .output_schema = closed };

	(void)state;
	assert_has(sorted(build(&r)->body), "\"strict\":true");	/* E9 */
	r.output_schema = open;
	assert_lacks(sorted(build(&r)->body), "strict");
	assert_has(sorted(build(&r)->body), "\"type\":\"json_schema\"");
	s.provider = "vllm";
	r.output_schema = closed;
	assert_lacks(sorted(build(&r)->body), "strict");	/* E8 */
	s.provider = "deepseek";
	assert_has(sorted(build(&r)->body), "\"type\":\"json_object\"");
	assert_has(sorted(build(&r)->body), "JSON Schema:");
	s.provider = "anthropic";
	assert_has(sorted(build(&r)->body), "\"output_config\":{\"format\":");
	s.provider = "anthropic_compatible";
	assert_has(sorted(build(&r)->body), "JSON Schema:");
	s.provider = "ollama";
	assert_has(sorted(build(&r)->body), "\"format\":{\"additional");
	json_decref(closed);
	json_decref(open);
}

static void capabilities(void **state)
{
	struct llm_service s = { SERVICE, .provider = "anthropic",
		.prompt_cache = true, .capabilities = LLM_CAN_CHAT };
	json_t *c = llm_capabilities(&s);
	struct buf b = BUF_INIT(100000);

	(void)state;
	assert_string_equal(sorted(c), "{\"model\":\"m\",\"providerName\":"
		"\"anthropic\",\"supportsPromptCaching\":true,"
		"\"supportsStreaming\":true,\"supportsToolUse\":false,"
		"\"supportsVision\":false}");
	json_decref(c);
	llm_print_providers(&b);
	llm_print_quirks(&b);
	assert_has(b.p, "openrouter\topenai\tkey\thttps://openrouter.ai");
	assert_has(b.p, "think_tags\toff tags starts-inside\t");
	buf_release(&b);
}

/* The rules of the system prompt reach the model whoever serves it. */
static void every_provider_is_sent_the_system_prompt(void **state)
{
	const struct provider *rows;
	size_t n;

	(void)state;
	rows = provider_rows(&n);
	for (size_t i = 0; i < n; i++) {
		struct llm_service s = { SERVICE, .provider = rows[i].name,
			SET(url, "http://127.0.0.1:1") };
		const struct llm_request r = { .service = &s,
			.messages = &hello, .n_messages = 1,
			.system = (struct str[]){ STR("rule one"),
						  STR("rule two") },
			.n_system = 2 };
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct llm_wire wire;
		const char *one, *two;

		if (!rows[i].dialect->build)	/* answers are decoded only */
			continue;
		if (llm_build(&r, &a, &wire, &e) < 0)
			fail_msg("%s: %s", rows[i].name, e.text);
		one = strstr(wire.body.p, "rule one");
		two = strstr(wire.body.p, "rule two");
		if (!one || !two || one > two)
			fail_msg("%s: %s", rows[i].name, wire.body.p);
		buf_release(&wire.body);
		arena_release(&a);
	}
}

/* C25: characters, not bytes, rounded up, of all that is sent. */
static void c25_what_is_sent_is_counted(void **state)
{
	json_t *schema = json_pack("{s:s, s:{s:{s:s, s:s}}}", "type", "object",
				   "properties", "x", "type", "string",
				   "description", "\xc3\xa4\xc3\xa4\xc3\xa4");
	const struct llm_tool tool = { .name = "look", .schema = schema,
		.description = "L\xc3\xb6oks." };
	const struct llm_tool_call called[] = {
		{ .id = STR("1"), .name = STR("look"), .args = STR("{}") },
	};
	const struct llm_message m[] = {
		{ .role = LLM_USER, .text = STR("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f" "e") },
		{ .role = LLM_ASSISTANT, .text = STR("abc"), .calls = called,
		  .n_calls = 1 },
		{ .role = LLM_TOOL, .text = STR("12345"), .call_id = STR("1"),
		  .tool_name = STR("look") },
	};
	struct llm_service s = { SERVICE, .provider = "openai" };
	const struct llm_request r = { .service = &s, .messages = m,
		.n_messages = 3, .tools = &tool, .n_tools = 1,
		.system = (struct str[]){ STR("a"), STR("b") }, .n_system = 2 };
	const struct llm_tool_form *form;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct llm_wire wire;
	struct buf b = BUF_INIT(4096);
	int64_t want;

	(void)state;
	assert_int_equal(llm_estimate_tokens(m[0].text), 2);	/* 9 bytes */
	assert_int_equal(llm_message_tokens(&m[0]), 2);
	assert_int_equal(llm_message_tokens(&m[1]), 3);	/* 3 + 4 + 2 */
	form = llm_tool_forms(&s, &tool, 1, &a);
	jx_dump(&b, form->schema);
	want = ((int64_t)(strlen("look") + strlen("Looks.") +
			  utf8_chars(buf_str(&b))) + 3) / 4;
	assert_int_equal(form->tokens, want);
	assert_int_equal(llm_build(&r, &a, &wire, &e), 0);
	assert_has(wire.body.p, b.p);
	assert_int_equal(wire.tokens, 2 + 2 + 3 + 2 + want);
	buf_release(&wire.body);
	buf_release(&b);
	json_decref(schema);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls_and_headers),
		cmocka_unit_test(b17_b18_unusable_services),
		cmocka_unit_test(e2_e8_minimal_request),
		cmocka_unit_test(quirks_and_extra_body),
		cmocka_unit_test(openai_tool_loop),
		cmocka_unit_test(b5_b6_call_ids),
		cmocka_unit_test(b15_history_is_put_right),
		cmocka_unit_test(roles_in_turn),
		cmocka_unit_test(joined_messages_are_whole),
		cmocka_unit_test(reasoning_of_all_answers),
		cmocka_unit_test(short_tools),
		cmocka_unit_test(names_come_back),
		cmocka_unit_test(anthropic_thinking_replay),
		cmocka_unit_test(anthropic_replay_has_the_calls_of_the_message),
		cmocka_unit_test(b11_b13_members_replayed),
		cmocka_unit_test(e30_cache_marks),
		cmocka_unit_test(anthropic_rules),
		cmocka_unit_test(ollama_request),
		cmocka_unit_test(typed_output),
		cmocka_unit_test(capabilities),
		cmocka_unit_test(every_provider_is_sent_the_system_prompt),
		cmocka_unit_test(c25_what_is_sent_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
