/* SPDX-License-Identifier: MIT */
/* store/metric_sum.c over a real MariaDB: what is left of a process's gauges. */
#include <stdlib.h>

#include "store/metric_sum.h"
#include "store_lab.h"

static int64_t open_streams(void)
{
	struct metric_sums *sums = calloc(1, sizeof(*sums));
	int64_t n;

	assert_non_null(sums);
	ok(store_metric_sum_read(db, sums, &e));
	n = *metric_find(sums, S("open_streams"), S("kind=\"notifications\""));
	free(sums);
	return n;
}

/* Also where nothing else was counted since. */
static void a_gauge_that_fell_to_zero_is_gone(void **state)
{
	const struct uuid process = uuid_new();

	(void)state;
	metric_add(METRIC_OPEN_STREAMS, "notifications", NULL, 2);
	ok(store_metric_sum_flush(db, &process, &e));
	assert_int_equal(open_streams(), 2);
	metric_add(METRIC_OPEN_STREAMS, "notifications", NULL, -2);
	ok(store_metric_sum_flush(db, &process, &e));
	assert_int_equal(open_streams(), 0);
	metric_add(METRIC_OPEN_STREAMS, "notifications", NULL, 1);
	ok(store_metric_sum_flush(db, &process, &e));
	metric_add(METRIC_OPEN_STREAMS, "notifications", NULL, -1);
	ok(store_metric_sum_leave(db, &process, &e));
	assert_int_equal(open_streams(), 0);
}

static int open_it(void **state)
{
	*state = (char *)"t_metric_sum";
	return store_lab_open(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gauge_that_fell_to_zero_is_gone),
	};

	return cmocka_run_group_tests(tests, open_it, store_lab_close);
}
