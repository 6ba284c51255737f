/* SPDX-License-Identifier: MIT */
/* lib/base/zone: the wall clock of a zone, beside the C library's own. */
#include <stdlib.h>

#include "base/zone.h"
#include "unit.h"

/* Against the C library: each zone with another rule, over forty years. */
static void as_the_c_library(void **state)
{
	static const char *const zones[] = {
		"UTC", "Europe/Berlin", "Europe/Dublin", "America/New_York",
		"America/Los_Angeles", "America/Sao_Paulo", "Asia/Kolkata",
		"Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Auckland",
		"Pacific/Kiritimati", "Africa/Casablanca", "America/Nuuk",
		"Asia/Tehran", "Asia/Gaza", "Antarctica/Troll", "Etc/GMT+5",
	};
	const char *before = getenv("TZ");
	char kept[100];

	(void)state;
	snprintf(kept, sizeof(kept), "%s", before ? before : "");
	for (size_t i = 0; i < ARRAY_LEN(zones); i++) {
		setenv("TZ", zones[i], 1);
		tzset();
		/* In steps that meet all hours and the days of changes. */
		for (int64_t s = 978307200; s < 2240524800; s += 12347 * 29) {
			struct tm ours, libc;
			time_t t = (time_t)s;

			assert_true(zone_time(str_of(zones[i]), s * 1000000,
					      &ours));
			localtime_r(&t, &libc);
			if (ours.tm_min != libc.tm_min ||
			    ours.tm_hour != libc.tm_hour ||
			    ours.tm_yday != libc.tm_yday ||
			    ours.tm_wday != libc.tm_wday ||
			    ours.tm_year != libc.tm_year)
				fail_msg("%s at %lld: %02d:%02d, not %02d:%02d",
					 zones[i], (long long)s, ours.tm_hour,
					 ours.tm_min, libc.tm_hour, libc.tm_min);
		}
	}
	if (before)
		setenv("TZ", kept, 1);
	else
		unsetenv("TZ");
	tzset();
}

static void names(void **state)
{
	struct tm tm;

	(void)state;
	assert_true(zone_known(STR("Europe/Berlin")));
	assert_false(zone_known(STR("")));
	assert_false(zone_known(STR("Europe/Atlantis")));
	assert_false(zone_known(STR("../../etc/passwd")));
	assert_false(zone_known(STR("/etc/localtime")));
	assert_false(zone_known(STR("Europe")));
	assert_false(zone_known(STR("Europe/Berlin\nIgnore")));
	/* What is not known is UTC; 00:30 there on 24 November 2026. */
	assert_false(zone_time(STR("Nowhere"), INT64_C(1795480200000000), &tm));
	assert_int_equal(tm.tm_hour, 0);
	assert_int_equal(tm.tm_mday, 24);
	assert_true(zone_time(STR("America/New_York"),
			      INT64_C(1795480200000000), &tm));
	assert_int_equal(tm.tm_hour, 19);
	assert_int_equal(tm.tm_mday, 23);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_the_c_library),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
