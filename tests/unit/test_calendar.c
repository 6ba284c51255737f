/* SPDX-License-Identifier: MIT */
/* Walls, zones and rules of calendars, without a database (tests/api/test_calendar.py). */
#include "unit.h"

#include <string.h>

#include "base/util.h"
#include "base/zone.h"
#include "calendar/rule.h"

static void walls_come_back(void **state)
{
	char text[WALL_TEXT_BYTES];
	int y, m, d;
	int64_t s;

	(void)state;
	for (int64_t day = -200000; day < 200000; day += 7) {
		wall_date(day, &y, &m, &d);
		assert_int_equal(wall_day_of(y, m, d), day);
		assert_int_equal(wall_day(day * WALL_DAY_S + 86399), day);
	}
	assert_int_equal(wall_read(STR("2028-02-29T23:59"), &s), WALL_CLOCK);
	assert_string_equal(wall_text(s, false, text), "2028-02-29T23:59");
	assert_int_equal(wall_read(STR("2027-02-29"), &s), WALL_NONE);
	assert_int_equal(wall_read_ical(STR("20270301T080000Z"), &s), WALL_INSTANT);
	assert_int_equal(wall_read_ical(STR("2027030"), &s), WALL_NONE);
}

static void clocks_that_change(void **state)
{
	static const struct {
		const char *zone, *wall, *utc;
	} rows[] = {
		{ "Europe/Berlin", "2027-03-28T01:59", "2027-03-28T00:59" },
		{ "Europe/Berlin", "2027-03-28T02:30", "2027-03-28T01:30" },
		{ "Europe/Berlin", "2027-03-28T03:00", "2027-03-28T01:00" },
		{ "Europe/Berlin", "2027-10-31T02:30", "2027-10-31T00:30" },
		{ "Europe/Berlin", "2027-10-31T03:00", "2027-10-31T02:00" },
		{ "Australia/Lord_Howe", "2027-04-04T01:45", "2027-04-03T14:45" },
		{ "Pacific/Apia", "2011-12-31T00:00", "2011-12-30T10:00" },
		{ "Asia/Kathmandu", "2027-01-01T00:00", "2026-12-31T18:15" },
	};
	struct arena a = ARENA_INIT;
	int64_t wall, utc;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct zone *z = zone_read(str_of(rows[i].zone), &a);

		assert_non_null(z);
		wall_read(str_of(rows[i].wall), &wall);
		wall_read(str_of(rows[i].utc), &utc);
		assert_int_equal(zone_when(z, wall), utc);
	}
	assert_null(zone_read(STR("../passwd"), &a));
	arena_release(&a);
}

static int64_t last_of(const char *text, const char *start, struct err *e)
{
	int64_t wall, last = 0;
	struct rule r;

	wall_read(str_of(start), &wall);
	return rule_read(str_of(text), &r, e) < 0 ||
		rule_check(&r, wall, NULL, &last, e) < 0 ? -1 : last;
}

static void rules_end(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(last_of("FREQ=DAILY;COUNT=3", "2027-03-01", &e),
			 wall_day_of(2027, 3, 3));
	assert_int_equal(last_of("FREQ=YEARLY;COUNT=3", "2028-02-29", &e),
			 wall_day_of(2036, 2, 29));
	assert_int_equal(last_of("FREQ=MONTHLY;BYDAY=-1FR", "2027-03-26", &e), INT64_MAX);
	assert_int_equal(last_of("FREQ=SECONDLY;COUNT=1000000000", "2027-03-01", &e), -1);
	assert_int_equal(e.code, ERR_INVALID_FIELD);
	err_clear(&e);
	assert_int_equal(last_of("FREQ=WEEKLY;BYDAY=TU", "2027-03-01", &e), -1);
	assert_non_null(strstr(err_message(&e), "2027-03-02"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walls_come_back),
		cmocka_unit_test(clocks_that_change),
		cmocka_unit_test(rules_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
