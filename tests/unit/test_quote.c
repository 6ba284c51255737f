/* SPDX-License-Identifier: MIT */
/* What an answer cites, and whether it is there. */
#include "unit.h"

#include "context/quote.h"

static struct arena arena = ARENA_INIT;

static struct quote_marks found_in(const char *text)
{
	struct quote_marks m;

	quote_find(str_of(text), &arena, &m);
	return m;
}

/* The numbers, with blanks between. */
static const char *numbers(const char *text)
{
	struct quote_marks m = found_in(text);
	char *out = arena_strdup(&arena, "");

	for (int i = 0; i <= QUOTE_NUMBER_MAX; i++)
		if (m.cited[i])
			out = arena_printf(&arena, "%s%s%d", out, *out ? " " : "", i);
	return out;
}

static void test_numbers(void **state)
{
	static const struct {
		const char *text, *numbers;
	} cases[] = {
		{ "So it is [1].", "1" },
		{ "carry over[2][3], see [4, 5;6] and [^7]", "2 3 4 5 6 7" },
		{ "[1](https://example.org) and [x] [] [1 [12", "" },
		{ "\n[1]: https://example.org", "" },
		{ "Note [1]: so it is", "1" },
		{ "`a[1]` ``b[2]`c`` [3]", "3" },
		{ "```\nv[1]\n```\n[2]\n~~~\n[3]\n~~~\n[4]", "2 4" },
		{ "```\nv[1] is not closed", "" },
		{ "a lone ` and [1]", "1" },
		{ "[0] [999] [1000]", "0 999" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(numbers(cases[i].text), cases[i].numbers);
}

static void test_places(void **state)
{
	static const char text[] = "é [1], `[2]` and [3, 1][^4] [5](x)";
	static const struct {
		const char *mark;
		int number;
	} cited[] = {
		{ "[1]", 1 }, { "[3, 1]", 3 }, { "[3, 1]", 1 }, { "[^4]", 4 },
	};
	struct quote_place *v;

	(void)state;
	assert_int_equal(quote_places(STR(""), &arena, &v), 0);
	assert_int_equal(quote_places(STR(text), &arena, &v), ARRAY_LEN(cited));
	for (size_t i = 0; i < ARRAY_LEN(cited); i++) {
		assert_int_equal(v[i].number, cited[i].number);
		assert_true(str_is((struct str){ text + v[i].at, v[i].n },
				   cited[i].mark));
	}
}

static void test_quotations(void **state)
{
	static const struct {
		const char *text, *quote;	/* NULL: none */
	} cases[] = {
		{ "He said \"one two three four\".", "one two three four" },
		{ "“one two three four”", "one two three four" },
		{ "„eins zwei drei vier“", "eins zwei drei vier" },
		{ "„jeden dwa trzy cztery”", "jeden dwa trzy cztery" },
		{ "«un deux trois quatre»", "un deux trois quatre" },
		{ "»eins zwei drei vier«", "eins zwei drei vier" },
		{ "‘don’t do this one thing’", "don’t do this one thing" },
		{ "'don't do this one thing'", "don't do this one thing" },
		{ "「一二三四五六七八」", "一二三四五六七八" },
		{ "「一二三」", NULL },
		{ "\"one two three\"", NULL },
		{ "12\" by 30\" and more words come here", NULL },
		{ "\"one two\n\nthree four\"", NULL },
		{ "`\"one two three four\"`", NULL },
		{ "the dogs' bowl and the cats' food", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct quote_marks m = found_in(cases[i].text);

		assert_int_equal(m.n, cases[i].quote ? 1 : 0);
		if (m.n)
			assert_true(str_is(m.v[0], cases[i].quote));
	}
}

static bool stands(const char *answer, const char *source)
{
	struct quote_marks m = found_in(answer);
	const struct str texts[] = { STR("something else"), str_of(source) };

	assert_int_equal(m.n, 1);
	quote_check(&m, texts, 2);
	return m.n == 0;
}

static void test_they_are_compared(void **state)
{
	static const char source[] =
		"Five days carry\nover — „unused“ leave, ÜBER all; twelve exam-\n"
		"ples follow the first of May.";

	(void)state;
	assert_true(stands("\"five  DAYS carry over\"", source));
	assert_true(stands("“five days **carry** over [1]”", source));
	assert_true(stands("\"days carry over - 'unused' leave\"", source));
	assert_true(stands("\"unused leave, über all\"", source));
	assert_true(stands("\"leave, u\u0308ber all; twelve\"", source));
	assert_true(stands("\"twelve examples follow the first\"", source));
	assert_true(stands("\"Five days … the first of May\"", source));
	assert_true(stands("\"Five days [...] first of May.\"", source));
	assert_false(stands("\"first of May … Five days\"", source));
	assert_false(stands("\"six days carry over\"", source));
	assert_false(stands("\"something else five days\"", source));
	assert_false(stands("\"Five days carry over until June\"", source));
}

static void test_there_may_be_many(void **state)
{
	struct buf b = BUF_INIT(100000);
	struct quote_marks m;

	(void)state;
	for (int i = 0; i < 100; i++)
		buf_addf(&b, "\"number %d of a hundred\" ", i);
	m = found_in(b.p);
	assert_int_equal(m.n, QUOTE_MARKED);
	quote_check(&m, NULL, 0);
	assert_int_equal(m.n, QUOTE_MARKED);
	buf_release(&b);
}

/* Each byte is looked at a few times, however many marks nothing closes. */
static void test_marks_that_nothing_closes(void **state)
{
	static const char *const units[] = {
		"“", "«", "„", "”", "\"a", " 'a", " \"", "‘", "「", "“““““““““““”",
		"“ab\n", "\n\n“", "“a„b«c‹d",
	};
	enum { BYTES = 200000 };
	struct buf b = BUF_INIT(BYTES + 64);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		struct quote_marks m;

		buf_reset(&b);
		while (b.n < BYTES)
			buf_adds(&b, units[i]);
		m = found_in(b.p);
		assert_int_equal(m.n, 0);
		assert_in_range(m.steps, 0, (size_t)8 * BYTES);
		/* And one is found behind them. */
		buf_adds(&b, " \n\n \"one two three four\"");
		m = found_in(b.p);
		assert_int_equal(m.n, 1);
		assert_true(str_is(m.v[0], "one two three four"));
	}
	buf_release(&b);
}

/* The same for marks of code, whatever their lengths. */
static void test_code_that_nothing_ends(void **state)
{
	enum { BYTES = 200000 };
	struct buf falling = BUF_INIT(BYTES + 1024), units = BUF_INIT(BYTES + 64);
	struct quote_marks m;

	(void)state;
	for (int n = 600; n; n--) {
		for (int i = 0; i < n; i++)
			buf_addc(&falling, '`');
		buf_addc(&falling, ' ');
	}
	m = found_in(falling.p);
	assert_in_range(m.steps, 0, 2 * falling.n);
	while (units.n < BYTES)
		buf_adds(&units, units.n % 3 ? "` `` " : "a\n~~~~\n~~~ ");
	m = found_in(units.p);
	assert_in_range(m.steps, 0, 2 * units.n);
	/* What ends which. */
	assert_int_equal(found_in("` \"a b c d e\" `` \"f g h i j\" `").n, 0);
	assert_int_equal(found_in("`` \"a b c d e\" ` \"f g h i j\" ```").n, 2);
	assert_int_equal(found_in("```` \"a b c d e\" ``` \"f g h i j\"").n, 0);
	assert_int_equal(found_in("```\n\"a b c d e\"\n````\n\"f g h i j\"").n, 1);
	assert_int_equal(found_in("~~~\n\"a b c d e\"\n~~~\n\"f g h i j\"").n, 1);
	assert_int_equal(found_in("a ``` \"a b c d e\" `` \"f g h i j\"").n, 2);
	assert_int_equal(found_in("a ~~~ \"a b c d e\" ~~~").n, 1);
	buf_release(&falling);
	buf_release(&units);
}

static int drop(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_quotations),
		cmocka_unit_test(test_they_are_compared),
		cmocka_unit_test(test_there_may_be_many),
		cmocka_unit_test(test_marks_that_nothing_closes),
		cmocka_unit_test(test_code_that_nothing_ends),
	};

	return cmocka_run_group_tests(tests, NULL, drop);
}
