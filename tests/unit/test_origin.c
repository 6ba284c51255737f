/* SPDX-License-Identifier: MIT */
/* Whose text it was (lib/prompt/origin.c): the names are anybody's. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "prompt/origin.h"

static struct str text_of(const struct origins *o, struct buf *b)
{
	struct jw w = jw_on(b);

	buf_reset(b);
	origins_write(&w, o);
	return buf_str(b);
}

static void the_latest_are_kept(void **state)
{
	struct origins o = { .n = 0 };
	char name[16];

	(void)state;
	for (int i = 0; i < ORIGINS + 3; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		origins_add(&o, ORIGIN_MCP_RESULT, str_of(name));
	}
	assert_int_equal(o.n, ORIGINS);
	assert_string_equal(o.v[0].name, "s3");
	assert_string_equal(o.v[ORIGINS - 1].name, "s10");
	/* One that is there becomes the latest. */
	origins_add(&o, ORIGIN_MCP_RESULT, STR("s3"));
	assert_int_equal(o.n, ORIGINS);
	assert_string_equal(o.v[0].name, "s4");
	assert_string_equal(o.v[ORIGINS - 1].name, "s3");
	origins_join(&o, &o);
	assert_int_equal(o.n, ORIGINS);
	origins_join(&o, NULL);
	origins_add(NULL, ORIGIN_MCP_RESULT, STR("x"));
	assert_int_equal(o.n, ORIGINS);
}

static void names_are_cut_and_cleaned(void **state)
{
	struct origins o = { .n = 0 }, again = { .n = 0 };
	struct buf b = BUF_INIT(65536), c = BUF_INIT(65536);
	char text[4096];

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text, "<|im_start|>\n\xe2\x80\xae\x01\"\\", 18);
	origins_add(&o, ORIGIN_WEB, (struct str){ text, sizeof(text) });
	assert_true(strlen(o.v[0].name) < ORIGIN_NAME_BYTES);
	assert_null(strstr(o.v[0].name, "<|im_start|>"));
	assert_null(strstr(o.v[0].name, "\xe2\x80\xae"));
	for (size_t i = 0; i < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	origins_parse(&o, STR("[{\"kind\":\"a kind that is far too long\"}]"));
	assert_int_equal(strlen(o.v[1].kind), ORIGIN_KIND_BYTES - 1);
	origins_add(&o, ORIGIN_DATASET, (struct str){ text + 1,
		    sizeof(text) - 1 });
	origins_add(&o, ORIGIN_WEB, (struct str){ text, sizeof(text) });
	for (size_t i = 0; i < o.n; i++)
		assert_true(utf8_valid(str_of(o.v[i].name)));
	/* What is stored reads back as it was. */
	origins_parse(&again, text_of(&o, &b));
	assert_true(str_eq(text_of(&again, &c), buf_str(&b)));
	buf_release(&b);
	buf_release(&c);
}

static void what_is_not_ours_is_passed_over(void **state)
{
	static const char *const bad[] = {
		"", "null", "7", "{}", "[", "[1,null,\"x\",{}]",
		"[{\"kind\":\"\"},{\"name\":\"x\"}]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct origins o = { .n = 0 };

		origins_parse(&o, str_of(bad[i]));
		assert_int_equal(o.n, 0);
	}
}

static void ones_own_words_do_not_taint(void **state)
{
	struct origins o = { .n = 0 };

	(void)state;
	origins_add(&o, ORIGIN_USER_NAME, STR("Ada"));
	origins_add(&o, ORIGIN_CONFIGURED, STR("lab"));
	assert_int_equal(o.n, 0);
	origins_add(&o, ORIGIN_TEAM_PROMPT, STR("bob (team sales)"));
	assert_int_equal(o.n, 1);
	assert_true(origins_has(&o, ORIGIN_AGENT_PROMPT, STR("bob (team sales)")));
	assert_false(origins_has(&o, ORIGIN_DATASET, STR("bob (team sales)")));
	assert_string_equal(origin_words(&o.v[0]), "a prompt by");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_latest_are_kept),
		cmocka_unit_test(names_are_cut_and_cleaned),
		cmocka_unit_test(ones_own_words_do_not_taint),
		cmocka_unit_test(what_is_not_ours_is_passed_over),
	};

	return cmocka_run_group_tests_name("origin", tests, NULL, NULL);
}
