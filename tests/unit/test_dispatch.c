/* SPDX-License-Identifier: MIT */
/* lib/tool/core/dispatch.c: what becomes of a tool's result, good or bad. */
#include "unit.h"

#include "base/utf8.h"
#include "tool/core/tool.h"

static int big_run(const struct tool *t, const struct tool_ctx *ctx,
		   const json_t *args, struct buf *out, bool *is_json,
		   struct err *e)
{
	(void)t;
	(void)ctx;
	(void)args;
	(void)e;
	*is_json = false;
	buf_adds(out, "HEAD ");
	for (int i = 0; i < 20000; i++)
		buf_adds(out, "ä€😀");
	buf_adds(out, " TAIL");
	return 0;
}

static int bytes_run(const struct tool *t, const struct tool_ctx *ctx,
		     const json_t *args, struct buf *out, bool *is_json,
		     struct err *e)
{
	(void)t;
	(void)ctx;
	(void)args;
	(void)e;
	*is_json = false;
	buf_add(out, "a\xff\0z", 4);
	return 0;
}

static int leak_run(const struct tool *t, const struct tool_ctx *ctx,
		    const json_t *args, struct buf *out, bool *is_json,
		    struct err *e)
{
	(void)t;
	(void)ctx;
	(void)args;
	(void)is_json;
	buf_adds(out, "half a result");
	return err_set(e, ERR_INTERNAL, "password=hunter2 at /etc/secret");
}

static bool never(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	(void)ctx;
	return false;
}

static int echo_run(const struct tool *t, const struct tool_ctx *ctx,
		    const json_t *args, struct buf *out, bool *is_json,
		    struct err *e)
{
	(void)t;
	(void)ctx;
	(void)is_json;
	(void)e;
	jx_dump_sorted(out, args);
	return 0;
}

static const struct tool tools[] = {
	{ .name = "big", .run = big_run, .result_cap_bytes = 4096 },
	{ .name = "bytes", .run = bytes_run },
	{ .name = "closed", .run = leak_run, .advertise = never },
	{ .name = "leak", .run = leak_run },
	{ .name = "echo", .run = echo_run },
};

static struct tool_result call_with(const char *name, const char *schema,
				    const char *args, struct arena *a)
{
	static struct conf conf;
	static const struct str grant[] = { { "*", 1 } };
	struct identity who = { .grants = grant, .n_grants = 1 };
	struct tool_ctx ctx = {
		.turn.by = caller_of(&conf, &who, NULL, a), .arena = a,
	};
	struct tool_offer offers[ARRAY_LEN(tools)];
	struct tool_set set = { offers, ARRAY_LEN(tools) };
	json_t *any = jx_keep(a, jx_try(str_of(schema)));
	struct tool_result r;

	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		offers[i] = (struct tool_offer){ .tool = &tools[i], .schema = any };
	tool_call(&set, &ctx, str_of(name), str_of(args), &r);
	return r;
}

static struct tool_result call(const char *name, struct arena *a)
{
	return call_with(name, "{}", "{}", a);
}

/* Models write values as their text. */
static void a_text_of_a_value_is_the_value(void **state)
{
	static const struct {
		const char *type, *said, *ran;	/* NULL: refused */
	} rows[] = {
		{ "\"integer\"", "\"12\"", "12" }, { "\"number\"", "\"1.5\"", "1.5" },
		{ "\"number\"", "\"-2\"", "-2" }, { "\"boolean\"", "\"false\"", "false" },
		{ "\"array\"", "\"[1,2]\"", "[1,2]" }, { "\"object\"", "\"{}\"", "{}" },
		{ "[\"integer\",\"null\"]", "\"12\"", "12" },
		{ "[\"integer\",\"string\"]", "\"12\"", "\"12\"" },
		{ "\"string\"", "\"12\"", "\"12\"" }, { "\"integer\"", "\"1.5\"", NULL },
		{ "\"integer\"", "\"two\"", NULL }, { "\"boolean\"", "\"1\"", NULL },
		{ "\"array\"", "\"{}\"", NULL }, { "\"integer\"", "\"\"", NULL },
		/* as without quotes */
		{ "\"integer\"", "2.0", "2.0" }, { "\"integer\"", "\"2.0\"", "2.0" },
		{ "[\"integer\",\"null\"]", "\"null\"", NULL },
	};
	struct arena a = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct tool_result r = call_with("echo", arena_printf(&a,
			"{\"properties\":{\"a\":{\"type\":%s}}}", rows[i].type),
			arena_printf(&a, "{\"a\":%s}", rows[i].said), &a);

		assert_int_equal(r.is_error, !rows[i].ran);
		if (rows[i].ran)
			assert_string_equal(r.text.p, arena_printf(&a, "{\"a\":%s}",
								   rows[i].ran));
	}
	arena_release(&a);
}

/* Models say null for what they leave out. */
static void null_is_no_argument(void **state)
{
	static const struct {
		const char *schema, *args, *ran;	/* NULL: refused */
	} rows[] = {
		{ "{\"properties\":{\"a\":{\"type\":\"integer\"}}}",
		  "{\"a\":null}", "{}" },
		{ "{\"properties\":{\"a\":{\"enum\":[\"x\"]}}}",
		  "{\"a\":null}", "{}" },
		{ "{\"properties\":{\"a\":{\"type\":[\"integer\",\"null\"]}}}",
		  "{\"a\":null}", "{\"a\":null}" },
		{ "{\"properties\":{\"a\":{}}}", "{\"a\":null}",
		  "{\"a\":null}" },
		{ "{\"properties\":{\"a\":{\"type\":\"integer\"}},"
		  "\"required\":[\"a\"]}", "{\"a\":null}", NULL },
		{ "{\"properties\":{\"a\":{\"type\":\"array\",\"items\":{"
		  "\"properties\":{\"b\":{\"type\":\"string\"}}}}}}",
		  "{\"a\":[{\"b\":null},{\"b\":\"x\"}]}",
		  "{\"a\":[{},{\"b\":\"x\"}]}" },
		{ "{\"additionalProperties\":false}", "{\"a\":null}", NULL },
	};
	struct arena a = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct tool_result r = call_with("echo", rows[i].schema,
						 rows[i].args, &a);

		assert_int_equal(r.is_error, !rows[i].ran);
		if (rows[i].ran)
			assert_string_equal(r.text.p, rows[i].ran);
	}
	arena_release(&a);
}

static void a_long_result_keeps_both_ends(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r = call("big", &a);

	(void)state;
	assert_true(r.truncated);
	assert_false(r.is_error);
	assert_true(r.text.n <= 4096);
	assert_true(r.text.n > 3800);
	assert_int_equal(r.full_bytes, 20000 * 9 + 10);
	assert_true(utf8_valid(r.text));
	assert_true(str_starts(r.text, STR("HEAD ä")));
	assert_memory_equal(r.text.p + r.text.n - 5, " TAIL", 5);
	assert_non_null(strstr(r.text.p, "bytes left out here"));
	arena_release(&a);
}

static void a_result_is_text(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r = call("bytes", &a);

	(void)state;
	assert_true(utf8_valid(r.text));
	assert_str_is(r.text, "a\xef\xbf\xbd\xef\xbf\xbdz");
	arena_release(&a);
}

static void failures_tell_nothing_of_the_inside(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r = call("leak", &a);

	(void)state;
	assert_true(r.is_error);
	assert_str_is(r.text, "{\"error\":{\"code\":\"internal\",\"message\":"
		      "\"Something went wrong on the server.\"}}");
	arena_release(&a);
}

static void what_is_not_allowed_any_more_is_not_run(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r = call("closed", &a);

	(void)state;
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "tool_denied"));
	arena_release(&a);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(null_is_no_argument),
		cmocka_unit_test(a_long_result_keeps_both_ends),
		cmocka_unit_test(a_text_of_a_value_is_the_value),
		cmocka_unit_test(a_result_is_text),
		cmocka_unit_test(failures_tell_nothing_of_the_inside),
		cmocka_unit_test(what_is_not_allowed_any_more_is_not_run),
	};

	jx_seed();
	return cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);
}
