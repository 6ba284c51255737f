/* SPDX-License-Identifier: MIT */
/*
 * Answers that end badly or strangely, mostly by the hand of a gateway: what was
 * cut off, begun again, left out, or said in the wrong field.
 */
#include "llm_unit.h"

#define CHUNK(delta) "data: {\"model\":\"m\",\"choices\":[{\"index\":0," \
	"\"delta\":" delta ",\"finish_reason\":null}]}\n\n"
#define FINISH(why) "data: {\"choices\":[{\"index\":0,\"delta\":{}," \
	"\"finish_reason\":\"" why "\"}]}\n\n"

/*
 * P-A6: cut off before the first byte of its arguments. No arguments are
 * none then, however the provider says that it stopped.
 */
static void a6_cut_before_the_arguments(void **state)
{
	static const struct {
		const char *provider, *said;
		bool cut;
	} t[] = {
		{ "openai", "length", true }, { "mistral", "length", true },
		{ "deepseek", "length", true },
		{ "mistral", "model_length", true },
		{ "azure", "content_filter", true },
		{ "openai", "tool_calls", false }, { "openai", "stop", false },
		{ "anthropic", "max_tokens", true },
		{ "anthropic", "model_context_window_exceeded", true },
		{ "anthropic", "refusal", true },
		{ "anthropic", "tool_use", false },
		{ "ollama", "length", true }, { "ollama", "stop", false },
	};
	static const char openai[] =
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"t\",\"type\":"
		      "\"function\",\"function\":{\"name\":\"f\","
		      "\"arguments\":\"\"}}]}")
		"data: {\"choices\":[{\"index\":0,\"delta\":{},"
		"\"finish_reason\":\"%s\"}]}\n\n";
	static const char anthropic[] = "data: {\"type\":"
		"\"content_block_start\",\"index\":0,\"content_block\":{"
		"\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\","
		"\"input\":{}}}\n\ndata: {\"type\":\"message_delta\","
		"\"delta\":{\"stop_reason\":\"%s\"}}\n\ndata: {\"type\":"
		"\"message_stop\"}\n\n";
	static const char ollama[] = "{\"message\":{\"tool_calls\":[{"
		"\"function\":{\"name\":\"f\"}}]},\"done\":true,"
		"\"done_reason\":\"%s\"}\n";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const char *p = t[i].provider;
		struct buf body = BUF_INIT(2000);
		const char *out;

		if (!strcmp(p, "anthropic"))
			buf_addf(&body, anthropic, t[i].said);
		else if (!strcmp(p, "ollama"))
			buf_addf(&body, ollama, t[i].said);
		else
			buf_addf(&body, openai, t[i].said);
		out = decode(p, body.p);
		assert_has(out, "\"event\":\"done\"");
		assert_has(out, t[i].cut
			   ? "\"name\":\"f\",\"args\":\"\",\"badArgs\":true"
			   : "\"name\":\"f\",\"args\":\"{}\"}");
		buf_release(&body);
	}
	/* What is there is whole: these were not cut. */
	assert_has(decode("ollama", "{\"message\":{\"tool_calls\":[{"
		"\"function\":{\"name\":\"f\",\"arguments\":{}}}]},"
		"\"done\":true,\"done_reason\":\"length\"}\n"),
		"\"args\":\"{}\"}");
}

/* A server that is lost and begun with again would have its calls run twice. */
static void a_second_message_is_an_error(void **state)
{
#define START(id) "data: {\"type\":\"message_start\",\"message\":{" id \
	"\"model\":\"m\"}}\n\n"
#define USE(id) "data: {\"type\":\"content_block_start\",\"index\":0," \
	"\"content_block\":{\"type\":\"tool_use\",\"id\":\"" id "\"," \
	"\"name\":\"f\",\"input\":{\"x\":1}}}\n\n"
#define STOP "data: {\"type\":\"message_delta\",\"delta\":{" \
	"\"stop_reason\":\"tool_use\"}}\n\ndata: {\"type\":" \
	"\"message_stop\"}\n\n"
	static const char *const wrong[] = {
		START("\"id\":\"a\",") USE("1") START("\"id\":\"b\",")
		USE("2") STOP,
		START("\"id\":\"a\",") START("\"id\":\"b\",") USE("2") STOP,
		START("\"id\":\"a\",") USE("1") START("") USE("2") STOP,
		START("") USE("1") START("") USE("2") STOP,
	}, *const right[] = {
		START("\"id\":\"a\",") USE("1") STOP,
		START("\"id\":\"a\",") START("\"id\":\"a\",") USE("1") STOP,
		START("\"id\":\"a\",") USE("1") START("\"id\":\"a\",") STOP,
		START("") START("") USE("1") STOP,
		USE("1") STOP,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		const char *out = decode("anthropic", wrong[i]);

		assert_has(out, "\"upstream_protocol\"");
		assert_has(out, "a second message");
		assert_lacks(out, "\"event\":\"tool-call\"");
		assert_lacks(out, "\"event\":\"done\"");
	}
	for (size_t i = 0; i < ARRAY_LEN(right); i++) {
		const char *out = decode("anthropic", right[i]);

		assert_int_equal(count_of(out, "\"event\":\"tool-call\""), 1);
		assert_has(out, "\"event\":\"done\",\"stop\":\"tool_calls\"");
	}
#undef START
#undef USE
#undef STOP
}

/* The form before tool_calls: empty in each delta, or a call. */
static void an_empty_function_call_is_none(void **state)
{
	static const char *const none[] = {
		"{\"name\":\"\",\"arguments\":\"\"}", "{}", "null",
		"{\"name\":null,\"arguments\":null}",
		"{\"name\":\"\"}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		char body[600];
		const char *out;

		snprintf(body, sizeof(body), "data: {\"choices\":[{\"index\":0,"
			 "\"delta\":{\"content\":\"x\",\"function_call\":%s}}]}"
			 "\n\n" FINISH("stop"), none[i]);
		out = decode("openai", body);
		assert_lacks(out, "tool-");
		assert_has(out, "\"event\":\"done\",\"stop\":\"stop\"");
		snprintf(body, sizeof(body), "{\"choices\":[{\"index\":0,"
			 "\"message\":{\"content\":\"x\",\"function_call\":%s},"
			 "\"finish_reason\":\"stop\"}]}", none[i]);
		assert_lacks(decode("openai", body), "tool-");
	}
	assert_has(decode("openai",
		CHUNK("{\"function_call\":{\"name\":\"f\",\"arguments\":\"\"}}")
		CHUNK("{\"function_call\":{\"name\":\"\",\"arguments\":\"{\"}}")
		CHUNK("{\"function_call\":{\"name\":\"\",\"arguments\":\"\"}}")
		CHUNK("{\"function_call\":{\"arguments\":\"}\"}}")
		FINISH("function_call")), "\"name\":\"f\",\"args\":\"{}\"}");
}

/* P-A1, P-A2: no such field at all, or usage alone and the mark of the end. */
static void a1_gateways_without_finish_reason(void **state)
{
#define BARE(delta) "data: {\"choices\":[{\"index\":0,\"delta\":" delta "}]}\n\n"
#define USED "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7," \
	"\"completion_tokens\":2}}\n\n"
	static const char *const well[] = {
		BARE("{\"content\":\"x\"}") USED "data: [DONE]\n\n",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":"
		"\"x\"}}],\"usage\":{\"prompt_tokens\":7,"
		"\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
		/* screenpipe pull request 3616, hermes-agent issue 91373 */
		CHUNK("{\"content\":\"x\"}") USED "data: [DONE]\n\n",
		BARE("{\"content\":\"x\"}") CHUNK("{}") USED
		"data: [DONE]\n\n",
	}, *const cut[] = {
		BARE("{\"content\":\"x\"}") "data: [DONE]\n\n",
		BARE("{\"content\":\"x\"}") USED,
		CHUNK("{\"content\":\"x\"}") "data: [DONE]\n\n",
		CHUNK("{\"content\":\"x\"}") USED,
		/* vLLM counts with every chunk, if it is asked to. */
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":"
		"\"x\"},\"finish_reason\":null}],\"usage\":{\"prompt_tokens\":7,"
		"\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(well); i++)
		assert_has(decode("openai", well[i]),
			   "\"event\":\"done\",\"stop\":\"stop\"");
	for (size_t i = 0; i < ARRAY_LEN(cut); i++) {
		assert_has(decode("openai", cut[i]), "upstream_ended_early");
		assert_lacks(decode("openai", cut[i]), "\"event\":\"done\"");
	}
	assert_has(decode("openai", USED "data: [DONE]\n\n"),
		   "upstream_ended_early");
	assert_has(decode("openai", BARE("{\"tool_calls\":[{\"index\":0,\"id\":"
		"\"t\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}")
		USED "data: [DONE]\n\n"),
		"\"event\":\"done\",\"stop\":\"tool_calls\"");
#undef BARE
#undef USED
}

/* P-A3: one more shape, `error:` where `data:` should be. */
static void a3_error_as_a_field(void **state)
{
	static const struct {
		const char *body, *code, *text;
	} t[] = {
		{ "error: {\"code\":500,\"message\":\"boom\"}\n\n",
		  "\"upstream_error\"", "boom" },
		{ CHUNK("{\"content\":\"x\"}") "error: {\"code\":400,"
		  "\"message\":\"the request exceeds the available context "
		  "size\"}\n\ndata: [DONE]\n\n",
		  "\"upstream_context_length\"", "exceeds the available" },
		{ "error: {\"error\":{\"message\":\"boom\"}}\r\n\r\n",
		  "\"upstream_error\"", "boom" },
		/* Right below a delta, and as the last thing that came. */
		{ "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n"
		  "error:{\"message\":\"boom\"}", "\"upstream_error\"", "boom" },
		/* In words. */
		{ "error: worker \xff gone\n\n", "\"upstream_error\"",
		  "worker \xef\xbf\xbd gone" },
		{ "event: error\ndata: Internal Server Error\n\n",
		  "\"upstream_error\"", "Internal Server Error" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const char *out = decode("gpustack", t[i].body);

		assert_has(out, t[i].code);
		assert_has(out, t[i].text);
		assert_int_equal(count_of(out, "\"event\":\"error\""), 1);
		assert_lacks(out, "\"event\":\"done\"");
	}
	/* Not a field of that name. */
	assert_has(decode("gpustack", "errors: {\"message\":\"x\"}\n"
		"error\n" CHUNK("{\"content\":\"x\"}") FINISH("stop")),
		"\"event\":\"done\"");
}

/* P-C5: Azure leaves out the message that it filtered. */
static void c5_filtered_without_a_message(void **state)
{
	const char *out = decode("azure", "{\"choices\":[{\"index\":0,"
		"\"finish_reason\":\"content_filter\",\"content_filter_results\":"
		"{}}],\"model\":\"m\",\"usage\":{\"prompt_tokens\":3,"
		"\"completion_tokens\":0}}");

	(void)state;
	assert_has(out, "\"input\":3");
	assert_has(out, "\"stop\":\"content_filter\",\"model\":\"m\"");
	assert_has(decode("azure", "{\"choices\":[{\"index\":0,"
		"\"finish_reason\":\"stop\"}]}"), "upstream_protocol");
}

/* Arguments that are wrapped, doubled or preceded by an empty object. */
static void arguments_are_found(void **state)
{
	static const struct {
		const char *pieces[4], *args;	/* NULL: bad */
	} t[] = {
		{ { "{}", "{\"search\":", "\"tick\"}" }, "{\"search\":\"tick\"}" },
		{ { "{\"a\":1}", "{\"a\":1}" }, "{\"a\":1}" },
		{ { "{\"a\":1}", "{\"b\":1}" }, NULL },
		{ { "{}{}" }, "{}" }, { { "{}\n{\"a\":1}\n" }, "{\"a\":1}" },
		{ { "\"{\\\"a\\\":", "1}\"" }, "{\"a\":1}" },
		{ { "\"\\\"{\\\\\\\"a\\\\\\\":1}\\\"\"" }, "{\"a\":1}" },
		{ { "```json\n{\"a\":", "1}\n```" }, "{\"a\":1}" },
		{ { "```\n{\"a\":1}```" }, "{\"a\":1}" },
		{ { "\"```json\\n{\\\"a\\\":1}\\n```\"" }, "{\"a\":1}" },
		{ { "{\"a\":\"}{\"}" }, "{\"a\":\"}{\"}" },
		{ { "{}", "{\"a\":" }, NULL }, { { "\"text\"" }, NULL },
		{ { "[{\"a\":1}]" }, "{\"a\":1}" }, { { "{\"a\":1}]" }, "{\"a\":1}" },
		{ { "{\"a\":1}}" }, "{\"a\":1}" },
		{ { "null", "{\"a\":1}" }, "{\"a\":1}" },
		{ { "\"\"", "{\"a\":", "1}" }, "{\"a\":1}" },
		{ { "{}", "\"{\\\"a\\\":1}\"" }, "{\"a\":1}" },
		{ { "{\"a\":1}", "\"{\\\"a\\\":1}\"" }, "{\"a\":1}" },
		{ { "{\"a\":1}", "\"{\\\"a\\\":2}\"" }, NULL },
		{ { "{\"a\":1}", "{}", "null" }, "{\"a\":1}" },
		{ { "~~~json\n{\"a\":1}\n~~~" }, "{\"a\":1}" },
		{ { "```JSON {\"a\":1} ```" }, "{\"a\":1}" },
		{ { "\xef\xbb\xbf{\"a\":1}" }, "{\"a\":1}" },
		{ { "{\"a\":\"x\ny\t\\\"z\"}" }, "{\"a\":\"x\\ny\\t\\\"z\"}" },
		{ { "nullable" }, NULL }, { { "null", "\"x\"" }, NULL },
		/* as JavaScript and Python write it */
		{ { "{\"a\": [1, 2,],", " }" }, "{\"a\":[1,2]}" },
		{ { "{'a': 'x \"y\" z', 'b': True, 'c': None, 'd': [False]}" },
		  "{\"a\":\"x \\\"y\\\" z\",\"b\":true,\"c\":null,\"d\":[false]}" },
		{ { "{'a': 'it\\'s', \"b\": \"it's {'x': None,}\"}" },
		  "{\"a\":\"it's\",\"b\":\"it's {'x': None,}\"}" },
		{ { "{a: 1, b_2 : \"True\"}" }, "{\"a\":1,\"b_2\":\"True\"}" },
		{ { "{\"a\": 1, // one, }\n /* \"b\": 2 */ \"c\": \"// # /*\"} # end" },
		  NULL },
		{ { "{\"a\": 1, // one, }\n /* \"b\": 2 */ \"c\": \"// # /*\" # end\n}" },
		  "{\"a\":1,\"c\":\"// # /*\"}" },
		{ { "\"{'a': 1}\"" }, "{\"a\":1}" },
		/* marked, or introduced */
		{ { "<tool_call>\n{\"a\":1}\n</tool_call>" }, "{\"a\":1}" },
		{ { "<tool_call>{\"a\":1}" }, "{\"a\":1}" },
		{ { "{\"a\":1}</tool_call>" }, "{\"a\":1}" },
		{ { "Here are the arguments:\n```json\n{\"a\":1}\n```" }, "{\"a\":1}" },
		{ { "Here are the arguments: {\"a\":1,}" }, "{\"a\":1}" },
		{ { "[{'a': 1}]" }, "{\"a\":1}" },
		/* cut, several, a part of one, or taken back */
		{ { "{\"a\":\"hel" }, NULL }, { { "{'a': 1" }, NULL }, { { "{\"a\":1," }, NULL },
		{ { "{'a': 'it's'}" }, NULL }, { { "{'a': 1}{'a': 2}" }, NULL },
		{ { "[{'a': 1}, {'b': 1}]" }, NULL }, { { "\"a\": {\"b\":1}" }, NULL },
		{ { "filter: {\"b\":1}" }, NULL }, { { "{'a': 1} but do not run it" }, NULL },
		{ { "{'a': nul}" }, NULL }, { { "{\"a\": 1, /* x }" }, NULL },
		{ { "[1]" }, NULL }, { { "[{\"a\":1},{\"b\":1}]" }, NULL }, { { "```" }, NULL }, { { "{\"a\":1} or so" }, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf body = BUF_INIT(10000), want = BUF_INIT(1000);
		const char *out;

		buf_adds(&body, CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":"
			"\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}"));
		for (size_t k = 0; k < 4 && t[i].pieces[k]; k++) {
			buf_adds(&body, "data: {\"choices\":[{\"index\":0,\"delta\":"
				 "{\"tool_calls\":[{\"index\":0,\"function\":{"
				 "\"arguments\":");
			buf_json(&body, str_of(t[i].pieces[k]));
			buf_adds(&body, "}}]},\"finish_reason\":null}]}\n\n");
		}
		buf_adds(&body, FINISH("tool_calls"));
		buf_adds(&want, "\"event\":\"tool-call\",\"index\":0,\"id\":\"c\","
			 "\"name\":\"f\",\"args\":");
		buf_json(&want, str_of(t[i].args ? t[i].args : ""));
		out = decode("openai", body.p);
		if (t[i].args && (!strstr(out, want.p) ||
				  strstr(out, "\"badArgs\":true")))
			fail_msg("no %s in %s", want.p, out);
		if (!t[i].args)
			assert_has(out, "\"badArgs\":true");
		buf_release(&body);
		buf_release(&want);
	}
}

/* Ends that are none: Gemini's unreadable calls, Ollama's error as a key. */
static void odd_ends(void **state)
{
	static const char *const t[][2] = {
		{ "openai_compatible",
		  FINISH("function_call_filter: MALFORMED_FUNCTION_CALL") },
		{ "openai_compatible", FINISH("malformed_function_call") },
		{ "gemini_native", "data: {\"candidates\":[{\"finishReason\":"
		  "\"MALFORMED_FUNCTION_CALL\"}]}\n\n" },
		{ "ollama", "{\"message\":{\"thinking\":\"x\"},\"done\":false}\n"
		  "{\"error parsing tool call\":\"invalid character 'c'\"}\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const char *out = decode(t[i][0], t[i][1]);

		assert_has(out, "\"event\":\"error\"");
		assert_lacks(out, "\"event\":\"done\"");
	}
	/* Calls count, not the word; LM Studio's deltas have empty names. */
	assert_has(decode("lmstudio",
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{"
		      "\"name\":\"f\",\"arguments\":\"\"}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"\","
		      "\"arguments\":\"{\\\"n\\\":\"}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"\","
		      "\"arguments\":\"1}\"}}]}") FINISH("stop")),
		"\"id\":\"c\",\"name\":\"f\",\"args\":\"{\\\"n\\\":1}\"");
}

/* Counters that do not add up: nothing is free, and thoughts are paid. */
static void counters_that_do_not_add_up(void **state)
{
	const char *out = decode("openai_compatible", CHUNK("{\"content\":\"x\"}")
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":"
		"\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":"
		"5,\"total_tokens\":45,\"completion_tokens_details\":{"
		"\"reasoning_tokens\":30}}}\n\n");

	(void)state;
	assert_has(out, "\"output\":35");
	assert_has(out, "\"reasoning\":30");
}

/* OpenRouter's images, those in parts, Gemini's, Ollama's: the answer says it. */
static void images_are_said(void **state)
{
	static const char *const t[][2] = {
		{ "openrouter", CHUNK("{\"content\":\"Here.\"}")
		  CHUNK("{\"content\":\"\",\"images\":[{\"type\":\"image_url\","
			"\"image_url\":{\"url\":\"data:image/png;base64,AAAA\"}}]}")
		  CHUNK("{\"images\":[{\"type\":\"image_url\",\"image_url\":{}}]}")
		  FINISH("stop") },
		{ "openai_compatible", CHUNK("{\"content\":[{\"type\":\"image_url\","
			"\"image_url\":{\"url\":\"data:,\"}}]}") FINISH("stop") },
		{ "openrouter", "{\"choices\":[{\"message\":{\"content\":null,"
		  "\"images\":[{\"image_url\":{\"url\":\"data:,\"}}]},"
		  "\"finish_reason\":\"stop\"}]}" },
		{ "gemini_native", "data: {\"candidates\":[{\"content\":{\"parts\":["
		  "{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"AA\"}}]},"
		  "\"finishReason\":\"STOP\"}]}\n\n" },
		{ "ollama", "{\"message\":{\"content\":\"\",\"images\":[\"AA\"]},"
		  "\"done\":true}\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		assert_int_equal(count_of(decode(t[i][0], t[i][1]),
					  "sent an image"), 1);
}

/* A call whose arguments come as these fragments, ended by NULL. */
static const char *decode_fragments(const char *const *f, const char *why)
{
	struct buf body = BUF_INIT(32 << 20);
	const char *out;

	for (size_t i = 0; f[i]; i++) {
		buf_adds(&body, "data: {\"choices\":[{\"index\":0,\"delta\":{"
			 "\"tool_calls\":[{\"index\":0,\"id\":\"t\",\"function\":{"
			 "\"name\":\"f\",\"arguments\":");
		buf_json(&body, str_of(f[i]));
		buf_adds(&body, "}}]}}]}\n\n");
	}
	buf_addf(&body, FINISH("%s"), why);
	out = decode("openai", body.p);
	buf_release(&body);
	return out;
}

/* P-B19: all so far in each fragment; and fragments that only look like it. */
static void b19_arguments_so_far(void **state)
{
	static const struct {
		const char *fragments[8], *why, *args;	/* NULL: bad */
	} t[] = {
		{ { "{\"a\"", "{\"a\": 1", "{\"a\": 1}" }, "tool_calls",
		  "{\"a\": 1}" },
		{ { "", "{", "{", "{\"a\":\"x", "{\"a\":\"x\"}", "{\"a\":\"x\"}" },
		  "stop", "{\"a\":\"x\"}" },
		{ { "{\"a\":", "{\"a\":{\"b\":[", "{\"a\":{\"b\":[1]}}" },
		  "tool_calls", "{\"a\":{\"b\":[1]}}" },
		{ { "{\"a\":\"{", "{\"a\":\"{}\"}" }, "tool_calls",
		  "{\"a\":\"{}\"}" },
		/* Deltas. */
		{ { "{\"not\":", "{\"not\":{}}", "}" }, "tool_calls",
		  "{\"not\":{\"not\":{}}}" },
		{ { "{\"not\":", "{\"not\":", "{\"not\":1}}}" }, "tool_calls",
		  "{\"not\":{\"not\":{\"not\":1}}}" },
		{ { "{\"not\":", "{\"not\":{}}}" }, "tool_calls",
		  "{\"not\":{\"not\":{}}}" },
		{ { "{\"a\":\"", "x", "xx", "xxx", "\"}" }, "tool_calls",
		  "{\"a\":\"xxxxxx\"}" },
		{ { "{", "\"a\":[[", "[[", "]]]]}" }, "tool_calls",
		  "{\"a\":[[[[]]]]}" },
		/* What was cut off is not run, whichever it is. */
		{ { "{\"not\":", "{\"not\":{}}" }, "length", NULL },
		{ { "{\"a\"", "{\"a\":1}" }, "length", NULL },
		{ { "{\"a\"", "{\"a\":\"x" }, "tool_calls", NULL },
		/* Others that differ. */
		{ { "{\"a\":1}", "{\"a\":2}" }, "tool_calls", NULL },
		{ { "{\"a\"", "{\"a\":1}", "{\"b\":1}" }, "tool_calls", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const char *out = decode_fragments(t[i].fragments, t[i].why);
		struct buf want = BUF_INIT(1024);

		if (t[i].args) {
			buf_adds(&want, "\"event\":\"tool-call\",\"index\":0,"
				 "\"id\":\"t\",\"name\":\"f\",\"args\":");
			buf_json(&want, str_of(t[i].args));
			buf_adds(&want, "}");
			assert_has(out, want.p);
		} else {
			assert_has(out, "\"badArgs\":true");
		}
		buf_release(&want);
	}
	/* Half a character at the end of one (P-C7). */
	assert_has(decode("openai",
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"t\",\"function\":{"
		      "\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\\\"\xc3\"}}]}")
		CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"t\",\"function\":{"
		      "\"arguments\":\"{\\\"a\\\":\\\"\xc3\xa9\\\"}\"}}]}")
		FINISH("tool_calls")), "\"args\":\"{\\\"a\\\":\\\"\xc3\xa9\\\"}\"}");
}

/* Together they are far more than the cap of the arguments. */
static void b19_long_arguments(void **state)
{
	enum { N = 64, EACH = 400 };
	static char args[N * EACH + 16], begin[N][N * EACH + 16];
	const char *f[N + 2] = { NULL };
	const char *out;
	size_t n;

	(void)state;
	snprintf(args, sizeof(args), "{\"a\":\"%0*d\"}", N * EACH, 0);
	n = strlen(args);
	for (size_t i = 0; i < N; i++) {
		memcpy(begin[i], args, (i + 1) * EACH - 1);
		f[i] = begin[i];
	}
	f[N] = args;
	out = decode_fragments(f, "tool_calls");
	assert_has(out, "\"event\":\"done\"");
	assert_lacks(out, "badArgs");
	assert_true(strlen(strstr(out, "\"event\":\"tool-call\"")) > n);
	/* Not cumulative after all: the cap holds. */
	f[N] = "x";
	assert_has(decode_fragments(f, "tool_calls"), "too_large");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a6_cut_before_the_arguments),
		cmocka_unit_test(a_second_message_is_an_error),
		cmocka_unit_test(an_empty_function_call_is_none),
		cmocka_unit_test(a1_gateways_without_finish_reason),
		cmocka_unit_test(arguments_are_found),
		cmocka_unit_test(b19_arguments_so_far),
		cmocka_unit_test(b19_long_arguments),
		cmocka_unit_test(images_are_said),
		cmocka_unit_test(odd_ends),
		cmocka_unit_test(counters_that_do_not_add_up),
		cmocka_unit_test(a3_error_as_a_field),
		cmocka_unit_test(c5_filtered_without_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
