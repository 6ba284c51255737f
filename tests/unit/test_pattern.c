/* SPDX-License-Identifier: MIT */
/* lib/schema/pattern.c: ECMAScript's expressions, and what bounds them. */
#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "schema/pattern.h"

#define PLENTY 10000000

static enum pattern_found find(const char *text, struct str s, int64_t *work)
{
	const char *fault;
	struct pattern *p = pattern_new(text, &fault);
	enum pattern_found found;

	if (!p)
		fail_msg("%s %s", text, fault);
	found = pattern_find(p, s, work);
	pattern_free(p);
	return found;
}

static void they_are_those_of_ecmascript(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool found;
	} rows[] = {
		{ "b", "abc", true },			/* unanchored */
		{ "^b", "abc", false },
		{ "^abc$", "abc\n", false },		/* $ is the end */
		{ "^\\d+(?=x)", "12x", true },
		{ "a+?b", "aab", true },
		{ "(?<=a)b", "ab", true },
		{ "(?<!a)b", "ab", false },
		{ "^(?<n>a|b)\\k<n>$", "bb", true },
		{ "^.$", "ä", true },			/* characters */
		{ "^.$", "\xf0\x9f\x98\x80", true },
		{ "^\\u00e4\\u{1f600}$", "ä\xf0\x9f\x98\x80", true },
		{ "^\\p{Lu}+$", "ÄÖ", true },
		{ "^\\w$", "ä", false },		/* ASCII, as there */
		{ "^.$", "\r", false },
		{ "^\\v$", "\v", true },
		{ "^\\v$", "\n", false },		/* PCRE2's own \v */
		{ "^[^]$", "\n", true },
		{ "[]", "x", false },
		{ "^(?:(a)|b)\\1c$", "bc", true },
		{ "^[(?]$", "?", true },
		{ "^\\(\\?R\\)$", "(?R)", true },
		{ "^[a-z\\]\\\\]+$", "a]\\", true },
		{ "^\\/\\.\\-$", "/.-", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t work = PLENTY;

		if (find(rows[i].pattern, str_of(rows[i].text), &work) !=
		    (rows[i].found ? PATTERN_YES : PATTERN_NO))
			fail_msg("%s on %s", rows[i].pattern, rows[i].text);
		assert_in_range(work, 1, PLENTY - 1);
	}
}

static void what_is_too_much_is_refused(void **state)
{
	static const struct {
		const char *part;
		int n;
		const char *end, *fault;
	} rows[] = {
		{ "(a?){10000}", 1, "", "repeats too often" },
		{ "", 0, "((a{1,200}){1,200}){1,200}", "repeats too often" },
		{ "(", 20, "x)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+", NULL },
		{ "(?:a{1000}){60}", 60, "", "repeats too often" },
		{ "(", 100, "", "nested too deep" },
		{ "a", 1025, "", "longer than 1024 bytes" },
		{ "(?<=.{60000})a", 1, "", "behind" },
		{ "", 0, "(?R)", "(?…)" },
		{ "", 0, "(a)(?1)", "(?…)" },
		{ "", 0, "(?P>a)", "(?…)" },
		{ "", 0, "(?C1)a", "(?…)" },
		{ "", 0, "(?(1)a|b)", "(?…)" },
		{ "", 0, "(?>a)", "(?…)" },
		{ "", 0, "(*LIMIT_HEAP=1000000)a", "(*…)" },
		{ "", 0, "\\Qa", "escape" },
		{ "", 0, "\\C", "escape" },
		{ "", 0, "\\g{1}", "escape" },
		{ "", 0, "\\c\\(?R)", "escape" },	/* \c takes any */
		{ "", 0, "a\\c", "escape" },
		{ "", 0, "a\\", "escape" },
		{ "", 0, "(", "valid expression" },
		{ "", 0, "[b-a]", "valid expression" },
		{ "", 0, "*", "valid expression" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf b = BUF_INIT(100000);
		const char *fault;
		struct pattern *p;

		for (int k = 0; k < rows[i].n; k++)
			buf_adds(&b, rows[i].part);
		buf_adds(&b, rows[i].end);
		p = pattern_new(b.p, &fault);
		if (!p != !!rows[i].fault ||
		    (fault && !strstr(fault, rows[i].fault)))
			fail_msg("%.60s: %s", b.p, fault ? fault : "taken");
		pattern_free(p);
		buf_release(&b);
	}
}

/* Exponential, cubic and quadratic ones: the same count on every machine. */
static void work_ends(void **state)
{
	static const char *const patterns[] = {
		"(a|a)*[bc]", "(a*)*[bc]", "^(a+)+$", "a*a*a*a*[bc]", "[^b]*[bc]",
		"(?:a?){100}a{100}[bc]", "(?=a*[bc]).", "(a*)\\1*[bc]",
	};
	struct buf text = BUF_INIT(100000);

	(void)state;
	for (int i = 0; i < 50000; i++)
		buf_addc(&text, 'a');
	buf_addc(&text, '!');
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		int64_t work = 1000000;
		enum pattern_found found = find(patterns[i], buf_str(&text),
						&work);

		if (found != PATTERN_BEYOND)
			fail_msg("%s: %d, %lld left", patterns[i], (int)found,
				 (long long)work);
		/* What is spent once is not there for the next one. */
		if (work < 0)
			assert_int_equal(find("a", STR("a"), &work),
					 PATTERN_BEYOND);
	}
	buf_release(&text);
}

/* An item that fails within its repetition: no callout tells how far it was. */
static void vain_repetition_is_work(void **state)
{
	static const struct {
		const char *pattern;
		bool beyond;
	} rows[] = {
		{ "[a-z]{20000}", true }, { "\\p{L}{20000,}", true },
		{ "(?:\\w{20000,30000}?|b)", true },
		{ "(?:[}]a\\w{20000}|b)", false },
		{ "^[a-z]{20000}$", false }, { "[a-z]{3}[}]", false },
	};
	struct buf text = BUF_INIT(100000);

	(void)state;
	for (int i = 1; i <= 60000; i++)
		buf_addc(&text, i % 20000 ? 'a' : '!');
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t work = PLENTY;
		enum pattern_found found = find(rows[i].pattern, buf_str(&text),
						&work);

		if (found != (rows[i].beyond ? PATTERN_BEYOND : PATTERN_NO))
			fail_msg("%s: %d, %lld left", rows[i].pattern,
				 (int)found, (long long)work);
	}
	buf_release(&text);
}

static void long_texts_are_not_matched(void **state)
{
	struct buf text = BUF_INIT(100000);
	int64_t work = PLENTY;

	(void)state;
	for (int i = 0; i < PATTERN_TEXT_BYTES; i++)
		buf_addc(&text, 'a');
	assert_int_equal(find("^a+$", buf_str(&text), &work), PATTERN_YES);
	buf_addc(&text, 'a');
	assert_int_equal(find("^a+$", buf_str(&text), &work), PATTERN_BEYOND);
	buf_release(&text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_those_of_ecmascript),
		cmocka_unit_test(what_is_too_much_is_refused),
		cmocka_unit_test(work_ends),
		cmocka_unit_test(vain_repetition_is_work),
		cmocka_unit_test(long_texts_are_not_matched),
	};

	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
