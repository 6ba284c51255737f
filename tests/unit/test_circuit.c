/* SPDX-License-Identifier: MIT */
/* Services that are left alone: lib/llm/circuit.c. */
#include "llm/circuit.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static char open_ids[CIRCUITS][LIM_SLUG_BYTES + 1];

/* That version of a service; good for one call. */
static const struct llm_service *v(const char *id, uint64_t version)
{
	static struct llm_service s;

	s = (struct llm_service){ .id = id, .version = version };
	return &s;
}

static const struct llm_service *of(const char *id)
{
	return v(id, 1);
}

static void failing(const char *id, int times, int64_t now_ms)
{
	while (times--)
		circuit_failed(of(id), now_ms);
}

/* What is known of a service holds until the configuration is read again. */
static void a_new_version_begins_anew(void **state)
{
	(void)state;
	failing("a", CIRCUIT_FAILURES, 100);
	assert_false(circuit_lets(v("a", 1), 100));
	assert_int_equal(circuit_open(open_ids, 1, 100), 1);
	assert_int_equal(circuit_open(open_ids, 2, 100), 0);
	assert_false(circuit_alone(v("a", 2), 100));
	assert_true(circuit_lets(v("a", 2), 100));
	/* What a turn of before says is not about the new one. */
	failing("a", 1, 100);
	for (int i = 0; i < CIRCUIT_FAILURES; i++)
		circuit_failed(v("a", 2), 100);
	assert_false(circuit_lets(v("a", 2), 100));
	circuit_worked(v("a", 1));
	failing("a", 1, 100);
	assert_false(circuit_lets(v("a", 2), 100));
	circuit_worked(v("a", 2));
	assert_true(circuit_lets(v("a", 2), 100));
}

/* The version of a service in a row has nothing to do with the files. */
static void one_in_a_row_is_shown(void **state)
{
	struct llm_service row = { .id = "row", .version = 7,
				   .source = SOURCE_API };

	(void)state;
	for (int i = 0; i < CIRCUIT_FAILURES; i++)
		circuit_failed(&row, 100);
	assert_int_equal(circuit_open(open_ids, 1, 100), 1);
	circuit_worked(&row);
	assert_int_equal(circuit_open(open_ids, 1, 100), 0);
}

static void opens_after_failures_in_a_row(void **state)
{
	(void)state;
	failing("a", CIRCUIT_FAILURES - 1, 100);
	assert_true(circuit_lets(of("a"), 100));
	circuit_worked(of("a"));
	failing("a", CIRCUIT_FAILURES - 1, 100);
	assert_true(circuit_lets(of("a"), 100));
	failing("a", 1, 100);
	assert_false(circuit_lets(of("a"), 100));
	assert_true(circuit_lets(of("b"), 100));
	assert_true(circuit_alone(of("a"), 100));
	assert_false(circuit_alone(of("b"), 100));
	assert_int_equal(circuit_open(open_ids, 1, 100), 1);
	assert_string_equal(open_ids[0], "a");
	circuit_worked(of("a"));
}

/* One tries when the time is over; the others wait for it. */
static void one_tries(void **state)
{
	const int64_t later = 100 + CIRCUIT_OPEN_MS;

	(void)state;
	failing("a", CIRCUIT_FAILURES, 100);
	assert_false(circuit_lets(of("a"), later - 1));
	/* To look is not to try. */
	assert_false(circuit_alone(of("a"), later));
	assert_true(circuit_lets(of("a"), later));
	assert_true(circuit_alone(of("a"), later));
	assert_false(circuit_lets(of("a"), later));
	failing("a", 1, later + 5);
	assert_false(circuit_lets(of("a"), later + CIRCUIT_OPEN_MS));
	assert_true(circuit_lets(of("a"), later + 5 + CIRCUIT_OPEN_MS));
	/* It never said how it went: another may. */
	assert_true(circuit_lets(of("a"), later + 5 + 2 * CIRCUIT_OPEN_MS));
	circuit_worked(of("a"));
	assert_true(circuit_lets(of("a"), later));
	assert_int_equal(circuit_open(open_ids, 1, later), 0);
}

static void more_than_there_is_room_for(void **state)
{
	char id[16];

	(void)state;
	for (int i = 0; i < CIRCUITS + 10; i++) {
		snprintf(id, sizeof(id), "s%d", i);
		failing(id, CIRCUIT_FAILURES, 100);
	}
	assert_int_equal(circuit_open(open_ids, 1, 100), CIRCUITS);
	snprintf(id, sizeof(id), "s%d", CIRCUITS + 9);
	assert_true(circuit_lets(of(id), 100));
	for (int i = 0; i < CIRCUITS; i++) {
		snprintf(id, sizeof(id), "s%d", i);
		circuit_worked(of(id));
	}
	assert_int_equal(circuit_open(open_ids, 1, 100), 0);
}

static void what_may_pass(void **state)
{
	(void)state;
	assert_true(circuit_passing(ERR_UPSTREAM_OVERLOAD));
	assert_true(circuit_passing(ERR_UPSTREAM_QUOTA));
	assert_false(circuit_passing(ERR_UPSTREAM_AUTH));
	assert_false(circuit_passing(ERR_UPSTREAM_CONTEXT));
	assert_false(circuit_passing(ERR_CANCELLED));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_after_failures_in_a_row),
		cmocka_unit_test(one_tries),
		cmocka_unit_test(more_than_there_is_room_for),
		cmocka_unit_test(a_new_version_begins_anew),
		cmocka_unit_test(one_in_a_row_is_shown),
		cmocka_unit_test(what_may_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
