/* SPDX-License-Identifier: MIT */
/* lib/net/robots.c: what the rules of a site allow. */
#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "net/robots.h"

static void rules_fit_paths(void **state)
{
	static const struct {
		const char *rule, *path;
		bool fits;
	} rows[] = {
		{ "/", "/a", true },
		{ "/a", "/abc", true },
		{ "/a", "/b", false },
		{ "/abc", "/ab", false },
		{ "/a$", "/a", true },
		{ "/a$", "/ab", false },
		{ "/*.pdf", "/x/y.pdf?z", true },
		{ "/*.pdf$", "/x/y.pdf", true },
		{ "/*.pdf$", "/x/y.pdf?z", false },
		{ "/*.pdf$", "/a.pdf.b.pdf", true },
		{ "/*a*b", "/xaxxb", true },
		{ "/*a*b", "/xbxxa", false },
		{ "/*aa$", "/aaa", true },
		{ "/aa*aa$", "/aaa", false },
		{ "*", "/anything", true },
		{ "*$", "/anything", true },
		{ "/a**b", "/axb", true },
		{ "/a*$", "/abc", true },
		{ "/$a", "/$ab", true },
		{ "$", "/a", false },
		/* however they are encoded */
		{ "/%7ejoe", "/~joe/x", true },
		{ "/~joe", "/%7Ejoe", true },
		{ "/\xe3\x83\x84", "/%E3%83%84", true },
		{ "/%e3%83%84", "/\xe3\x83\x84", true },
		{ "/a%3cd", "/a%3Cd", true },
		{ "/a%2Fb", "/a/b", false },
		{ "/a%2a", "/abc", false },
		{ "/a%4", "/a%4x", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf b = BUF_INIT(1000);

		buf_addf(&b, "User-agent: *\nDisallow: %s\n", rows[i].rule);
		if (robots_allow(buf_str(&b), str_of(rows[i].path)) ==
		    rows[i].fits)
			fail_msg("%s with %s", rows[i].rule, rows[i].path);
		buf_release(&b);
	}
}

static void the_longest_rule_counts(void **state)
{
	struct str robots = STR("User-agent: lamplighter\nDisallow: /a\n"
				"Allow: /a/b # here\nDisallow: /a/b/c$\n"
				"User-agent: *\nDisallow: /\n");

	(void)state;
	assert_true(robots_allow(robots, STR("/x")));
	assert_false(robots_allow(robots, STR("/a/x")));
	assert_true(robots_allow(robots, STR("/a/b/x")));
	assert_false(robots_allow(robots, STR("/a/b/c")));
}

static void groups_are_told_apart(void **state)
{
	struct str robots = STR("\xef\xbb\xbfUser-Agent: LAMPLIGHTER\r"
				"user-agent: other\r\n"
				"DISALLOW : /a\nSitemap: http://x/\n\n"
				"Crawl-delay: 1.5\n"
				"User-agent: lamplighter2\nDisallow: /c\n"
				"User-agent: lamplighter\nDisallow: /d\n"
				"no rule\nDisallow:\n");

	(void)state;
	assert_false(robots_allow(robots, STR("/a")));
	assert_true(robots_allow(robots, STR("/c")));
	assert_false(robots_allow(robots, STR("/d")));
	assert_int_equal(robots_delay_ms(robots), 1500);
	assert_int_equal(robots_delay_ms(STR("")), 0);
	assert_int_equal(robots_delay_ms(
		STR("User-agent: *\nCrawl-delay: 99999999999999999999\n")),
		INT32_MAX);
	assert_int_equal(robots_delay_ms(
		STR("User-agent: *\nCrawl-delay: 99999999999999999999.5\n")),
			 INT32_MAX);
	assert_int_equal(robots_delay_ms(
		STR("User-agent: *\nCrawl-delay: -1\n")), 0);
	assert_true(robots_allow(STR("<html>Disallow: /"), STR("/")));
	assert_true(robots_allow(STR("Disallow: /"), STR("/")));
	assert_true(str_is(robots_path("https://x?a=/b#c"), "/"));
}

static void tags_of_pages(void **state)
{
	static const struct {
		const char *value;
		bool noindex;
	} rows[] = {
		{ "", false }, { "all", false }, { "noindex", true },
		{ "NOFOLLOW , NoIndex", true }, { "none", true },
		{ "noindexing", false }, { "otherbot: noindex", false },
		{ "otherbot: noindex, nofollow", false },
		{ "otherbot: nofollow, lamplighter: noindex", true },
		{ "*: none", true }, { "max-snippet: 5, noindex", true },
		{ "unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", true },
		{ ",,:,", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (robots_noindex(str_of(rows[i].value)) != rows[i].noindex)
			fail_msg("%s", rows[i].value);
}

/*
 * Half a million bytes of rules on a path of a megabyte: pattern times path
 * would be more steps than this test has hours.
 */
static void matching_is_linear(void **state)
{
	struct buf b = BUF_INIT(2000000), path = BUF_INIT(2000000);

	(void)state;
	buf_adds(&path, "/");
	for (int i = 0; i < 1000000; i++)
		buf_addc(&path, 'a');
	buf_adds(&b, "User-agent: *\nDisallow: /*");
	for (int i = 0; i < 250000; i++)
		buf_addc(&b, 'a');
	buf_adds(&b, "b\nDisallow: ");
	for (int i = 0; i < 100000; i++)
		buf_adds(&b, "*a");
	buf_adds(&b, "b\n");
	assert_true(robots_allow(buf_str(&b), buf_str(&path)));
	buf_addc(&path, 'b');
	assert_false(robots_allow(buf_str(&b), buf_str(&path)));
	buf_release(&b);
	buf_release(&path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_fit_paths),
		cmocka_unit_test(the_longest_rule_counts),
		cmocka_unit_test(groups_are_told_apart),
		cmocka_unit_test(tags_of_pages),
		cmocka_unit_test(matching_is_linear),
	};

	return cmocka_run_group_tests_name("robots", tests, NULL, NULL);
}
