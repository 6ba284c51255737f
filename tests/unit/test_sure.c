/* SPDX-License-Identifier: MIT */
/* How sure a passage answers a question: bounds, order, and what is no evidence. */
#include <math.h>

#include "base/util.h"
#include "search/rank.h"
#include "search/sure.h"
#include "unit.h"

static void common_words_say_nothing(void **state)
{
	static const char *const common[] = {
		"a", "What", "YOU", "thanks", "yourselves", "wie", "würden", "où", "ça",
		"está", "perché", "waarom", "também", "zwischen", "five", "fünf",
		"yesterday", "time",
	};
	static const char *const words[] = {
		"leave", "projector", "war", "font", "car", "AI", "C", "2025", "zebra", "",
		"averyveryverylongwordindeed", "東京",
	};
	static const struct { const char *text; bool asks; } cases[] = {
		{ "Hi!", false }, { "How are you?", false }, { "I don't know.", false },
		{ "", false }, { "?!", false }, { "OK", false },
		{ "Long time no see!", false }, { "Back in five.", false },
		{ "How do I print?", true }, { "projector", true }, { "東京", true },
		{ "E-42", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(common); i++)
		if (!sure_is_common(str_of(common[i])))
			fail_msg("%s", common[i]);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (sure_is_common(str_of(words[i])))
			fail_msg("%s", words[i]);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (sure_asks(str_of(cases[i].text)) != cases[i].asks)
			fail_msg("%s", cases[i].text);
}

static void more_words_are_surer(void **state)
{
	double before = 0;

	(void)state;
	assert_true(sure_of_words(&(struct sure_words){ .all = 20, .chunks = 100 }) <= 0);
	for (int n = 1; n <= 64; n++) {
		const struct sure_words w = { n, 2.0 * n, 2.0 * n + 4, 1000 };
		const double sure = sure_of_words(&w);

		assert_true(sure >= before && sure <= 1);
		before = sure;
		assert_true(n > 1 ? sure > 0.5 : sure < 0.3);
	}
}

static void nearness_is_that_of_the_model(void **state)
{
	/* One whose cosines begin at 0, and one whose begin at 0.7. */
	for (double usual = 0; usual < 0.8; usual += 0.7) {
		const double span = 1 - usual;

		assert_true(sure_of_vector(usual, usual) < 0.1);
		assert_true(sure_of_vector(usual - 0.2 * span, usual) < 0.01);
		assert_true(sure_of_vector(usual + 0.4 * span, usual) > 0.9);
		assert_true(sure_of_vector(1, usual) <= 1);
	}
	(void)state;
}

static void what_is_usual_is_learned(void **state)
{
	const float x[2] = { 1, 0 }, y[2] = { 0, 1 };
	double sum[2] = { 0 };
	struct sure_near s = { .sum = sum };

	(void)state;
	assert_true(fabs(sure_usual(&s, 2) - 0.2) < 1e-9);
	sure_note(&s, x, 2);
	assert_true(fabs(sure_usual(&s, 2) - 0.2) < 0.02);
	for (int i = 0; i < 5000; i++)
		sure_note(&s, x, 2);
	assert_true(sure_usual(&s, 2) > 0.99);
	for (int i = 0; i < 5000; i++)
		sure_note(&s, y, 2);
	assert_true(fabs(sure_usual(&s, 2) - 0.5) < 0.01);
}

static void either_is_enough(void **state)
{
	(void)state;
	assert_true(fabs(sure_of_both(0.5, 0.5) - 0.75) < 1e-9);
	assert_true(fabs(sure_of_both(0, 0.3) - 0.3) < 1e-9);
	assert_true(fabs(sure_of_both(1, 0) - 1) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(common_words_say_nothing),
		cmocka_unit_test(more_words_are_surer),
		cmocka_unit_test(nearness_is_that_of_the_model),
		cmocka_unit_test(what_is_usual_is_learned),
		cmocka_unit_test(either_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
