/* SPDX-License-Identifier: MIT */
/*
 * Pitfalls of provider protocols that the other test_llm_*.c do not show, by
 * number (docs/pitfalls.md): what is read, and what is sent.
 */
#include <math.h>

#include "llm/build.h"
#include "llm_unit.h"

#define CHUNK(delta) "data: {\"model\":\"m\",\"choices\":[{\"index\":0," \
	"\"delta\":" delta ",\"finish_reason\":null}]}\n\n"
#define FINISH(why) "data: {\"choices\":[{\"index\":0,\"delta\":{}," \
	"\"finish_reason\":\"" why "\"}]}\n\n"

/* Events of a recorded body. */
static const char *decode_file(const char *provider, const char *name)
{
	static struct buf out = BUF_INIT(1 << 20);
	struct buf body;
	char path[200];

	snprintf(path, sizeof(path), "tests/fixtures/providers/%s", name);
	body = slurp(path);
	assert_true(body.n > 0);
	buf_reset(&out);
	decode_into(&out, provider, buf_str(&body), &(struct decode_how){
		.slow = false });
	buf_release(&body);
	return out.p;
}

/* -- what is read ---------------------------------------------------------- */

/* P-A1: each wire format has its own mark, and none is the body's end. */
static void a1_each_dialect_has_its_mark(void **state)
{
	static const char *const cut[][2] = {
		{ "openai", CHUNK("{\"content\":\"x\"}") },
		{ "anthropic", "data: {\"type\":\"message_start\",\"message\":"
		  "{\"model\":\"m\"}}\n\ndata: {\"type\":\"message_delta\","
		  "\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n" },
		{ "openai_responses", "data: {\"type\":"
		  "\"response.output_text.delta\",\"delta\":\"x\"}\n\n"
		  "data: {\"type\":\"response.output_item.done\"}\n\n" },
		{ "ollama", "{\"message\":{\"content\":\"x\"},\"done\":false}\n" },
		{ "gemini_native", "data: {\"candidates\":[{\"content\":"
		  "{\"parts\":[{\"text\":\"x\"}]}}]}\n\n" },
	};
	static const char *const whole[][2] = {
		{ "openai", FINISH("stop") },
		{ "anthropic", "data: {\"type\":\"message_stop\"}\n\n" },
		{ "openai_responses", "data: {\"type\":"
		  "\"response.completed\",\"response\":{}}\n\n" },
		{ "openai_responses", "data: {\"type\":"
		  "\"response.incomplete\",\"response\":{}}\n\n" },
		{ "ollama", "{\"message\":{},\"done\":true}\n" },
		{ "gemini_native", "data: {\"candidates\":[{\"finishReason\":"
		  "\"STOP\"}]}\n\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cut); i++) {
		const char *out = decode(cut[i][0], cut[i][1]);

		assert_has(out, "upstream_ended_early");
		assert_lacks(out, "\"event\":\"done\"");
	}
	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		assert_has(decode(whole[i][0], whole[i][1]),
			   "\"event\":\"done\"");
	/* Worth another try: that is for llm_stream to know. */
	assert_true(err_rows[ERR_UPSTREAM_EARLY_END].retryable);
}

/* P-A4: no finish_reason beside the error, and a friendly [DONE]. */
static void a4_error_without_finish_reason(void **state)
{
	const char *out = decode_file("openrouter",
				      "openrouter/chat-mid-stream-error.sse");

	(void)state;
	assert_int_equal(count_of(out, "\"event\":\"error\""), 1);
	assert_has(out, "Token limit reached");
	assert_lacks(out, "\"event\":\"done\"");
}

/*
 * P-B3, P-B4: an id may come late or never; what has none, or one that
 * is taken, gets a new one, and the event of the whole call is the last word.
 */
static void b4_ids_are_there_and_differ(void **state)
{
	struct llm_tool_call before = { .id = STR("old") };
	struct llm_message m = { .role = LLM_ASSISTANT, .calls = &before,
		.n_calls = 1 };
	struct llm_request r = { .messages = &m, .n_messages = 1 };
	struct err e = ERR_INIT;
	struct llm_decoder *d = llm_decoder_new("openai", NULL, &e);
	struct buf out = BUF_INIT(100000);

	(void)state;
	llm_decoder_fixed_ids(d);
	llm_decoder_history(d, &r);
	assert_int_equal(llm_decoder_feed(d, STR(
		CHUNK("{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":"
		      "\"a\",\"arguments\":\"{\"}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"late\","
		      "\"function\":{\"arguments\":\"}\"}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":1,\"id\":\"old\","
		      "\"function\":{\"name\":\"b\"}},{\"index\":2,\"id\":"
		      "\"new\",\"function\":{\"name\":\"c\"}},{\"index\":3,"
		      "\"id\":\"new\",\"function\":{\"name\":\"d\"}}]}")
		FINISH("tool_calls")), record, &out, &e), 0);
	assert_int_equal(llm_decoder_finish(d, record, &out, &e), 0);
	llm_decoder_free(d);
	assert_has(out.p, "\"tool-call\",\"index\":0,\"id\":\"late\",\"name\":"
		   "\"a\",\"args\":\"{}\"");
	assert_has(out.p, "\"tool-call\",\"index\":1,\"id\":"
		   "\"call_000000000000000000000002\",\"name\":\"b\"");
	assert_has(out.p, "\"tool-call\",\"index\":2,\"id\":\"new\"");
	assert_has(out.p, "\"tool-call\",\"index\":3,\"id\":"
		   "\"call_000000000000000000000004\"");
	buf_release(&out);
}

/* P-B4: what came in real answers. */
static void b4_recorded_ids(void **state)
{
	const char *out = decode_file("gemini", "gemini-openai/"
				      "chat-tool-call-empty-id.json");

	(void)state;
	assert_has(out, "\"tool-call\",\"index\":0,\"id\":"
		   "\"call_000000000000000000000001\"");
	assert_lacks(out, "\"tool-call\",\"index\":0,\"id\":\"\"");
}

/* P-B7: llama.cpp repeats the name, others blank it; never joined. */
static void b7_names_are_not_joined(void **state)
{
	const char *out = decode("llamacpp",
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":"
		      "\"function\",\"function\":{\"name\":\"look\","
		      "\"arguments\":\"{\"}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":"
		      "\"function\",\"function\":{\"name\":\"look\","
		      "\"arguments\":\"\\\"q\\\":\"}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"\",\"function\":"
		      "{\"name\":\"\",\"arguments\":\"1}\"}}]}")
		FINISH("tool_calls"));

	(void)state;
	assert_int_equal(count_of(out, "\"event\":\"tool-call\""), 1);
	assert_int_equal(count_of(out, "\"event\":\"tool-start\""), 1);
	assert_has(out, "\"name\":\"look\",\"args\":\"{\\\"q\\\":1}\"");
}

/* P-B8: Ollama's own arguments are objects; other forms are taken too. */
static void b8_ollama_arguments(void **state)
{
	static const char *const t[][2] = {
		{ "{\"x\":[1]}", "{\\\"x\\\":[1]}" }, { "{}", "{}" },
		{ "null", "{}" }, { "\"\"", "{}" },
		{ "\"{\\\"x\\\":1}\"", "{\\\"x\\\":1}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		char body[300], want[100];

		snprintf(body, sizeof(body), "{\"message\":{\"tool_calls\":"
			 "[{\"function\":{\"name\":\"f\",\"arguments\":%s}}]},"
			 "\"done\":true,\"done_reason\":\"stop\"}\n", t[i][0]);
		snprintf(want, sizeof(want), "\"name\":\"f\",\"args\":\"%s\"",
			 t[i][1]);
		assert_has(decode("ollama", body), want);
		assert_lacks(decode("ollama", body), "badArgs");
	}
	assert_has(decode("ollama", "{\"message\":{\"tool_calls\":[{"
		"\"function\":{\"name\":\"f\"}}]},\"done\":true}\n"),
		"\"args\":\"{}\"");
}

/* P-B16: one empty input_json_delta, with pings around it. */
static void b16_anthropic_without_arguments(void **state)
{
	static const char *const deltas[] = {
		("data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
		 "{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}\n\n"),
		"event: ping\ndata: {\"type\":\"ping\"}\n\n",
		"",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(deltas); i++) {
		char body[1000];
		const char *out;

		snprintf(body, sizeof(body), "data: {\"type\":"
			"\"content_block_start\",\"index\":0,\"content_block\":"
			"{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\","
			"\"input\":{}}}\n\n%sdata: {\"type\":"
			"\"content_block_stop\",\"index\":0}\n\ndata: {\"type\""
			":\"message_delta\",\"delta\":{\"stop_reason\":"
			"\"tool_use\"}}\n\ndata: {\"type\":\"message_stop\"}"
			"\n\n", deltas[i]);
		out = decode("anthropic", body);
		assert_has(out, "\"tool-call\",\"index\":0,\"id\":\"t\","
			   "\"name\":\"f\",\"args\":\"{}\"");
		assert_lacks(out, "badArgs");
	}
}

/* P-C6: no role at all, one in each delta, an unheard-of one. */
static void c6_roles_mean_nothing(void **state)
{
	static const char *const bodies[] = {
		CHUNK("{\"content\":\"a\"}") CHUNK("{\"content\":\"b\"}")
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"i\",\"function\":"
		      "{\"name\":\"f\"}}]}"),
		CHUNK("{\"role\":\"assistant\",\"content\":\"a\"}")
		CHUNK("{\"role\":\"assistant\",\"content\":\"b\"}")
		CHUNK("{\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,"
		      "\"id\":\"i\",\"function\":{\"name\":\"f\"}}]}"),
		CHUNK("{\"role\":null,\"content\":\"a\"}")
		CHUNK("{\"role\":\"user\",\"content\":\"b\"}")
		CHUNK("{\"role\":7,\"tool_calls\":[{\"index\":0,\"id\":\"i\","
		      "\"function\":{\"name\":\"f\"}}]}"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		char body[2000], first[2000];

		snprintf(body, sizeof(body), "%s" FINISH("stop"), bodies[0]);
		snprintf(first, sizeof(first), "%s", decode("gpustack", body));
		snprintf(body, sizeof(body), "%s" FINISH("stop"), bodies[i]);
		assert_string_equal(decode("gpustack", body), first);
		assert_has(first, "\"tool-call\"");
	}
}

/* P-C8: padding that differs in each chunk, blanks behind the JSON. */
static void c8_padding_is_nothing(void **state)
{
	static const struct {
		const char *provider, *plain, *padded;
	} t[] = {
		{ "openai", CHUNK("{\"content\":\"a\"}") CHUNK("{\"content\":"
		  "\"b\"}") FINISH("stop"),
		  "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":"
		  "{\"content\":\"a\"}}],\"obfuscation\":\"9xK\"}\n\n"
		  "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":"
		  "{\"content\":\"b\"}}],\"obfuscation\":\"\"}\n\n"
		  FINISH("stop") },
		{ "mistral", CHUNK("{\"content\":\"a\"}") CHUNK("{\"content\":"
		  "\"b\"}") FINISH("stop"),
		  "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":"
		  "{\"content\":\"a\"}}],\"p\":\"abcdefg\"}\n\n"
		  "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":"
		  "{\"content\":\"b\"}}],\"p\":\"ab\"}  \t \n\n"
		  FINISH("stop") },
		{ "anthropic",
		  "data: {\"type\":\"content_block_start\",\"index\":0,"
		  "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
		  "data: {\"type\":\"content_block_delta\",\"index\":0,"
		  "\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n"
		  "data: {\"type\":\"content_block_delta\",\"index\":0,"
		  "\"delta\":{\"type\":\"text_delta\",\"text\":\"b\"}}\n\n"
		  "data: {\"type\":\"message_stop\"}\n\n",
		  "data: {\"type\":\"content_block_start\",\"index\":0,"
		  "\"content_block\":{\"type\":\"text\",\"text\":\"\"}      }"
		  "\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
		  "\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}   }\n\n"
		  "data: {\"type\":\"content_block_delta\",\"index\":0,"
		  "\"delta\":{\"type\":\"text_delta\",\"text\":\"b\"} }     "
		  "\n\ndata: {\"type\":\"message_stop\"    }\n\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf plain = BUF_INIT(10000), padded = BUF_INIT(10000);

		for (int slow = 0; slow < 2; slow++) {
			const struct decode_how how = { .slow = slow };

			buf_reset(&plain);
			buf_reset(&padded);
			decode_into(&plain, t[i].provider, str_of(t[i].plain),
				    &how);
			decode_into(&padded, t[i].provider,
				    str_of(t[i].padded), &how);
			assert_string_equal(padded.p, plain.p);
			assert_has(plain.p, "\"done\"");
		}
		buf_release(&plain);
		buf_release(&padded);
	}
}

/* P-D1: one meaning of `input`, whoever counts the cached ones in. */
static void d1_counters_are_disjoint(void **state)
{
	const char *same = "{\"input\":10,\"cacheRead\":90,\"cacheWrite\":0,"
		"\"output\":5}";

	(void)state;
	assert_has(decode("openai", FINISH("stop") "data: {\"choices\":[],"
		"\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":5,"
		"\"prompt_tokens_details\":{\"cached_tokens\":90}}}\n\n"), same);
	assert_has(decode("anthropic", "data: {\"type\":\"message_start\","
		"\"message\":{\"usage\":{\"input_tokens\":10,"
		"\"cache_read_input_tokens\":90,\"output_tokens\":1}}}\n\n"
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
		"\"end_turn\"},\"usage\":{\"output_tokens\":5}}\n\n"
		"data: {\"type\":\"message_stop\"}\n\n"), same);
	assert_has(decode("openai_responses", "data: {\"type\":"
		"\"response.completed\",\"response\":{\"usage\":"
		"{\"input_tokens\":100,\"input_tokens_details\":"
		"{\"cached_tokens\":90},\"output_tokens\":5}}}\n\n"), same);
	/* More read than there was: it does not count the cached ones in. */
	assert_has(decode("openai", FINISH("stop") "data: {\"choices\":[],"
		"\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,"
		"\"prompt_tokens_details\":{\"cached_tokens\":90}}}\n\n"), same);
	assert_has(decode("openai_responses", "data: {\"type\":"
		"\"response.completed\",\"response\":{\"usage\":"
		"{\"input_tokens\":10,\"input_tokens_details\":"
		"{\"cached_tokens\":90},\"output_tokens\":5}}}\n\n"), same);
	assert_has(decode("gemini_native", "data: {\"candidates\":[{"
		"\"finishReason\":\"STOP\"}],\"usageMetadata\":{"
		"\"promptTokenCount\":10,\"cachedContentTokenCount\":90,"
		"\"candidatesTokenCount\":5}}\n\n"),
		"{\"input\":10,\"cacheRead\":90,\"cacheWrite\":0,"
		"\"output\":5,");
	/* As many as there were: nothing is left, and that is right. */
	assert_has(decode("openai", FINISH("stop") "data: {\"choices\":[],"
		"\"usage\":{\"prompt_tokens\":90,\"completion_tokens\":5,"
		"\"prompt_tokens_details\":{\"cached_tokens\":90}}}\n\n"),
		"{\"input\":0,\"cacheRead\":90,");
	/* The thinking of Grok is in the total only, with either way to count. */
	assert_has(decode("xai", FINISH("stop") "data: {\"choices\":[],"
		"\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,"
		"\"total_tokens\":107,"
		"\"prompt_tokens_details\":{\"cached_tokens\":90}}}\n\n"),
		"{\"input\":10,\"cacheRead\":90,\"cacheWrite\":0,"
		"\"output\":7}");
}

/* P-E4: what a server dropped without a word is told. */
static void e4_cut_prompts_are_seen(void **state)
{
	static const struct {
		const char *provider, *body;
		int64_t sent;
		bool told;
	} t[] = {
		{ "ollama", "{\"message\":{\"content\":\"x\"},\"done\":true,"
		  "\"prompt_eval_count\":4095,\"eval_count\":1}\n", 9000, true },
		{ "ollama", "{\"message\":{\"content\":\"x\"},\"done\":true,"
		  "\"prompt_eval_count\":4095,\"eval_count\":1}\n", 8000, false },
		{ "ollama", "{\"message\":{\"content\":\"x\"},\"done\":true}\n",
		  9000, false },
		{ "ollama_v1", FINISH("stop") "data: {\"choices\":[],\"usage\":"
		  "{\"prompt_tokens\":2048,\"completion_tokens\":1}}\n\n",
		  5000, true },
		{ "openai", FINISH("stop") "data: {\"choices\":[],\"usage\":"
		  "{\"prompt_tokens\":2048,\"completion_tokens\":1}}\n\n",
		  5000, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf out = BUF_INIT(10000);
		struct err e = ERR_INIT;
		struct llm_decoder *d = llm_decoder_new(t[i].provider, NULL, &e);

		llm_decoder_estimate(d, t[i].sent);
		assert_int_equal(llm_decoder_feed(d, str_of(t[i].body), record,
						  &out, &e), 0);
		assert_int_equal(llm_decoder_finish(d, record, &out, &e), 0);
		assert_int_equal(count_of(out.p, "\"warning\""), t[i].told);
		assert_int_equal(count_of(out.p, "context is too small"),
				 t[i].told);
		llm_decoder_free(d);
		buf_release(&out);
	}
}

/* P-E4: what an image costs is not known well enough for that. */
static void e4_images_are_no_sign(void **state)
{
	struct llm_message m = { .role = LLM_USER, .n_images = 1 };
	struct llm_request r = { .messages = &m, .n_messages = 1 };
	struct buf out = BUF_INIT(10000);
	struct err e = ERR_INIT;
	struct llm_decoder *d = llm_decoder_new("ollama", NULL, &e);

	(void)state;
	llm_decoder_history(d, &r);
	llm_decoder_estimate(d, 9000);
	assert_int_equal(llm_decoder_feed(d, STR("{\"message\":{\"content\":"
		"\"x\"},\"done\":true,\"prompt_eval_count\":2000}\n"),
		record, &out, &e), 0);
	assert_int_equal(llm_decoder_finish(d, record, &out, &e), 0);
	assert_lacks(out.p, "\"warning\"");
	llm_decoder_free(d);
	buf_release(&out);
}

/* -- what is sent ----------------------------------------------------------- */

static const struct llm_message hello = { .role = LLM_USER, .text = { "hi", 2 } };

/* The body of a request, members sorted; valid until the next call. */
static const char *body_of(const struct llm_request *r)
{
	static struct buf out = BUF_INIT(1 << 20);
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct llm_wire wire;
	json_t *j;

	if (llm_build(r, &a, &wire, &e) < 0)
		fail_msg("%s", e.text);
	j = jx_load(buf_str(&wire.body), &e);
	assert_non_null(j);
	buf_release(&wire.body);
	buf_reset(&out);
	jx_dump_sorted(&out, j);
	json_decref(j);
	arena_release(&a);
	return out.p;
}

static struct llm_service service(const char *provider)
{
	return (struct llm_service){ .id = "s", .model = "m",
		SET(url, "http://h"), .provider = provider,
		SET(api_key, "k") };
}

/* P-B5: whatever a history has, no id that is sent is empty or null. */
static void b5_no_empty_ids_are_sent(void **state)
{
	static const char *const providers[] = { "openai", "mistral",
		"lmstudio", "llamacpp", "anthropic", "ollama" };
	struct llm_tool_call call = { .name = STR("f"), .args = STR("{}") };
	struct llm_message m[] = { hello,
		{ .role = LLM_ASSISTANT, .calls = &call, .n_calls = 1 },
		{ .role = LLM_TOOL, .text = STR("7"), .tool_name = STR("f") },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(providers); i++) {
		struct llm_service s = service(providers[i]);
		const char *body = body_of(&(struct llm_request){
			.service = &s, .messages = m, .n_messages = 3 });

		assert_lacks(body, "id\":\"\"");
		assert_lacks(body, "id\":null");
		assert_has(body, "id\":\"");
		assert_has(body, "\"7\"");	/* it still is the answer */
		assert_lacks(body, "not run");
	}
}

/* P-E9: tools of others never ask for strict, however well they comply. */
static void e9_tools_are_never_strict(void **state)
{
	struct err e = ERR_INIT;
	json_t *schema = jx_load(STR("{\"type\":\"object\",\"properties\":{"
		"\"a\":{\"type\":\"string\"}},\"required\":[\"a\"],"
		"\"additionalProperties\":false}"), &e);
	struct llm_tool tool = { .name = "t", .schema = schema };
	static const char *const providers[] = { "openai", "azure",
		"anthropic" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(providers); i++) {
		struct llm_service s = service(providers[i]);
		const char *body = body_of(&(struct llm_request){
			.service = &s, .messages = &hello, .n_messages = 1,
			.tools = &tool, .n_tools = 1 });

		assert_has(body, "additionalProperties");
		assert_lacks(body, "strict");
	}
	json_decref(schema);
}

/* P-E12: the same tools make the same bytes, in whatever order. */
static void e12_the_prefix_does_not_change(void **state)
{
	struct err e = ERR_INIT;
	json_t *schema = jx_load(STR("{\"type\":\"object\",\"properties\":{"
		"\"z\":{\"type\":\"string\"},\"a\":{\"type\":\"integer\"}}}"),
		&e);
	struct llm_tool tools[] = {
		{ .name = "one", .schema = schema }, { .name = "two" },
		{ .name = "a.b", .schema = schema },
	}, turned[] = { tools[2], tools[1], tools[0] };
	static const char *const providers[] = { "openai", "anthropic",
		"ollama" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(providers); i++) {
		struct llm_service s = service(providers[i]);
		struct llm_request r = { .service = &s, .messages = &hello,
			.n_messages = 1, .tools = tools, .n_tools = 3,
			.system = (struct str[]){ STR("be") },
			.n_system = 1 };
		struct arena a = ARENA_INIT;
		struct llm_wire one, two;

		assert_int_equal(llm_build(&r, &a, &one, &e), 0);
		r.tools = turned;
		assert_int_equal(llm_build(&r, &a, &two, &e), 0);
		assert_true(str_eq(buf_str(&one.body), buf_str(&two.body)));
		buf_release(&one.body);
		buf_release(&two.body);
		arena_release(&a);
	}
	json_decref(schema);
}

/* P-E10: what Gemini refuses is nowhere, however deep. */
static void e10_gemini_gets_what_it_takes(void **state)
{
	struct err e = ERR_INIT;
	json_t *schema = jx_load(STR("{\"$schema\":\"s\",\"type\":\"object\","
		"\"additionalProperties\":false,\"$defs\":{\"d\":{\"type\":"
		"\"string\",\"format\":\"email\",\"const\":\"c\"}},"
		"\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"$ref\":"
		"\"#/$defs/d\"}},\"b\":{\"anyOf\":[{\"type\":\"object\","
		"\"additionalProperties\":{},\"properties\":{\"format\":"
		"{\"$ref\":\"#/$defs/d\"}}}]}}}"), &e);
	struct llm_tool tool = { .name = "t", .schema = schema };
	static const char *const refused[] = { "$ref", "$schema", "$defs",
		"additionalProperties", "\"const\"", "\"email\"" };
	struct llm_service s = service("gemini");
	struct llm_request r = { .service = &s, .messages = &hello,
		.n_messages = 1, .tools = &tool, .n_tools = 1 };
	const char *body;

	(void)state;
	body = body_of(&r);
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		assert_lacks(body, refused[i]);
	/* A property may be called as a keyword is. */
	assert_has(body, "\"properties\":{\"format\":{\"enum\":[\"c\"],"
		   "\"type\":\"string\"}}");
	s = service("openai");
	assert_has(body_of(&r), "$ref");
	json_decref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a1_each_dialect_has_its_mark),
		cmocka_unit_test(a4_error_without_finish_reason),
		cmocka_unit_test(b4_ids_are_there_and_differ),
		cmocka_unit_test(b4_recorded_ids),
		cmocka_unit_test(b5_no_empty_ids_are_sent),
		cmocka_unit_test(b7_names_are_not_joined),
		cmocka_unit_test(b8_ollama_arguments),
		cmocka_unit_test(b16_anthropic_without_arguments),
		cmocka_unit_test(c6_roles_mean_nothing),
		cmocka_unit_test(c8_padding_is_nothing),
		cmocka_unit_test(e4_cut_prompts_are_seen),
		cmocka_unit_test(e4_images_are_no_sign),
		cmocka_unit_test(d1_counters_are_disjoint),
		cmocka_unit_test(e9_tools_are_never_strict),
		cmocka_unit_test(e10_gemini_gets_what_it_takes),
		cmocka_unit_test(e12_the_prefix_does_not_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
