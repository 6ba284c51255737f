/* SPDX-License-Identifier: MIT */
/* Changing a part of a Markdown text. */
#include "unit.h"

#include "resource/section.h"

#define TEXT "# Plan\n\nIntro.\n\n## Aims\n\nOne.\n\n### Detail\n\nDeep.\n\n" \
	"## Costs ##\nMany.\n\n# End\nBye."

static void replaced(const char *text, const char *heading, const char *body,
		     const char *wanted)
{
	struct buf b = BUF_INIT(1 << 16);

	assert_true(section_replace(&b, str_of(text), str_of(heading), str_of(body)));
	assert_string_equal(buf_str(&b).p, wanted);
	buf_release(&b);
}

static void a_section_is_replaced(void **state)
{
	(void)state;
	/* With what is below it; its heading stays, or is the new one. */
	replaced(TEXT, "Aims", "Two.", "# Plan\n\nIntro.\n\n## Aims\nTwo.\n\n"
		 "## Costs ##\nMany.\n\n# End\nBye.");
	replaced(TEXT, "## aims", "## Goals\n\nTwo.\n", "# Plan\n\nIntro.\n\n## Goals\n\n"
		 "Two.\n\n## Costs ##\nMany.\n\n# End\nBye.");
	replaced(TEXT, "Detail", "D", "# Plan\n\nIntro.\n\n## Aims\n\nOne.\n\n### Detail\nD\n\n"
		 "## Costs ##\nMany.\n\n# End\nBye.");
	/* The # that close a heading are none of its words. */
	replaced(TEXT, "Costs", "Few.", "# Plan\n\nIntro.\n\n## Aims\n\nOne.\n\n### Detail\n\n"
		 "Deep.\n\n## Costs ##\nFew.\n\n# End\nBye.");
	/* The last one, without a line end; and all of it. */
	replaced(TEXT, "End", "So long.", "# Plan\n\nIntro.\n\n## Aims\n\nOne.\n\n### Detail\n\n"
		 "Deep.\n\n## Costs ##\nMany.\n\n# End\nSo long.\n");
	replaced("# A", "A", "x", "# A\nx\n");
	/* Nothing removes it. */
	replaced("# A\n1\n# B\n2\n# C\n3\n", "B", "", "# A\n1\n# C\n3\n");
	replaced("# A\n1\n# B\n2\n", "B", " \n", "# A\n1\n");
}

static void what_is_no_heading_is_text(void **state)
{
	struct buf b = BUF_INIT(1 << 12);

	(void)state;
	replaced("# A\n```sh\n# B\n```\nx\n# B\ny\n", "B", "z", "# A\n```sh\n# B\n```\nx\n"
		 "# B\nz\n");
	replaced("# A\n~~~~\n~~~\n# no\n~~~~\n# B\n", "A", "z", "# A\nz\n\n# B\n");
	replaced("# A\n    # no\n#no\n####### no\n# B", "A", "z", "# A\nz\n\n# B");
	replaced("   # A\r\nx\r\n# B\r\n", "A", "z", "   # A\r\nz\n\n# B\r\n");
	/* A fence in the new text does not open one in the old. */
	replaced("# A\nx\n# B\ny", "A", "```\ncode", "# A\n```\ncode\n\n# B\ny");
	assert_false(section_replace(&b, str_of("```\n# B\n```\n"), str_of("B"), str_of("x")));
	assert_false(section_replace(&b, str_of(""), str_of("B"), str_of("x")));
	assert_false(section_replace(&b, str_of("B\n"), str_of("B"), str_of("x")));
	assert_int_equal(b.n, 0);
	buf_release(&b);
}

static void sections_are_named(void **state)
{
	struct buf b = BUF_INIT(1 << 12);

	(void)state;
	section_names(&b, str_of(TEXT), 300);
	assert_string_equal(buf_str(&b).p, "\"Plan\", \"Aims\", \"Detail\", \"Costs\", \"End\"");
	buf_reset(&b);
	section_names(&b, str_of(TEXT), 20);
	assert_string_equal(buf_str(&b).p, "\"Plan\", \"Aims\", …");
	buf_reset(&b);
	section_append(&b, str_of("a\n\n \n"), str_of("b"));
	assert_string_equal(buf_str(&b).p, "a\n\nb");
	buf_reset(&b);
	section_append(&b, str_of(""), str_of("b"));
	assert_string_equal(buf_str(&b).p, "b");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_section_is_replaced),
		cmocka_unit_test(what_is_no_heading_is_text),
		cmocka_unit_test(sections_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
