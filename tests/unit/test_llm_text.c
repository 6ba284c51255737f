/* SPDX-License-Identifier: MIT */
/*
 * Text on its way through the decoders: inline reasoning, content forms, broken
 * characters (P-C3, P-C4, P-C7 to P-C11), and the template.
 */
#include "llm_unit.h"

#define CHUNK(delta) "data: {\"model\":\"m\",\"choices\":[{\"index\":0," \
	"\"delta\":" delta ",\"finish_reason\":null}]}\n\n"
#define FINISH(why) "data: {\"choices\":[{\"index\":0,\"delta\":{}," \
	"\"finish_reason\":\"" why "\"}]}\n\n"

/* What decode gives for LM Studio's text, told in one line. */
static void think(const char *chunks[], size_t n, const char *mode,
		  const char *want)
{
	json_t *quirks = json_pack("{s:s}", "think_tags", mode);
	struct buf body = BUF_INIT(10000), out = BUF_INIT(10000);
	struct buf flat = BUF_INIT(10000);
	struct str rest;

	for (size_t i = 0; i < n; i++)
		buf_addf(&body, CHUNK("{\"content\":\"%s\"}"), chunks[i]);
	buf_adds(&body, FINISH("stop"));
	decode_into(&out, "openai_compatible", buf_str(&body),
		    &(struct decode_how){ .quirks = quirks });
	rest = buf_str(&out);
	while (rest.n) {
		struct str line = str_cut(&rest, '\n');
		struct err e = ERR_INIT;
		json_t *j = jx_load(line, &e);
		struct str type = jx_str(j, "event");

		if (str_is(type, "reasoning"))
			buf_addc(&flat, '(');
		if (!str_is(type, "done"))
			buf_addstr(&flat, jx_str(j, "text"));
		if (str_is(type, "reasoning"))
			buf_addc(&flat, ')');
		json_decref(j);
	}
	assert_string_equal(flat.p, want);
	buf_release(&body);
	buf_release(&out);
	buf_release(&flat);
	json_decref(quirks);
}

/* P-C3. */
static void c3_think_tags(void **state)
{
	const char *tagged[] = { "<th", "ink>a", "b</thi", "nk>", "\\n\\n",
				 "text <think> stays" };
	const char *inside[] = { "a</think>b" };
	const char *text[] = { "a <think>b</think>" };
	const char *blank[] = { " ", "\\n<think>", "a</think>", " b" };
	const char *open[] = { "<think>a</th" };
	const char *partial[] = { "<thi" };
	const char *almost[] = { "<th", "e end" };

	(void)state;
	think(tagged, ARRAY_LEN(tagged), "tags",
	      "(a)(b)text <think> stays");
	think(tagged, ARRAY_LEN(tagged), "off",
	      "<think>ab</think>\n\ntext <think> stays");
	think(inside, 1, "starts-inside", "(a)b");
	think(inside, 1, "tags", "a</think>b");
	think(text, 1, "tags", "a <think>b</think>");
	think(blank, ARRAY_LEN(blank), "tags", "(a)b");
	think(open, 1, "tags", "(a)(</th)");
	think(partial, 1, "tags", "<thi");
	think(almost, 2, "tags", "<the end");
}

/* P-C2, P-C4. */
static void c4_content_forms(void **state)
{
	const char *out = decode("mistral",
		CHUNK("{\"content\":[{\"type\":\"thinking\",\"thinking\":"
		      "[{\"type\":\"text\",\"text\":\"hm\"}]},{\"type\":"
		      "\"text\",\"text\":\"a\"}]}")
		CHUNK("{\"content\":\"b\"}")
		"data: {\"choices\":[{\"index\":0,\"message\":{\"content\":"
		"\"ab\"},\"delta\":{\"content\":\"\"},\"finish_reason\":"
		"\"stop\"}]}\n\n");

	(void)state;
	assert_has(out, "\"reasoning\",\"text\":\"hm\"");
	assert_has(out, "\"text\",\"text\":\"a\"");
	assert_lacks(out, "\"ab\"");
}

/* P-C7, P-C9, P-C10, P-C11. */
static void c7_c9_c11_text(void **state)
{
	const char *out;

	(void)state;
	out = decode("openai", CHUNK("{\"content\":\"a\\u0000b\"}")
		     CHUNK("{\"content\":\"\\ud83d\"}")
		     CHUNK("{\"content\":\"x\"}") FINISH("stop"));
	assert_has(out, "\"a\xef\xbf\xbd" "b\"");
	assert_has(out, "\"\xef\xbf\xbdx\"");
	assert_has(out, "\"warning\"");
	/* A number that no integer holds; NaN loses one event, not the run. */
	out = decode("openai", "data: {\"created\":99999999999999999999,"
		"\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
		"data: {\"x\":NaN}\n\n" FINISH("stop"));
	assert_has(out, "\"text\":\"a\"");
	assert_has(out, "1 were unreadable");
	assert_has(out, "\"done\"");
	/* C10: the last of two equal keys counts. */
	out = decode("openai", CHUNK("{\"content\":\"a\",\"content\":\"b\"}")
		     CHUNK("{\"content\":\"a\",\"content\":\"c\"}")
		     FINISH("stop"));
	assert_lacks(out, "\"a\"");
	assert_has(out, "\"c\"");
}

/* P-C11. */
static void c11_deep_nesting_is_refused(void **state)
{
	struct buf b = BUF_INIT(100000);
	struct buf out = BUF_INIT(100000);

	(void)state;
	buf_adds(&b, "data: ");
	for (int i = 0; i < 20000; i++)
		buf_addc(&b, '[');
	buf_adds(&b, "\n\n" FINISH("stop"));
	decode_into(&out, "openai", buf_str(&b), &(struct decode_how){
		.slow = false });
	assert_has(out.p, "1 were unreadable");
	assert_has(out.p, "\"done\"");
	buf_release(&b);
	buf_release(&out);
}

/* The template must not be fooled by look-alikes of the text's place. */
static void template_is_safe(void **state)
{
	static const char *const bodies[] = {
		/* The same value elsewhere in the chunk. */
		"data: {\"id\":\"a\",\"choices\":[{\"index\":0,\"delta\":"
		"{\"content\":\"a\"}}]}\n\n"
		"data: {\"id\":\"b\",\"choices\":[{\"index\":0,\"delta\":"
		"{\"content\":\"a\"}}]}\n\n"
		"data: {\"id\":\"a\",\"choices\":[{\"index\":0,\"delta\":"
		"{\"content\":\"c\"}}]}\n\n" FINISH("stop"),
		/* Two choices, another index, duplicate keys. */
		CHUNK("{\"content\":\"a\"}") "data: {\"model\":\"m\","
		"\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"},"
		"\"finish_reason\":null}]}\n\n" CHUNK("{\"content\":\"c\"}")
		CHUNK("{\"content\":\"d\",\"content\":\"e\"}")
		CHUNK("{\"content\":\"f\",\"content\":\"e\"}") FINISH("stop"),
		/* Escapes, quotes, broken escapes, control characters. */
		CHUNK("{\"content\":\"a\"}") CHUNK("{\"content\":\"b\\n\\\"\"}")
		CHUNK("{\"content\":\"\\u00e4\\/\"}") CHUNK("{\"content\":\"\\x\"}")
		CHUNK("{\"content\":\"\\\\\"}") CHUNK("{\"content\":\"a\tb\"}")
		CHUNK("{\"content\":\"a\",\"refusal\":\"r\"}")
		CHUNK("{\"content\":\"\\\\\",\"x\":\"\"}")
		CHUNK("{\"content\":\"\xff\"}") FINISH("stop"),
		/* Usage in each chunk, reasoning beside the text. */
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\","
		"\"reasoning\":\"r\"}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\","
		"\"reasoning\":\"r\"}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"}"
		"}],\"usage\":{\"prompt_tokens\":1}}\n\n" FINISH("stop"),
		/* Event names; an error event that looks like text. */
		CHUNK("{\"content\":\"a\"}") "event: error\n"
		CHUNK("{\"content\":\"b\"}"),
	};
	static const char *const anthropic =
		"data: {\"type\":\"content_block_start\",\"index\":0,"
		"\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
		"{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n"
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
		"{\"type\":\"text_delta\",\"text\":\"b\"}   } \n\n"
		"data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":"
		"{\"type\":\"text_delta\",\"text\":\"c\"}}\n\n"
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
		"{\"type\":\"text_delta\",\"text\":\"text_delta\"}}\n\n"
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
		"{\"type\":\"text_delta\",\"text\":\"d\"}}}\n\n"
		"data: {\"type\":\"message_stop\"}\n\n";
	struct buf fast = BUF_INIT(1 << 20), slow = BUF_INIT(1 << 20);

	(void)state;
	for (size_t i = 0; i <= ARRAY_LEN(bodies); i++) {
		bool last = i == ARRAY_LEN(bodies);
		struct str body = str_of(last ? anthropic : bodies[i]);
		const char *provider = last ? "anthropic" : "openai";

		buf_reset(&fast);
		buf_reset(&slow);
		decode_into(&fast, provider, body, &(struct decode_how){
			.slow = false });
		decode_into(&slow, provider, body, &(struct decode_how){
			.slow = true });
		assert_string_equal(fast.p, slow.p);
	}
	buf_release(&fast);
	buf_release(&slow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c3_think_tags),
		cmocka_unit_test(c4_content_forms),
		cmocka_unit_test(c7_c9_c11_text),
		cmocka_unit_test(c11_deep_nesting_is_refused),
		cmocka_unit_test(template_is_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
