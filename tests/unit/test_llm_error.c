/* SPDX-License-Identifier: MIT */
/* lib/llm/error: what a provider's failure means (A8-A12, B12, B18, E1-E7). */
#include "llm_unit.h"

static struct llm_fault fault_of(int status, const char *body,
				 const char *retry_after,
				 const char *retry_after_ms,
				 const char *should_retry, struct err *e)
{
	struct llm_fault f;

	err_clear(e);
	llm_fault_of_answer(&(struct llm_answer){
		.status = status, .body = str_of(body),
		.retry_after = str_of(retry_after),
		.retry_after_ms = str_of(retry_after_ms),
		.should_retry = str_of(should_retry),
	}, &f, e);
	assert_int_equal(e->code, f.code);
	return f;
}

/* The recorded error bodies with the status that they came with. */
static void recorded_errors(void **state)
{
	static const struct {
		const char *file;
		int status;
		enum err_code code;
		bool retry;
		unsigned repair;
	} t[] = {
		{ "anthropic/error-400-prompt-too-long", 400, ERR_UPSTREAM_CONTEXT, false, 0 },
		{ "anthropic/error-401", 401, ERR_UPSTREAM_AUTH, false, 0 },
		{ "azure/error-404-deployment", 404, ERR_UPSTREAM_MODEL, false, 0 },
		{ "azure/error-429-rate-limit", 429, ERR_UPSTREAM_RATE, true, 0 },
		{ "gemini-native/error-429-retry-info", 429, ERR_UPSTREAM_RATE, true, 0 },
		{ "ollama/error-400-context", 400, ERR_UPSTREAM_CONTEXT, false, 0 },
		{ "openai/error-400-max-tokens-unsupported", 400, ERR_UPSTREAM_REQUEST, false, REPAIR_MAX_TOKENS },
		{ "openai/error-400-unsupported-value", 400, ERR_UPSTREAM_REQUEST, false, REPAIR_SYSTEM_ROLE },
		{ "openai/error-404-model-not-found", 404, ERR_UPSTREAM_MODEL, false, 0 },
		{ "openrouter/error-429", 429, ERR_UPSTREAM_RATE, true, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct err e = ERR_INIT;
		char path[200];
		struct buf body;
		struct llm_fault f;

		snprintf(path, sizeof(path), "tests/fixtures/providers/%s.json",
			 t[i].file);
		body = slurp(path);
		assert_true(body.n > 0);
		f = fault_of(t[i].status, body.p, "", "", "", &e);
		if (f.code != t[i].code || f.retry != t[i].retry ||
		    f.repair != t[i].repair)
			fail_msg("%s: %s retry %d repair %u", t[i].file,
				 err_rows[f.code].name, f.retry, f.repair);
		buf_release(&body);
	}
}

/* P-A9, P-A10, P-A11, P-A12: their words first, the status last. */
static void a9_a12_classes(void **state)
{
	static const struct {
		int status;
		const char *body;
		enum err_code code;
		bool retry;
	} t[] = {
		/* A9: 429 that waiting does not heal. */
		{ 429, "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"x\"}}", ERR_UPSTREAM_QUOTA, false },
		{ 429, "{\"error\":{\"code\":\"rate_limit_exceeded\"}}", ERR_UPSTREAM_RATE, true },
		{ 402, "{\"error\":{\"message\":\"This request requires more credits\",\"code\":402}}", ERR_UPSTREAM_QUOTA, false },
		{ 402, "{\"error\":{\"message\":\"Insufficient Balance\"}}", ERR_UPSTREAM_QUOTA, false },
		{ 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Your credit balance is too low\"}}", ERR_UPSTREAM_QUOTA, false },
		{ 529, "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}", ERR_UPSTREAM_OVERLOAD, true },
		{ 503, "{\"error\":{\"code\":503,\"message\":\"Loading model\"}}", ERR_UPSTREAM_OVERLOAD, true },
		{ 498, "", ERR_UPSTREAM_OVERLOAD, true },
		{ 400, "{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"x\"}}", ERR_UPSTREAM_CONTEXT, false },
		{ 400, "{\"object\":\"error\",\"message\":\"This model's maximum context length is 4096 tokens\",\"code\":400}", ERR_UPSTREAM_CONTEXT, false },
		{ 413, "{\"error\":{\"message\":\"Request too large for model `x`\",\"code\":\"rate_limit_exceeded\"}}", ERR_UPSTREAM_CONTEXT, false },
		{ 400, "{\"error\":{\"code\":\"content_filter\",\"message\":\"The response was filtered due to Azure OpenAI's content management policy\"}}", ERR_UPSTREAM_FILTER, false },
		{ 422, "{\"object\":\"error\",\"message\":{\"detail\":[{\"msg\":\"bad field\"}]}}", ERR_UPSTREAM_REQUEST, false },
		{ 403, "nope", ERR_UPSTREAM_AUTH, false },
		{ 408, "", ERR_UPSTREAM_TIMEOUT, true },
		{ 409, "", ERR_UPSTREAM_OVERLOAD, true },
		{ 500, "{\"error\":\"text\"}", ERR_UPSTREAM, true },
		{ 502, "<html><body>Bad Gateway</body></html>", ERR_UPSTREAM_OVERLOAD, true },
		{ 504, "upstream request timeout", ERR_UPSTREAM_TIMEOUT, true },
		{ 404, "{\"detail\":\"Not Found\"}", ERR_UPSTREAM_MODEL, false },
		{ 301, "", ERR_UPSTREAM, false },
		{ 429, "[{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"retryDelay\":\"12s\"}]}}]", ERR_UPSTREAM_RATE, true },	/* A11 */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct err e = ERR_INIT;
		struct llm_fault f = fault_of(t[i].status, t[i].body, "", "",
					      "", &e);

		if (f.code != t[i].code || f.retry != t[i].retry)
			fail_msg("%s: %s, retry %d (%s)", t[i].body,
				 err_rows[f.code].name, f.retry, e.text);
		/* Public text never has a provider's body. */
		assert_int_equal(e.public[0], '\0');
	}
}

static void texts_for_the_log(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	fault_of(502, "<html>\n<b>Bad\tGateway \xff</b>", "", "", "", &e);
	assert_has(e.text, "HTTP 502: <html> <b>Bad Gateway \xef\xbf\xbd</b>");
	fault_of(422, "{\"detail\":[{\"msg\":\"field required\"}]}", "", "", "",
		 &e);
	assert_has(e.text, "field required");
	fault_of(400, "{\"message\":\"plain\"}", "3", "", "", &e);
	assert_has(e.text, "HTTP 400: plain");
	assert_int_equal(e.retry_after_s, 3);
}

/* P-A8: seconds, dates, milliseconds, and Google's. */
static void a8_retry_after(void **state)
{
	const int64_t now = INT64_C(1700000000) * 1000000;
	struct err e = ERR_INIT;
	struct llm_fault f;

	(void)state;
	assert_int_equal(llm_retry_after_ms(STR("2"), now), 2000);
	assert_int_equal(llm_retry_after_ms(STR(" 0.5 "), now), 500);
	assert_int_equal(llm_retry_after_ms(
		STR("Tue, 14 Nov 2023 22:13:30 GMT"), now), 10000);
	assert_int_equal(llm_retry_after_ms(
		STR("Tue, 14 Nov 2023 22:13:10 GMT"), now), 0);
	assert_int_equal(llm_retry_after_ms(STR("soon"), now), -1);
	assert_int_equal(llm_retry_after_ms(STR(""), now), -1);
	assert_int_equal(llm_retry_after_ms(STR("-5"), now), -1);
	assert_int_equal(llm_retry_after_ms(STR("1e300"), now), -1);
	assert_int_equal(llm_retry_after_ms(STR("nan"), now), -1);

	f = fault_of(429, "", "7", "", "", &e);
	assert_int_equal(f.retry_after_ms, 7000);
	f = fault_of(429, "", "7", "250", "", &e);	/* ms is finer */
	assert_int_equal(f.retry_after_ms, 250);
	f = fault_of(429, "", "1", "0", "", &e);	/* Azure */
	assert_int_equal(f.retry_after_ms, 1000);
	f = fault_of(429, "{\"error\":{\"details\":[{},{\"retryDelay\":"
		     "\"34.4s\"}]}}", "", "", "", &e);
	assert_int_equal(f.retry_after_ms, 34400);
	assert_int_equal(e.retry_after_s, 35);
	f = fault_of(429, "", "", "", "", &e);
	assert_int_equal(f.retry_after_ms, -1);
	f = fault_of(402, "", "5", "", "", &e);		/* OpenRouter */
	assert_true(f.retry);
}

/* P-A8: not all at once, not before the time, not after a minute. */
static void a8_backoff(void **state)
{
	static const struct {
		int64_t said;
		int n;
		int least, most;	/* random 0 and 255, or the reverse */
	} t[] = {
		{ 1000, 0, 1000, 1124 }, { 1000, 5, 1000, 1124 },
		{ 60000, 0, 60000, 67470 }, { 1, 0, 1, 1 },
		{ 60001, 0, 376, 500 }, { 3600000, 2, 1502, 2000 },
		{ -1, 0, 376, 500 }, { 0, 1, 751, 1000 },
		{ -1, 4, 6008, 8000 }, { -1, 1000, 6008, 8000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct llm_fault f = { .retry_after_ms = t[i].said };
		int a = llm_backoff_ms(&f, t[i].n, 0);
		int b = llm_backoff_ms(&f, t[i].n, 255);

		assert_int_equal(MIN(a, b), t[i].least);
		assert_int_equal(MAX(a, b), t[i].most);
	}
}

static void should_retry_decides(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_false(fault_of(500, "", "", "", "false", &e).retry);
	assert_true(fault_of(400, "", "", "", "true", &e).retry);
	assert_false(fault_of(429, "{\"error\":{\"code\":\"insufficient_quota\""
			      "}}", "", "", "true", &e).retry);
}

/* P-B18. */
static void b18_tool_use_failed_once(void **state)
{
	struct err e = ERR_INIT;
	struct llm_fault f = fault_of(400, "{\"error\":{\"message\":\"Failed "
		"to call a function.\",\"code\":\"tool_use_failed\","
		"\"failed_generation\":\"<f>\"}}", "", "", "", &e);

	(void)state;
	assert_true(f.retry);
	assert_true(f.once);
}

/* P-B12, P-E1, P-E2, P-E6, P-E7: what a 400 asks for. */
static void repairs(void **state)
{
	static const struct {
		const char *message;
		unsigned repair;
	} t[] = {
		{ "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", REPAIR_MAX_TOKENS },
		{ "Unrecognized request argument supplied: max_completion_tokens", REPAIR_MAX_TOKENS },
		{ "Unsupported value: 'temperature' does not support 0.5 with this model.", REPAIR_SAMPLING },
		{ "`temperature` and `top_p` are deprecated for this model", REPAIR_SAMPLING | REPAIR_TOP_P },
		{ "`temperature` and `top_p` cannot both be specified for this model. Please use only one.", REPAIR_SAMPLING | REPAIR_TOP_P },
		{ "invalid temperature: only 1 is allowed for this model", REPAIR_SAMPLING },
		{ "`temperature` may only be set to 1 when thinking is enabled.", REPAIR_SAMPLING | REPAIR_EFFORT },
		{ "max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens for m", REPAIR_OUTPUT },
		{ "Function tools with reasoning_effort are not supported for m in /v1/chat/completions.", REPAIR_EFFORT },
		{ "Function calling with a response mime type: 'application/json' is unsupported", REPAIR_FORMAT },
		{ "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set", REPAIR_TOOL_CHOICE },
		{ "registry.ollama.ai/library/gemma3:4b does not support tools", REPAIR_TOOLS },
		{ "The toolConfig field must be defined when using toolUse and toolResult content blocks.", REPAIR_TOOLS },
		{ "Invalid 'tools[3].function.description': string too long. Expected a string with maximum length 1024", REPAIR_SHORT_TOOLS },
		{ "Invalid 'tools': array too long. Expected an array with maximum length 128", REPAIR_SHORT_TOOLS },
		{ "function description exceeds 1024 characters", REPAIR_SHORT_TOOLS },
		{ "Conversation roles must alternate user/assistant/user/assistant/...", REPAIR_ROLES | REPAIR_SYSTEM_ROLE },
		{ "Unexpected role 'user' after role 'tool'", REPAIR_ROLES | REPAIR_SYSTEM_ROLE },
		{ "System role not supported", REPAIR_SYSTEM_ROLE },
		{ "The `reasoning_content` in the thinking mode must be passed back to the API.", REPAIR_REASONING },
		{ "Missing `reasoning_content` field in the assistant message at message index 2.", REPAIR_REASONING },
		{ "messages.1.reasoning_details: Extra inputs are not permitted", REPAIR_STRIP },
		{ "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted', 'input': 800}]", REPAIR_MAX_TOKENS },
		{ "Unrecognized request argument supplied: stream_options", REPAIR_STREAM_OPTIONS },
		{ "Unsupported value: 'messages[0].role' does not support 'system' with this model.", REPAIR_SYSTEM_ROLE },
		{ "Function call is missing a thought_signature in functionCall parts.", REPAIR_STRIP },
		{ "Corrupted thought signature.", REPAIR_STRIP },
		{ "messages.1.content.0: Invalid `signature` in `thinking` block", REPAIR_STRIP },
		{ "max_tokens is too large: 99999", REPAIR_OUTPUT },
		{ "Argument not supported on this model: frequencyPenalty", REPAIR_WISHES },
		{ "Argument not supported on this model: reasoningEffort", REPAIR_EFFORT },
		{ "maxOutputTokens or something", 0 },
		{ "Invalid value for temperature", REPAIR_SAMPLING },
		{ "Something else is wrong with the request.", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct err e = ERR_INIT;
		struct buf b = BUF_INIT(1000);
		unsigned got;

		buf_adds(&b, "{\"error\":{\"message\":");
		buf_json(&b, str_of(t[i].message));
		buf_adds(&b, "}}");
		got = fault_of(400, b.p, "", "", "", &e).repair;
		if (got != t[i].repair)
			fail_msg("%s: %u", t[i].message, got);
		assert_int_equal(fault_of(500, b.p, "", "", "", &e).repair,
				 got & REPAIR_ROLES ? got : 0);
		buf_release(&b);
	}
}

/* Names in other places than the message, and templates that give up with 500. */
static void repairs_elsewhere(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(fault_of(422, "{\"detail\":[{\"type\":"
		"\"extra_forbidden\",\"loc\":[\"body\",\"stream_options\"],"
		"\"msg\":\"Extra inputs are not permitted\"}]}", "", "", "",
		&e).repair, REPAIR_STREAM_OPTIONS);
	assert_int_equal(fault_of(500, "{\"error\":{\"code\":500,\"message\":"
		"\"Cannot pass both content and thinking in an assistant message "
		"with tool calls! {{- raise_exception(\"}}", "", "", "", &e).repair,
		REPAIR_STRIP);
	assert_int_equal(fault_of(404, "{\"error\":{\"message\":\"No endpoints "
		"found that support tool use.\",\"code\":404}}", "", "", "",
		&e).repair, REPAIR_TOOLS);
	assert_int_equal(fault_of(400, "Role system is not supported", "", "", "",
				  &e).repair, REPAIR_SYSTEM_ROLE);
}

/* A refusal of size is known by its numbers, whatever its language. */
static void sizes(void **state)
{
	static const struct {
		const char *message;
		int64_t tokens;
		bool too_long;
	} t[] = {
		{ "The input (40230 tokens) is longer than the model's context length (32768 tokens).", 38000, true },
		{ "Prompt has 40,230 tokens but only 32,768 fit.", 38000, true },
		{ "輸入的長度 40230 超過上限 32768", 38000, true },
		{ "at most 131072 characters, got 160920", 38000, true },
		{ "Field 'foo' (line 1, column 4023) is not allowed.", 38000, false },
		{ "model m-20250929 refuses the request", 38000, false },
		{ "request 40230 failed", 38000, false },
		{ "The input (40230 tokens) is longer than 32768.", 0, false },
		{ "The input (40230 tokens) is longer than 32768.", 900, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct err e = ERR_INIT;
		struct llm_fault f;
		char body[400];

		snprintf(body, sizeof(body), "{\"object\":\"error\",\"message\":"
			 "\"%s\",\"code\":400}", t[i].message);
		llm_fault_of_answer(&(struct llm_answer){ .status = 400,
			.body = str_of(body), .tokens = t[i].tokens }, &f, &e);
		if (f.code != (t[i].too_long ? ERR_UPSTREAM_CONTEXT
			       : ERR_UPSTREAM_REQUEST))
			fail_msg("%s: %s", t[i].message, err_rows[f.code].name);
	}
}

/* So is one of the number of tools. */
static void fewer_tools(void **state)
{
	static const struct {
		const char *message;
		size_t n;
		unsigned most;
	} t[] = {
		{ "Too many functions declared (40); the limit is 32.", 40, 32 },
		{ "tools: 40 > 20", 40, 20 },
		{ "This model supports at most 20 tools.", 40, 20 },
		{ "Expect 1 to 64 tools", 65, 64 },
		{ "The GenerateContentRequest proto is invalid: * tools[0].function_declarations: [FIELD_INVALID] At most 512 function declarations can be specified.", 600, 512 },
		{ "'tools' : maximum number of items is 128", 130, 128 },
		{ "You may not include more than 128 tools in your request.", 129, 128 },
		{ "工具数量 40 超过上限 20", 40, 20 },
		{ "数量 41 超过上限 20", 40, 0 },
		{ "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 200 instead.", 200, 128 },
		{ "Invalid 'tools[3].function.description': string too long. Expected a string with maximum length 1024", 40, 0 },
		{ "tools.3.custom.input_schema: JSON schema is invalid", 40, 0 },
		{ "Model gpt-4 and v1.5 have no function get_3 of 7b", 40, 0 },
		{ "No tool output found for function call call_12 at 3", 40, 3 },
		{ "tool_calls must be followed by tool messages, see 3", 40, 0 },
		{ "At most 20 tools", 20, 0 },
		{ "Wrong at line 1 column 5", 40, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct err e = ERR_INIT;
		struct llm_fault f;
		char body[400];
		unsigned got;

		snprintf(body, sizeof(body), "{\"message\": \"%s\"}", t[i].message);
		f = fault_of(400, body, "", "", "", &e);
		got = llm_fewer_tools(&f, t[i].n);
		if (got != t[i].most)
			fail_msg("%s: %u", t[i].message, got);
		f = fault_of(500, body, "", "", "", &e);
		assert_int_equal(llm_fewer_tools(&f, t[i].n), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_errors),
		cmocka_unit_test(a9_a12_classes),
		cmocka_unit_test(texts_for_the_log),
		cmocka_unit_test(a8_retry_after),
		cmocka_unit_test(a8_backoff),
		cmocka_unit_test(should_retry_decides),
		cmocka_unit_test(b18_tool_use_failed_once),
		cmocka_unit_test(repairs),
		cmocka_unit_test(repairs_elsewhere),
		cmocka_unit_test(sizes),
		cmocka_unit_test(fewer_tools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
