/* SPDX-License-Identifier: MIT */
/* lib/base/json: strict and lenient reading, the writer. */
#include <math.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/limits.h"
#include "unit.h"

static enum err_code load_error(const char *text, size_t n)
{
	struct err e = ERR_INIT;
	json_t *j = jx_load((struct str){ text, n }, &e);

	json_decref(j);
	return e.code;
}

/* P-C10: what decides about rights is not read in two ways. */
static void strict_refuses(void **state)
{
	char deep[400];

	(void)state;
	assert_int_equal(load_error("{\"a\":1}", 7), ERR_NONE);
	assert_int_equal(load_error("7", 1), ERR_NONE);
	assert_int_equal(load_error("", 0), ERR_INVALID_JSON);
	assert_int_equal(load_error("{\"a\":1,\"a\":2}", 13), ERR_INVALID_JSON);
	assert_int_equal(load_error("{\"a\":\"\xff\"}", 9), ERR_INVALID_UTF8);
	assert_int_equal(load_error("{} x", 4), ERR_INVALID_JSON);
	memset(deep, '[', sizeof(deep));
	assert_int_equal(load_error(deep, sizeof(deep)), ERR_INVALID_JSON);
	/* Brackets inside a string are no nesting. */
	deep[0] = deep[sizeof(deep) - 1] = '"';
	assert_int_equal(load_error(deep, sizeof(deep)), ERR_NONE);
}

/* What would take a stack, or memory, that nobody has. */
static void caps_hold_everywhere(void **state)
{
	struct buf deep = BUF_INIT(100000), wide = BUF_INIT(10000000);
	struct err e = ERR_INIT;
	json_t *j;

	(void)state;
	for (int i = 0; i < 2000; i++)
		buf_addc(&deep, '[');
	for (int i = 0; i < 2000; i++)
		buf_addc(&deep, ']');
	assert_null(jx_try(buf_str(&deep)));
	assert_null(jx_load_lenient(buf_str(&deep), &e));
	e = (struct err)ERR_INIT;
	assert_null(jx_load(buf_str(&deep), &e));
	assert_non_null(strstr(e.public, "nested more than 64 levels"));

	buf_adds(&wide, "[{}");
	for (int i = 1; i < LIM_JSON_VALUES; i++)
		buf_adds(&wide, ",{}");
	buf_adds(&wide, "]");
	assert_null(jx_try(buf_str(&wide)));
	e = (struct err)ERR_INIT;
	assert_null(jx_load(buf_str(&wide), &e));
	assert_non_null(strstr(e.public, "more than 500000 values"));
	buf_release(&deep);
	buf_release(&wide);

	/* At the cap of depth, and the last of two keys. */
	for (int i = 0; i < 64; i++)
		buf_addc(&deep, '[');
	for (int i = 0; i < 64; i++)
		buf_addc(&deep, ']');
	j = jx_try(buf_str(&deep));
	assert_non_null(j);
	json_decref(j);
	j = jx_try(STR("{\"a\":1,\"a\":2}"));
	assert_int_equal(jx_int(j, "a", 0), 2);
	json_decref(j);
	assert_null(jx_try(STR("prose")));
	assert_null(jx_try((struct str){ NULL, 0 }));
	buf_release(&deep);
}

static void json_ends_before_prose(void **state)
{
	(void)state;
	assert_int_equal(jx_extent(STR("{\"a\":\"}\"} and [more")), 9);
	assert_int_equal(jx_extent(STR("[[1],[2]]x")), 9);
	assert_int_equal(jx_extent(STR("[[1],[2]")), 0);
	assert_int_equal(jx_extent(STR("x{}")), 0);
	assert_int_equal(jx_extent((struct str){ NULL, 0 }), 0);
}

/* What a client cut within a character; all else is as strict as ever. */
static void escapes_of_programs_are_repaired(void **state)
{
	static const struct {
		const char *in, *out;	/* NULL: refused */
	} t[] = {
		{ "{\"a\":\"\\ud83d\"}", "{\"a\":\"\xef\xbf\xbd\"}" },
		{ "{\"a\":\"\\ude00 x\\u0000y\"}",
		  "{\"a\":\"\xef\xbf\xbd x\xef\xbf\xbdy\"}" },
		{ "{\"a\":\"\\ud83d\\ude00\"}", "{\"a\":\"\xf0\x9f\x98\x80\"}" },
		{ "{\"a\":\"\xff\"}", NULL }, { "{\"a\":1,\"a\":2}", NULL },
		{ "{\"a\":\"\\ud83d\"", NULL }, { "", NULL },
		{ "{\"a\":\"\\ud83d\",\"a\":2}", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf b = BUF_INIT(1000);
		struct err e = ERR_INIT;
		json_t *j = jx_load_repaired(str_of(t[i].in), &e);

		assert_int_equal(j != NULL, t[i].out != NULL);
		assert_int_equal(e.code != ERR_NONE, !j);
		if (j)
			jx_dump(&b, j);
		assert_string_equal(b.p, t[i].out ? t[i].out : "");
		json_decref(j);
		buf_release(&b);
	}
}

/* P-C9, P-C11: what Jansson refuses a whole document for. */
static void lenient_repairs(void **state)
{
	static const struct {
		const char *in, *out;
	} t[] = {
		{ "{\"a\":\"\\ud83d\"}", "{\"a\":\"\xef\xbf\xbd\"}" },
		{ "{\"a\":\"\\ud83d\\ude00\"}", "{\"a\":\"\xf0\x9f\x98\x80\"}" },
		{ "{\"a\":\"x\\u0000y\"}", "{\"a\":\"x\xef\xbf\xbdy\"}" },
		{ "{\"a\":\"\xff\"}", "{\"a\":\"\xef\xbf\xbd\"}" },
		{ "{\"a\":\"\\\\ud83d\"}", "{\"a\":\"\\\\ud83d\"}" },
		{ "{\"a\":99999999999999999999}", "{\"a\":1e+20}" },
		{ "{\"a\":1,\"a\":2}", "{\"a\":2}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct err e = ERR_INIT;
		struct buf b = BUF_INIT(1000);
		json_t *j = jx_load_lenient(str_of(t[i].in), &e);

		assert_non_null(j);
		jx_dump(&b, j);
		assert_string_equal(b.p, t[i].out);
		json_decref(j);
		buf_release(&b);
	}
	for (int i = 0; i < 3; i++) {
		static const char *bad[] = { "<html>", "{\"a\":", "NaN" };
		struct err e = ERR_INIT;

		assert_null(jx_load_lenient(str_of(bad[i]), &e));
		assert_int_equal(e.code, ERR_UPSTREAM_PROTOCOL);
	}
}

/* Dumped, they are the shortest that read back the same, wherever they stand. */
static void reals_keep_their_value(void **state)
{
	const char *text = "{\"c\":[0.7,0.30000000000000004,1.0,-0.0,12.5e-9,"
		"1.7976931348623157e+308],\"b\":{\"k\\\"\\n\":1.1},\"a\":"
		"\"0.69999999999999996\"}";
	const char *sorted = "{\"a\":\"0.69999999999999996\",\"b\":{"
		"\"k\\\"\\n\":1.1},\"c\":[0.7,0.30000000000000004,1.0,-0.0,"
		"1.25e-08,1.7976931348623157e+308]}";
	json_t *j = json_loads(text, 0, NULL), *again;
	struct buf b = BUF_INIT(1000);
	struct jw w;

	(void)state;
	jx_dump_sorted(&b, j);
	assert_string_equal(b.p, sorted);
	again = json_loads(b.p, 0, NULL);
	assert_true(json_equal(j, again));
	buf_reset(&b);
	jx_dump(&b, again);
	assert_string_equal(b.p, sorted);
	buf_reset(&b);
	w = jw_on(&b);
	jw_obj(&w);
	jw_kreal(&w, "real", 0.12345678);
	jw_key(&w, "measure");
	jw_rounded(&w, 0.12345678);
	jw_end_obj(&w);
	assert_string_equal(b.p, "{\"real\":0.12345678,\"measure\":0.123457}");
	json_decref(again);
	json_decref(j);
	buf_release(&b);
}

static void writer_writes_json(void **state)
{
	struct buf b = BUF_INIT(1000);
	const struct uuid none = { .b = { 0 } };
	struct jw w = jw_on(&b);
	json_t *j;

	(void)state;
	jw_obj(&w);
	jw_kint(&w, "min", INT64_MIN);
	jw_kstr(&w, "null", (struct str){ NULL, 0 });
	jw_kstr(&w, "empty", STR(""));
	jw_kstr_given(&w, "given", STR(""));
	jw_kstr_given(&w, "missing", (struct str){ NULL, 0 });
	jw_key(&w, "list");
	jw_arr(&w);
	jw_int(&w, 0);
	jw_bool(&w, true);
	jw_null(&w);
	jw_real(&w, 0.25);
	jw_real(&w, NAN);
	jw_real(&w, -INFINITY);
	jw_arr(&w);
	jw_end_arr(&w);
	jw_obj(&w);
	jw_end_obj(&w);
	jw_end_arr(&w);
	jw_ktime(&w, "at", 0);
	jw_kint_if(&w, "known", true, 0);
	jw_kint_if(&w, "unknown", false, 7);
	jw_kuuid_if(&w, "none", &none);
	jw_end_obj(&w);
	assert_string_equal(b.p, "{\"min\":-9223372036854775808,\"null\":null,"
		"\"empty\":\"\",\"given\":\"\",\"list\":[0,true,null,0.25,0,0,[],{}],"
		"\"at\":\"1970-01-01T00:00:00.000Z\","
		"\"known\":0,\"unknown\":null,\"none\":null}");
	j = json_loads(b.p, 0, NULL);
	assert_non_null(j);
	json_decref(j);
	buf_release(&b);
}

static void members_are_lenient(void **state)
{
	json_t *j = json_loads("{\"s\":\"x\",\"n\":null,\"i\":3,\"r\":2.7,"
			       "\"big\":4e51,\"low\":-9.3e18}", 0, NULL);

	(void)state;
	assert_str_is(jx_str(j, "s"), "x");
	assert_null(jx_str(j, "n").p);
	assert_null(jx_str(j, "i").p);
	assert_int_equal(jx_int(j, "i", 9), 3);
	assert_int_equal(jx_int(j, "r", 9), 2);
	assert_int_equal(jx_int(j, "s", 9), 9);
	assert_int_equal(jx_int(j, "big", 9), 9);
	assert_int_equal(jx_int(j, "low", 9), 9);
	assert_null(jx_obj(j, "s"));
	assert_int_equal(jx_int(NULL, "x", 4), 4);
	json_decref(j);
}

/* The examples of RFC 6901 section 5, and what is none. */
static void pointers_point(void **state)
{
	static const struct {
		const char *pointer;
		int value;
	} rows[] = {
		{ "/foo/1", 11 }, { "/", 0 }, { "/a~1b", 1 }, { "/c%d", 2 },
		{ "/e^f", 3 }, { "/g|h", 4 }, { "/i\\j", 5 }, { "/k\"l", 6 },
		{ "/ ", 7 }, { "/m~0n", 8 },
	};
	static const char *const none[] = {
		"x", "/x", "/foo/2", "/foo/01", "/foo/-", "/foo/-1", "/foo/",
		"/foo/1/x", "/foo/99999999999999999999", "/m~2n", "/m~",
	};
	struct err e = ERR_INIT;
	json_auto_t *j = jx_load(STR("{\"foo\":[10,11],\"\":0,\"a/b\":1,"
		"\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,"
		"\" \":7,\"m~n\":8}"), &e);

	(void)state;
	assert_non_null(j);
	assert_ptr_equal(jx_pointer(j, ""), j);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(json_integer_value(jx_pointer(j,
					rows[i].pointer)), rows[i].value);
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		assert_null(jx_pointer(j, none[i]));
}

static void rows_are_found_by_a_text(void **state)
{
	json_auto_t *j = jx_try(STR("[1, {\"id\": 2}, {\"id\": \"\"}, {\"id\": \"a\"},"
				    " {\"id\": \"a\"}, {\"name\": \"b\"}]"));

	(void)state;
	assert_ptr_equal(jx_find(j, "id", STR("a")), json_array_get(j, 3));
	assert_null(jx_find(j, "id", STR("b")));
	assert_null(jx_find(j, "id", STR("")));
	assert_null(jx_find(NULL, "id", STR("a")));
	assert_null(jx_find(json_array_get(j, 3), "id", STR("a")));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(strict_refuses),
		cmocka_unit_test(caps_hold_everywhere),
		cmocka_unit_test(json_ends_before_prose),
		cmocka_unit_test(escapes_of_programs_are_repaired),
		cmocka_unit_test(lenient_repairs),
		cmocka_unit_test(reals_keep_their_value),
		cmocka_unit_test(writer_writes_json),
		cmocka_unit_test(members_are_lenient),
		cmocka_unit_test(pointers_point),
		cmocka_unit_test(rows_are_found_by_a_text),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
