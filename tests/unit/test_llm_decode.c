/* SPDX-License-Identifier: MIT */
/*
 * Decoders against the pitfalls of the protocol notes; names of the tests say
 * which. Whole streams are in tests/fixtures/providers (test_llm_fixtures.c).
 */
#include "llm_unit.h"

#define CHUNK(delta) "data: {\"model\":\"m\",\"choices\":[{\"index\":0," \
	"\"delta\":" delta ",\"finish_reason\":null}]}\n\n"
#define FINISH(why) "data: {\"choices\":[{\"index\":0,\"delta\":{}," \
	"\"finish_reason\":\"" why "\"}]}\n\n"
#define DONE "data: [DONE]\n\n"

/* P-A1, P-A2: a mark, and not the body's end nor [DONE]. */
static void a1_a2_success_needs_the_mark(void **state)
{
	const char *out;

	(void)state;
	out = decode("openai", CHUNK("{\"content\":\"x\"}") FINISH("stop"));
	assert_has(out, "\"done\",\"stop\":\"stop\"");
	out = decode("openai", CHUNK("{\"content\":\"x\"}") DONE);
	assert_has(out, "upstream_ended_early");
	out = decode("openai", CHUNK("{\"content\":\"x\"}"));
	assert_has(out, "upstream_ended_early");
	/* Nothing after [DONE] is read. */
	out = decode("openai", FINISH("stop") DONE CHUNK("{\"content\":\"x\"}"));
	assert_lacks(out, "\"x\"");
	out = decode("anthropic", "data: {\"type\":\"message_delta\",\"delta\":"
		     "{\"stop_reason\":\"end_turn\"}}\n\n");
	assert_has(out, "upstream_ended_early");
	out = decode("ollama", "{\"message\":{\"content\":\"x\"}}\n");
	assert_has(out, "upstream_ended_early");
	assert_has(decode("openai", ""), "upstream_ended_early");
	assert_has(decode("openai", ": ka\n\n: ka\n\n"), "upstream_ended_early");
}

/* P-A5: Ollama /v1 drops the error and just ends; no cause is invented. */
static void a5_lost_error_is_early_end(void **state)
{
	const char *out = decode("ollama_v1", CHUNK("{\"content\":\"x\"}")
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":"
		"\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n"
		DONE);

	(void)state;
	assert_has(out, "upstream_ended_early");
}

/* P-A3, P-A10, P-A11: in whatever shape, late or early. */
static void a3_errors_in_eight_shapes(void **state)
{
	static const struct {
		const char *provider, *body, *code;
	} t[] = {
		{ "openai", "data: {\"error\":{\"message\":\"boom\",\"type\":"
		  "\"server_error\",\"code\":null}}\n\n", "upstream_error" },
		{ "openrouter", "data: {\"error\":{\"message\":\"slow\",\"code\""
		  ":429},\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},"
		  "\"finish_reason\":null}]}\n\n", "upstream_rate_limited" },
		{ "openrouter", "data: {\"choices\":[],\"error\":{\"message\":"
		  "\"x\",\"code\":502}}\n\n", "upstream_overloaded" },
		{ "openrouter", FINISH("error"), "upstream_error" },
		{ "groq", "event: error\ndata: {\"error\":{\"message\":\"x\","
		  "\"code\":\"tool_use_failed\"}}\n\n", "upstream_error" },
		{ "vllm", "data: {\"object\":\"error\",\"message\":\"x\","
		  "\"code\":503}\n\n", "upstream_overloaded" },
		{ "openai_responses", "data: {\"type\":\"response.failed\","
		  "\"response\":{\"error\":{\"code\":\"rate_limit_exceeded\","
		  "\"message\":\"x\"}}}\n\n", "upstream_rate_limited" },
		{ "ollama", "{\"error\":\"model is overloaded\"}\n",
		  "upstream_overloaded" },
		{ "anthropic", "event: error\ndata: {\"type\":\"error\","
		  "\"error\":{\"type\":\"overloaded_error\",\"message\":"
		  "\"x\"}}\n\n", "upstream_overloaded" },	/* A10 */
		{ "openai", "event: error\ndata: {\"message\":\"bare\"}\n\n",
		  "upstream_error" },
		{ "openai", "data: {\"error\":\"just text\"}\n\n",
		  "upstream_error" },
		{ "gemini", "[{\"error\":{\"code\":503,\"message\":\"x\","
		  "\"status\":\"UNAVAILABLE\"}}]", "upstream_overloaded" },
		{ "deepseek", FINISH("insufficient_system_resource"),
		  "upstream_overloaded" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const char *out = decode(t[i].provider, t[i].body);

		assert_has(out, "\"event\":\"error\"");
		assert_has(out, t[i].code);
		assert_lacks(out, "\"event\":\"done\"");
	}
	/* Empty errors are none. */
	assert_has(decode("openai", "data: {\"error\":null,\"choices\":[]}\n\n"
			  "data: {\"error\":{},\"choices\":[]}\n\n"
			  FINISH("stop")), "\"done\"");
}

/* P-A12, P-A13: no JSON, or no stream. */
static void a12_a13_other_bodies(void **state)
{
	static const char doc[] = "{\"model\":\"m\",\"choices\":[{\"index\":0,"
		"\"message\":{\"role\":\"assistant\",\"content\":\"hi\"},"
		"\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,"
		"\"completion_tokens\":2}}";
	char blank[400];
	const char *out;

	(void)state;
	assert_has(decode("openai", doc), "\"text\":\"hi\"");
	assert_has(decode("openai", doc), "\"done\"");
	snprintf(blank, sizeof(blank), "\n\n \r\n\n%s\n", doc);
	assert_has(decode("deepseek", blank), "\"done\"");
	snprintf(blank, sizeof(blank), "\n\n" CHUNK("{\"content\":\"a\"}")
		 FINISH("stop"));
	assert_has(decode("openai", blank), "\"done\"");
	out = decode("openai", "<!DOCTYPE html><title>Sign in</title>");
	assert_has(out, "upstream_protocol");
	assert_has(out, "Sign in");
	assert_has(decode("openai", "upstream connect error"),
		   "upstream_protocol");
	assert_has(decode("openai", "{\"choices\":["), "upstream_protocol");
	assert_has(decode("openai", "{\"detail\":\"Not Found\"}"),
		   "Not Found");
	assert_has(decode("openai", "{}"), "upstream_protocol");
	assert_has(decode("openai", "[1]"), "upstream_protocol");
	/* A document with line ends from a server that should send lines. */
	out = decode("ollama", "{\n \"message\": {\"content\":\"a\"},\n"
		     " \"done\": true, \"done_reason\": \"stop\"\n}\n");
	assert_has(out, "\"done\"");
	assert_has(decode("ollama", "{\n \"error\": \"no such model\"\n}"),
		   "no such model");
}

/* P-B1. */
static void b1_calls_decide_not_the_reason(void **state)
{
	const char *out;

	(void)state;
	out = decode("openai", CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":"
		"\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}")
		FINISH("stop"));
	assert_has(out, "\"stop\":\"tool_calls\"");
	assert_has(out, "\"event\":\"tool-call\"");
	out = decode("openai", CHUNK("{\"content\":\"x\"}")
		     FINISH("tool_calls"));
	assert_has(out, "\"stop\":\"stop\"");
}

/* P-B2, P-B3: an index that starts at 1, or is missing, or is the same for all. */
static void b2_b3_indexes(void **state)
{
	const char *out;

	(void)state;
	out = decode("openai",
		CHUNK("{\"tool_calls\":[{\"index\":1,\"id\":\"a\","
		      "\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":7,\"id\":\"b\","
		      "\"function\":{\"name\":\"g\",\"arguments\":\"{\"}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":1,\"function\":"
		      "{\"arguments\":\"}\"}},{\"index\":7,\"function\":"
		      "{\"arguments\":\"}\"}}]}")
		FINISH("tool_calls"));
	assert_has(out, "\"tool-call\",\"index\":0,\"id\":\"a\",\"name\":\"f\","
		   "\"args\":\"{}\"");
	assert_has(out, "\"tool-call\",\"index\":1,\"id\":\"b\",\"name\":\"g\","
		   "\"args\":\"{}\"");
	out = decode("mistral",
		CHUNK("{\"tool_calls\":[{\"id\":\"a\",\"function\":"
		      "{\"name\":\"f\",\"arguments\":\"{\"}}]}")
		CHUNK("{\"tool_calls\":[{\"function\":{\"arguments\":\"}\"}}]}")
		CHUNK("{\"tool_calls\":[{\"id\":\"b\",\"function\":"
		      "{\"name\":\"f\",\"arguments\":\"{}\"}}]}")
		FINISH("tool_calls"));
	assert_has(out, "\"index\":0,\"id\":\"a\",\"name\":\"f\",\"args\":\"{}\"");
	assert_has(out, "\"index\":1,\"id\":\"b\",\"name\":\"f\",\"args\":\"{}\"");
	out = decode("ollama_v1",		/* B3 */
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"a\","
		      "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"b\","
		      "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}")
		FINISH("stop"));
	assert_has(out, "\"index\":1,\"id\":\"b\"");
}

/* P-B4, P-B7: the first that is not empty stays. */
static void b4_b7_ids_and_names(void **state)
{
	const char *out;

	(void)state;
	out = decode("qwen",
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"a\","
		      "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"\","
		      "\"function\":{\"name\":\"\",\"arguments\":\"{}\"}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":null,"
		      "\"function\":{\"name\":null}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"a\","
		      "\"function\":{\"name\":\"f\"}}]}")
		FINISH("tool_calls"));
	assert_has(out, "\"tool-call\",\"index\":0,\"id\":\"a\",\"name\":\"f\","
		   "\"args\":\"{}\"");
	assert_lacks(out, "\"index\":1");
	out = decode("lmstudio",
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"\","
		      "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}")
		FINISH("tool_calls"));
	assert_has(out, "\"tool-call\",\"index\":0,"
		   "\"id\":\"call_000000000000000000000001\"");
}

/* P-B4: the minted id is call_ and 24 alphanumerics, new each time. */
static int keep_id(void *ctx, const struct llm_event *ev)
{
	if (ev->type == LLM_EV_TOOL_CALL)
		buf_addstr(ctx, ev->id);
	return 0;
}

static void b4_minted_ids_are_random(void **state)
{
	struct buf ids[2] = { BUF_INIT(100), BUF_INIT(100) };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct err e = ERR_INIT;
		struct llm_decoder *d = llm_decoder_new("ollama", NULL, &e);

		assert_int_equal(llm_decoder_feed(d, STR("{\"message\":"
			"{\"tool_calls\":[{\"function\":{\"name\":\"f\"}}]},"
			"\"done\":true}\n"), keep_id, &ids[i], &e), 0);
		llm_decoder_free(d);
		assert_int_equal(ids[i].n, 29);
		assert_memory_equal(ids[i].p, "call_", 5);
		assert_int_equal(strspn(ids[i].p + 5, "0123456789abcdefghijklmn"
			"opqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), 24);
	}
	assert_string_not_equal(ids[0].p, ids[1].p);
	buf_release(&ids[0]);
	buf_release(&ids[1]);
}

#define ONE_CALL(args) CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"a\"," \
	"\"function\":{\"name\":\"f\"" args "}}]}") FINISH("tool_calls")

/* P-A6, P-B8: arguments in any form, or none, or cut. */
static void a6_b8_b16_arguments(void **state)
{
	static const struct {
		const char *body, *args;
	} t[] = {
		{ ONE_CALL(",\"arguments\":{\"x\":1}"), "{\\\"x\\\":1}" },
		{ ONE_CALL(",\"arguments\":null"), "{}" },
		{ ONE_CALL(",\"arguments\":\"\""), "{}" },
		{ ONE_CALL(",\"arguments\":\"null\""), "{}" },
		{ ONE_CALL(",\"arguments\":\" \""), "{}" },
		{ ONE_CALL(""), "{}" },
		{ ONE_CALL(",\"arguments\":\"{\\\"x\\\":\"") ,
		  "{\\\"x\\\":\",\"badArgs\":true" },		/* A6 */
		{ ONE_CALL(",\"arguments\":\"[1]\""), "[1]\",\"badArgs\":true" },
		{ ONE_CALL(",\"arguments\":\"{\\\"x\\\":\\\"\\\\ud83d\\\"}\""),
		  "{\\\"x\\\":\\\"\xef\xbf\xbd\\\"}" },		/* C11 */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		char want[100];
		const char *out = decode("openai", t[i].body);

		snprintf(want, sizeof(want), "\"args\":\"%s", t[i].args);
		assert_has(out, want);
		if (!strstr(t[i].args, "badArgs"))
			assert_lacks(out, "badArgs");
	}
	/* Cut by the length limit: told as such. */
	assert_has(decode("vllm", CHUNK("{\"tool_calls\":[{\"index\":0,"
		"\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":"
		"\"{\\\"x\"}}]}") FINISH("length")), "\"stop\":\"length\"");
}

/* P-B9, P-B10. */
static void b9_b10_one_chunk_for_all(void **state)
{
	const char *out = decode("mistral", "data: {\"choices\":[{\"index\":0,"
		"\"delta\":{\"role\":\"assistant\",\"content\":null,"
		"\"refusal\":\"\",\"tool_calls\":[{\"id\":\"a\",\"function\":"
		"{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":"
		"\"tool_calls\"}],\"usage\":{\"prompt_tokens\":3,"
		"\"completion_tokens\":4,\"total_tokens\":7}}\n\n" DONE);

	(void)state;
	assert_has(out, "\"tool-call\",\"index\":0,\"id\":\"a\"");
	assert_has(out, "\"input\":3,");
	assert_lacks(out, "refusal");
	out = decode("xai", "data: {\"choices\":[{\"index\":0,\"delta\":"
		     "{\"content\":\"x\",\"tool_calls\":null}}],\"usage\":"
		     "null}\n\n" FINISH("stop"));
	assert_has(out, "\"text\":\"x\"");
}

/* P-B11, P-B12: unknown members come back, with their origin. */
static void b11_b12_opaque_members(void **state)
{
	const char *out = decode("gemini", CHUNK("{\"tool_calls\":[{\"index\":0,"
		"\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":"
		"\"f\",\"arguments\":\"{}\"},\"extra_content\":{\"google\":"
		"{\"thought_signature\":\"S\"}},\"novel\":1,\"gone\":null}]}")
		CHUNK("{\"extra_content\":{\"google\":{\"thought_signature\":"
		      "\"M\"}}}")
		FINISH("stop"));

	(void)state;
	assert_has(out, "\"opaque\":{\"provider\":\"gemini\",\"model\":\"m\","
		   "\"members\":{\"extra_content\":{\"google\":{\"thought_"
		   "signature\":\"S\"}},\"novel\":1}}");
	assert_has(out, "\"replay\":{\"provider\":\"gemini\",\"model\":\"m\","
		   "\"members\":{\"extra_content\":{\"google\":{\"thought_"
		   "signature\":\"M\"}}}}");
}

/* P-B13, P-C2: reasoning_details in pieces become whole entries. */
static void b13_reasoning_details(void **state)
{
	const char *out = decode("openrouter",
		CHUNK("{\"reasoning\":\"a\",\"reasoning_details\":[{\"type\":"
		      "\"reasoning.text\",\"text\":\"a\",\"index\":0}]}")
		CHUNK("{\"reasoning\":\"b\",\"reasoning_details\":[{\"type\":"
		      "\"reasoning.text\",\"text\":\"b\",\"index\":0,"
		      "\"signature\":\"S\"}]}")
		CHUNK("{\"reasoning_details\":[{\"type\":\"reasoning.encrypted"
		      "\",\"data\":\"E\",\"index\":1}]}")
		FINISH("stop"));

	(void)state;
	assert_has(out, "\"reasoning_details\":[{\"type\":\"reasoning.text\","
		   "\"text\":\"ab\",\"index\":0,\"signature\":\"S\"},{\"type\":"
		   "\"reasoning.encrypted\",\"data\":\"E\",\"index\":1}]");
	/* C2: said twice, heard once. */
	assert_has(out, "\"reasoning\",\"text\":\"a\"}\n{\"event\":"
		   "\"reasoning\",\"text\":\"b\"}\n{\"event\":\"done\"");
}

/* P-C1. */
static void c1_azure_chunks_without_choices(void **state)
{
	const char *out = decode("azure",
		"data: {\"choices\":[],\"prompt_filter_results\":[]}\n\n"
		"data: {\"choices\":null}\n\ndata: {}\n\n"
		CHUNK("{\"content\":\"x\"}")
		"data: {\"choices\":[{\"index\":0,\"finish_reason\":null,"
		"\"content_filter_offsets\":{\"end_offset\":9}}]}\n\n"
		FINISH("content_filter"));

	(void)state;
	assert_has(out, "\"text\":\"x\"");
	assert_has(out, "\"stop\":\"content_filter\"");
	assert_lacks(out, "warning");
}

/* P-C5: see tests/api/test_pitfalls.py for what becomes of them. */
static void c5_refusals(void **state)
{
	const char *out = decode("openai",
		CHUNK("{\"content\":null,\"refusal\":\"I can\"}")
		CHUNK("{\"refusal\":\"not.\"}") FINISH("stop"));

	(void)state;
	assert_has(out, "\"refusal\",\"text\":\"not.\"");
	assert_has(out, "\"stop\":\"refusal\"");
	/* Anthropic: no content block at all. */
	out = decode("anthropic", "data: {\"type\":\"message_delta\",\"delta\":"
		     "{\"stop_reason\":\"refusal\"}}\n\n"
		     "data: {\"type\":\"message_stop\"}\n\n");
	assert_has(out, "\"stop\":\"refusal\"");
}

/* P-D1, P-D3, P-D4, P-D6. */
static void d1_d4_usage(void **state)
{
	static const struct {
		const char *provider, *usage, *want;
	} t[] = {
		{ "openai", "{\"prompt_tokens\":10,\"completion_tokens\":5,"
		  "\"prompt_tokens_details\":{\"cached_tokens\":4,"
		  "\"cache_write_tokens\":1}}", "{\"input\":5,\"cacheRead\":4,"
		  "\"cacheWrite\":1,\"output\":5}" },
		{ "deepseek", "{\"prompt_tokens\":10,\"completion_tokens\":5,"
		  "\"prompt_cache_hit_tokens\":6,\"prompt_cache_miss_tokens\":"
		  "4}", "{\"input\":4,\"cacheRead\":6,\"cacheWrite\":0," },
		{ "gemini", "{\"prompt_tokens\":10,\"completion_tokens\":5,"
		  "\"total_tokens\":40}", "\"output\":30}" },	/* D4 */
		{ "openai", "{\"prompt_tokens\":10,\"completion_tokens\":5,"
		  "\"total_tokens\":40}", "\"output\":5}" },
		{ "openrouter", "{\"prompt_tokens\":10,\"completion_tokens\":5,"
		  "\"cost\":0.5}", "\"cost\":0.5" },		/* D6 */
		{ "openai", "{\"prompt_tokens\":10,\"completion_tokens\":5,"
		  "\"prompt_tokens_details\":null}", "\"input\":10," },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		char body[600];

		snprintf(body, sizeof(body), FINISH("stop") "data: {\"choices\""
			 ":[],\"usage\":%s}\n\n" DONE, t[i].usage);
		assert_has(decode(t[i].provider, body), t[i].want);
	}
	/* D3: the last one wins; x_groq counts too. */
	assert_has(decode("xai", "data: {\"choices\":[],\"usage\":"
		"{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\n"
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,"
		"\"completion_tokens\":9}}\n\n" FINISH("stop")),
		"\"output\":9");
	assert_has(decode("groq", "data: {\"choices\":[],\"x_groq\":{\"usage\":"
		"{\"prompt_tokens\":2,\"completion_tokens\":3}}}\n\n"
		FINISH("stop")), "\"input\":2,");
}

/* P-D2: message_delta overwrites what it names and nothing else. */
static void d2_anthropic_usage(void **state)
{
	const char *out = decode("anthropic",
		"data: {\"type\":\"message_start\",\"message\":{\"usage\":"
		"{\"input_tokens\":5,\"cache_read_input_tokens\":7,"
		"\"cache_creation_input_tokens\":3,\"output_tokens\":1}}}\n\n"
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
		"\"end_turn\"},\"usage\":{\"output_tokens\":9,"
		"\"cache_read_input_tokens\":null}}\n\n"
		"data: {\"type\":\"message_stop\"}\n\n");

	(void)state;
	assert_has(out, "{\"input\":5,\"cacheRead\":7,\"cacheWrite\":3,"
		   "\"output\":9}");
}

/* P-D5. */
static void d5_estimate(void **state)
{
	struct buf out = BUF_INIT(10000);
	struct err e = ERR_INIT, why = ERR_INIT;
	struct llm_decoder *d = llm_decoder_new("openai", NULL, &e);

	(void)state;
	llm_decoder_estimate(d, 77);
	assert_int_equal(llm_decoder_feed(d, STR(CHUNK("{\"content\":"
		"\"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"}")), record, &out,
		&e), 0);
	err_set(&why, ERR_UPSTREAM_TIMEOUT, "slow");
	assert_int_equal(llm_decoder_fail(d, &why, record, &out), 0);
	assert_has(out.p, "{\"input\":77,\"output\":2,\"estimated\":true}");
	assert_has(out.p, "upstream_timeout");
	llm_decoder_free(d);
	buf_release(&out);
}

static int stop_at_once(void *ctx, const struct llm_event *ev)
{
	(void)ev;
	++*(int *)ctx;
	return -1;
}

static void handler_stops(void **state)
{
	struct err e = ERR_INIT;
	struct llm_decoder *d = llm_decoder_new("openai", NULL, &e);
	int n = 0;

	(void)state;
	assert_int_equal(llm_decoder_feed(d, STR(CHUNK("{\"content\":\"a\"}")
		CHUNK("{\"content\":\"b\"}") FINISH("stop") DONE),
		stop_at_once, &n, &e), -1);
	assert_int_equal(llm_decoder_finish(d, stop_at_once, &n, &e), -1);
	assert_int_equal(n, 1);
	llm_decoder_free(d);
}

static void caps(void **state)
{
	struct buf body = BUF_INIT(64 << 20), out = BUF_INIT(64 << 20);

	(void)state;
	for (int i = 0; i < 65; i++)
		buf_addf(&body, CHUNK("{\"tool_calls\":[{\"index\":%d,\"id\":"
			 "\"i%d\",\"function\":{\"name\":\"f\"}}]}"), i, i);
	decode_into(&out, "openai", buf_str(&body), &(struct decode_how){
		.slow = false });
	assert_has(out.p, "too_large");
	assert_lacks(out.p, "\"event\":\"tool-call\"");
	buf_reset(&body);
	buf_reset(&out);
	for (int i = 0; i < LIM_ANSWER_BYTES / 1000 + 2; i++)
		buf_addf(&body, CHUNK("{\"content\":\"%01000d\"}"), i);
	decode_into(&out, "openai", buf_str(&body), &(struct decode_how){
		.slow = false });
	assert_has(out.p, "too_large");
	buf_release(&body);
	buf_release(&out);
}

static void unknown_provider_and_quirks(void **state)
{
	struct err e = ERR_INIT;
	json_t *quirks = json_pack("{s:s}", "think_tag", "tags");

	(void)state;
	assert_null(llm_decoder_new("nobody", NULL, &e));
	assert_int_equal(e.code, ERR_LLM_UNSUPPORTED);
	err_clear(&e);
	assert_int_equal(llm_quirks_check("openai", quirks, &e), -1);
	assert_has(e.text, "did you mean \"think_tags\"");
	err_clear(&e);
	json_object_clear(quirks);
	json_object_set_new(quirks, "think_tags", json_string("yes"));
	assert_int_equal(llm_quirks_check("openai", quirks, &e), -1);
	assert_has(e.text, "off tags starts-inside");
	err_clear(&e);
	json_object_set_new(quirks, "think_tags", json_false());
	assert_int_equal(llm_quirks_check("openai", quirks, &e), 0);
	json_object_set_new(quirks, "include_usage", json_string("on"));
	assert_int_equal(llm_quirks_check("openai", quirks, &e), -1);
	err_clear(&e);
	assert_int_equal(llm_quirks_check("openai", NULL, &e), 0);
	json_decref(quirks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a1_a2_success_needs_the_mark),
		cmocka_unit_test(a3_errors_in_eight_shapes),
		cmocka_unit_test(a5_lost_error_is_early_end),
		cmocka_unit_test(a12_a13_other_bodies),
		cmocka_unit_test(b1_calls_decide_not_the_reason),
		cmocka_unit_test(b2_b3_indexes),
		cmocka_unit_test(b4_b7_ids_and_names),
		cmocka_unit_test(b4_minted_ids_are_random),
		cmocka_unit_test(a6_b8_b16_arguments),
		cmocka_unit_test(b9_b10_one_chunk_for_all),
		cmocka_unit_test(b11_b12_opaque_members),
		cmocka_unit_test(b13_reasoning_details),
		cmocka_unit_test(c1_azure_chunks_without_choices),
		cmocka_unit_test(c5_refusals),
		cmocka_unit_test(d1_d4_usage),
		cmocka_unit_test(d2_anthropic_usage),
		cmocka_unit_test(d5_estimate),
		cmocka_unit_test(handler_stops),
		cmocka_unit_test(caps),
		cmocka_unit_test(unknown_provider_and_quirks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
