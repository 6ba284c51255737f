/* lib/tool/web/web_robots.c: which paths the rules of a site allow. */
#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "tool/web/web.h"

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
		cmocka_unit_test(matching_is_linear),
	};

	return cmocka_run_group_tests_name("robots", tests, NULL, NULL);
}
