/* SPDX-License-Identifier: MIT */
/* Images in requests: lib/llm/image.c, and each dialect's builder. */
#include "base/limits.h"
#include "llm_unit.h"

#define SERVICE .id = "s", .model = "m", SET(url, "http://h"), \
	SET(api_key, "sk-test")

static const char png[] = "\x89PNG\r\n\x1a\n0123";
#define GIF64 "R0lGODlhAQA="
#define PNG64 "iVBORw0KGgowMTIz"

static struct built {
	struct arena arena;
	struct llm_wire wire;
	json_t *body, *last;		/* last: message of the body */
} built;

/*
 * A question, a call, its result, then a text with n images. In `built`, until
 * the next.
 */
static void build(const char *provider, const char *text, size_t n)
{
	static const struct llm_tool_call call = { .id = { "call_1", 6 },
		.name = { "f", 1 }, .args = { "{}", 2 } };
	struct llm_image image[2];
	const struct llm_service s = { SERVICE, .provider = provider,
		.capabilities = LLM_CAN_CHAT | LLM_CAN_VISION |
			LLM_CAN_TOOLS };
	const struct llm_message m[] = {
		{ .role = LLM_USER, .text = STR("what?") },
		{ .role = LLM_ASSISTANT, .calls = &call, .n_calls = 1 },
		{ .role = LLM_TOOL, .call_id = STR("call_1"),
		  .tool_name = STR("f"), .text = STR("7") },
		{ .role = LLM_USER, .text = str_of(text), .images = image,
		  .n_images = n },
	};
	const struct llm_request r = { .service = &s, .messages = m,
		.n_messages = ARRAY_LEN(m) };
	struct err e = ERR_INIT;
	const json_t *list;

	json_decref(built.body);
	buf_release(&built.wire.body);
	arena_release(&built.arena);
	built = (struct built){ .arena = ARENA_INIT };
	assert_int_equal(llm_image_read(STR(png), &built.arena, &image[0], &e),
			 0);
	assert_int_equal(llm_image_read(STR("GIF89a\1\0"), &built.arena, &image[1],
					&e), 0);
	if (llm_build(&r, &built.arena, &built.wire, &e) < 0)
		fail_msg("%s", e.text);
	built.body = jx_load(buf_str(&built.wire.body), &e);
	assert_non_null(built.body);
	list = jx_arr(built.body, "messages");
	built.last = json_array_get(list, json_array_size(list) - 1);
}

static void assert_json(const json_t *j, const char *want)
{
	struct buf b = BUF_INIT(1 << 20);

	jx_dump_sorted(&b, j);
	assert_string_equal(b.p, want);
	buf_release(&b);
}

static void for_openai(void **state)
{
	static const char parts[] = "{\"content\":["
		"{\"image_url\":{\"url\":\"data:image/png;base64," PNG64 "\"},"
		"\"type\":\"image_url\"},"
		"{\"text\":\"read\",\"type\":\"text\"}],\"role\":\"user\"}";

	(void)state;
	build("openai", "read", 1);
	assert_json(built.last, parts);
	/* E5: a data URL is the only form that Ollama's /v1 takes. */
	build("ollama_v1", "read", 1);
	assert_json(built.last, parts);
	build("mistral", "", 2);
	assert_json(built.last, "{\"content\":[{\"image_url\":{\"url\":\""
		"data:image/png;base64," PNG64 "\"},\"type\":\"image_url\"},"
		"{\"image_url\":{\"url\":\"data:image/gif;base64," GIF64 "\"},"
		"\"type\":\"image_url\"}],\"role\":\"user\"}");
	build("openai", "read", 0);
	assert_json(built.last, "{\"content\":\"read\",\"role\":\"user\"}");
}

/* Its OpenAI-compatible address takes them as OpenAI does. */
static void for_gemini(void **state)
{
	(void)state;
	build("gemini", "read", 1);
	assert_json(built.last, "{\"content\":[{\"image_url\":{\"url\":\""
		"data:image/png;base64," PNG64 "\"},\"type\":\"image_url\"},"
		"{\"text\":\"read\",\"type\":\"text\"}],\"role\":\"user\"}");
}

/* Results come first in their message, then the image, then the text. */
static void for_anthropic(void **state)
{
	static const char result[] = "{\"content\":\"7\",\"tool_use_id\":"
		"\"call_1\",\"type\":\"tool_result\"}";
	const json_t *content;

	(void)state;
	build("anthropic", "read", 1);
	content = jx_arr(built.last, "content");
	assert_int_equal(json_array_size(content), 3);
	assert_json(json_array_get(content, 0), result);
	assert_json(json_array_get(content, 1), "{\"source\":{\"data\":\""
		PNG64 "\",\"media_type\":\"image/png\",\"type\":\"base64\"},"
		"\"type\":\"image\"}");
	assert_json(json_array_get(content, 2),
		    "{\"text\":\"read\",\"type\":\"text\"}");
	/* C5: no empty text block beside it. */
	build("anthropic_compatible", "", 1);
	assert_int_equal(json_array_size(jx_arr(built.last, "content")), 2);
}

static void for_ollama(void **state)
{
	(void)state;
	build("ollama", "read", 2);
	assert_json(built.last, "{\"content\":\"read\",\"images\":[\"" PNG64
		"\",\"" GIF64 "\"],\"role\":\"user\"}");
	build("ollama", "read", 0);
	assert_json(built.last, "{\"content\":\"read\",\"role\":\"user\"}");
}

static void they_count_as_tokens(void **state)
{
	int64_t without;

	(void)state;
	build("openai", "read", 0);
	without = built.wire.tokens;
	build("openai", "read", 2);
	assert_int_equal(built.wire.tokens, without + 2 * LLM_IMAGE_TOKENS);
}

/* An image is never sent to a service that does not say that it sees. */
static void for_no_others(void **state)
{
	json_t *quirks = json_pack("{s:b}", "supports_vision", 1);
	const struct {
		struct llm_service s;
		const char *says;
	} t[] = {
		{ { SERVICE, .provider = "openai", .capabilities = LLM_CAN_CHAT },
		  "\"s\" does not have the capability vision" },
		{ { SERVICE, .provider = "openai" },
		  "\"s\" does not have the capability vision" },
		{ { SERVICE, .provider = "deepseek",
		    .capabilities = LLM_CAN_CHAT | LLM_CAN_VISION },
		  "\"deepseek\" of the LLM service \"s\" does not take images" },
		{ { SERVICE, .provider = "deepseek", .quirks = quirks,
		    .capabilities = LLM_CAN_CHAT | LLM_CAN_VISION }, NULL },
	};
	struct llm_image image = { "image/png", STR("data:,"), STR("") };
	struct llm_message m = { .role = LLM_USER, .images = &image,
		.n_images = 1 };
	struct llm_request r = { .messages = &m, .n_messages = 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct llm_wire w;
		json_t *c = llm_capabilities(&t[i].s);

		r.service = &t[i].s;
		assert_int_equal(llm_build(&r, &a, &w, &e), t[i].says ? -1 : 0);
		assert_int_equal(e.code, t[i].says ? ERR_LLM_UNSUPPORTED
						   : ERR_NONE);
		assert_has(e.public, t[i].says ? t[i].says : "");
		assert_int_equal(jx_bool(c, "supportsVision", false),
				 !t[i].says);
		json_decref(c);
		buf_release(&w.body);
		arena_release(&a);
	}
	json_decref(quirks);
}

static void told_by_their_bytes(void **state)
{
	static const struct {
		struct str bytes;
		const char *type;
	} t[] = {
		{ STR("\x89PNG\r\n\x1a\n"), "image/png" },
		{ STR("\xff\xd8\xff\xe0\0\x10JFIF"), "image/jpeg" },
		{ STR("GIF87a\1\0\1\0"), "image/gif" },
		{ STR("GIF89a\1\0\1\0"), "image/gif" },
		{ STR("GIF89a"), NULL },
		{ STR("RIFF\1\2\3\4WEBPVP8 "), "image/webp" },
		{ STR("RIFF\1\2\3\4WAVE"), NULL },
		{ STR("RIFF\1\2\3\4WEB"), NULL },
		{ STR("\x89PNG\r\n\x1a"), NULL },
		{ STR("<svg xmlns="), NULL },
		{ STR("%PDF-1.7"), NULL },
		{ STR(""), NULL },
		{ { NULL, 0 }, NULL },
	};
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct llm_image image;
	char *big = calloc(1, LIM_IMAGE_BYTES + 1);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		int rc = llm_image_read(t[i].bytes, &a, &image, &e);

		assert_int_equal(rc, t[i].type ? 0 : -1);
		if (rc == 0)
			assert_string_equal(image.media_type, t[i].type);
		else
			assert_int_equal(e.code, ERR_MEDIA_TYPE);
		err_clear(&e);
	}
	memcpy(big, "GIF89a", 6);
	assert_int_equal(llm_image_read((struct str){ big, LIM_IMAGE_BYTES },
					&a, &image, &e), 0);
	assert_int_equal(image.base64.n, 5 << 20);
	assert_int_equal(image.data_url.n, (5 << 20) + 22);
	assert_int_equal(llm_image_read((struct str){ big, LIM_IMAGE_BYTES + 1 },
					&a, &image, &e), -1);
	assert_int_equal(e.code, ERR_TOO_BIG);
	free(big);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_openai),
		cmocka_unit_test(for_gemini),
		cmocka_unit_test(for_anthropic),
		cmocka_unit_test(for_ollama),
		cmocka_unit_test(they_count_as_tokens),
		cmocka_unit_test(for_no_others),
		cmocka_unit_test(told_by_their_bytes),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	json_decref(built.body);
	buf_release(&built.wire.body);
	arena_release(&built.arena);
	return rc;
}
